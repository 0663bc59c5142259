//! Values whose strings and numbers are supplied: nothing is invented, what fits is chosen uniformly, and what is
//! missing is named.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::collections::BTreeMap;

use foolproof_contract::{Document, FormatPolicy, Oracle};
use foolproof_generate::{
    AtHand, Generator, MissingKind, NumberKind, Place, Random, Seed, Source, Supplied, ValueSource,
};
use serde_json::{Number, Value, json};

/// Knows some strings and numbers; each for all places, or only for properties of one name.
struct Known {
    random: Random,
    strings: Vec<(Option<&'static str>, &'static str)>,
    numbers: Vec<i64>,
    /// Whether the schema decides where nothing fits.
    is_lenient: bool,
}

fn known(strings: &[&'static str], numbers: &[i64]) -> Known {
    Known {
        random: Seed::from_number(7).random(),
        strings: strings.iter().map(|text| (None, *text)).collect(),
        numbers: numbers.to_vec(),
        is_lenient: false,
    }
}

impl Known {
    fn fitting_strings(&self, place: &Place, fits: &dyn Fn(&str) -> bool) -> Vec<&'static str> {
        let serves = |name: Option<&str>| name.is_none() || name == place.property.as_deref();
        let all = self.strings.iter().filter(|(name, text)| serves(*name) && fits(text));
        all.map(|(_, text)| *text).collect()
    }

    fn fitting_numbers(&self, fits: &dyn Fn(&Number) -> bool) -> Vec<Number> {
        self.numbers.iter().map(|number| Number::from(*number)).filter(|it| fits(it)).collect()
    }

    fn choose<T: Clone>(&mut self, fitting: &[T]) -> Supplied<T> {
        match fitting {
            [] if self.is_lenient => Supplied::Generated,
            [] => Supplied::Nothing,
            some => Supplied::Value(self.random.pick(some).clone()),
        }
    }
}

impl Source for Known {
    fn below(&mut self, limit: u64) -> u64 {
        self.random.below(limit)
    }
}

impl ValueSource for Known {
    fn string(&mut self, place: &Place, fits: &dyn Fn(&str) -> bool) -> Supplied<String> {
        let fitting: Vec<String> =
            self.fitting_strings(place, fits).into_iter().map(str::to_owned).collect();
        self.choose(&fitting)
    }

    fn number(
        &mut self,
        _: &Place,
        _: NumberKind,
        fits: &dyn Fn(&Number) -> bool,
    ) -> Supplied<Number> {
        let fitting = self.fitting_numbers(fits);
        self.choose(&fitting)
    }
}

impl AtHand for Known {
    fn has_string(&self, place: &Place, fits: &dyn Fn(&str) -> bool) -> bool {
        self.is_lenient || !self.fitting_strings(place, fits).is_empty()
    }

    fn has_number(&self, _: &Place, _: NumberKind, fits: &dyn Fn(&Number) -> bool) -> bool {
        self.is_lenient || !self.fitting_numbers(fits).is_empty()
    }
}

/// Draws of `schema`, each of them checked.
fn draws(schema: &Value, known: &mut Known, count: usize) -> Vec<Value> {
    let generator = Generator::of(schema.clone()).unwrap();
    let document = Document::from_value(schema.clone()).unwrap();
    let oracle = Oracle::new(&document, FormatPolicy::Assert).unwrap();
    let drawn: Vec<Value> =
        (0..count).filter_map(|_| generator.plan().draw_supplied(known)).collect();
    for value in &drawn {
        assert!(oracle.is_valid(value), "{value} of {schema}");
    }
    drawn
}

/// What is missing, and where.
fn missing(schema: &Value, known: &Known) -> Option<(MissingKind, String)> {
    let generator = Generator::of(schema.clone()).unwrap();
    let missing = generator.plan().missing(known)?;
    Some((missing.kind, missing.place.pointer.to_string()))
}

/// The strings and numbers anywhere in `value`, keys included.
fn leaves(value: &Value, into: &mut Vec<Value>) {
    match value {
        Value::String(_) | Value::Number(_) => into.push(value.clone()),
        Value::Array(items) => items.iter().for_each(|item| leaves(item, into)),
        Value::Object(members) => {
            for (name, member) in members {
                into.push(json!(name));
                leaves(member, into);
            }
        }
        Value::Null | Value::Bool(_) => {}
    }
}

#[test]
fn nothing_is_invented() {
    let declared = ["id", "limit", "tags", "deep", "any", "open", "kind", "more"];
    let schema = json!({
        "type": "object",
        "properties": {
            "id": { "type": "string" },
            "limit": { "type": "integer", "minimum": 3 },
            "tags": { "type": "array", "items": { "type": ["string", "number"] }, "minItems": 1 },
            "deep": { "type": "object", "properties": { "more": { "$ref": "#/properties/deep" }, "id": { "type": "string", "minLength": 4 } } },
            "any": true,
            "open": { "type": "object", "additionalProperties": { "type": "string" } },
            "kind": { "enum": ["a", 1, null] },
        },
        "required": ["id", "tags"],
        "minProperties": 3,
    });
    let mut known = known(&["x", "long one"], &[2, 40]);
    let drawn = draws(&schema, &mut known, 2_000);
    assert!(drawn.len() > 1_900, "{}", drawn.len());
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    for value in &drawn {
        let mut found = Vec::new();
        leaves(value, &mut found);
        for leaf in found {
            *seen.entry(leaf.to_string()).or_default() += 1;
        }
    }
    let mut allowed: Vec<String> =
        [json!("x"), json!("long one"), json!(2), json!(40), json!("a"), json!(1)]
            .iter()
            .map(ToString::to_string)
            .collect();
    allowed.extend(declared.iter().map(|name| json!(name).to_string()));
    for leaf in seen.keys() {
        assert!(allowed.contains(leaf), "{leaf} was invented");
    }
    assert_eq!(seen.len(), allowed.len(), "{seen:?}");
    assert!(drawn.iter().all(|value| value["limit"] != json!(2)));
}

#[test]
fn what_fits_is_chosen_uniformly_across_the_branches_of_a_union() {
    // Five strings fit; two of them fit both branches, and must be no more likely.
    let schema = json!({
        "anyOf": [
            { "type": "string", "maxLength": 2 },
            { "anyOf": [{ "type": "string", "pattern": "^a" }, { "type": "string", "maxLength": 1 }] },
        ],
    });
    let mut known = known(&["a", "b", "ab", "abc", "xyz", "abcd"], &[]);
    let count = 20_000;
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for value in draws(&schema, &mut known, count) {
        *counts.entry(value.as_str().unwrap().to_owned()).or_default() += 1;
    }
    assert_eq!(counts.keys().collect::<Vec<_>>(), ["a", "ab", "abc", "abcd", "b"]);
    let expected = count as f64 / 5.0;
    for (text, count) in counts {
        let share = count as f64 / expected;
        assert!((0.94..1.06).contains(&share), "{text}: {share}");
    }
}

#[test]
fn a_required_leaf_that_nothing_fits_is_named() {
    let object = |properties: Value, required: Value| json!({ "type": "object", "properties": properties, "required": required });
    let schema = object(json!({ "id": { "type": "string" } }), json!(["id"]));
    assert_eq!(missing(&schema, &known(&[], &[1])), Some((MissingKind::String, "/id".to_owned())));
    assert_eq!(missing(&schema, &known(&["x"], &[])), None);
    let schema = object(json!({ "n": { "type": "integer", "minimum": 5 } }), json!(["n"]));
    assert_eq!(
        missing(&schema, &known(&["x"], &[4])),
        Some((MissingKind::Integer, "/n".to_owned()))
    );
    let schema = object(json!({ "n": { "type": "number" } }), json!(["n"]));
    assert_eq!(missing(&schema, &known(&["x"], &[])), Some((MissingKind::Number, "/n".to_owned())));
    let pattern = json!({ "type": "string", "pattern": "^[0-9]+$" });
    let schema = object(
        json!({ "a": { "type": "object", "properties": { "b": pattern }, "required": ["b"] } }),
        json!(["a"]),
    );
    assert_eq!(
        missing(&schema, &known(&["x"], &[])),
        Some((MissingKind::String, "/a/b".to_owned()))
    );
    assert_eq!(missing(&schema, &known(&["12"], &[])), None);
    let optional = object(json!({ "id": { "type": "string" } }), json!([]));
    assert_eq!(missing(&optional, &known(&[], &[])), None);
    let items =
        json!({ "type": "array", "items": { "type": "string", "format": "date" }, "minItems": 2 });
    assert_eq!(missing(&items, &known(&["x"], &[])), Some((MissingKind::String, "/0".to_owned())));
    assert_eq!(missing(&items, &known(&["2020-01-01"], &[])), None);
}

#[test]
fn a_schema_that_contains_itself_ends() {
    let schema = json!({
        "$defs": { "tree": {
            "type": "object",
            "properties": { "name": { "type": "string" }, "children": { "type": "array", "items": { "$ref": "#/$defs/tree" } } },
            "required": ["name"],
        } },
        "$ref": "#/$defs/tree",
    });
    assert_eq!(missing(&schema, &known(&[], &[])), Some((MissingKind::String, "/name".to_owned())));
    let drawn = draws(&schema, &mut known(&["n"], &[]), 200);
    assert_eq!(drawn.len(), 200);
    assert!(drawn.iter().any(|value| value.pointer("/children/0/children/0").is_some()));
}

#[test]
fn a_value_for_a_property_serves_only_that_property() {
    let schema = json!({
        "type": "object",
        "properties": { "path": { "type": "string" }, "name": { "type": "string" } },
        "required": ["path"],
    });
    let mut known = known(&[], &[]);
    known.strings = vec![(Some("path"), "/tmp/x")];
    assert_eq!(missing(&schema, &known), None);
    for value in draws(&schema, &mut known, 50) {
        assert_eq!(value, json!({ "path": "/tmp/x" }));
    }
    known.strings = vec![(Some("name"), "x")];
    assert_eq!(missing(&schema, &known), Some((MissingKind::String, "/path".to_owned())));
}

#[test]
fn where_nothing_fits_the_schema_may_decide() {
    let schema = json!({
        "type": "object",
        "properties": { "n": { "type": "integer" }, "s": { "type": "string", "pattern": "^[a-f]{3}$" } },
        "required": ["n", "s"],
    });
    let mut lenient = Known { is_lenient: true, ..known(&[], &[]) };
    assert_eq!(missing(&schema, &lenient), None);
    let drawn = draws(&schema, &mut lenient, 300);
    assert_eq!(drawn.len(), 300);
    let sizes = |from: u64| {
        drawn.iter().filter(move |it| it["n"].as_i64().is_none_or(|n| n.unsigned_abs() >= from))
    };
    assert!(sizes(1_000).count() > 30, "integers of every size");
    assert!(sizes(1_000_000_000).count() > 5, "integers of every size");
}
