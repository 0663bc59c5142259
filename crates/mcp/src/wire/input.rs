//! What a server asks of its client: roots, sampling, elicitation, ping.
//!
//! In the handshake era these are requests of the server, in the stateless era parts of a result that
//! requires input. The answers are the same, and depend on nothing but the options.

use std::{path::Path, sync::Arc};

use serde_json::{Value, json};

use super::options::{ConnectOptions, Elicit};

/// Answers what a server asks.
pub(super) struct Responder {
    root: Option<Value>,
    elicit: Option<Arc<Elicit>>,
    sampling_text: String,
}

impl Responder {
    pub(super) fn new(options: &ConnectOptions) -> Self {
        Self {
            root: options.root.as_deref().map(root),
            elicit: options.elicit.clone(),
            sampling_text: options.sampling_text.clone(),
        }
    }

    /// The result for a request of the server; `None` if the method is unknown.
    pub(super) fn respond(&self, method: &str, params: Option<&Value>) -> Option<Value> {
        match method {
            "ping" => Some(json!({})),
            "roots/list" => Some(json!({ "roots": self.root.as_slice() })),
            "sampling/createMessage" => Some(json!({
                "role": "assistant",
                "content": { "type": "text", "text": self.sampling_text },
                "model": "foolproof",
                "stopReason": "endTurn",
            })),
            "elicitation/create" => Some(self.elicit(params)),
            _ => None,
        }
    }

    /// Only form mode is declared, so anything else is declined.
    fn elicit(&self, params: Option<&Value>) -> Value {
        let is_form = params
            .and_then(|params| params.get("mode"))
            .is_none_or(|mode| mode.as_str() == Some("form"));
        let schema = params.and_then(|params| params.get("requestedSchema")).filter(|_| is_form);
        let content = schema.zip(self.elicit.as_ref()).and_then(|(schema, elicit)| elicit(schema));
        match content {
            Some(content) => json!({ "action": "accept", "content": content }),
            None => json!({ "action": "decline" }),
        }
    }
}

/// The capabilities that the answers above fulfil. An empty `elicitation` means form mode.
pub(super) fn capabilities() -> Value {
    json!({ "roots": {}, "sampling": {}, "elicitation": {} })
}

/// This client, as it introduces itself.
pub(super) fn client_info() -> Value {
    json!({ "name": "foolproof", "version": env!("CARGO_PKG_VERSION") })
}

fn root(folder: &Path) -> Value {
    let name = folder.file_name().unwrap_or(folder.as_os_str()).to_string_lossy();
    json!({ "uri": file_uri(folder), "name": name })
}

/// The `file` URI of a path (RFC 8089), with what is not unreserved percent-encoded.
fn file_uri(path: &Path) -> String {
    let mut uri = String::from("file://");
    for byte in path.as_os_str().as_encoded_bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                uri.push(char::from(*byte));
            }
            _ => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    uri
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_percent_encoded() {
        assert_eq!(file_uri(Path::new("/a b/ü")), "file:///a%20b/%C3%BC");
    }

    #[test]
    fn only_forms_are_accepted() {
        let options = ConnectOptions {
            elicit: Some(Arc::new(|schema| Some(schema.clone()))),
            ..ConnectOptions::default()
        };
        let responder = Responder::new(&options);
        let ask = |params: Value| responder.respond("elicitation/create", Some(&params)).unwrap();
        assert_eq!(ask(json!({"requestedSchema": {"a": 1}}))["content"], json!({"a": 1}));
        assert_eq!(ask(json!({"mode": "url", "requestedSchema": {}}))["action"], "decline");
        assert_eq!(ask(json!({}))["action"], "decline");
        assert_eq!(responder.respond("tasks/get", None), None);
    }
}
