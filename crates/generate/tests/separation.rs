//! Values of `oneOf` whose branches are open objects, so that most values satisfy several of them.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::{
    collections::BTreeSet,
    time::{Duration, Instant},
};

use foolproof_contract::{Document, FormatPolicy, Oracle};
use foolproof_generate::{Generator, Seed};
use serde_json::{Map, Value, json};

/// How many instances each contract has to give.
const INSTANCES: u64 = 40;

/// How long one instance may take that is not found.
const SOON: Duration = Duration::from_secs(5);

/// An open object that declares these properties as strings.
fn object(names: &[&str]) -> Value {
    let properties: Map<String, Value> =
        names.iter().map(|name| ((*name).to_owned(), json!({ "type": "string" }))).collect();
    json!({ "type": "object", "properties": properties })
}

/// Eight branches; each declares a property of its own, and one that all have.
fn branches() -> Vec<Value> {
    ["a", "b", "c", "d", "e", "f", "g", "h"].map(|name| object(&[name, "id"])).to_vec()
}

/// All instances of a run, each of which was found.
fn instances(schema: &Value) -> Vec<Value> {
    let generator = Generator::of(schema.clone()).unwrap();
    let seed = Seed::from_number(5);
    let found = (0..INSTANCES).map(|index| generator.generate(seed, index).unwrap());
    found.map(|generated| generated.into_instance().into_value()).collect()
}

/// The branches of `oneOf` that are the only one of a value.
fn branches_taken(values: &[Value], branches: &[Value]) -> BTreeSet<usize> {
    let oracles: Vec<Oracle> = branches
        .iter()
        .map(|branch| Document::from_value(branch.clone()).unwrap())
        .map(|document| Oracle::new(&document, FormatPolicy::Assert).unwrap())
        .collect();
    let taken = |value: &Value| oracles.iter().position(|oracle| oracle.is_valid(value)).unwrap();
    values.iter().map(taken).collect()
}

#[test]
fn two_open_branches() {
    let branches = [object(&["a"]), object(&["b"])];
    let values = instances(&json!({ "oneOf": branches }));
    assert_eq!(branches_taken(&values, &branches).len(), 2);
}

#[test]
fn three_open_branches() {
    let branches = [object(&["a"]), object(&["b"]), object(&["c"])];
    let values = instances(&json!({ "oneOf": branches }));
    assert_eq!(branches_taken(&values, &branches).len(), 3);
}

#[test]
fn eight_open_branches_are_all_taken() {
    let values = instances(&json!({ "oneOf": branches() }));
    assert_eq!(branches_taken(&values, &branches()).len(), 8);
    assert!(values.iter().any(|value| value["id"].is_string()), "what they share stays as drawn");
}

#[test]
fn in_items_and_in_properties() {
    let values = instances(&json!({
        "type": "object", "required": ["list", "needed"], "properties": {
            "list": { "type": "array", "minItems": 2, "items": { "oneOf": branches() } },
            "needed": { "oneOf": branches() },
            "optional": { "oneOf": branches() }
        }
    }));
    let items: Vec<Value> =
        values.iter().flat_map(|value| value["list"].as_array().unwrap().clone()).collect();
    assert_eq!(branches_taken(&items, &branches()).len(), 8);
    assert!(values.iter().any(|value| value.get("optional").is_some()));
}

#[test]
fn closed_branches_keep_only_what_they_declare() {
    let closed = |name: &str| {
        let mut branch = object(&[name, "id"]);
        branch["additionalProperties"] = json!(false);
        branch
    };
    let names = ["a", "b", "c", "d", "e", "f"];
    let branches = names.map(closed);
    let values = instances(&json!({ "oneOf": branches }));
    assert_eq!(branches_taken(&values, &branches).len(), 6);
    // A closed branch among open ones: what the others declare cannot be added to it.
    let mut mixed = self::branches();
    mixed[0]["additionalProperties"] = json!(false);
    let values = instances(&json!({ "oneOf": mixed }));
    assert!(!branches_taken(&values, &mixed).contains(&0));
}

/// An open object with one property, `records`.
fn with_records(records: &Value) -> Value {
    json!({ "type": "object", "properties": { "records": records } })
}

/// An array of `items`.
fn array(items: &Value) -> Value {
    json!({ "type": "array", "items": items })
}

#[test]
fn branches_that_differ_in_the_items_of_a_property() {
    let branches: Vec<Value> = branches().iter().map(|items| with_records(&array(items))).collect();
    let values = instances(&json!({ "oneOf": branches }));
    assert_eq!(branches_taken(&values, &branches).len(), 8);
}

#[test]
fn branches_that_differ_in_an_object_in_a_property() {
    for depth in 1..4 {
        let nested = |branch: &Value| (0..depth).fold(branch.clone(), |it, _| with_records(&it));
        let branches: Vec<Value> = branches().iter().map(nested).collect();
        let values = instances(&json!({ "oneOf": branches }));
        assert_eq!(branches_taken(&values, &branches).len(), 8, "depth {depth}");
    }
}

#[test]
fn arrays_whose_items_differ() {
    let branches: Vec<Value> = branches().iter().map(array).collect();
    let values = instances(&json!({ "oneOf": branches }));
    assert_eq!(branches_taken(&values, &branches).len(), 8);
}

#[test]
fn arrays_stay_as_long_as_they_may_be_and_items_keep_what_they_need() {
    let branch = |items: &Value| {
        let mut items = items.clone();
        items["required"] = json!(["id"]);
        let mut records = array(&items);
        records["maxItems"] = json!(1);
        records["minItems"] = json!(1);
        let mut branch = with_records(&records);
        branch["required"] = json!(["records"]);
        branch
    };
    let branches: Vec<Value> = branches().iter().map(branch).collect();
    let values = instances(&json!({ "oneOf": branches }));
    assert_eq!(branches_taken(&values, &branches).len(), 8);
    assert!(values.iter().all(|value| value["records"][0]["id"].is_string()));
}

#[test]
fn closed_items_that_admit_each_other_give_up_soon() {
    // Every branch has a twin, and its items have only what the branch declares.
    let branch = |items: &Value| {
        let mut items = items.clone();
        items["additionalProperties"] = json!(false);
        with_records(&array(&items))
    };
    let twins: Vec<Value> =
        self::branches().iter().flat_map(|items| [branch(items), branch(items)]).collect();
    let generator = Generator::of(json!({ "oneOf": twins })).unwrap();
    let started = Instant::now();
    assert!(generator.generate(Seed::from_number(5), 0).is_err());
    assert!(started.elapsed() < SOON);
    // A closed item among open ones: what the others declare cannot be added to it.
    let mut mixed: Vec<Value> =
        self::branches().iter().map(|items| with_records(&array(items))).collect();
    mixed[0]["properties"]["records"]["items"]["additionalProperties"] = json!(false);
    let values = instances(&json!({ "oneOf": mixed }));
    assert!(!branches_taken(&values, &mixed).contains(&0));
}

#[test]
fn one_branch_without_the_values_of_the_others() {
    let [mut first, others @ ..] = <[Value; 8]>::try_from(branches()).unwrap();
    first["required"] = json!(["a"]);
    let values = instances(&json!({ "allOf": [first, { "not": { "anyOf": others } }] }));
    assert!(values.iter().all(|value| value["a"].is_string()));
}

#[test]
fn a_contract_without_values_still_fails() {
    // Every branch has a twin, so a value of one always satisfies two. Their forms are equal, which is proof.
    let twins = |other: fn(Value) -> Value| -> Vec<Value> {
        branches().into_iter().flat_map(|branch| [branch.clone(), other(branch)]).collect()
    };
    let generator = Generator::of(json!({ "oneOf": twins(|branch| branch) })).unwrap();
    let exhausted = generator.generate(Seed::from_number(5), 0).unwrap_err();
    assert!(exhausted.violations().is_empty());
    // Here the forms differ: different patterns exclude the same names.
    let respelt = |mut branch: Value| {
        branch["patternProperties"] = json!({ "^(?:~)": false });
        branch
    };
    let mut twins = twins(respelt);
    for branch in &mut twins {
        if branch.get("patternProperties").is_none() {
            branch["patternProperties"] = json!({ "^[~]": false });
        }
    }
    let generator = Generator::of(json!({ "oneOf": twins })).unwrap();
    let exhausted = generator.generate(Seed::from_number(5), 0).unwrap_err();
    assert!(exhausted.violations().iter().any(|violation| violation.keyword() == "oneOf"));
}

#[test]
fn where_some_draws_pass_they_stay_as_they_are() {
    // `kind` tells most values apart, so nothing has to be changed.
    let branch = |kind: &str| json!({ "type": "object", "required": ["kind"], "properties": { "kind": { "pattern": format!("^[{kind}x]"), "type": "string" } } });
    let branches = ["a", "b", "c", "d", "e", "f", "g"].map(branch);
    let values = instances(&json!({ "oneOf": branches }));
    assert!(values.iter().all(|value| value["kind"].is_string()));
}
