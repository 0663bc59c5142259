//! The second oracle: what it answers, how its process starts and ends, and where it disagrees with
//! the first on the JSON Schema Test Suite.
#![expect(clippy::print_stdout, reason = "a test says what it compared, or why it was skipped")]

use std::{
    env,
    io::{BufRead, BufReader},
    process::{Command, Stdio},
    time::Duration,
};

use foolproof_contract::{
    Ajv, AjvError, AjvOptions, AjvOracle, Document, Draft, FormatPolicy, Oracle,
    openapi::{Api, EntryOptions, Side},
    with_large_stack,
};
use foolproof_corpus::{
    ajv::{packages, start, start_with},
    suite::{self, Group, Part},
};
use serde_json::{Value, json};

/// Reasons, each with the tests it explains.
const DISAGREEMENTS: &str = include_str!("ajv-disagreements.txt");

#[test]
fn required_tests_agree_but_for_the_listed() {
    compare(Part::Required, FormatPolicy::Annotate, 4_800);
}

#[test]
fn format_tests_agree_but_for_the_listed() {
    compare(Part::Formats, FormatPolicy::Assert, 2_700);
}

/// Checks with both oracles every test of `part` and compares the disagreements with the list.
fn compare(part: Part, formats: FormatPolicy, at_least: usize) {
    let Some(folder) = suite::folder() else { return };
    let Some(ajv) = start() else { return };
    let (mut compared, mut disagreements) = (0, Vec::new());
    for draft in Draft::ALL {
        let remotes = suite::remotes(&folder, draft);
        for group in suite::groups(&folder, draft, part) {
            match answers(&ajv, &group, &remotes, formats) {
                Ok(answers) => {
                    compared += answers.len();
                    disagreements.extend(differing(&group, &answers));
                }
                Err(_) => disagreements.push(group.name),
            }
        }
    }
    println!("{part:?}: compared {compared} tests, {} disagree", disagreements.len());
    assert!(compared >= at_least, "only {compared} tests were compared");
    check_list(part, &disagreements);
}

/// For each test of `group`, our answer and AJV's.
fn answers(
    ajv: &Ajv,
    group: &Group,
    remotes: &[(String, Value)],
    formats: FormatPolicy,
) -> Result<Vec<(bool, bool)>, AjvError> {
    let document = group.document(remotes).expect("the suite's schemas are valid");
    let oracle = Oracle::new(&document, formats).expect("the suite's schemas can be compiled");
    let data: Vec<_> = group.tests.iter().map(|test| test.data.clone()).collect();
    let violations = ajv.oracle(&document, formats)?.violations(&data)?;
    let pair =
        |(value, violations): (&Value, Vec<_>)| (oracle.is_valid(value), violations.is_empty());
    Ok(data.iter().zip(violations).map(pair).collect())
}

fn differing(group: &Group, answers: &[(bool, bool)]) -> Vec<String> {
    let mut differing = Vec::new();
    for (test, (ours, ajv)) in group.tests.iter().zip(answers) {
        let name = format!("{}: {}", group.name, test.description);
        assert_eq!(*ours, test.valid, "{name}");
        if ours != ajv {
            differing.push(name);
        }
    }
    differing
}

/// Every disagreement is on the list, and every line of the list is a disagreement.
fn check_list(part: Part, disagreements: &[String]) {
    let listed: Vec<String> = DISAGREEMENTS
        .lines()
        .filter_map(|line| line.split_once(" | "))
        .filter(|(_, name)| name.starts_with("format/") == (part == Part::Formats))
        .flat_map(|(drafts, name)| drafts.split(' ').map(move |draft| format!("{draft}/{name}")))
        .collect();
    let covers = |entry: &String, name: &String| {
        name.strip_prefix(entry.as_str())
            .is_some_and(|rest| rest.is_empty() || rest.starts_with(": "))
    };
    let unlisted: Vec<_> = disagreements
        .iter()
        .filter(|name| !listed.iter().any(|entry| covers(entry, name)))
        .collect();
    assert!(unlisted.is_empty(), "add these with their reasons: {unlisted:#?}");
    let settled: Vec<_> = listed
        .iter()
        .filter(|entry| !disagreements.iter().any(|name| covers(entry, name)))
        .collect();
    assert!(settled.is_empty(), "AJV agrees on these now: {settled:#?}");
}

#[test]
fn violations_say_where_and_what() {
    let Some(ajv) = start() else { return };
    let cases = [
        (json!({"minimum": 3}), json!(2), "`#` breaks `minimum` at `#/minimum` (3)"),
        (json!({"multipleOf": 0.5}), json!(1.2), "`#` breaks `multipleOf` at `#/multipleOf` (0.5)"),
        (json!({"maxLength": 1}), json!("ab"), "`#` breaks `maxLength` at `#/maxLength` (1)"),
        (json!({"required": ["a"]}), json!({}), "`#` breaks `required` at `#/required` (a)"),
        (
            json!({"dependentRequired": {"a": ["b"]}}),
            json!({"a": 1}),
            "`#` breaks `dependentRequired` at `#/dependentRequired` (b)",
        ),
        (
            json!({"additionalProperties": false}),
            json!({"x": 1}),
            "`#` breaks `additionalProperties` at `#/additionalProperties` (x)",
        ),
        (
            json!({"type": ["null", "array"]}),
            json!(1),
            "`#` breaks `type` at `#/type` (null, array)",
        ),
        (json!({"pattern": "^a"}), json!("b"), "`#` breaks `pattern` at `#/pattern` (^a)"),
        (json!({"format": "date"}), json!("x"), "`#` breaks `format` at `#/format` (date)"),
        (json!({"enum": [1, 2]}), json!(3), "`#` breaks `enum` at `#/enum`"),
        (json!(false), json!(3), "`#` breaks `falseSchema` at `#`"),
        (
            json!({"properties": {"a/b": {"items": {"$ref": "#/$defs/100%25"}}},
                   "$defs": {"100%": {"const": 1}}}),
            json!({"a/b": [1, 2]}),
            "`#/a~1b/1` breaks `const` at `#/$defs/100%/const`",
        ),
        (
            json!({"propertyNames": {"maxLength": 1}}),
            json!({"ab": 1}),
            "`#` breaks `propertyNames` at `#/propertyNames`",
        ),
    ];
    for (schema, instance, expected) in cases {
        let document = Document::from_value(schema).unwrap();
        let oracle = ajv.oracle(&document, FormatPolicy::Assert).unwrap();
        let rejected = oracle.check(vec![instance]).unwrap().remove(0).unwrap_err();
        let found: Vec<_> = rejected.violations().iter().map(ToString::to_string).collect();
        assert_eq!(found, [expected]);
    }
}

#[test]
fn an_entry_of_an_api_is_compiled_in_place() {
    let Some(ajv) = start() else { return };
    let document = Document::from_value(json!({
        "openapi": "3.0.3",
        "info": {"title": "t", "version": "1"},
        "paths": {"/pet": {"get": {"responses": {"200": {"description": "", "content": {"application/json": {
            "schema": {"$ref": "#/components/schemas/Pet"}
        }}}}}}},
        "components": {"schemas": {
            "Pet": {"type": "object", "nullable": true, "properties": {"id": {"$ref": "#/components/schemas/Id"}},
                    "example": {"id": "same"}},
            "Id": {"type": "integer", "example": {"id": "same"}}
        }}
    }))
    .unwrap();
    let api = Api::of(&document).unwrap();
    let entry = api.entry(0, Side::Response, &EntryOptions::default()).unwrap().unwrap();
    let oracle = ajv.oracle(&entry.document, FormatPolicy::Assert).unwrap();
    let values = [json!({"id": 1}), json!(null), json!({"id": "a"})];
    let violations = oracle.violations(&values).unwrap();
    assert!(violations[0].is_empty() && violations[1].is_empty());
    assert_eq!(violations[2][0].schema().to_string(), "/components/schemas/Id/type");
}

#[test]
fn many_instances_are_answered_in_order() {
    let Some((_, oracle)) = oracle(json!({"type": "integer", "multipleOf": 3})) else {
        return;
    };
    let values: Vec<_> = (0..1_000).map(Value::from).collect();
    let answers = oracle.check(values).unwrap();
    for (number, answer) in answers.iter().enumerate() {
        assert_eq!(answer.is_ok(), number % 3 == 0, "{number}");
    }
}

#[test]
fn line_separators_in_strings_are_no_line_ends() {
    let text = "a\u{2028}b\u{2029}c\nd";
    let Some((_, oracle)) = oracle(json!({"const": text})) else {
        return;
    };
    assert_eq!(oracle.violations(&[json!(text)]).unwrap(), [[]]);
}

#[test]
fn an_instance_too_deep_for_javascript_is_an_error() {
    let Some((_, oracle)) = oracle(json!({"items": {"$ref": "#"}})) else {
        return;
    };
    with_large_stack(|| {
        let deep = (0..200_000).fold(json!([]), |inner, _| Value::Array(vec![inner]));
        let error = oracle.violations(&[json!([]), deep]).unwrap_err();
        assert!(matches!(error, AjvError::Failed { index: 1, .. }), "{error}");
    });
    assert_eq!(oracle.violations(&[json!([[]])]).unwrap(), [[]]);
}

#[test]
fn a_rejected_schema_is_an_error_with_the_reason() {
    let Some(ajv) = start() else { return };
    let document = Document::from_value(json!({"enum": []})).unwrap();
    let error = ajv.oracle(&document, FormatPolicy::Assert).unwrap_err();
    assert_eq!(error.to_string(), "AJV refuses the schema: enum must have non-empty array");
}

#[test]
#[cfg(unix)]
fn a_killed_process_is_replaced() {
    let Some((ajv, oracle)) = oracle(json!({"type": "integer"})) else {
        return;
    };
    for _ in 0..3 {
        let before = ajv.process_id().expect("the process runs");
        assert!(signal(before, "KILL"));
        assert_eq!(oracle.violations(&[json!(1)]).unwrap(), [[]]);
        assert_ne!(ajv.process_id(), Some(before));
    }
}

#[test]
#[cfg(unix)]
fn a_hanging_instance_is_an_error_and_the_next_is_answered() {
    let Some(packages) = packages() else { return };
    let options = AjvOptions::default().packages(packages).limit(Duration::from_secs(2));
    let Some(ajv) = start_with(options) else {
        return;
    };
    let oracle = ajv.oracle(&hanging(), FormatPolicy::Assert).unwrap();
    let before = ajv.process_id().expect("the process runs");
    let error = oracle.violations(&[endless()]).unwrap_err();
    assert_eq!(error.to_string(), "AJV gave no answer within 2 s");
    assert!(!signal(before, "0"), "the process that hung is still there");
    assert_eq!(oracle.violations(&[json!("a")]).unwrap(), [[]]);
}

#[test]
#[cfg(unix)]
fn the_process_ends_when_the_last_handle_is_dropped() {
    let Some((ajv, oracle)) = oracle(json!({"type": "integer"})) else {
        return;
    };
    let process = ajv.process_id().expect("the process runs");
    drop(ajv);
    assert!(signal(process, "0"));
    drop(oracle);
    assert!(!signal(process, "0"));
}

/// Set for the process of this test that is to be killed.
const VICTIM: &str = "FOOLPROOF_TEST_VICTIM";

/// No destructor runs in a killed process, and its child may be busy for ever: the end of its
/// input must do.
#[test]
#[cfg(target_os = "linux")]
fn the_process_ends_when_we_are_killed() {
    let name = "ajv::the_process_ends_when_we_are_killed";
    if env::var_os(VICTIM).is_some() {
        let ajv = start().expect("the packages are there");
        let oracle = ajv.oracle(&hanging(), FormatPolicy::Assert).unwrap();
        println!("\nprocess {}", ajv.process_id().expect("the process runs"));
        let _ = oracle.violations(&[endless()]);
        return;
    }
    if start().is_none() {
        return;
    }
    let mut victim = Command::new(env::current_exe().unwrap())
        .args(["--exact", name, "--nocapture"])
        .env(VICTIM, "1")
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let lines = BufReader::new(victim.stdout.take().unwrap()).lines();
    let process = lines
        .map_while(Result::ok)
        .find_map(|line| line.strip_prefix("process ")?.parse::<u32>().ok())
        .expect("the victim names its process");
    victim.kill().unwrap();
    victim.wait().unwrap();
    let wait = ["20", "tail", "-f", "/dev/null", "--pid", &process.to_string()];
    let ended = Command::new("timeout").args(wait).status().unwrap();
    assert!(ended.success(), "process {process} is still there");
}

#[test]
fn a_missing_installation_is_an_error_with_the_remedy() {
    let nowhere = AjvOptions::default().node("/nowhere/node");
    let error = Ajv::start(nowhere).unwrap_err();
    assert!(error.to_string().starts_with("cannot run `/nowhere/node`: "), "{error}");
    assert_eq!(error.code(), "ajv::node-unavailable");

    if start().is_none() {
        return;
    }
    let empty = tempfile::tempdir().unwrap();
    let error = Ajv::start(AjvOptions::default().packages(empty.path())).unwrap_err();
    assert_eq!(error.code(), "ajv::not-installed");
    let remedy = "; run `npm install ajv ajv-formats ajv-draft-04` there";
    assert!(error.to_string().ends_with(remedy), "{error}");
}

fn oracle(schema: Value) -> Option<(Ajv, AjvOracle)> {
    let ajv = start()?;
    let document = Document::from_value(schema).expect("the test's schema is valid");
    let oracle =
        ajv.oracle(&document, FormatPolicy::Assert).expect("AJV compiles the test's schema");
    Some((ajv, oracle))
}

/// A pattern that backtracks for longer than any time limit.
fn hanging() -> Document {
    Document::from_value(json!({"pattern": "^(a+)+$"})).expect("the pattern is valid")
}

fn endless() -> Value {
    json!("a".repeat(50) + "!")
}

/// Sends `signal` to `process`; signal 0 only checks that it exists.
#[cfg(unix)]
fn signal(process: u32, signal: &str) -> bool {
    let kill = Command::new("kill")
        .args(["-s", signal, &process.to_string()])
        .stderr(Stdio::null())
        .status();
    kill.expect("`kill` can be run").success()
}
