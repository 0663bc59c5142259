//! Canonical forms: runs every case in `tests/canonical/*.json`, and tests relaxation.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::{fs, path::Path};

use foolproof_contract::{
    Canonicalizer, Document, FormatPolicy, ReadOptions, Shape, Verdict,
    openapi::{Api, EntryOptions, Side},
};
use serde::Deserialize;
use serde_json::{Value, json};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    description: String,
    schema: Value,
    /// The locations that no value satisfies, each with its code; `false` itself is not listed.
    impossible: Vec<String>,
}

fn canonicalize(schema: &Value) -> Canonicalizer {
    let document = Document::from_value(schema.clone()).unwrap();
    Canonicalizer::new(&document, FormatPolicy::Assert).unwrap()
}

#[test]
fn impossible_locations_are_as_the_cases_say() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/canonical");
    let mut count = 0;
    for file in fs::read_dir(folder).unwrap() {
        let text = fs::read_to_string(file.unwrap().path()).unwrap();
        for case in serde_json::from_str::<Vec<Case>>(&text).unwrap() {
            let mut forms = canonicalize(&case.schema);
            let found: Vec<String> = forms
                .diagnose()
                .iter()
                .filter(|found| !found.is_intended())
                .map(|found| format!("{} {}", found.pointer().to_fragment(), found.code()))
                .collect();
            assert_eq!(found, case.impossible, "{}", case.description);
            let is_empty = case.impossible.iter().any(|found| found.starts_with("# "));
            assert_eq!(forms.root().satisfiable() == Verdict::No, is_empty, "{}", case.description);
            count += 1;
        }
    }
    assert!(count >= 20, "only {count} cases were found");
}

fn relaxed(forms: &Canonicalizer) -> Vec<String> {
    forms
        .relaxed()
        .iter()
        .map(|one| format!("{} {}", one.pointer().to_fragment(), one.keyword()))
        .collect()
}

#[test]
fn a_keyword_without_a_form_is_relaxed_and_listed() {
    let schema = json!({
        "type": "array",
        "prefixItems": [{ "type": "integer" }],
        "contains": { "type": "string" },
        "unevaluatedItems": false,
        "anyOf": [{ "contains": { "minimum": 3 } }, { "contains": { "const": "a" } }]
    });
    let forms = canonicalize(&schema);
    assert_eq!(relaxed(&forms), ["# unevaluatedItems"]);
    // The rest of the schema keeps its form: one array for each branch.
    let Shape::AnyOf(branches) = forms.root().shape() else { panic!("{:?}", forms.root()) };
    assert!(branches.iter().all(|branch| matches!(branch.shape(), Shape::Array(_))));
}

#[test]
fn relaxing_below_a_negation_relaxes_the_negation() {
    // A wider part under `not` would make the whole narrower, and a proof of emptiness wrong.
    let part = json!({
        "prefixItems": [true], "contains": { "multipleOf": 2 }, "unevaluatedItems": false,
        "anyOf": [{ "contains": { "minimum": 3 } }, { "contains": { "const": "a" } }]
    });
    let forms = canonicalize(&json!({ "type": "array", "not": part }));
    assert_eq!(relaxed(&forms), ["# not"]);
    assert_ne!(forms.root().satisfiable(), Verdict::No);
}

#[test]
fn a_form_that_exceeds_the_budget_is_found_part_by_part() {
    let unions: Vec<Value> = (0..30)
        .map(|index| {
            json!({ "anyOf": [
                { "required": [format!("a{index}")] },
                { "required": [format!("b{index}")] },
                { "properties": { format!("c{index}"): { "type": "string" } } }
            ] })
        })
        .collect();
    let schema = json!({
        "type": "object",
        "properties": { "big": { "allOf": unions }, "small": { "type": "integer", "minimum": 1 } }
    });
    let forms = canonicalize(&schema);
    assert_eq!(relaxed(&forms), ["#/properties/big allOf"]);
    let Shape::Object(object) = forms.root().shape() else { panic!("an object") };
    let Shape::Integer(small) = object.properties["small"].shape() else { panic!("an integer") };
    assert_eq!(small.minimum, Some(1.into()));
}

#[test]
fn long_rows_of_conditionals_have_an_exact_form() {
    let row: Vec<Value> = (0..60)
        .map(|index| {
            json!({
                "if": { "properties": { "kind": { "const": format!("k{index}") } }, "required": ["kind"] },
                "then": { "required": [format!("r{index}")] }
            })
        })
        .collect();
    let forms = canonicalize(&json!({ "type": "object", "allOf": row }));
    assert_eq!(forms.relaxed(), []);
    let form = jsonschema::validator_for(&forms.root().to_schema()).unwrap();
    assert!(form.is_valid(&json!({ "kind": "k7", "r7": 0 })));
    assert!(form.is_valid(&json!({ "kind": "other" })) && form.is_valid(&json!({})));
    assert!(!form.is_valid(&json!({ "kind": "k7", "r8": 0 })));
}

#[test]
fn a_schema_of_an_api_has_its_form_in_place() {
    let document = Document::from_value(json!({
        "openapi": "3.0.0", "info": {},
        "paths": { "/a": { "get": { "responses": { "200": { "content": { "application/json": {
            "schema": { "$ref": "#/components/schemas/Age" }
        } } } } } } },
        "components": { "schemas": { "Age": { "type": "integer", "minimum": 5, "maximum": 5 } } }
    }))
    .unwrap();
    let api = Api::of(&document).unwrap();
    let entry = api.entry(0, Side::Response, &EntryOptions::default()).unwrap().unwrap();
    let mut forms = Canonicalizer::new(&entry.document, FormatPolicy::Assert).unwrap();
    let form = forms.at(&"/components/schemas/Age".parse().unwrap());
    let Shape::Typed(_, five) = form.shape() else { panic!("{form:?}") };
    assert_eq!(five.shape(), Shape::Const(json!(5)));
}

#[test]
fn formats_that_only_describe_are_not_in_the_form() {
    let document = Document::from_value(json!({ "type": "string", "format": "uuid" })).unwrap();
    let shape = |formats| Canonicalizer::new(&document, formats).unwrap().root().shape();
    let Shape::String(strings) = shape(FormatPolicy::Assert) else { panic!("a string") };
    assert_eq!(strings.formats, ["uuid"]);
    assert_ne!(shape(FormatPolicy::Annotate), Shape::String(strings));
}

#[test]
fn sets_are_intersected_joined_subtracted_and_compared() {
    let form = |schema: Value| canonicalize(&schema).root();
    let small = form(json!({ "type": "integer", "minimum": 0, "maximum": 9 }));
    let even = form(json!({ "type": "integer", "multipleOf": 2 }));
    let eight = form(json!({ "const": 8 }));
    let both = small.intersect(&even).unwrap();
    assert_eq!(both.covers(&eight).unwrap(), Verdict::Yes);
    assert_eq!(eight.covers(&both).unwrap(), Verdict::No);
    assert_eq!(small.union(&even).unwrap().covers(&even).unwrap(), Verdict::Yes);
    let none = eight.subtract(&both).unwrap();
    assert_eq!((none.satisfiable(), none.shape()), (Verdict::No, Shape::Never));
    let options = ReadOptions::default().draft(foolproof_contract::Draft::Draft4);
    let other = Document::from_value_with(json!({ "type": "integer" }), &options).unwrap();
    let other = Canonicalizer::new(&other, FormatPolicy::Assert).unwrap().root();
    assert!(small.intersect(&other).is_err(), "operands of different drafts do not mix");
}

#[test]
fn a_question_that_refers_into_a_row_of_conditionals_is_wider_and_not_refused() {
    let variant = |kind: usize| {
        json!({
            "if": { "required": ["kind"], "properties": { "kind": { "const": kind } } },
            "then": { "required": [format!("own{kind}")] }
        })
    };
    let forms = canonicalize(&json!({
        "type": "object", "allOf": (0..8).map(variant).collect::<Vec<_>>()
    }));
    let at = "#/allOf/0/if/properties/kind";
    let nodes = forms.graph().nodes().iter();
    let mut here = nodes.filter(|node| node.location().pointer().to_fragment() == at);
    let kind = Canonicalizer::reference(here.next().unwrap().location());
    let asked = [json!({ "allOf": [kind, { "type": "string" }] }), json!({ "not": kind })];
    let mut answers = forms.forms_of(&asked).into_iter();
    // The row is read as one union, so its conditions stand nowhere in the document.
    assert_eq!(answers.next().unwrap().unwrap().satisfiable(), Verdict::Yes);
    // Inside `not`, a wider part would make the whole narrower.
    assert!(answers.next().unwrap().is_err());
}
