//! Validators that assert `format` and those that do not: instances hold for both where such values exist.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use foolproof_contract::{Document, FormatPolicy, Oracle};
use foolproof_generate::{Generated, Generator, Seed};
use serde_json::{Value, json};

/// Instances of `schema`, and the oracle that reads formats as annotations.
fn generate(schema: Value) -> (Vec<Generated>, Oracle) {
    let document = Document::from_value(schema).unwrap();
    let generator = Generator::new(&document, FormatPolicy::Assert).unwrap();
    let annotated = Oracle::new(&document, FormatPolicy::Annotate).unwrap();
    let instances = (0..200).map(|index| generator.generate(Seed::from_number(7), index).unwrap());
    (instances.collect(), annotated)
}

#[test]
fn instances_hold_however_format_is_read() {
    let schemas = [
        json!({ "oneOf": [{ "enum": ["none"] }, { "type": "string", "format": "uri" }] }),
        json!({ "type": "string", "not": { "format": "email" }, "maxLength": 12 }),
        json!({
            "type": "object", "required": ["a"], "properties": { "a": { "type": ["string", "integer"] } },
            "if": { "properties": { "a": { "format": "date" } } }, "then": { "required": ["b"] }
        }),
    ];
    for schema in schemas {
        let (instances, annotated) = generate(schema.clone());
        for generated in &instances {
            let holds = annotated.is_valid(generated.instance().value());
            assert_eq!(holds, !generated.is_only_asserted(), "{schema}");
        }
        let doubtful = instances.iter().filter(|it| it.is_only_asserted()).count();
        let is_possible = schema.get("not").is_none();
        assert_eq!(doubtful > 0, !is_possible, "{doubtful} of {}: {schema}", instances.len());
    }
}

#[test]
fn where_only_asserted_formats_tell_branches_apart_instances_say_so() {
    let schema = json!({
        "type": "string", "oneOf": [{ "format": "ipv4" }, { "format": "ipv6" }]
    });
    let (instances, annotated) = generate(schema);
    assert!(instances.iter().all(Generated::is_only_asserted));
    assert!(instances.iter().all(|it| !annotated.is_valid(it.instance().value())));
}
