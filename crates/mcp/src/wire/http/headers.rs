//! Headers of the stateless era that repeat parts of a request: `Mcp-Name` and `Mcp-Param-*`.
//!
//! Revision 2026-07-28, Streamable HTTP, sections "Custom Headers from Tool Parameters" and "Value
//! Encoding".

use hyper::header::{HeaderName, HeaderValue};
use serde_json::Value;

/// A parameter of a tool that is repeated in a header.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::wire) struct HeaderParam {
    path: Vec<String>,
    name: HeaderName,
}

impl HeaderParam {
    /// The header for these arguments, if they have a value for it.
    pub(super) fn header(&self, arguments: &Value) -> Option<(HeaderName, HeaderValue)> {
        let mut value = arguments;
        for key in &self.path {
            value = value.get(key)?;
        }
        let text = match value {
            Value::String(text) => text.clone(),
            Value::Bool(flag) => flag.to_string(),
            Value::Number(number) => number.to_string(),
            Value::Null | Value::Array(_) | Value::Object(_) => return None,
        };
        Some((self.name.clone(), encode(&text)))
    }
}

/// A value as a header: as it is where that is unambiguous, and else in Base64.
pub(super) fn encode(text: &str) -> HeaderValue {
    let is_plain = text.bytes().all(|byte| matches!(byte, b' '..=b'~' | b'\t'))
        && text.trim_matches([' ', '\t']).len() == text.len()
        && !(text.starts_with("=?base64?") && text.ends_with("?="));
    let encoded =
        if is_plain { None } else { Some(format!("=?base64?{}?=", base64(text.as_bytes()))) };
    HeaderValue::from_str(encoded.as_deref().unwrap_or(text))
        .expect("it consists of visible characters, spaces and tabs")
}

fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        let byte = |index: usize| u32::from(group.get(index).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for digit in 0..4 {
            let index = (bits >> (18 - 6 * digit)) & 63;
            let is_padding = digit > group.len();
            text.push(if is_padding { '=' } else { char::from(DIGITS[index as usize]) });
        }
    }
    text
}

/// The parameters of a tool that are repeated in headers, or what is wrong with an annotation.
pub(in crate::wire) fn annotations(schema: &Value) -> Result<Vec<HeaderParam>, String> {
    let mut found = Vec::new();
    collect(schema, Some(&mut Vec::new()), &mut found)?;
    for (index, param) in found.iter().enumerate() {
        if found[..index].iter().any(|other| other.name == param.name) {
            return Err(format!("two parameters have the header `{}`", param.name));
        }
    }
    Ok(found)
}

/// `path` leads here by `properties` alone, if it is there.
fn collect(
    schema: &Value,
    mut path: Option<&mut Vec<String>>,
    found: &mut Vec<HeaderParam>,
) -> Result<(), String> {
    let Value::Object(keywords) = schema else { return Ok(()) };
    if let Some(name) = keywords.get("x-mcp-header") {
        let Some(path) = path.as_deref().filter(|path| !path.is_empty()) else {
            return Err("`x-mcp-header` is not reached by `properties` alone".to_owned());
        };
        check_type(keywords.get("type"))?;
        found.push(HeaderParam { path: path.clone(), name: header_name(name)? });
    }
    for (keyword, value) in keywords {
        match keyword.as_str() {
            "x-mcp-header" | "const" | "default" | "enum" | "examples" => {}
            "properties" => {
                for (key, property) in value.as_object().into_iter().flatten() {
                    if let Some(path) = path.as_deref_mut() {
                        path.push(key.clone());
                        collect(property, Some(path), found)?;
                        path.pop();
                    } else {
                        collect(property, None, found)?;
                    }
                }
            }
            "$defs" | "definitions" | "patternProperties" | "dependentSchemas" => {
                for schema in value.as_object().into_iter().flat_map(|object| object.values()) {
                    collect(schema, None, found)?;
                }
            }
            _ => {
                collect(value, None, found)?;
                for schema in value.as_array().into_iter().flatten() {
                    collect(schema, None, found)?;
                }
            }
        }
    }
    Ok(())
}

fn check_type(kind: Option<&Value>) -> Result<(), String> {
    let is_primitive =
        |kind: &Value| matches!(kind.as_str(), Some("integer" | "string" | "boolean" | "null"));
    let is_fine = match kind {
        None => true,
        Some(Value::Array(kinds)) => kinds.iter().all(is_primitive),
        Some(kind) => is_primitive(kind),
    };
    if is_fine {
        Ok(())
    } else {
        Err("`x-mcp-header` is at a type that is not primitive".to_owned())
    }
}

fn header_name(name: &Value) -> Result<HeaderName, String> {
    let name = name.as_str().filter(|name| !name.is_empty());
    name.and_then(|name| format!("mcp-param-{name}").to_ascii_lowercase().parse().ok())
        .ok_or_else(|| "`x-mcp-header` is no header name".to_owned())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn values_are_encoded_as_the_specification_shows() {
        for (text, expected) in [
            ("us-west1", "us-west1"),
            ("Hello, 世界", "=?base64?SGVsbG8sIOS4lueVjA==?="),
            (" padded ", "=?base64?IHBhZGRlZCA=?="),
            ("line1\nline2", "=?base64?bGluZTEKbGluZTI=?="),
            ("=?base64?literal?=", "=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?="),
            ("", ""),
        ] {
            assert_eq!(encode(text), expected, "{text}");
        }
    }

    #[test]
    fn annotated_parameters_become_headers() {
        let params = annotations(&json!({"type": "object", "properties": {
            "region": {"type": "string", "x-mcp-header": "Region"},
            "deep": {"type": "object", "properties": {"n": {"type": "integer", "x-mcp-header": "N"}}},
            "x-mcp-header": {"type": "string"},
        }}))
        .unwrap();
        let headers = |arguments: Value| -> Vec<String> {
            let found = params.iter().filter_map(|param| param.header(&arguments));
            let mut shown: Vec<_> =
                found.map(|(name, value)| format!("{name}: {}", value.to_str().unwrap())).collect();
            shown.sort();
            shown
        };
        let arguments = json!({"region": "eu", "deep": {"n": -7}});
        assert_eq!(headers(arguments), ["mcp-param-n: -7", "mcp-param-region: eu"]);
        assert_eq!(headers(json!({"region": null})), Vec::<String>::new());
    }

    #[test]
    fn forbidden_annotations_are_errors() {
        let with = |property: Value| annotations(&json!({"properties": {"a": property}}));
        assert!(with(json!({"type": "number", "x-mcp-header": "A"})).is_err());
        assert!(with(json!({"type": "string", "x-mcp-header": ""})).is_err());
        assert!(with(json!({"type": "string", "x-mcp-header": "a b"})).is_err());
        assert!(with(json!({"type": "string", "x-mcp-header": 1})).is_err());
        let item = json!({"type": "string", "x-mcp-header": "A"});
        assert!(with(json!({"type": "array", "items": item})).is_err());
        assert!(with(json!({"anyOf": [item]})).is_err());
        let twice = json!({"properties": {"a": item, "b": {"x-mcp-header": "a"}}});
        assert!(annotations(&twice).is_err());
        assert_eq!(with(json!({"default": {"x-mcp-header": "A"}})), Ok(vec![]));
    }
}
