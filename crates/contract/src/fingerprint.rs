//! The fingerprint of a contract, by which reports about the same contract are recognised.
//!
//! It is a SHA-256 over the parsed documents, with the keys of objects sorted and without the keywords
//! that only describe. So it depends neither on layout nor on the order of keys, nor on JSON or YAML, nor
//! on titles and examples, nor on the folder that the files are in. Whatever may matter to a value is part
//! of it; where it is not known whether a keyword matters, it is part of it too.

use std::collections::BTreeMap;

use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::dialect::{Applies, Draft, applies, is_annotation};

/// What the documents of a contract are.
#[derive(Clone, Copy)]
pub(crate) enum Rules {
    /// JSON Schemas of this draft.
    Schema(Draft),
    /// OpenAPI documents.
    OpenApi,
}

/// How the members of an object are read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Members {
    /// They are keywords.
    Keywords,
    /// They are names that the author chose.
    Names,
    /// They are part of a value: each of them matters.
    Literal,
}

/// The fingerprint of the contract that consists of `root` and `others`.
pub(crate) fn fingerprint<'v>(
    rules: Rules,
    root: &Value,
    others: impl Iterator<Item = &'v Value>,
) -> String {
    // Not by their URIs, which depend on the folder.
    let mut others: Vec<[u8; 32]> = others.map(|other| digest(rules, other, false)).collect();
    others.sort_unstable();
    let mut hasher = Sha256::new_with_prefix(digest(rules, root, true));
    for other in others {
        hasher.update(other);
    }
    to_text(hasher)
}

/// The fingerprint of a contract that consists of named parts, from the fingerprints of those
/// ([`Document::fingerprint`](crate::Document::fingerprint)).
///
/// ```
/// use std::collections::BTreeMap;
/// use foolproof_contract::{Document, fingerprint_of_parts};
/// use serde_json::json;
///
/// let part = |schema| Document::from_value(schema).map(|document| document.fingerprint());
/// let one = BTreeMap::from([("a".to_owned(), part(json!({ "minimum": 1 }))?)]);
/// let other = BTreeMap::from([("a".to_owned(), part(json!({ "minimum": 2 }))?)]);
/// assert_ne!(fingerprint_of_parts(&one), fingerprint_of_parts(&other));
/// # Ok::<(), foolproof_contract::Error>(())
/// ```
#[must_use]
pub fn fingerprint_of_parts(parts: &BTreeMap<String, String>) -> String {
    let mut hasher = Sha256::new();
    for (name, part) in parts {
        // As JSON, so that no name and part are taken for another name and part.
        hasher.update(Value::from([name.as_str(), part]).to_string());
    }
    to_text(hasher)
}

fn to_text(hasher: Sha256) -> String {
    let mut text = "sha256:".to_owned();
    for byte in hasher.finalize() {
        text.push_str(&format!("{byte:02x}"));
    }
    text
}

fn digest(rules: Rules, document: &Value, is_root: bool) -> [u8; 32] {
    let mut walk = Walk { rules, hasher: Sha256::new() };
    match (rules, document) {
        (Rules::OpenApi, Value::Object(members)) if is_root => {
            let rest = members.iter().filter(|(keyword, _)| keyword.as_str() != "info");
            walk.object(rest, Members::Keywords);
        }
        _ => walk.value(document, Members::Keywords),
    }
    walk.hasher.finalize().into()
}

struct Walk {
    rules: Rules,
    hasher: Sha256,
}

impl Walk {
    fn value(&mut self, value: &Value, members: Members) {
        match value {
            Value::Object(object) => self.object(object.iter(), members),
            Value::Array(items) => {
                // The items of a list below a keyword that may also map names have keywords.
                let below = if members == Members::Names { Members::Keywords } else { members };
                self.hasher.update(b"[");
                for item in items {
                    self.value(item, below);
                    self.hasher.update(b",");
                }
                self.hasher.update(b"]");
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {
                self.hasher.update(value.to_string());
            }
        }
    }

    fn object<'v>(&mut self, object: impl Iterator<Item = (&'v String, &'v Value)>, how: Members) {
        let mut sorted: Vec<(&String, &Value)> = object.collect();
        sorted.sort_unstable_by_key(|(name, _)| *name);
        self.hasher.update(b"{");
        for (name, value) in sorted {
            let below = match how {
                Members::Keywords => self.rules.below(name),
                Members::Names => Some(Members::Keywords),
                Members::Literal => Some(Members::Literal),
            };
            if let Some(below) = below {
                self.hasher.update(Value::from(name.as_str()).to_string());
                self.hasher.update(b":");
                self.value(value, below);
                self.hasher.update(b",");
            }
        }
        self.hasher.update(b"}");
    }
}

impl Rules {
    /// How the value of `keyword` is read; `None` if the keyword only describes.
    fn below(self, keyword: &str) -> Option<Members> {
        match self {
            Self::Schema(draft) => below_in_schema(draft, keyword),
            Self::OpenApi => below_in_api(keyword),
        }
    }
}

fn below_in_schema(draft: Draft, keyword: &str) -> Option<Members> {
    if is_annotation(keyword) {
        return None;
    }
    Some(match applies(draft, keyword) {
        Some(Applies::One | Applies::Many | Applies::OneOrMany) => Members::Keywords,
        Some(Applies::Named | Applies::NamedOrNames | Applies::Definitions) => Members::Names,
        None => Members::Literal,
    })
}

/// One table for all objects of OpenAPI: none of its keywords maps names in one object and has keywords
/// in another.
fn below_in_api(keyword: &str) -> Option<Members> {
    match keyword {
        // Whether a request has a property depends on these.
        "readOnly" | "writeOnly" => Some(Members::Literal),
        "summary" | "externalDocs" | "tags" => None,
        _ if is_annotation(keyword) => None,
        "enum" | "const" | "mapping" | "scopes" | "security" | "variables" => {
            Some(Members::Literal)
        }
        _ if keyword.starts_with("x-") => Some(Members::Literal),
        "properties"
        | "patternProperties"
        | "dependentSchemas"
        | "dependencies"
        | "$defs"
        | "definitions"
        | "schemas"
        | "responses"
        | "parameters"
        | "requestBodies"
        | "headers"
        | "securitySchemes"
        | "securityDefinitions"
        | "links"
        | "callbacks"
        | "pathItems"
        | "paths"
        | "webhooks"
        | "content"
        | "encoding" => Some(Members::Names),
        _ => Some(Members::Keywords),
    }
}

#[cfg(test)]
mod tests {
    use crate::{Document, ReadOptions};

    fn of(text: &str) -> String {
        Document::from_text("contract.yaml", text).unwrap().fingerprint()
    }

    #[test]
    fn it_is_pinned() {
        // SHA-256 of the SHA-256 of `{"type":"integer",}`.
        let expected = "sha256:61b6df4baf3136b120aed2e9185d5223a3fd746749da1be07fc06aca15bcc4a8";
        assert_eq!(of(r#"{ "type": "integer" }"#), expected);
    }

    #[test]
    fn neither_order_nor_syntax_nor_annotations_matter() {
        let plain = of(r#"{ "type": "object", "properties": { "a": { "enum": [1] } } }"#);
        for same in [
            r#"{"properties":{"a":{"enum":[1]}},"type":"object"}"#,
            "type: object\nproperties:\n  a:\n    enum: [1]\n",
            r#"{ "title": "T", "description": "D", "type": "object", "examples": [{}],
                "properties": { "a": { "$comment": "C", "default": 1, "enum": [1] } } }"#,
        ] {
            assert_eq!(of(same), plain, "{same}");
        }
    }

    #[test]
    fn what_may_matter_to_a_value_matters() {
        let contracts = [
            r#"{ "properties": { "a": { "type": "string" } } }"#,
            r#"{ "properties": { "title": { "type": "string" } } }"#,
            r#"{ "properties": { "title": { "type": "integer" } } }"#,
            r#"{ "const": { "title": 1 } }"#,
            r#"{ "const": { "title": 2 } }"#,
            r#"{ "pattern": "a" }"#,
            r#"{ "pattern": "b" }"#,
            r##"{ "$ref": "#/parts/title", "parts": { "title": { "type": "string" } } }"##,
            r##"{ "$ref": "#/parts/title", "parts": { "title": { "type": "integer" } } }"##,
        ];
        for (number, contract) in contracts.iter().enumerate() {
            for other in &contracts[..number] {
                assert_ne!(of(contract), of(other));
            }
        }
    }

    #[test]
    fn what_describes_an_api_does_not_matter() {
        let api = |info: &str, summary: &str, type_: &str| {
            of(&format!(
                r#"{{ "openapi": "3.0.0", "info": {info}, "paths": {{ "/a": {{ "get": {{
                    "summary": "{summary}", "parameters": [{{ "name": "summary", "in": "query",
                    "schema": {{ "type": "object", "properties": {{ "title": {{ "type": "{type_}" }} }} }} }}],
                    "responses": {{ "default": {{ "description": "{summary}" }} }} }} }} }} }}"#
            ))
        };
        let first = api(r#"{ "title": "A", "version": "1" }"#, "one", "string");
        assert_eq!(api(r#"{ "title": "B", "version": "2" }"#, "two", "string"), first);
        assert_ne!(api(r#"{ "title": "A", "version": "1" }"#, "one", "integer"), first);
    }

    #[test]
    fn the_folder_of_the_files_does_not_matter_but_what_they_contain_does() {
        let contract = |text: &str| {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("contract.json");
            std::fs::write(&path, r#"{ "$ref": "part.json" }"#).unwrap();
            std::fs::write(folder.path().join("part.json"), text).unwrap();
            let options = ReadOptions::default().allow_files(folder.path());
            let document = Document::open_with(&path, &options).unwrap();
            assert_eq!(document.referenced_files().count(), 1);
            document.fingerprint()
        };
        let string = contract(r#"{ "type": "string" }"#);
        assert_eq!(contract(r#"{ "title": "T", "type": "string" }"#), string);
        assert_ne!(contract(r#"{ "type": "integer" }"#), string);
    }
}
