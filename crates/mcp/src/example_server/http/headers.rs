//! The headers of a request: where it comes from, what it accepts, and whether the headers that
//! repeat parts of a stateless request agree with its body.

use hyper::{
    HeaderMap, StatusCode,
    header::{ACCEPT, CONTENT_TYPE, ORIGIN},
};
use serde_json::Value;

use super::{
    super::{
        jsonrpc::{HEADER_MISMATCH, Request, RpcError},
        schemas,
        tools::Tool,
    },
    base64,
};

/// The value of `MCP-Protocol-Version`.
pub(super) fn version(headers: &HeaderMap) -> Option<&str> {
    headers.get("mcp-protocol-version")?.to_str().ok()
}

/// Whether the request comes from no web page, or from one of this machine. Others may be attacks by
/// DNS rebinding.
pub(super) fn has_local_origin(headers: &HeaderMap) -> bool {
    let Some(origin) = headers.get(ORIGIN) else { return true };
    let host = origin.to_str().ok().and_then(|origin| origin.split_once("://"));
    host.is_some_and(|(_, host)| {
        let name = match host.rsplit_once(':') {
            Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
            _ => host,
        };
        ["localhost", "127.0.0.1", "[::1]"].contains(&name)
    })
}

/// Checks that the body is JSON and that the client accepts both kinds of answers.
pub(super) fn check_content(headers: &HeaderMap) -> Result<(), StatusCode> {
    let text = |name| headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let kind = text(CONTENT_TYPE).split(';').next().unwrap_or_default().trim();
    if !kind.eq_ignore_ascii_case("application/json") {
        return Err(StatusCode::UNSUPPORTED_MEDIA_TYPE);
    }
    let accepted: Vec<String> = headers
        .get_all(ACCEPT)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .map(|kind| kind.split(';').next().unwrap_or_default().trim().to_ascii_lowercase())
        .collect();
    let accepts = |kind: &str, range: &str| {
        accepted.iter().any(|accepted| accepted == kind || accepted == range || accepted == "*/*")
    };
    if accepts("application/json", "application/*") && accepts("text/event-stream", "text/*") {
        Ok(())
    } else {
        Err(StatusCode::NOT_ACCEPTABLE)
    }
}

/// Checks the headers of a stateless request against its body.
pub(super) fn check(headers: &HeaderMap, request: &Request, version: &str) -> Result<(), RpcError> {
    expect(headers, "MCP-Protocol-Version", version)?;
    expect(headers, "Mcp-Method", &request.method)?;
    if request.method != "tools/call" {
        return Ok(());
    }
    let Some(name) = request.text("name") else { return Ok(()) };
    expect(headers, "Mcp-Name", name)?;
    let Some(tool) = Tool::named(name) else { return Ok(()) };
    let arguments = request.params.get("arguments").unwrap_or(&Value::Null);
    check_arguments(headers, &schemas::input(tool), arguments)
}

/// Checks the headers that repeat arguments (`x-mcp-header`).
fn check_arguments(headers: &HeaderMap, schema: &Value, arguments: &Value) -> Result<(), RpcError> {
    for (property, schema) in schema["properties"].as_object().into_iter().flatten() {
        let value = &arguments[property];
        if let Some(suffix) = schema["x-mcp-header"].as_str() {
            let name = format!("Mcp-Param-{suffix}");
            match value {
                Value::Null if headers.contains_key(&name) => {
                    return Err(mismatch(&name, "has no value in the body"));
                }
                Value::String(text) => expect(headers, &name, text)?,
                Value::Bool(_) | Value::Number(_) => expect(headers, &name, &value.to_string())?,
                Value::Null | Value::Array(_) | Value::Object(_) => {}
            }
        }
        check_arguments(headers, schema, value)?;
    }
    Ok(())
}

fn expect(headers: &HeaderMap, name: &str, expected: &str) -> Result<(), RpcError> {
    let Some(value) = headers.get(name) else { return Err(mismatch(name, "is missing")) };
    let value = value.to_str().map_err(|_| mismatch(name, "has invalid characters"))?;
    let encoded = value.strip_prefix("=?base64?").and_then(|rest| rest.strip_suffix("?="));
    let decoded = match encoded {
        None => Some(value.to_owned()),
        Some(encoded) => base64::decode(encoded).and_then(|bytes| String::from_utf8(bytes).ok()),
    };
    match decoded {
        Some(decoded) if decoded == expected => Ok(()),
        Some(_) => Err(mismatch(name, "differs from the body")),
        None => Err(mismatch(name, "is not valid Base64")),
    }
}

fn mismatch(name: &str, problem: &str) -> RpcError {
    RpcError::new(HEADER_MISMATCH, format!("Header mismatch: {name} {problem}"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn headers(pairs: &[(&'static str, &'static str)]) -> HeaderMap {
        pairs.iter().map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap())).collect()
    }

    #[test]
    fn only_origins_of_this_machine_are_local() {
        for origin in ["http://localhost", "http://127.0.0.1:80", "http://[::1]", "http://[::1]:8"]
        {
            assert!(has_local_origin(&headers(&[("origin", origin)])), "{origin}");
        }
        for origin in ["null", "http://example.com", "http://localhost.example.com:80"] {
            assert!(!has_local_origin(&headers(&[("origin", origin)])), "{origin}");
        }
        assert!(has_local_origin(&HeaderMap::new()));
    }

    #[test]
    fn headers_must_agree_with_the_body() {
        let params = json!({
            "name": "move_task",
            "arguments": { "to": { "project": "größer" } },
        });
        let request = Request {
            id: json!(1),
            method: "tools/call".to_owned(),
            params: params.as_object().unwrap().clone(),
        };
        let mut pairs = vec![
            ("mcp-protocol-version", "2026-07-28"),
            ("mcp-method", "tools/call"),
            ("mcp-name", "=?base64?bW92ZV90YXNr?="),
            ("mcp-param-project", "=?base64?Z3LDtsOfZXI=?="),
        ];
        assert_eq!(check(&headers(&pairs), &request, "2026-07-28"), Ok(()));
        for index in 0..pairs.len() {
            let mut fewer = pairs.clone();
            fewer.remove(index);
            let error = check(&headers(&fewer), &request, "2026-07-28").unwrap_err();
            assert!(error.message.ends_with("is missing"), "{}", error.message);
        }
        pairs[2].1 = "get_task";
        let error = check(&headers(&pairs), &request, "2026-07-28").unwrap_err();
        assert_eq!(error.message, "Header mismatch: Mcp-Name differs from the body");
    }
}
