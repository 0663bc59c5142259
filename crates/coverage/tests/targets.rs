//! Runs every case in `tests/cases/targets/*.json`: a schema, and its targets in order, each as its
//! id, with `unreachable` after it where it is, and `of N` where the enumeration is sampled. With
//! `dimensions`, only those are enabled.
//!
//! Laws over the corpus: no two targets have one id, and leaving a dimension out changes nothing
//! about the others.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::{collections::BTreeSet, fs, path::Path};

use foolproof_contract::{Canonicalizer, Document, Draft, FormatPolicy, ReadOptions};
use foolproof_corpus::Contracts;
use foolproof_coverage::{Dimension, Dimensions, Params, Status, Target, TargetKind, Universe};
use serde::Deserialize;
use serde_json::{Value, json};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    description: String,
    schema: Value,
    draft: Option<String>,
    #[serde(default)]
    resources: Vec<(String, Value)>,
    dimensions: Option<Vec<String>>,
    targets: Vec<String>,
}

#[test]
fn targets_are_as_the_cases_say() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases/targets");
    let mut count = 0;
    for file in fs::read_dir(folder).unwrap() {
        let text = fs::read_to_string(file.unwrap().path()).unwrap();
        for case in serde_json::from_str::<Vec<Case>>(&text).unwrap() {
            assert_eq!(lines(&case), case.targets, "{}", case.description);
            count += 1;
        }
    }
    assert!(count >= 60, "only {count} cases were found");
}

fn lines(case: &Case) -> Vec<String> {
    let mut options = ReadOptions::default();
    if let Some(name) = &case.draft {
        options = options.draft(*Draft::ALL.iter().find(|draft| draft.name() == name).unwrap());
    }
    for (uri, value) in &case.resources {
        options = options.resource(uri, value.clone());
    }
    let document = Document::from_value_with(case.schema.clone(), &options).unwrap();
    let dimensions = case.dimensions.as_ref().map_or(Dimensions::all(), |names| {
        names.iter().map(|name| name.parse::<Dimension>().unwrap()).collect()
    });
    universe(&document, dimensions).targets().iter().map(line).collect()
}

fn universe(document: &Document, dimensions: Dimensions) -> Universe {
    let mut forms = Canonicalizer::new(document, FormatPolicy::Assert).unwrap();
    Universe::of(document, &mut forms, dimensions)
}

fn line(target: &Target) -> String {
    let mut line = target.id().to_owned();
    if let Params::Bound { bound, value, .. } = target.params()
        && bound != value
    {
        line += &format!(" by {value}");
    }
    match target.status() {
        Status::Active => {}
        Status::Unreachable | Status::Deprecated => line = line + " " + target.status().as_str(),
    }
    line
}

#[test]
fn ids_are_unique_and_no_dimension_changes_those_of_others() {
    let contracts = Contracts::find();
    let (mut targets, mut schemas) = (0, 0);
    for entry in contracts.schemas() {
        let Ok(document) = entry.read() else { continue };
        let Ok(mut forms) = Canonicalizer::new(&document, FormatPolicy::Assert) else { continue };
        let whole = Universe::of(&document, &mut forms, Dimensions::all());
        let ids: BTreeSet<&str> = whole.targets().iter().map(Target::id).collect();
        assert_eq!(ids.len(), whole.targets().len(), "{}", entry.name);
        schemas += 1;
        targets += ids.len();
        if schemas % contracts.either(10, 1) == 0 {
            check_dimensions(&document, &mut forms, &whole, &entry.name);
        }
    }
    let (least, targets_least) = (contracts.either(1_200, 40), contracts.either(100_000, 1_000));
    assert!(schemas > least && targets > targets_least, "{schemas} schemas, {targets} targets");
}

fn check_dimensions(document: &Document, forms: &mut Canonicalizer, whole: &Universe, name: &str) {
    for dimension in Dimension::ALL {
        let without: Dimensions =
            Dimension::ALL.into_iter().filter(|other| *other != dimension).collect();
        let part = Universe::of(document, forms, without);
        let rest = whole.targets().iter().filter(|target| target.dimension() != dimension);
        assert!(part.targets().iter().eq(rest), "{name} without {dimension}");
    }
}

#[test]
fn a_long_enumeration_has_targets_for_a_sample_from_first_to_last() {
    let members: Vec<String> = (0..1000).map(|number| format!("m{number}")).collect();
    let document = Document::from_value(json!({ "enum": members })).unwrap();
    let universe = universe(&document, [Dimension::Enum].into_iter().collect());
    let targets = universe.targets();
    assert_eq!((targets[0].id(), targets[255].id()), ("enum:#:0", "enum:#:999"));
    assert!(targets.len() == 256 && targets.iter().all(|target| target.sample() == Some(1000)));
    assert_eq!(universe.sampled_enumerations(), 1);
    let is_enum = |target: &Target| *target.kind() == TargetKind::EnumValueHit;
    assert!(targets.iter().all(is_enum));
}

#[test]
fn an_enumeration_of_256_members_is_not_sampled() {
    let members: Vec<usize> = (0..256).collect();
    let document = Document::from_value(json!({ "enum": members })).unwrap();
    let universe = universe(&document, [Dimension::Enum].into_iter().collect());
    assert_eq!((universe.targets().len(), universe.sampled_enumerations()), (256, 0));
    assert_eq!(universe.targets()[255].sample(), None);
}
