//! Our reading of YAML against another library's, on real documents.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::fs;

use foolproof_corpus::Contracts;
use serde_json::Value;

#[test]
fn real_documents_mean_what_another_reader_says() {
    let contracts = Contracts::find();
    let mut compared = 0;
    for entry in contracts.openapi() {
        let ours = entry.read().unwrap().original().clone();
        // The other reader follows YAML 1.1 in places and rejects tabs in block scalars.
        let text = fs::read_to_string(entry.path()).unwrap();
        let Ok(theirs) = yaml_serde::from_str::<yaml_serde::Value>(&text) else { continue };
        assert_eq!(plain(&ours), plain(&convert(&theirs)), "{}", entry.name);
        compared += 1;
    }
    assert!(compared >= contracts.either(20, 5), "only {compared} documents were compared");
}

fn convert(value: &yaml_serde::Value) -> Value {
    match value {
        yaml_serde::Value::Null => Value::Null,
        yaml_serde::Value::Bool(value) => Value::Bool(*value),
        yaml_serde::Value::Number(number) => Value::from(number.as_f64().unwrap()),
        yaml_serde::Value::String(text) => Value::String(text.clone()),
        yaml_serde::Value::Sequence(items) => items.iter().map(convert).collect(),
        yaml_serde::Value::Mapping(members) => {
            members.iter().map(|(key, value)| (key_text(key), convert(value))).collect()
        }
        yaml_serde::Value::Tagged(tagged) => convert(&tagged.value),
    }
}

fn key_text(key: &yaml_serde::Value) -> String {
    match key {
        yaml_serde::Value::String(text) => text.clone(),
        yaml_serde::Value::Number(number) => number.to_string(),
        yaml_serde::Value::Bool(value) => value.to_string(),
        yaml_serde::Value::Null
        | yaml_serde::Value::Sequence(_)
        | yaml_serde::Value::Mapping(_)
        | yaml_serde::Value::Tagged(_) => panic!("a key that is no scalar: {key:?}"),
    }
}

/// Numbers as the other reader can hold them.
fn plain(value: &Value) -> Value {
    match value {
        Value::Number(number) => Value::from(number.as_f64().unwrap()),
        Value::Array(items) => items.iter().map(plain).collect(),
        Value::Object(members) => {
            members.iter().map(|(key, value)| (key.clone(), plain(value))).collect()
        }
        Value::Null | Value::Bool(_) | Value::String(_) => value.clone(),
    }
}
