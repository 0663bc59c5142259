//! Runs every case in `tests/cases/observe/*.json`: a schema, values, and for each value exactly the
//! targets that it hits, in their order. `hits` may leave out a dimension that `dimensions` does not
//! name.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::{fs, path::Path, sync::Arc};

use foolproof_contract::{
    Accepted, Canonicalizer, Document, Draft, FormatPolicy, Oracle, ReadOptions, with_large_stack,
};
use foolproof_corpus::Contracts;
use foolproof_coverage::{Dimension, Dimensions, HitTracker, Hits, Observer, Universe};
use foolproof_generate::{Generator, Seed};
use serde::Deserialize;
use serde_json::{Value, json};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    description: String,
    schema: Value,
    draft: Option<String>,
    dimensions: Option<Vec<String>>,
    values: Vec<ObservedValue>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ObservedValue {
    value: Value,
    hits: Vec<String>,
}

#[test]
fn values_hit_what_the_cases_say() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases/observe");
    let mut count = 0;
    for file in fs::read_dir(folder).unwrap() {
        let text = fs::read_to_string(file.unwrap().path()).unwrap();
        for case in serde_json::from_str::<Vec<Case>>(&text).unwrap() {
            count += case.values.len();
            check(&case);
        }
    }
    assert!(count >= 80, "only {count} values were found");
}

fn check(case: &Case) {
    let mut options = ReadOptions::default();
    if let Some(name) = &case.draft {
        options = options.draft(*Draft::ALL.iter().find(|draft| draft.name() == name).unwrap());
    }
    let document = Document::from_value_with(case.schema.clone(), &options).unwrap();
    let dimensions = case.dimensions.as_ref().map_or(Dimensions::all(), |names| {
        names.iter().map(|name| name.parse::<Dimension>().unwrap()).collect()
    });
    let universe = universe(&document, dimensions);
    let observer = Observer::new(&universe, &document, FormatPolicy::Assert);
    let oracle = Oracle::new(&document, FormatPolicy::Assert).unwrap();
    for ObservedValue { value, hits } in &case.values {
        let accepted = oracle.check(value.clone()).expect(&case.description);
        let found = ids(&universe, &observer.observe(&accepted));
        assert_eq!(&found, hits, "{}: {value}", case.description);
    }
}

fn universe(document: &Document, dimensions: Dimensions) -> Arc<Universe> {
    let mut forms = Canonicalizer::new(document, FormatPolicy::Assert).unwrap();
    Arc::new(Universe::of(document, &mut forms, dimensions))
}

fn ids(universe: &Universe, hits: &Hits) -> Vec<String> {
    let is_hit = |location: &usize| hits.contains(universe.index_of(*location));
    let indices = (0..universe.targets().len()).filter(is_hit);
    indices.map(|index| universe.targets()[index].id().to_owned()).collect()
}

fn accepted(document: &Document, value: Value) -> Accepted {
    Oracle::new(document, FormatPolicy::Assert).unwrap().accept(value).unwrap()
}

#[test]
fn a_tracker_hits_the_union_of_what_single_observations_hit() {
    let contracts = Contracts::find();
    let (mut values, mut late) = (0, 0);
    for entry in contracts.schemas_every(5) {
        let Ok(document) = entry.read() else { continue };
        let Ok(generator) = Generator::new(&document, FormatPolicy::Assert) else { continue };
        let universe = universe(&document, Dimensions::all());
        let observer = Observer::new(&universe, &document, FormatPolicy::Assert);
        let mut tracker = HitTracker::new(&observer);
        let mut union = Hits::none(universe.targets().len());
        for (number, value) in generator.instances(Seed::from_number(7), 60).enumerate() {
            let alone = observer.observe(&value);
            let all = (0..universe.targets().len()).map(|location| universe.index_of(location));
            let new: Vec<_> =
                all.filter(|target| alone.contains(*target) && union.insert(*target)).collect();
            assert_eq!(tracker.observe(&value), new, "{}: value {number}", entry.name);
            values += 1;
            // From the fourth value on, saturated nodes may be skipped.
            late += if number >= 4 { new.len() } else { 0 };
        }
        assert_eq!(tracker.hits(), &union, "{}", entry.name);
    }
    let (least, late_least) = (contracts.either(10_000, 2_000), contracts.either(1_000, 200));
    assert!(values > least && late > late_least, "{values} values, {late} late hits");
}

#[test]
fn a_schema_that_many_edges_lead_to_is_visited_once() {
    // Two edges at each of a hundred levels: 2^100 visits if each path were walked separately.
    let way = json!({ "properties": { "next": { "$ref": "#" } } });
    let document = Document::from_value(json!({ "allOf": [way.clone(), way] })).unwrap();
    let universe = universe(&document, Dimensions::all());
    let observer = Observer::new(&universe, &document, FormatPolicy::Assert);
    let chain = |levels| (0..levels).fold(json!({}), |inner, _: i32| json!({ "next": inner }));
    let shallow = observer.observe(&accepted(&document, chain(8)));
    assert_eq!(shallow.len(), universe.targets().len());
    // The validator itself walks every path, so a wider schema accepts the deep value.
    let any = Document::from_value(json!(true)).unwrap();
    assert_eq!(observer.observe(&accepted(&any, chain(100))), shallow);
}

#[test]
fn deep_values_do_not_overflow_the_stack() {
    let document = Document::from_value(json!({ "properties": { "a": { "$ref": "#" } } })).unwrap();
    let universe = universe(&document, Dimensions::all());
    let observer = Observer::new(&universe, &document, FormatPolicy::Assert);
    let any = Document::from_value(json!(true)).unwrap();
    // Not with `json!`, which copies its arguments by recursion.
    let wrap = |inner, _| Value::Object([("a".to_owned(), inner)].into_iter().collect());
    let deep = (0..10_000).fold(json!({}), wrap);
    let value = accepted(&any, deep);
    assert_eq!(
        ids(&universe, &observer.observe(&value)),
        ["struct:#", "prop:#/properties/a:present"]
    );
    // Dropping a value recurses, which is not the subject of this test.
    std::mem::forget(value);
}

#[test]
fn a_schema_that_several_paths_reach_in_place_is_visited_once() {
    let document = Document::from_value(json!({
        "allOf": [{ "$ref": "#/$defs/a" }, { "$ref": "#/$defs/b" }],
        "$defs": {
            "a": { "allOf": [{ "$ref": "#/$defs/b" }, { "$ref": "#/$defs/b" }], "minimum": 1 },
            "b": { "allOf": [{ "$ref": "#/$defs/b" }], "maximum": 5 }
        }
    }))
    .unwrap();
    let universe = universe(&document, Dimensions::all());
    let observer = Observer::new(&universe, &document, FormatPolicy::Assert);
    let any = Document::from_value(json!(true)).unwrap();
    let hits = observer.observe(&accepted(&any, json!(5)));
    let expected = ["struct:#", "struct:#/$defs/a", "struct:#/$defs/b", "bound:#/$defs/b:maximum"];
    assert_eq!(ids(&universe, &hits), expected);
}

#[test]
fn a_long_chain_of_references_is_followed_to_its_end() {
    // Reading refuses chains of more than 256.
    let last = 250;
    let mut definitions = serde_json::Map::new();
    for number in 0..last {
        let next = format!("#/$defs/{}", number + 1);
        definitions.insert(number.to_string(), json!({ "$ref": next, "minimum": 0 }));
    }
    definitions.insert(last.to_string(), json!({ "const": 1 }));
    let schema = json!({ "$ref": "#/$defs/0", "minimum": 0, "$defs": definitions });
    let document = Document::from_value(schema).unwrap();
    let dimensions = [Dimension::Structure].into_iter().collect();
    let universe = with_large_stack(|| universe(&document, dimensions));
    let observer = Observer::new(&universe, &document, FormatPolicy::Assert);
    let any = Document::from_value(json!(true)).unwrap();
    assert_eq!(observer.observe(&accepted(&any, json!(1))).len(), last + 2);
}

#[test]
fn a_meta_schema_is_walked_without_its_text() {
    for draft in Draft::ALL {
        let schema = json!({ "properties": { "s": { "$ref": draft.uri() } } });
        let options = ReadOptions::default().draft(draft);
        let document = Document::from_value_with(schema, &options).unwrap();
        let universe = universe(&document, Dimensions::all());
        let observer = Observer::new(&universe, &document, FormatPolicy::Assert);
        let value = json!({ "s": { "properties": { "a": { "type": "string" } } } });
        let hits = ids(&universe, &observer.observe(&accepted(&document, value)));
        let root = format!("struct:{}#", draft.uri().trim_end_matches('#'));
        assert!(hits.contains(&root), "{draft}: {hits:?}");
    }
}
