//! Shapes of results: the members that the specification requires for each method.
//!
//! Only what this client reads is checked, on the first levels. Content blocks and tool schemas are
//! for the checks above this layer.

use serde_json::{Map, Value};

use super::revision::Era;

/// What is wrong with the result of a method, if anything.
pub(super) fn problem(method: &str, era: Era, result: &Value) -> Option<String> {
    let Value::Object(result) = result else { return Some("`result` is no object".to_owned()) };
    if era == Era::Stateless
        && let Some(problem) = result_type_problem(method, result)
    {
        return Some(problem);
    }
    if era == Era::Stateless && requires_input(result) {
        return input_problem(result);
    }
    match method {
        "initialize" => initialize_problem(result),
        "server/discover" => {
            discover_problem(result).or_else(|| cache_problem(result).map(str::to_owned))
        }
        "tools/list" => list_problem(result)
            .or_else(|| cache_problem(result).filter(|_| era == Era::Stateless).map(str::to_owned)),
        "tools/call" => call_problem(era, result),
        _ => None,
    }
}

/// Whether a result of the stateless era asks for input.
pub(super) fn requires_input(result: &Map<String, Value>) -> bool {
    result.get("resultType").and_then(Value::as_str) == Some("input_required")
}

fn result_type_problem(method: &str, result: &Map<String, Value>) -> Option<String> {
    match result.get("resultType").map(Value::as_str) {
        None => Some("`resultType` is missing".to_owned()),
        Some(Some("complete")) => None,
        Some(Some("input_required")) if method == "tools/call" => None,
        Some(Some("input_required")) => Some(format!("`{method}` must not require input")),
        Some(Some(other)) => Some(format!("`resultType` is `{other}`")),
        Some(None) => Some("`resultType` is no string".to_owned()),
    }
}

fn input_problem(result: &Map<String, Value>) -> Option<String> {
    let requests = result.get("inputRequests");
    let state = result.get("requestState");
    if requests.is_none() && state.is_none() {
        return Some("neither `inputRequests` nor `requestState` is there".to_owned());
    }
    if requests.is_some_and(|requests| !requests.is_object()) {
        return Some("`inputRequests` is no object".to_owned());
    }
    state.is_some_and(|state| !state.is_string()).then(|| "`requestState` is no string".to_owned())
}

fn initialize_problem(result: &Map<String, Value>) -> Option<String> {
    let is_text = |value: Option<&Value>| value.is_some_and(Value::is_string);
    let server = result.get("serverInfo");
    if !is_text(result.get("protocolVersion")) {
        Some("`protocolVersion` is no string".to_owned())
    } else if !result.get("capabilities").is_some_and(Value::is_object) {
        Some("`capabilities` is no object".to_owned())
    } else if !is_text(server.and_then(|server| server.get("name"))) {
        Some("`serverInfo.name` is no string".to_owned())
    } else if !is_text(server.and_then(|server| server.get("version"))) {
        Some("`serverInfo.version` is no string".to_owned())
    } else {
        None
    }
}

/// Decides, too, whether an answer to the probe comes from a server of the stateless era.
pub(super) fn discover_problem(result: &Map<String, Value>) -> Option<String> {
    let versions = result.get("supportedVersions").and_then(Value::as_array);
    if !versions.is_some_and(|versions| versions.iter().all(Value::is_string)) {
        Some("`supportedVersions` is no array of strings".to_owned())
    } else if !result.get("capabilities").is_some_and(Value::is_object) {
        Some("`capabilities` is no object".to_owned())
    } else {
        None
    }
}

fn cache_problem(result: &Map<String, Value>) -> Option<&'static str> {
    if result.get("ttlMs").and_then(Value::as_u64).is_none() {
        Some("`ttlMs` is no integer from 0 on")
    } else if !matches!(
        result.get("cacheScope").and_then(Value::as_str),
        Some("private" | "public")
    ) {
        Some("`cacheScope` is neither `private` nor `public`")
    } else {
        None
    }
}

fn list_problem(result: &Map<String, Value>) -> Option<String> {
    let Some(tools) = result.get("tools").and_then(Value::as_array) else {
        return Some("`tools` is no array".to_owned());
    };
    if let Some(index) = tools.iter().position(|tool| !tool.is_object()) {
        return Some(format!("`tools[{index}]` is no object"));
    }
    let cursor = result.get("nextCursor");
    cursor.is_some_and(|cursor| !cursor.is_string()).then(|| "`nextCursor` is no string".to_owned())
}

fn call_problem(era: Era, result: &Map<String, Value>) -> Option<String> {
    let Some(content) = result.get("content").and_then(Value::as_array) else {
        return Some("`content` is no array".to_owned());
    };
    let has_type = |block: &Value| block.get("type").is_some_and(Value::is_string);
    if let Some(index) = content.iter().position(|block| !has_type(block)) {
        return Some(format!("`content[{index}].type` is no string"));
    }
    if result.get("isError").is_some_and(|flag| !flag.is_boolean()) {
        return Some("`isError` is no boolean".to_owned());
    }
    let structured = result.get("structuredContent");
    let must_be_object = era == Era::Handshake;
    (must_be_object && structured.is_some_and(|structured| !structured.is_object()))
        .then(|| "`structuredContent` is no object".to_owned())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_result_has_what_its_method_requires() {
        let handshake = |method, result| problem(method, Era::Handshake, &result);
        assert_eq!(handshake("tools/call", json!({"content": []})), None);
        assert!(handshake("tools/call", json!([])).is_some());
        assert!(handshake("tools/call", json!({"content": [{}]})).is_some());
        assert!(handshake("tools/call", json!({"content": [], "isError": "no"})).is_some());
        assert!(handshake("tools/call", json!({"content": [], "structuredContent": 1})).is_some());
        assert!(handshake("tools/list", json!({"tools": [], "nextCursor": null})).is_some());
        assert_eq!(handshake("ping", json!({})), None);
    }

    #[test]
    fn a_stateless_result_has_a_type() {
        let stateless = |method, result| problem(method, Era::Stateless, &result);
        let call = json!({"resultType": "complete", "content": [], "structuredContent": 1});
        assert_eq!(stateless("tools/call", call), None);
        assert!(stateless("tools/call", json!({"content": []})).is_some());
        assert!(stateless("tools/call", json!({"resultType": "done", "content": []})).is_some());
        let input = json!({"resultType": "input_required", "requestState": "a"});
        assert_eq!(stateless("tools/call", input.clone()), None);
        assert!(stateless("tools/list", input).is_some());
        assert!(stateless("tools/list", json!({"resultType": "complete", "tools": []})).is_some());
    }
}
