//! What the strategy guarantees: valid values that shrink to the simplest that fails.
#![cfg(feature = "proptest")]
#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::collections::BTreeSet;

use foolproof_contract::{Document, FormatPolicy, Oracle};
use foolproof_corpus::Contracts;
use foolproof_generate::{InstanceTree, Instances, instances_of};
use proptest::{
    prelude::*,
    strategy::ValueTree,
    test_runner::{RngAlgorithm, TestError, TestRng, TestRunner},
};
use serde_json::{Value, json};

/// How often proptest runs a failing test again by default.
const ITERATIONS: usize = 1024;

fn runner(seed: u8) -> TestRunner {
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &[seed; 32]);
    TestRunner::new_with_rng(ProptestConfig::default(), rng)
}

/// Shrinks as proptest does; the result and the number of runs of the test.
fn shrink(tree: &mut InstanceTree, fails: impl Fn(&Value) -> bool) -> (Value, usize) {
    let mut runs = 0;
    let mut goes_on = tree.simplify();
    while goes_on {
        runs += 1;
        goes_on = if fails(&tree.current()) { tree.simplify() } else { tree.complicate() };
    }
    assert!(fails(&tree.current()), "shrinking lost the failure: {}", tree.current());
    (tree.current(), runs)
}

/// Every failing value of many draws shrinks to exactly `expected`, within proptest's default limits.
#[track_caller]
fn check(schema: &Value, fails: impl Fn(&Value) -> bool, expected: &Value) {
    let instances = instances_of(schema.clone()).unwrap();
    let mut failures = 0;
    let mut ends = BTreeSet::new();
    for seed in 0..8 {
        let mut runner = runner(seed);
        let trees = (0..200).map(|_| instances.new_tree(&mut runner).unwrap());
        for mut tree in trees.filter(|tree| fails(&tree.current())).take(4) {
            let (end, runs) = shrink(&mut tree, &fails);
            assert!(runs < ITERATIONS, "{runs} runs for {schema}");
            failures += 1;
            ends.insert(end.to_string());
        }
    }
    assert!(failures >= 8, "only {failures} failures of {schema}");
    assert_eq!(ends.into_iter().collect::<Vec<_>>(), [expected.to_string()], "{schema}");
}

fn integer(value: &Value) -> i128 {
    value.to_string().parse().unwrap_or(i128::MAX)
}

#[test]
fn an_integer_shrinks_to_the_threshold() {
    let schema = json!({ "type": "integer" });
    check(&schema, |value| integer(value) >= 10, &json!(10));
    check(&schema, |value| integer(value) % 2 == 1 && integer(value) > 20, &json!(21));
}

#[test]
fn a_number_shrinks_to_the_bound_nearest_zero() {
    check(&json!({ "type": "integer", "minimum": 1000 }), |_| true, &json!(1000));
    let schema = json!({ "type": "integer", "minimum": -500 });
    check(&schema, |value| value.to_string().starts_with('-'), &json!(-1));
    check(&json!({ "type": "integer", "maximum": -7 }), |_| true, &json!(-7));
    check(&json!({ "type": "integer", "multipleOf": 7, "minimum": 100 }), |_| true, &json!(105));
    let schema = json!({ "type": "integer", "allOf": [{ "multipleOf": 6 }, { "multipleOf": 4 }] });
    check(&schema, |value| integer(value) > 100, &json!(108));
}

#[test]
fn integers_of_any_length_shrink_exactly() {
    let bound: Value = serde_json::from_str("100000000000000000000000000000001").unwrap();
    check(&json!({ "type": "integer", "minimum": bound.clone() }), |_| true, &bound);
}

#[test]
fn decimals_lose_their_places() {
    let above = |least: f64| move |value: &Value| value.as_f64().unwrap() > least;
    check(&json!({ "type": "number" }), above(0.3), &json!(1));
    let schema = json!({ "type": "number", "minimum": 0, "exclusiveMaximum": 1 });
    check(&schema, above(0.3), &json!(0.4));
    check(&json!({ "type": "number", "multipleOf": 0.01 }), above(12.34), &json!(13));
    let schema = json!({ "type": "number", "multipleOf": 0.01, "maximum": 0.5 });
    check(&schema, above(0.40), &json!(0.5));
}

#[test]
fn a_string_shrinks_to_plain_letters() {
    let long = |value: &Value| value.as_str().unwrap().chars().count() >= 3;
    check(&json!({ "type": "string" }), long, &json!("aaa"));
    let digit = |value: &Value| value.as_str().unwrap().contains(|c: char| c.is_ascii_digit());
    check(&json!({ "type": "string", "minLength": 1 }), digit, &json!("0"));
    check(&json!({ "type": "string", "minLength": 5 }), |_| true, &json!("aaaaa"));
}

#[test]
fn a_pattern_is_kept() {
    let schema = json!({ "type": "string", "pattern": "^[A-Z]{3}-\\d{4}$" });
    check(&schema, |_| true, &json!("AAA-0000"));
    check(&schema, |value| value.as_str().unwrap() > "M", &json!("MAA-0000"));
    let schema = json!({ "type": "string", "pattern": "^(ab)+$" });
    check(&schema, |value| value.as_str().unwrap().len() > 2, &json!("abab"));
}

#[test]
fn a_format_is_kept() {
    let schema = json!({ "type": "string", "format": "date" });
    check(&schema, |value| value.as_str().unwrap() >= "1", &json!("1000-01-01"));
}

#[test]
fn an_array_loses_items_that_do_not_matter() {
    let sum = |value: &Value| {
        let items = value.as_array().unwrap();
        items.iter().map(integer).fold(0_i128, i128::saturating_add)
    };
    let schema = json!({ "type": "array", "items": { "type": "integer", "minimum": 0 } });
    check(&schema, move |value| sum(value) > 100, &json!([101]));
    let schema =
        json!({ "type": "array", "items": { "type": "integer", "minimum": 0, "maximum": 100 } });
    check(&schema, move |value| sum(value) > 100, &json!([1, 100]));
}

#[test]
fn a_long_array_becomes_as_short_as_it_may_be() {
    let schema = json!({ "type": "array", "items": { "type": "boolean" }, "minItems": 5 });
    check(&schema, |_| true, &json!([false, false, false, false, false]));
    let any = |value: &Value| value.as_array().unwrap().contains(&json!(true));
    check(&schema, any, &json!([false, false, false, false, true]));
}

#[test]
fn unique_items_stay_unique() {
    let schema = json!({ "type": "array", "uniqueItems": true, "minItems": 3, "items": { "type": "integer", "minimum": 0 } });
    check(&schema, |_| true, &json!([0, 1, 2]));
}

#[test]
fn an_object_keeps_what_is_required_and_what_fails() {
    let schema = json!({
        "type": "object", "required": ["id"],
        "properties": {
            "id": { "type": "integer" }, "a": { "type": "string" }, "b": { "type": "boolean" },
            "c": { "type": "array", "items": { "type": "string" } }, "d": { "type": "number" },
            "e": { "type": "object", "properties": { "x": { "type": "integer" } } }
        }
    });
    check(&schema, |value| value.get("b").is_some(), &json!({ "id": 0, "b": false }));
}

#[test]
fn members_that_need_each_other_go_together() {
    let schema = json!({
        "type": "object",
        "properties": { "card": { "type": "string" }, "name": { "type": "string" }, "z": { "type": "integer" } },
        "dependentRequired": { "card": ["name"], "name": ["card"] }
    });
    check(&schema, |value| value.get("z").is_some(), &json!({ "z": 0 }));
}

#[test]
fn an_order_shrinks_to_the_line_that_fails() {
    let schema = json!({
        "type": "object", "required": ["id", "lines"],
        "properties": {
            "id": { "type": "integer", "minimum": 1 },
            "lines": { "type": "array", "minItems": 1, "items": { "$ref": "#/$defs/line" } },
            "note": { "type": "string" }, "status": { "enum": ["open", "paid", "sent"] },
            "customer": { "type": "object", "required": ["mail"], "properties": {
                "mail": { "type": "string", "format": "email" }, "vip": { "type": "boolean" } } }
        },
        "$defs": { "line": {
            "type": "object", "required": ["sku", "quantity"], "additionalProperties": false,
            "properties": {
                "sku": { "type": "string", "pattern": "^[A-Z]{3}-\\d{4}$" },
                "quantity": { "type": "integer", "minimum": 1, "maximum": 100 },
                "discount": { "type": "number", "minimum": 0, "maximum": 1 }
            }
        } }
    });
    let bulk = |value: &Value| {
        let lines = value["lines"].as_array().unwrap();
        lines.iter().any(|line| integer(&line["quantity"]) > 12)
    };
    let expected = json!({ "id": 1, "lines": [{ "sku": "AAA-0000", "quantity": 13 }] });
    check(&schema, bulk, &expected);
    let expected =
        json!({ "id": 1, "lines": [{ "sku": "AAA-0000", "quantity": 1 }], "status": "paid" });
    check(&schema, |value| !matches!(value["status"].as_str(), None | Some("open")), &expected);
}

#[test]
fn listed_values_go_to_the_first_in_the_schema() {
    let schema = json!({ "enum": ["medium", "low", 7, null, [1]] });
    check(&schema, |_| true, &json!("medium"));
    check(&schema, |value| value != "medium" && !value.is_array(), &json!("low"));
    let schema = json!({ "oneOf": [{ "const": "zebra" }, { "const": "ant" }] });
    check(&schema, |_| true, &json!("zebra"));
    // A number that is listed elsewhere still shrinks.
    let schema = json!({
        "type": "object", "required": ["n", "k"],
        "properties": { "k": { "enum": [30, 10, 20] }, "n": { "type": "integer" } }
    });
    check(&schema, |value| integer(&value["n"]) >= 10, &json!({ "n": 10, "k": 30 }));
}

/// The depth of a tree.
fn depth(tree: &Value) -> usize {
    let kids = tree["kids"].as_array().into_iter().flatten();
    1 + kids.map(depth).max().unwrap_or(0)
}

#[test]
fn a_tree_shrinks_to_the_smallest_of_its_depth() {
    let schema = json!({ "$ref": "#/$defs/tree", "$defs": { "tree": {
        "type": "object", "required": ["name"],
        "properties": {
            "name": { "type": "string" },
            "kids": { "type": "array", "items": { "$ref": "#/$defs/tree" } }
        }
    } } });
    let expected = json!({ "name": "", "kids": [{ "name": "", "kids": [{ "name": "" }] }] });
    check(&schema, |value| depth(value) >= 3, &expected);
}

/// Whether a term has a division in it.
fn divides(term: &Value) -> bool {
    term["op"] == "/" || term["args"].as_array().is_some_and(|args| args.iter().any(divides))
}

#[test]
fn an_expression_is_replaced_by_its_own_part() {
    let schema = json!({ "$ref": "#/$defs/term", "$defs": { "term": { "oneOf": [
        { "type": "integer" },
        { "type": "object", "required": ["op", "args"], "additionalProperties": false, "properties": {
            "op": { "enum": ["+", "*", "/"] },
            "args": { "type": "array", "items": { "$ref": "#/$defs/term" }, "minItems": 2, "maxItems": 2 }
        } }
    ] } } });
    check(&schema, divides, &json!({ "op": "/", "args": [0, 0] }));
}

#[test]
fn exactly_one_alternative_stays_exactly_one() {
    let schema = json!({ "type": "integer", "oneOf": [{ "multipleOf": 3 }, { "multipleOf": 5 }] });
    check(&schema, |value| integer(value) > 10, &json!(12));
    let schema = json!({ "oneOf": [
        { "type": "object", "required": ["kind", "radius"], "properties": {
            "kind": { "const": "circle" }, "radius": { "type": "number", "exclusiveMinimum": 0 } } },
        { "type": "object", "required": ["kind", "side"], "properties": {
            "kind": { "const": "square" }, "side": { "type": "number", "exclusiveMinimum": 0 } } }
    ] });
    check(&schema, |value| value["kind"] == "square", &json!({ "kind": "square", "side": 1 }));
}

#[test]
fn equal_parts_shrink_together() {
    let schema = json!({
        "type": "object", "required": ["a", "b"],
        "properties": { "a": { "$ref": "#/$defs/n" }, "b": { "$ref": "#/$defs/n" } },
        "$defs": { "n": { "type": "integer", "minimum": 0, "maximum": 50 } }
    });
    let equal = |value: &Value| value["a"] == value["b"] && integer(&value["a"]) >= 3;
    check(&schema, equal, &json!({ "a": 3, "b": 3 }));
}

#[test]
fn the_names_of_a_map_become_plain() {
    let schema = json!({ "type": "object", "additionalProperties": { "type": "integer" } });
    let fails = |value: &Value| value.as_object().unwrap().values().any(|n| integer(n) > 4);
    check(&schema, fails, &json!({ "": 5 }));
}

#[test]
fn anything_shrinks_to_null() {
    check(&json!(true), |_| true, &Value::Null);
}

#[test]
fn the_same_generator_gives_the_same_value() {
    let instances = instances_of(json!({ "type": "array", "items": true })).unwrap();
    let draw = |seed: u8| -> Vec<Value> {
        let mut runner = runner(seed);
        (0..20).map(|_| instances.new_tree(&mut runner).unwrap().current()).collect()
    };
    assert_eq!(draw(1), draw(1));
    assert_ne!(draw(1), draw(2));
}

#[test]
fn a_schema_without_values_says_so() {
    let failure = |schema| instances_of(schema).unwrap().new_tree(&mut runner(0)).unwrap_err();
    let schema = json!({ "type": "integer", "minimum": 2, "maximum": 1 });
    assert!(failure(schema).message().contains("admits no value"));
    assert!(instances_of(json!({ "type": "intger" })).is_err());
}

prop_compose! {
    fn transfer()(
        order in instances_of(json!({ "type": "object", "required": ["sum"], "properties": {
            "sum": { "type": "integer", "minimum": 0, "maximum": 1000 } } })).unwrap(),
        account in "[a-z]{3}",
    ) -> (String, i128) {
        (account, integer(&order["sum"]))
    }
}

/// The minimal failing value that the runner of proptest reports for `strategy`.
fn minimal<S: Strategy>(strategy: &S, fails: impl Fn(&S::Value) -> bool) -> S::Value {
    let mut runner = TestRunner::new_with_rng(
        ProptestConfig { failure_persistence: None, ..ProptestConfig::default() },
        TestRng::from_seed(RngAlgorithm::ChaCha, &[7; 32]),
    );
    let outcome = runner.run(strategy, |value| {
        prop_assert!(!fails(&value));
        Ok(())
    });
    match outcome {
        Err(TestError::Fail(_, value)) => value,
        Err(TestError::Abort(reason)) => panic!("{reason}"),
        Ok(()) => panic!("nothing failed"),
    }
}

#[test]
fn strategies_shrink_inside_the_combinators_of_proptest() {
    assert_eq!(minimal(&transfer(), |(_, sum)| *sum > 99), ("aaa".to_owned(), 100));
    let numbers = instances_of(json!({ "type": "integer", "minimum": 0 })).unwrap();
    let pair = (numbers.clone(), numbers.clone());
    let fails = |(left, right): &(Value, Value)| integer(left) > 4 && integer(right) > 6;
    assert_eq!(minimal(&pair, fails), (json!(5), json!(7)));
    let list = prop::collection::vec(numbers.clone(), 0..9);
    let fails = |list: &Vec<Value>| list.iter().filter(|n| integer(n) > 2).count() > 1;
    assert_eq!(minimal(&list, fails), [json!(3), json!(3)]);
    let even = numbers.clone().prop_filter("even", |n| integer(n) % 2 == 0);
    assert_eq!(minimal(&even, |n| integer(n) > 7), json!(8));
    let either = prop_oneof![numbers.clone().prop_map(|n| n.to_string()), Just("none".to_owned())];
    assert_eq!(minimal(&either, |text| text.len() > 1 && text != "none"), "10");
    let nested = numbers
        .prop_flat_map(|n| instances_of(json!({ "type": "integer", "minimum": n })).unwrap());
    assert_eq!(minimal(&nested, |n| integer(n) > 30), json!(31));
}

#[test]
fn calls_in_unexpected_order_are_harmless() {
    let instances =
        instances_of(json!({ "type": "array", "items": { "type": "integer" } })).unwrap();
    let mut runner = runner(3);
    for _ in 0..50 {
        let mut tree = instances.new_tree(&mut runner).unwrap();
        let drawn = tree.current();
        assert!(!tree.complicate());
        assert_eq!(tree.current(), drawn);
        while tree.simplify() {}
        assert_eq!(tree.current(), json!([]));
        assert!(!tree.simplify() && !tree.complicate() && !tree.simplify());
        assert_eq!(tree.current(), json!([]));
    }
}

#[test]
fn the_drawn_value_is_restored_if_no_candidate_fails() {
    let instances = instances_of(json!({ "type": "object" })).unwrap();
    let mut runner = runner(4);
    for _ in 0..50 {
        let mut tree = instances.new_tree(&mut runner).unwrap();
        let drawn = tree.current();
        if tree.simplify() {
            while tree.complicate() {}
        }
        assert_eq!(tree.current(), drawn);
    }
}

#[test]
fn deep_values_need_no_deep_stack() {
    let mut schema = json!({ "type": "integer" });
    for _ in 0..300 {
        schema = json!({ "type": "array", "items": schema, "minItems": 1, "maxItems": 2 });
    }
    let work = move || {
        let instances = instances_of(schema).unwrap();
        let mut tree = instances.new_tree(&mut runner(5)).unwrap();
        let (end, _) = shrink(&mut tree, |_| true);
        let text = format!("{}0{}", "[".repeat(300), "]".repeat(300));
        assert_eq!(end.to_string(), text);
    };
    std::thread::Builder::new().stack_size(1 << 20).spawn(work).unwrap().join().unwrap();
}

#[test]
fn a_strategy_is_named_after_its_schema() {
    let document = Document::from_text("order.json", "{}").unwrap();
    let instances = Instances::new(&document, FormatPolicy::Annotate).unwrap();
    assert_eq!(format!("{:?}", instances.clone()), r#"Instances("order.json")"#);
}

/// On real schemas, whatever the failure is: every candidate is valid, shrinking ends, and its result
/// fails.
#[test]
fn shrinking_real_instances_keeps_valid_and_ends() {
    let contracts = Contracts::find();
    let (mut trees, mut smaller) = (0, 0);
    for entry in contracts.schemas_every(37) {
        let Ok(document) = entry.read() else { continue };
        let Ok(instances) = Instances::new(&document, FormatPolicy::Assert) else { continue };
        let oracle = Oracle::new(&document, FormatPolicy::Assert).unwrap();
        let mut runner = runner(6);
        for share in [0, 1, 3] {
            let Ok(mut tree) = instances.new_tree(&mut runner) else { continue };
            let length = |value: &Value| value.to_string().len();
            let drawn = length(&tree.current());
            let least = drawn * share / 4;
            let fails = |value: &Value| {
                assert!(oracle.is_valid(value), "{}: {value}", entry.name);
                length(value) >= least
            };
            let (end, runs) = shrink(&mut tree, fails);
            assert!(runs < 20_000, "{}: {runs} runs", entry.name);
            trees += 1;
            smaller += usize::from(length(&end) < drawn);
        }
    }
    assert!(trees > 80 && smaller * 2 > trees, "{smaller} of {trees} became smaller");
}
