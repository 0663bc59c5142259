//! Runs every case in `tests/graph/*.json`: a schema, and each edge of its graph as
//! `from applicator target`, with `at` the use site where that is not the target itself.

use std::{fs, path::Path};

use foolproof_contract::{
    Applicator, Document, Graph, InPlaceApplicator, ItemApplicator, MemberApplicator,
};
use serde::Deserialize;
use serde_json::Value;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    description: String,
    schema: Value,
    #[serde(default)]
    graph: Vec<String>,
    unreached: Option<Vec<String>>,
    error: Option<String>,
}

#[test]
fn graphs_are_as_the_cases_say() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/graph");
    let mut count = 0;
    for file in fs::read_dir(folder).unwrap() {
        let text = fs::read_to_string(file.unwrap().path()).unwrap();
        for case in serde_json::from_str::<Vec<Case>>(&text).unwrap() {
            check(&case);
            count += 1;
        }
    }
    assert!(count >= 19, "only {count} cases were found");
}

fn check(case: &Case) {
    let name = &case.description;
    let graph = Document::from_value(case.schema.clone()).and_then(|document| Graph::of(&document));
    let graph = match (graph, &case.error) {
        (Ok(graph), None) => graph,
        (Err(error), Some(expected)) => {
            let message = error.to_string();
            assert_eq!(message.strip_prefix("schema: "), Some(expected.as_str()), "{name}");
            return;
        }
        (Ok(_), Some(expected)) => panic!("{name}: expected `{expected}`"),
        (Err(error), None) => panic!("{name}: {error}"),
    };
    assert_eq!(edges(&graph), case.graph, "{name}");
    if let Some(expected) = &case.unreached {
        let unreached: Vec<String> =
            graph.unreached_definitions().iter().map(ToString::to_string).collect();
        assert_eq!(&unreached, expected, "{name}");
    }
}

fn edges(graph: &Graph) -> Vec<String> {
    let mut lines = Vec::new();
    for node in graph.nodes() {
        for edge in node.edges() {
            let target = graph[edge.target()].location();
            let site =
                if edge.site() == target { String::new() } else { format!(" at {}", edge.site()) };
            lines.push(format!("{} {} {target}{site}", node.location(), name(edge.applicator())));
        }
    }
    lines
}

fn name(applicator: &Applicator) -> String {
    match applicator {
        Applicator::Member(MemberApplicator::Property(name)) => format!("property({name})"),
        Applicator::Member(MemberApplicator::Pattern(pattern)) => format!("pattern({pattern})"),
        Applicator::Member(MemberApplicator::Additional) => "additionalProperties".to_owned(),
        Applicator::Member(MemberApplicator::Unevaluated) => "unevaluatedProperties".to_owned(),
        Applicator::PropertyNames => "propertyNames".to_owned(),
        Applicator::Item(ItemApplicator::Prefix(index)) => format!("prefixItem({index})"),
        Applicator::Item(ItemApplicator::Rest { from }) => format!("items({from}..)"),
        Applicator::Item(ItemApplicator::Unevaluated) => "unevaluatedItems".to_owned(),
        Applicator::Item(ItemApplicator::Contains) => "contains".to_owned(),
        Applicator::InPlace(InPlaceApplicator::AllOf(index)) => format!("allOf[{index}]"),
        Applicator::InPlace(InPlaceApplicator::AnyOf(index)) => format!("anyOf[{index}]"),
        Applicator::InPlace(InPlaceApplicator::OneOf(index)) => format!("oneOf[{index}]"),
        Applicator::InPlace(InPlaceApplicator::If) => "if".to_owned(),
        Applicator::InPlace(InPlaceApplicator::Then) => "then".to_owned(),
        Applicator::InPlace(InPlaceApplicator::Else) => "else".to_owned(),
        Applicator::InPlace(InPlaceApplicator::DependentSchema(name)) => {
            format!("dependentSchema({name})")
        }
        Applicator::Not => "not".to_owned(),
        Applicator::InPlace(InPlaceApplicator::Reference) => "reference".to_owned(),
    }
}
