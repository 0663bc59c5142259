//! JSON-RPC 2.0 messages as MCP uses them: no batches, and ids are strings or integers.

use serde_json::{Map, Value, json};

use super::integer::integer;

/// A message from the client.
#[derive(Clone, Debug)]
pub(super) enum Message {
    /// It gets exactly one answer.
    Request(Request),
    /// It gets no answer.
    Notification {
        /// The name of the notification.
        method: String,
        /// Its parameters; empty if absent.
        params: Map<String, Value>,
    },
    /// An answer from the client. The server never sends requests, so it belongs to nothing.
    Response,
}

/// A request from the client.
#[derive(Clone, Debug)]
pub(super) struct Request {
    pub(super) id: Value,
    pub(super) method: String,
    /// The parameters; empty if absent.
    pub(super) params: Map<String, Value>,
}

/// A failure of the request itself, not of a tool.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct RpcError {
    pub(super) code: i64,
    pub(super) message: String,
    pub(super) data: Option<Value>,
}

/// A message that is not valid, with its id if that could be read.
#[derive(Clone, Debug)]
pub(super) struct Rejection {
    id: Option<Value>,
    error: RpcError,
}

pub(super) const PARSE_ERROR: i64 = -32700;
pub(super) const INVALID_REQUEST: i64 = -32600;
pub(super) const METHOD_NOT_FOUND: i64 = -32601;
pub(super) const INVALID_PARAMS: i64 = -32602;
pub(super) const INTERNAL_ERROR: i64 = -32603;
pub(super) const HEADER_MISMATCH: i64 = -32020;
pub(super) const UNSUPPORTED_VERSION: i64 = -32022;

impl RpcError {
    pub(super) fn new(code: i64, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), data: None }
    }

    pub(super) fn with_data(mut self, data: Value) -> Self {
        self.data = Some(data);
        self
    }

    pub(super) fn method_not_found(method: &str) -> Self {
        Self::new(METHOD_NOT_FOUND, format!("Method not found: {method}"))
    }

    /// The error response. The id is left out where it is unknown: the published schemas of MCP do
    /// not allow `null`, which JSON-RPC asks for.
    pub(super) fn to_message(&self, id: Option<&Value>) -> Value {
        let mut error = json!({ "code": self.code, "message": self.message });
        if let Some(data) = &self.data {
            error["data"] = data.clone();
        }
        let mut message = json!({ "jsonrpc": "2.0", "error": error });
        if let Some(id) = id {
            message["id"] = id.clone();
        }
        message
    }
}

impl Rejection {
    pub(super) fn to_message(&self) -> Value {
        self.error.to_message(self.id.as_ref())
    }
}

impl Request {
    /// The response with this result.
    pub(super) fn result(&self, result: &Value) -> Value {
        json!({ "jsonrpc": "2.0", "id": self.id, "result": result })
    }

    /// A string among the parameters.
    pub(super) fn text(&self, name: &str) -> Option<&str> {
        self.params.get(name).and_then(Value::as_str)
    }
}

impl Message {
    /// Reads one message.
    pub(super) fn parse(bytes: &[u8]) -> Result<Self, Rejection> {
        let value: Value = serde_json::from_slice(bytes).map_err(|error| Rejection {
            id: None,
            error: RpcError::new(PARSE_ERROR, format!("Parse error: {error}")),
        })?;
        let Value::Object(mut object) = value else {
            return Err(invalid(None, "a message must be an object"));
        };
        let id = object.remove("id");
        let valid_id = id.clone().filter(is_id);
        if object.get("jsonrpc") != Some(&json!("2.0")) {
            return Err(invalid(valid_id, "`jsonrpc` must be \"2.0\""));
        }
        if !object.contains_key("method")
            && (object.contains_key("result") || object.contains_key("error"))
        {
            return Ok(Self::Response);
        }
        if id.is_some() && valid_id.is_none() {
            return Err(invalid(None, "`id` must be a string or an integer"));
        }
        let Some(Value::String(method)) = object.remove("method") else {
            return Err(invalid(valid_id, "`method` must be a string"));
        };
        let params = match object.remove("params") {
            None => Map::new(),
            Some(Value::Object(params)) => params,
            Some(_) => {
                let error = RpcError::new(INVALID_PARAMS, "`params` must be an object");
                return Err(Rejection { id: valid_id, error });
            }
        };
        Ok(match valid_id {
            Some(id) => Self::Request(Request { id, method, params }),
            None => Self::Notification { method, params },
        })
    }
}

fn invalid(id: Option<Value>, reason: &str) -> Rejection {
    Rejection { id, error: RpcError::new(INVALID_REQUEST, format!("Invalid request: {reason}")) }
}

fn is_id(id: &Value) -> bool {
    id.is_string() || id.as_number().and_then(integer).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invalid_messages_get_the_codes_of_json_rpc() {
        let cases = [
            ("{", PARSE_ERROR, None),
            ("[]", INVALID_REQUEST, None),
            (r#"{"id": 1, "method": "ping"}"#, INVALID_REQUEST, Some(json!(1))),
            (r#"{"jsonrpc": "2.0", "id": null, "method": "ping"}"#, INVALID_REQUEST, None),
            (r#"{"jsonrpc": "2.0", "id": 1.5, "method": "ping"}"#, INVALID_REQUEST, None),
            (r#"{"jsonrpc": "2.0", "id": "a", "method": 1}"#, INVALID_REQUEST, Some(json!("a"))),
            (
                r#"{"jsonrpc": "2.0", "id": 2, "method": "ping", "params": []}"#,
                INVALID_PARAMS,
                Some(json!(2)),
            ),
        ];
        for (text, code, id) in cases {
            let message = Message::parse(text.as_bytes()).unwrap_err().to_message();
            assert_eq!(message["error"]["code"], code, "{text}");
            assert_eq!(message.get("id"), id.as_ref(), "{text}");
        }
    }

    #[test]
    fn answers_of_the_client_are_recognised() {
        let message = Message::parse(br#"{"jsonrpc": "2.0", "id": 1, "result": {}}"#);
        assert!(matches!(message, Ok(Message::Response)));
    }
}
