//! What a guided run proves unreachable, on small contracts: each proof beside a case that looks like it and
//! can be hit.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use foolproof_contract::{Canonicalizer, Document, Draft, FormatPolicy, Oracle, ReadOptions};
use foolproof_coverage::{CompiledRun, Profile, Settings, Status, Target};
use foolproof_generate::Meter;
use serde_json::{Value, json};

/// What a guided run says of a schema.
struct Judged {
    compiled: CompiledRun,
    oracle: Oracle,
}

impl Judged {
    fn of(schema: Value) -> Self {
        Self::with_formats(schema, Draft::Draft202012, FormatPolicy::Assert)
    }

    fn with_formats(schema: Value, draft: Draft, formats: FormatPolicy) -> Self {
        let options = ReadOptions::default().draft(draft);
        let document = Document::from_value_with(schema, &options).unwrap();
        let settings = Settings { formats, instances: 50, ..Settings::guided(Profile::Thorough) };
        let compiled = CompiledRun::new(&document, settings, &mut Meter::counting()).unwrap();
        Self { compiled, oracle: Oracle::new(&document, formats).unwrap() }
    }

    /// The ids of the targets that are unreachable, by whatever proof.
    fn unreachable(&self) -> Vec<&str> {
        let targets = self.compiled.observer().unwrap().universe().targets().iter();
        let unreachable = targets.filter(|target| target.status() == Status::Unreachable);
        unreachable.map(Target::id).collect()
    }

    /// Whether `value` is valid, and hits an active target with this id.
    fn is_hit(&self, value: Value, id: &str) -> bool {
        let value = self.oracle.accept(value).unwrap();
        let observer = self.compiled.observer().unwrap();
        let hits = observer.observe(&value);
        let mut hit = hits.iter().map(|target| &observer.universe()[target]);
        hit.any(|target| target.id() == id && target.status() == Status::Active)
    }

    /// The ids of the active targets that no planned instance hits.
    fn missed(&self) -> Vec<&str> {
        let observer = self.compiled.observer().unwrap();
        let units = self.compiled.plan().unwrap().units().iter();
        let hits: Vec<_> = units.map(|it| observer.observe(it.generated().instance())).collect();
        let targets = observer.universe().targets().iter().enumerate();
        targets
            .filter(|(index, target)| {
                let index = observer.universe().index_of(*index);
                target.status() == Status::Active && !hits.iter().any(|it| it.contains(index))
            })
            .map(|(_, target)| target.id())
            .collect()
    }
}

#[test]
fn a_branch_whose_values_all_satisfy_another_branch_is_never_taken() {
    let message = json!({ "text": { "type": "string" } });
    let judged = Judged::of(json!({ "oneOf": [
        { "type": "object", "required": ["text"], "properties": {
            "text": message["text"], "failover": { "enum": ["sms", "mail"] }
        } },
        { "type": "object", "required": ["text"], "properties": message }
    ] }));
    assert_eq!(judged.missed(), [] as [&str; 0]);
    assert_eq!(
        judged.unreachable(),
        [
            "branch:#/oneOf:0",
            "struct:#/oneOf/0",
            "prop:#/oneOf/0/properties/failover:present",
            "struct:#/oneOf/0/properties/failover",
            "enum:#/oneOf/0/properties/failover:0",
            "enum:#/oneOf/0/properties/failover:1",
            "struct:#/oneOf/0/properties/text",
        ]
    );
}

#[test]
fn a_branch_of_texts_that_another_pattern_matches_is_never_taken() {
    // The first pattern has no anchors, so what matches the second matches it too.
    let judged = Judged::of(json!({ "oneOf": [
        { "type": "string", "pattern": "[0-9]{4}" },
        { "type": "string", "pattern": "[0-9]{4}-[0-9]{2}" },
        { "type": "string", "pattern": "^[0-9]{3}[a-z]" }
    ] }));
    assert_eq!(judged.unreachable(), ["branch:#/oneOf:1", "struct:#/oneOf/1"]);
    assert_eq!(judged.missed(), [] as [&str; 0]);
}

#[test]
fn a_format_that_the_validator_reads_generously_proves_nothing() {
    let judged = Judged::of(json!({ "oneOf": [
        { "type": "string", "pattern": "[0-9]{4}" }, { "type": "string", "format": "date" }
    ] }));
    assert_eq!(judged.unreachable(), [] as [&str; 0]);
    assert!(judged.is_hit(json!(".026-01-31"), "branch:#/oneOf:1"));
}

#[test]
fn what_another_route_leads_to_is_not_cut_off_with_a_branch() {
    let judged = Judged::of(json!({
        "$defs": { "size": { "enum": ["S", "L"] }, "name": { "type": "string" } },
        "type": "object", "required": ["a"], "properties": {
            "a": { "oneOf": [{ "$ref": "#/$defs/size" }, { "$ref": "#/$defs/name" }] },
            "b": { "$ref": "#/$defs/size" }
        }
    }));
    assert_eq!(judged.unreachable(), ["branch:#/properties/a/oneOf:0"]);
    assert_eq!(judged.missed(), [] as [&str; 0]);
    assert!(judged.is_hit(json!({ "a": "x", "b": "S" }), "enum:#/$defs/size:0"));
}

#[test]
fn without_a_possible_outcome_or_branch_nothing_is_possible() {
    // Each outcome of the condition, and each branch, is empty by a proof of its own.
    let empty =
        |kind: &str| json!({ "type": kind, "required": ["a"], "minProperties": 1, "not": {} });
    let condition = json!({
        "if": { "type": "string" }, "then": empty("number"), "else": { "$ref": "#/$defs/none" },
        "$defs": { "none": { "anyOf": [empty("object"), empty("array")] } }
    });
    let behind_references = json!({
        "type": "object", "properties": { "a": { "$ref": "#/$defs/one" }, "b": { "const": 1 } },
        "$defs": { "one": { "allOf": [{ "$ref": "#/$defs/two" }] }, "two": { "oneOf": [empty("null"), false] } }
    });
    let judged = Judged::of(condition);
    assert!(judged.unreachable().contains(&"struct:#"), "{:?}", judged.unreachable());
    assert_eq!(judged.missed(), [] as [&str; 0]);
    let judged = Judged::of(behind_references);
    assert!(judged.unreachable().contains(&"struct:#/$defs/one"), "{:?}", judged.unreachable());
    assert_eq!(judged.missed(), [] as [&str; 0]);
    // With one outcome left, the other alone is out of reach.
    let judged = Judged::of(json!({ "if": { "type": "string" }, "then": empty("number") }));
    assert!(!judged.unreachable().contains(&"struct:#"), "{:?}", judged.unreachable());
    assert!(judged.is_hit(json!(1), "struct:#"));
}

#[test]
fn a_branch_with_values_of_its_own_stays_active() {
    // An object with another `note` is none of the second branch.
    let judged = Judged::of(json!({ "oneOf": [
        { "type": "object", "required": ["kind", "store"], "properties": {
            "kind": { "type": "string" }, "store": { "type": "string" }
        } },
        { "type": "object", "required": ["kind"], "properties": {
            "kind": { "type": "string" }, "note": { "type": "string" }
        } }
    ] }));
    assert_eq!(judged.unreachable(), [] as [&str; 0]);
    assert!(judged.is_hit(json!({ "kind": "a", "store": "b", "note": 5 }), "branch:#/oneOf:0"));
}

#[test]
fn a_relaxed_branch_is_not_excluded() {
    // `unevaluatedItems` has no form here. Without it the second branch would admit what the first does.
    let schema = json!({ "oneOf": [
        { "const": [0, 2, "a", 1] },
        {
            "type": "array", "prefixItems": [true], "contains": { "multipleOf": 2 },
            "anyOf": [{ "contains": { "minimum": 3 } }, { "contains": { "const": "a" } }],
            "unevaluatedItems": false
        }
    ] });
    let document = Document::from_value(schema.clone()).unwrap();
    let forms = Canonicalizer::new(&document, FormatPolicy::Assert).unwrap();
    assert!(!forms.relaxed().is_empty());
    assert!(Judged::of(schema).is_hit(json!([0, 2, "a", 1]), "branch:#/oneOf:0"));
}

#[test]
fn an_outcome_that_never_happens_cuts_off_what_it_leads_to() {
    let judged = Judged::of(json!({
        "type": "object", "required": ["kind"], "properties": { "kind": { "enum": ["a"] } },
        "if": { "properties": { "kind": { "const": "a" } } },
        "else": { "properties": { "rest": { "enum": [1, 2] } } }
    }));
    assert_eq!(
        judged.unreachable(),
        [
            "cond:#/if:if+else",
            "struct:#/else",
            "prop:#/else/properties/rest:present",
            "struct:#/else/properties/rest",
            "enum:#/else/properties/rest:0",
            "enum:#/else/properties/rest:1",
        ]
    );
    assert_eq!(judged.missed(), [] as [&str; 0]);
}

#[test]
fn a_bound_that_no_string_of_the_format_has_is_unreachable() {
    let property = |format: &str, least: u64, most: u64| json!({ "type": "string", "format": format, "minLength": least, "maxLength": most });
    let schema = json!({ "type": "object", "properties": {
        "email": property("email", 1, 30),
        "id": property("uuid", 36, 50),
        "link": property("uri", 12, 40),
        "day": property("date", 10, 10)
    } });
    let judged = Judged::of(schema.clone());
    assert_eq!(
        judged.unreachable(),
        ["bound:#/properties/email:minLength", "bound:#/properties/id:maxLength"]
    );
    assert_eq!(judged.missed(), [] as [&str; 0]);
    assert!(judged.is_hit(json!({ "link": "urn:example:" }), "bound:#/properties/link:minLength"));

    let annotated =
        Judged::with_formats(schema.clone(), Draft::Draft202012, FormatPolicy::Annotate);
    assert_eq!(annotated.unreachable(), [] as [&str; 0]);
    assert!(annotated.is_hit(json!({ "email": "a" }), "bound:#/properties/email:minLength"));

    // Draft 4 does not assert the format of identifiers.
    let old = Judged::with_formats(schema, Draft::Draft4, FormatPolicy::Assert);
    assert_eq!(old.unreachable(), ["bound:#/properties/email:minLength"]);
    let long = "a".repeat(50);
    assert!(old.is_hit(json!({ "id": long }), "bound:#/properties/id:maxLength"));
}
