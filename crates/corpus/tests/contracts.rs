//! Our own contracts use everything a contract can use, and say the truth about themselves.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
};

use foolproof_contract::{
    Applicator, Canonicalizer, Document, Draft, FormatPolicy, Graph, MemberApplicator, Node,
    Oracle, Pointer, ReadOptions, Syntax, openapi::Api,
};
use foolproof_corpus::Contracts;
use serde_json::{Value, json};

/// Keywords of a meta-schema that no contract of its draft has to use, and why.
const EXEMPT: [(Draft, &str, &str); 8] = [
    (Draft::Draft201909, "$vocabulary", "it stands in meta-schemas only"),
    (Draft::Draft201909, "definitions", "it is a keyword of draft 7"),
    (Draft::Draft201909, "dependencies", "it is a keyword of draft 7"),
    (Draft::Draft202012, "$vocabulary", "it stands in meta-schemas only"),
    (Draft::Draft202012, "$recursiveRef", "it is a keyword of 2019-09"),
    (Draft::Draft202012, "$recursiveAnchor", "it is a keyword of 2019-09"),
    (Draft::Draft202012, "definitions", "it is a keyword of draft 7"),
    (Draft::Draft202012, "dependencies", "it is a keyword of draft 7"),
];

/// Every format of the specifications, from draft 4 to 2020-12.
const FORMATS: [&str; 19] = [
    "date",
    "date-time",
    "duration",
    "email",
    "hostname",
    "idn-email",
    "idn-hostname",
    "ipv4",
    "ipv6",
    "iri",
    "iri-reference",
    "json-pointer",
    "regex",
    "relative-json-pointer",
    "time",
    "uri",
    "uri-reference",
    "uri-template",
    "uuid",
];

/// What the comment on a location begins with of which the analysis proves that no value reaches it.
const UNREACHABLE: &str = "unreachable: ";

/// What it begins with where that is true and not proven.
const UNPROVEN: &str = "unproven: ";

/// Keywords that hold values, not schemas.
const DATA: [&str; 4] = ["const", "default", "enum", "examples"];

#[test]
fn every_keyword_of_every_draft_is_used() {
    let mut used: BTreeMap<Draft, BTreeSet<String>> = BTreeMap::new();
    for document in schemas() {
        let keywords = used.entry(document.draft()).or_default();
        for (_, schema) in subschemas(document.value()) {
            keywords.extend(schema.as_object().into_iter().flatten().map(|(key, _)| key.clone()));
        }
    }
    for draft in Draft::ALL {
        let known = keywords(draft);
        assert!(known.len() > 30, "{draft}: only {known:?} were found");
        let is_exempt = |keyword: &&String| {
            EXEMPT.iter().any(|(of, exempt, _)| (*of, *exempt) == (draft, keyword.as_str()))
        };
        let missing: Vec<&String> =
            known.difference(&used[&draft]).filter(|keyword| !is_exempt(keyword)).collect();
        assert!(missing.is_empty(), "no contract of {draft} uses {missing:?}");
        // A name that is no keyword is a mistake in a contract.
        let unknown: Vec<&String> = used[&draft].difference(&known).collect();
        assert!(unknown.is_empty(), "{draft} has no {unknown:?}");
    }
}

/// The names that the meta-schema of `draft` declares as properties of a schema, and `$ref`, which the
/// one of draft 4 leaves out.
fn keywords(draft: Draft) -> BTreeSet<String> {
    let options = ReadOptions::default().draft(draft);
    let document = Document::from_value_with(json!({ "$ref": draft.uri() }), &options).unwrap();
    let graph = Graph::of(&document).unwrap();
    let edges = graph.nodes().iter().flat_map(Node::edges);
    let name = |step: &Applicator| {
        if let Applicator::Member(MemberApplicator::Property(name)) = step {
            Some(name.clone())
        } else {
            None
        }
    };
    edges.filter_map(|edge| name(edge.applicator())).chain(["$ref".to_owned()]).collect()
}

#[test]
fn every_format_is_used_and_asserted() {
    let mut used: BTreeMap<String, Draft> = BTreeMap::new();
    for document in schemas() {
        for (_, schema) in subschemas(document.value()) {
            if let Some(format) = schema.get("format").and_then(Value::as_str) {
                let earliest = used.entry(format.to_owned()).or_insert(document.draft());
                *earliest = document.draft().min(*earliest);
            }
        }
    }
    assert_eq!(used.keys().collect::<Vec<_>>(), FORMATS);
    for (format, draft) in used {
        let options = ReadOptions::default().draft(draft);
        let document = Document::from_value_with(json!({ "format": format }), &options).unwrap();
        let oracle = Oracle::new(&document, FormatPolicy::Assert).unwrap();
        // No format admits all three.
        let refuses = ["", "(", "\u{0}{"].iter().any(|text| !oracle.is_valid(&json!(text)));
        assert!(refuses, "{draft} does not know `{format}`");
    }
}

#[test]
fn comments_name_exactly_what_is_proven_unreachable() {
    let (mut proven, mut unproven) = (0, 0);
    for entry in Contracts::own().schemas() {
        let document = entry.read().unwrap();
        let mut forms = Canonicalizer::new(&document, FormatPolicy::Assert).unwrap();
        let diagnostics = forms.diagnose();
        let found = diagnostics.iter().filter(|found| !found.is_intended());
        let found: BTreeSet<String> = found.map(|found| found.pointer().to_fragment()).collect();
        assert_eq!(found, noted(&document, UNREACHABLE), "{}", entry.name);
        proven += found.len();
        unproven += noted(&document, UNPROVEN).len();
    }
    assert!(proven >= 8, "only {proven} locations");
    assert!(unproven >= 2, "only {unproven} locations");
}

/// The locations whose comment, or description where the draft has no comments, begins with `mark`.
fn noted(document: &Document, mark: &str) -> BTreeSet<String> {
    let is_noted = |schema: &Value| {
        let mut texts =
            ["$comment", "description"].iter().filter_map(|key| schema.get(key)?.as_str());
        texts.any(|text| text.starts_with(mark))
    };
    let noted = subschemas(document.value()).into_iter().filter(|(_, schema)| is_noted(schema));
    noted.map(|(pointer, _)| pointer.to_fragment()).collect()
}

#[test]
fn every_contract_says_what_it_is_for() {
    for entry in Contracts::own().schemas() {
        let document = entry.read().unwrap();
        let text = ["$comment", "description"].iter().find_map(|key| document.value().get(key));
        let length = text.and_then(Value::as_str).map_or(0, str::len);
        assert!(length > 30, "{} does not say what it is for", entry.name);
    }
    for entry in Contracts::own().openapi() {
        let document = entry.read().unwrap();
        let text = document.value().pointer("/info/description").and_then(Value::as_str);
        assert!(text.is_some_and(|text| text.len() > 30), "{}", entry.name);
    }
}

#[test]
fn the_index_lists_every_schema() {
    let contracts = Contracts::own();
    let listed: Vec<String> = contracts.schemas().into_iter().map(|entry| entry.name).collect();
    let mut present = Vec::new();
    for draft in Draft::ALL {
        let folder = format!("draft{}", draft.name());
        let files = fs::read_dir(contracts.folder().join(&folder)).unwrap();
        let name = |file: fs::DirEntry| format!("{folder}/{}", file.file_name().to_string_lossy());
        let mut names: Vec<String> = files.map(|file| name(file.unwrap())).collect();
        names.sort();
        present.extend(names);
    }
    assert_eq!(listed, present);
    assert!(listed.len() + contracts.openapi().len() >= 50);
}

#[test]
fn both_notations_and_all_versions_of_openapi_are_there() {
    let mut kinds = BTreeSet::new();
    let mut parts = BTreeSet::new();
    for entry in Contracts::own().openapi() {
        let document = entry.read().unwrap();
        kinds.insert(format!("{} in {:?}", document.kind(), document.format()));
        for operation in Api::of(&document).unwrap().operations() {
            assert_eq!(operation.broken, None, "{}", entry.name);
            parts.extend(operation.parameters.iter().map(|it| it.place.as_str()));
            parts.extend(operation.body.iter().map(|_| "request"));
            parts.extend(operation.responses.iter().map(|_| "response"));
            let headers = operation.responses.iter().flat_map(|response| &response.headers);
            parts.extend(headers.map(|_| "response header"));
        }
    }
    assert_eq!(kinds.len(), 6, "{kinds:?}");
    let expected = ["cookie", "header", "path", "query", "request", "response", "response header"];
    for part in expected {
        assert!(parts.contains(part), "{part}");
    }
    let yaml = schemas().filter(|document| document.format() == Some(Syntax::Yaml)).count();
    assert!(yaml >= 5, "only {yaml} schemas in YAML");
}

fn schemas() -> impl Iterator<Item = Document> {
    Contracts::own().schemas().into_iter().map(|entry| entry.read().unwrap())
}

/// Every place in `schema` that holds a schema under some draft. Not by the graph, which leaves out
/// what no value reaches.
fn subschemas(schema: &Value) -> Vec<(Pointer, &Value)> {
    let mut found = Vec::new();
    let mut pending = vec![(Pointer::root(), schema)];
    while let Some((pointer, schema)) = pending.pop() {
        let members = schema.as_object().into_iter().flatten();
        for (keyword, value) in members.filter(|(keyword, _)| !DATA.contains(&keyword.as_str())) {
            let at = pointer.key(keyword);
            match (keyword.as_str(), value) {
                (
                    "properties" | "patternProperties" | "$defs" | "definitions" | "dependencies"
                    | "dependentSchemas" | "dependentRequired",
                    Value::Object(named),
                ) => pending.extend(named.iter().map(|(name, schema)| (at.key(name), schema))),
                (_, Value::Array(many)) => {
                    let schemas = many.iter().enumerate();
                    pending.extend(schemas.map(|(index, schema)| (at.index(index), schema)));
                }
                (_, Value::Object(_)) => pending.push((at, value)),
                (_, Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_)) => {}
            }
        }
        found.push((pointer, schema));
    }
    found
}
