//! Input that nobody writes by accident: each ends in a correct result or in an error with exit
//! code 2, within seconds and in bounded memory, never in a panic.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
    thread,
    time::{Duration, Instant},
};

use foolproof_corpus::runs_in_full;
use serde_json::{Value, json};

/// The most processor time that any of these may take, in a debug build on two threads. The clock would
/// fail the test on a busy machine.
const CPU_SECONDS: u64 = 90;

/// The longest that any of these may take on a busy machine: only waiting for ever takes longer.
const LIMIT: Duration = Duration::from_secs(300);

/// The memory that any of these may take: the document a few times over, and the work.
const MEMORY: u64 = 2 << 30;

/// The address space that large stacks reserve and do not use: of the main thread, of the one that
/// canonicalises, and of two workers.
const STACKS: u64 = 4 << 30;

/// The size of an input that takes long in a debug build.
fn size(in_full: usize, elsewhere: usize) -> usize {
    if runs_in_full() { in_full } else { elsewhere }
}

struct Session {
    folder: tempfile::TempDir,
}

impl Session {
    fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    /// Inspects a file of this name and content, and generates from it, with and without guidance;
    /// returns the output of `inspect`.
    fn inspect(&self, name: &str, content: impl AsRef<[u8]>) -> Output {
        let path: PathBuf = self.folder.path().join(name);
        fs::write(&path, content).unwrap();
        let inspected = bounded(name, "inspect \"$1\" --json", &path);
        let generated = bounded(name, "generate \"$1\" --n 3 --threads 2", &path);
        agree(name, &inspected, &generated);
        let guided =
            "generate \"$1\" --coverage guided --n 3 --coverage-report \"$1.report\" --quiet";
        let guided = bounded(name, guided, &path);
        assert_eq!(guided.status.code(), generated.status.code(), "{name}");
        inspected
    }

    fn refused(&self, name: &str, content: impl AsRef<[u8]>, code: &str) {
        let output = self.inspect(name, content);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{name}: {errors}");
        assert!(errors.contains(code), "{name}: expected {code}, got {errors}");
        assert!(output.stdout.is_empty(), "{name} printed a report after all");
    }

    fn report(&self, name: &str, content: impl AsRef<[u8]>) -> Value {
        let output = self.inspect(name, content);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{name}: {errors}");
        serde_json::from_slice(&output.stdout).unwrap()
    }
}

/// Runs a command on the file under the limits.
fn bounded(name: &str, command: &str, path: &Path) -> Output {
    let start = Instant::now();
    // `ulimit -v` counts address space, so it covers the large stacks as well.
    let memory = (MEMORY + STACKS) / 1024;
    let script = format!("ulimit -v {memory} && ulimit -t {CPU_SECONDS} && exec \"$0\" {command}");
    let output = Command::new("sh")
        .args(["-c", &script, env!("CARGO_BIN_EXE_foolproof")])
        .arg(path)
        .output()
        .unwrap();
    let took = start.elapsed();
    assert!(took < LIMIT, "{name} took {took:?}: {command}");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(!errors.contains("panicked") && !errors.contains("overflow"), "{name}: {errors}");
    assert!(output.status.code().is_some(), "{name} was killed: {errors}");
    assert!(errors.len() < 10_000, "{name} says {} bytes", errors.len());
    output
}

/// Documents that admit values for which no instance is generated, with the reason.
const UNMADE: [(&str, &str); 1] = [("exponent.json", "a billion digits")];

/// A document that one command refuses is refused by the other, for the same reason; what can be read
/// and admits values has instances. A schema that may admit none need not have any.
fn agree(name: &str, inspected: &Output, generated: &Output) {
    let errors = String::from_utf8_lossy(&generated.stderr);
    match inspected.status.code() {
        Some(2) => assert_eq!(
            (&generated.stderr, generated.status.code()),
            (&inspected.stderr, Some(2)),
            "{name}"
        ),
        Some(4) => assert_eq!(generated.status.code(), Some(4), "{name}: {errors}"),
        code => {
            assert_eq!(code, Some(0), "{name}");
            let report: Value = serde_json::from_slice(&inspected.stdout).unwrap();
            let is_unmade = UNMADE.iter().any(|(unmade, _)| *unmade == name);
            let may_fail = report["satisfiable"] != json!("yes") || is_unmade;
            let made = generated.status.code();
            assert!(made == Some(0) || may_fail && made == Some(4), "{name}: {errors}");
        }
    }
    let text = std::str::from_utf8(&generated.stdout).unwrap();
    assert_eq!(generated.status.code() == Some(0), text.lines().count() == 3, "{name}");
}

fn nested(open: &str, innermost: &str, close: &str, levels: usize) -> String {
    format!("{}{innermost}{}", open.repeat(levels), close.repeat(levels))
}

#[test]
fn nesting_100_000_deep() {
    let session = Session::new();
    session.refused("not.json", nested("{\"not\":", "true", "}", 100_000), "contract::too-deep");
    session.refused("array.json", nested("[", "", "]", 100_000), "contract::too-deep");
    session.refused("open.json", "[".repeat(100_000), "contract::too-deep");
    session.refused("flow.yaml", nested("{a: ", "1", "}", 100_000), "contract::too-deep");
    session.refused("block.yaml", "- ".repeat(100_000), "contract::too-deep");
}

#[test]
fn nesting_as_deep_as_allowed() {
    let session = Session::new();
    for (name, open, close) in [
        ("not.json", "{\"not\":", "}"),
        ("items.json", "{\"items\":", "}"),
        ("property.json", "{\"additionalProperties\":", "}"),
    ] {
        assert_eq!(session.report(name, nested(open, "true", close, 998))["locations"], json!(999));
    }
    let all_of = nested("{\"allOf\":[", "true", "]}", 499);
    assert_eq!(session.report("all-of.json", all_of)["locations"], json!(500));
}

#[test]
fn chains_of_references() {
    let session = Session::new();
    let chain = |length: usize, link: &dyn Fn(String) -> Value| {
        let mut definitions = serde_json::Map::new();
        for index in 0..length {
            definitions.insert(index.to_string(), link(format!("#/$defs/{}", index + 1)));
        }
        definitions.insert(length.to_string(), json!({"type": "string"}));
        json!({"$ref": "#/$defs/0", "$defs": definitions}).to_string()
    };
    let bare = |reference: String| json!({ "$ref": reference });
    session.refused("bare.json", chain(60_000, &bare), "contract::reference-chain");
    assert_eq!(session.report("short.json", chain(200, &bare))["locations"], json!(1));
    let items = |reference: String| json!({"items": {"$ref": reference}});
    assert_eq!(session.report("items.json", chain(10_000, &items))["locations"], json!(10_001));
}

#[test]
fn strings_of_many_megabytes() {
    let session = Session::new();
    let text = "x".repeat(size(50_000_000, 5_000_000));
    session.report("description.json", format!("{{\"description\":\"{text}\"}}"));
    session.report("constant.json", format!("{{\"const\":\"{text}\"}}"));
    session.report("property.json", format!("{{\"properties\":{{\"{text}\":true}}}}"));
    session.report("description.yaml", format!("description: \"{text}\"\n"));
    session.refused("type.json", format!("{{\"type\":\"{text}\"}}"), "contract::invalid-schema");
    session.refused(
        "pattern.json",
        format!("{{\"pattern\":\"{text}\"}}"),
        "contract::pattern-too-long",
    );
    session.refused(
        "reference.json",
        format!("{{\"$ref\":\"#/{text}\"}}"),
        "contract::dangling-reference",
    );
}

#[test]
fn values_that_must_be_large() {
    let session = Session::new();
    let huge = (0..5).fold(
        json!({ "type": "boolean" }),
        |items, _| json!({ "type": "array", "items": items, "minItems": 50 }),
    );
    session.inspect("required.json", huge.to_string());
    let optional =
        json!({ "type": "object", "properties": { "huge": huge, "a": { "enum": [1] } } });
    session.report("optional.json", optional.to_string());
}

#[test]
fn yaml_that_unfolds_without_end() {
    let session = Session::new();
    let mut laughs = String::from("a0: &a0 [lol, lol, lol, lol, lol, lol, lol, lol, lol]\n");
    for level in 1..12 {
        let previous = format!("*a{}, ", level - 1).repeat(9);
        laughs.push_str(&format!("a{level}: &a{level} [{previous}]\n"));
    }
    session.refused("laughs.yaml", laughs, "contract::too-many-aliases");
    session.refused("self.yaml", "a: &a [*a]\n", "contract::syntax");
}

#[test]
fn numbers_beyond_reason() {
    let session = Session::new();
    session.refused("nan.json", "{\"minimum\": NaN}", "contract::syntax");
    session.refused("nan.yaml", "minimum: .nan\n", "contract::not-json");
    session.refused("infinity.yaml", "maximum: -.inf\n", "contract::not-json");
    session.refused(
        "digits.json",
        format!("{{\"minimum\": {}}}", "9".repeat(1_000_000)),
        "contract::number-too-long",
    );
    session.report("exponent.json", "{\"type\": \"integer\", \"minimum\": 1e1000000000}");
    session.report("tiny.json", "{\"multipleOf\": 1e-1000000000, \"maximum\": 1e999999999}");
    let big = "123456789012345678901234567890";
    let report = session.report("big.json", format!("{{\"minimum\": {big}, \"maximum\": {big}}}"));
    assert_eq!(report["satisfiable"], json!("yes"));
}

#[test]
fn half_of_a_surrogate_pair() {
    let session = Session::new();
    session.refused("value.json", "{\"const\": \"\\ud800\"}", "contract::syntax");
    session.refused("key.json", "{\"properties\": {\"\\udfff\": true}}", "contract::syntax");
    session.refused("value.yaml", "const: \"\\ud800\"\n", "contract::syntax");
    session.report("whole.json", "{\"const\": \"\\ud83d\\ude00\"}");
}

#[test]
fn references_to_themselves() {
    let session = Session::new();
    session.refused("self.json", "{\"$ref\": \"#\"}", "contract::reference-cycle");
    session.refused("pair.json", "{\"$ref\": \"#/$defs/a\", \"$defs\": {\"a\": {\"$ref\": \"#/$defs/b\"}, \"b\": {\"$ref\": \"#/$defs/a\"}}}", "contract::reference-cycle");
    for (name, schema) in [
        ("any.json", json!({"anyOf": [{"$ref": "#"}, {"type": "string"}]})),
        ("one.json", json!({"oneOf": [{"$ref": "#"}, {"type": "array", "items": {"$ref": "#"}}]})),
        ("not.json", json!({"not": {"$ref": "#"}})),
        ("then.json", json!({"if": true, "then": {"$ref": "#"}})),
        ("dependent.json", json!({"dependentSchemas": {"a": {"$ref": "#"}}})),
        (
            "below.json",
            json!({"properties": {"a": {"oneOf": [{"$ref": "#/properties/a"}, {"type": "array"}]}}}),
        ),
        (
            "both.json",
            json!({"$ref": "#/$defs/a", "$defs": {
                "a": {"allOf": [{"$ref": "#/$defs/b"}]}, "b": {"allOf": [{"$ref": "#/$defs/a"}]}
            }}),
        ),
        ("dynamic.json", json!({"$dynamicAnchor": "a", "allOf": [{"$dynamicRef": "#a"}]})),
        (
            "recursive.json",
            json!({
                "$schema": "https://json-schema.org/draft/2019-09/schema",
                "$recursiveAnchor": true, "anyOf": [{"$recursiveRef": "#"}, true]
            }),
        ),
    ] {
        session.refused(name, schema.to_string(), "contract::reference-cycle");
    }
}

/// A schema that requires itself of the same value says nothing by that: real contracts do it, and
/// validators pass over it.
#[test]
fn schemas_that_require_themselves() {
    let session = Session::new();
    for (name, schema) in [
        ("all.json", json!({"allOf": [{"$ref": "#"}]})),
        ("beside.json", json!({"type": "object", "$ref": "#", "minProperties": 1})),
        (
            "guided.json",
            json!({
                "$schema": "http://json-schema.org/draft-04/schema#",
                "properties": {
                    "a": {"properties": {"r": {"type": "string"}}, "$ref": "#"},
                    "b": {"type": "object", "required": ["a"]}
                },
                "allOf": [{"$ref": "#"}]
            }),
        ),
        (
            "pattern.json",
            json!({
                "$schema": "http://json-schema.org/draft-04/schema#",
                "properties": {"d": {"type": "string", "pattern": "/^[0-9]{4}$/", "maxLength": 4}},
                "required": ["d"],
                "allOf": [{"$ref": "#"}]
            }),
        ),
    ] {
        let output = session.inspect(name, schema.to_string());
        assert_eq!(output.status.code(), Some(0), "{name}");
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(errors.starts_with("warning: the reference at `#/"), "{name}: {errors}");
    }
}

/// Only a value without end would satisfy these.
#[test]
fn values_without_end() {
    let session = Session::new();
    let closed = json!({
        "type": "object", "properties": {"a": {"$ref": "#"}}, "additionalProperties": false,
        "minProperties": 1
    });
    for (name, schema) in [
        ("closed.json", closed),
        (
            "map.json",
            json!({"type": "object", "additionalProperties": {"$ref": "#"}, "minProperties": 2}),
        ),
        (
            "patterns.json",
            json!({
                "type": "object", "patternProperties": {"^a": {"$ref": "#"}}, "minProperties": 1,
                "additionalProperties": false
            }),
        ),
        ("items.json", json!({"type": "array", "items": {"$ref": "#"}, "minItems": 1})),
        ("contains.json", json!({"type": "array", "contains": {"$ref": "#"}})),
        (
            "first.json",
            json!({"type": "array", "contains": {"type": "object"}, "prefixItems": [{"$ref": "#"}]}),
        ),
        (
            "parts.json",
            json!({
                "allOf": [{"type": "object", "minProperties": 1}, {"additionalProperties": {"$ref": "#"}}]
            }),
        ),
        (
            "union.json",
            json!({"anyOf": [
                {"type": "array", "minItems": 1, "items": {"$ref": "#"}},
                {"type": "object", "minProperties": 1, "additionalProperties": {"$ref": "#"}}
            ]}),
        ),
        (
            "inside.json",
            json!({"type": "object", "required": ["a"], "properties": {"a": {"$ref": "#/$defs/b"}},
                "$defs": {"b": {"type": "array", "prefixItems": [{"$ref": "#/$defs/b"}], "minItems": 1}}}),
        ),
    ] {
        let output = session.inspect(name, schema.to_string());
        assert_eq!(output.status.code(), Some(4), "{name}");
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(report["unsatisfiable"][0]["code"], json!("UNSAT_RECURSION"), "{name}");
    }
    // One way out is enough.
    session.report(
        "way-out.json",
        json!({
            "type": "object", "properties": {"a": {"$ref": "#"}, "b": {"type": "null"}},
            "additionalProperties": false, "minProperties": 1
        })
        .to_string(),
    );
    session.report(
        "other-way-out.json",
        json!({"anyOf": [
            {"type": "object", "minProperties": 1, "additionalProperties": {"$ref": "#"}},
            {"type": "object", "maxProperties": 0}
        ]})
        .to_string(),
    );
}

#[test]
fn patterns_of_catastrophic_shape() {
    let session = Session::new();
    for (name, pattern) in [("nested.json", "^(a+)+$"), ("look.json", "^(?=(a+)+$)(?!b)(\\\\1)*$")]
    {
        let value = "a".repeat(40);
        session.inspect(
            name,
            format!("{{\"pattern\": \"{pattern}\", \"enum\": [\"{value}!\", \"{value}\"]}}"),
        );
    }
    session.inspect("names.json", json!({"patternProperties": {"^(([a-z])+.)+[A-Z]([a-z])+$": {"type": "string"}, "(x+x+)+y": false}, "properties": {"x".repeat(60): true}, "additionalProperties": false}).to_string());
    session.refused(
        "huge.json",
        "{\"pattern\": \"(a{1000}){1000}{1000}\"}",
        "contract::invalid-pattern",
    );
    session.refused(
        "deep.json",
        format!("{{\"pattern\": \"{}\"}}", nested("(", "a", ")", 5_000)),
        "contract::invalid-pattern",
    );
    session.refused("broken.json", "{\"pattern\": \"(\"}", "contract::invalid-pattern");
}

/// No string satisfies these, which is not proven: every repair of every draw looks for one.
#[test]
fn patterns_that_no_string_of_the_format_or_length_matches() {
    let session = Session::new();
    let intervals: Vec<String> = (0..17).map(|index| format!("INTERVAL_M{index}")).collect();
    for (name, string) in [
        ("format.json", json!({"type": "string", "format": "time", "pattern": "\\p{Letter}cole"})),
        ("length.json", json!({"type": "string", "pattern": intervals.join("|"), "maxLength": 3})),
    ] {
        let schema = json!({"type": "object", "required": ["a"], "properties": {"a": string}});
        session.inspect(name, schema.to_string());
    }
    let address =
        json!({"format": "ipv6", "allOf": [{"$ref": "#", "type": "string", "pattern": "^\\W$"}]});
    let schema = json!({"minProperties": 2, "patternProperties": {"^[a-c]": address}});
    session.inspect("nested.json", schema.to_string());
}

#[test]
fn combinations_that_multiply() {
    let session = Session::new();
    let unions: Vec<Value> = (0..30)
        .map(|index| json!({"anyOf": [{"required": [format!("a{index}")]}, {"required": [format!("b{index}")]}, {"properties": {format!("c{index}"): {"type": "string"}}}]}))
        .collect();
    session.report("product.json", json!({ "allOf": unions }).to_string());
    let branches: Vec<Value> = (0..300)
        .map(|index| json!({"properties": {format!("p{index}"): {"type": "integer"}}, "required": [format!("q{index}")]}))
        .collect();
    session.report("branches.json", json!({ "oneOf": branches }).to_string());
    let rows: Vec<Value> = (0..size(500, 15))
        .map(|index| json!({"if": {"properties": {"kind": {"const": index}}}, "then": {"required": [format!("r{index}")]}}))
        .collect();
    let report = session.report("rows.json", json!({ "allOf": rows }).to_string());
    assert_eq!(report["relaxed"], json!([]), "a row of conditionals has an exact form");
    let values: Vec<Value> = (0..size(300_000, 10_000)).map(Value::from).collect();
    session.report("enum.json", json!({ "enum": values }).to_string());
}

/// Every question about the branches takes the algebra a second, and there is one for every target.
#[test]
fn a_union_of_closed_objects_with_a_branch_that_includes_them() {
    let closed = |properties: Value| {
        let required: Vec<&String> = properties.as_object().unwrap().keys().collect();
        let required = json!(required);
        json!({"type": "object", "properties": properties, "required": required, "additionalProperties": false})
    };
    let branch = |kind: usize| {
        let field = |index: usize| {
            let name = if index.is_multiple_of(3) {
                format!("own{kind}_{index}")
            } else {
                format!("shared{index}")
            };
            let value = if index.is_multiple_of(2) {
                json!({"type": "number"})
            } else {
                json!({"type": ["string", "null"]})
            };
            (name, value)
        };
        let data = closed((0..10).map(field).collect());
        closed(
            json!({"uid": {"type": "string"}, "kind": {"const": format!("k{kind}")}, "data": data}),
        )
    };
    let mut branches: Vec<Value> = (0..size(8, 2)).map(branch).collect();
    branches.push(json!({"items": {"type": "integer"}}));
    let steps =
        json!({"again": {"$ref": "#"}, "steps": {"type": "array", "items": {"oneOf": branches}}});
    let rows = json!({"type": "object", "patternProperties": {"^[a-z]+$": {"type": "object", "properties": steps}}});
    let schema =
        json!({"type": "object", "properties": {"rows": rows}, "additionalProperties": false});
    Session::new().report("union.json", schema.to_string());
}

/// No draw for one of these branches can be repaired, and there is one for every target.
#[test]
fn branches_that_exclude_one_another() {
    let mut branches: Vec<Value> =
        (0..16).map(|index| json!({"const": index, "title": format!("number {index}")})).collect();
    branches.push(json!({"oneOf": branches.clone(), "type": "number"}));
    Session::new()
        .report("branches.json", json!({ "oneOf": branches, "type": "number" }).to_string());
}

#[test]
fn something_else_where_a_schema_should_be() {
    let session = Session::new();
    for (name, content) in [
        ("number.json", "5"),
        ("string.json", "\"x\""),
        ("null.json", "null"),
        ("array.json", "[]"),
    ] {
        session.refused(name, content, "contract::not-a-schema");
    }
    for (name, content) in [
        ("property.json", "{\"properties\": {\"a\": 5}}"),
        ("items.json", "{\"items\": \"x\"}"),
        ("branch.json", "{\"anyOf\": [7]}"),
    ] {
        session.refused(name, content, "contract::invalid-schema");
    }
    session.refused(
        "target.json",
        "{\"$ref\": \"#/title\", \"title\": \"x\"}",
        "contract::not-a-schema",
    );
    // It takes out the only operation.
    let text =
        "openapi: 3.1.0\npaths: {/a: {get: {parameters: [{in: query, name: a, schema: 5}]}}}";
    let output = session.inspect("parameter.yaml", text);
    assert_eq!(output.status.code(), Some(4));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let skipped = report["operations"][0]["skipped"].as_str().unwrap();
    assert!(skipped.contains("#/paths/~1a/get/parameters/0/schema"), "{skipped}");
    session.refused("empty.json", "", "contract::empty");
    session.refused("binary.json", [0xff, 0xfe, 0x00], "contract::not-utf8");
}

#[test]
fn true_and_false_are_schemas() {
    let session = Session::new();
    assert_eq!(session.report("true.json", "true")["satisfiable"], json!("yes"));
    let output = session.inspect("false.json", "false");
    assert_eq!(output.status.code(), Some(4));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["satisfiable"], json!("no"));
}

#[test]
fn keys_with_a_meaning_to_our_own_libraries() {
    let session = Session::new();
    session.report("number.json", "{\"$serde_json::private::Number\": \"12\"}");
    session.report(
        "proto.json",
        "{\"properties\": {\"__proto__\": {\"type\": \"string\"}, \"\": true, \"a/b~c\": true}}",
    );
}

/// Whether text for people has no character that a terminal obeys but line breaks.
fn is_harmless(output: &Output) -> bool {
    let text = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    text.chars().all(|char| char == '\n' || !char.is_control())
}

#[test]
fn text_that_is_meant_for_the_terminal() {
    let session = Session::new();
    let name = r#""a\u001b[2J\u0007\u001b]0;title\u0007""#;
    let impossible = format!(
        r#"{{"required":[{name}],"properties":{{{name}:{{"type":"integer","minimum":3,"maximum":2}}}}}}"#
    );
    let invalid = format!(r#"{{"properties":{{{name}:{{"minimum":"x"}}}}}}"#);
    let api = format!(
        r#"{{"openapi":"3.1.0","info":{{"title":"t","version":"1"}},"paths":{{"/a":{{"get":{{"operationId":{name},
        "parameters":[{{"name":{name},"in":"query","schema":false,"required":true}}],"responses":{{}}}}}}}}}}"#
    );
    for (file, content) in
        [("schema.json", &impossible), ("invalid.json", &invalid), ("api.json", &api)]
    {
        let path = session.folder.path().join(file);
        fs::write(&path, content).unwrap();
        for command in
            ["inspect", "generate --n 2", "generate --coverage measure --coverage-report /dev/null"]
        {
            let output = bounded(file, &format!("{command} \"$1\""), &path);
            assert!(!output.stderr.is_empty() || !output.stdout.is_empty());
            assert!(is_harmless(&output), "{file}, {command}: {output:?}");
        }
    }
    // A server under test chooses its name, the names of its tools, its answers, and what it writes to standard error.
    let server = session.folder.path().join("server");
    let answer = |result: &str| format!(r#"{{"jsonrpc":"2.0","id":'"$id"',"result":{result}}}"#);
    let script = format!(
        r#"printf '\033[2J noise\n' >&2
while read -r line; do
  id=$(printf '%s' "$line" | sed -n 's/.*"id":\([0-9]*\).*/\1/p')
  case $line in
    *'"initialize"'*) printf '%s\n' '{}' ;;
    *'"tools/list"'*) printf '%s\n' '{}' ;;
    *'"tools/call"'*) printf '\033[2J noise\n'; printf '%s\n' '{}' ;;
    *'"id"'*) printf '%s\n' '{{"jsonrpc":"2.0","id":'"$id"',"error":{{"code":-32601,"message":{name}}}}}' ;;
  esac
done
"#,
        answer(&format!(
            r#"{{"protocolVersion":"2025-11-25","capabilities":{{"tools":{{}}}},"serverInfo":{{"name":{name},"version":"1"}}}}"#
        )),
        answer(&format!(
            r#"{{"tools":[{{"name":{name},"inputSchema":{{"type":"object"}}}},{{"name":"b","inputSchema":{{"type":"object","required":[{name}],"properties":{{{name}:{{"type":"string"}}}}}}}}]}}"#
        )),
        answer(&format!(r#"{{"isError":true,"content":[{{"type":"text","text":{name}}}]}}"#)),
    );
    fs::write(&server, script).unwrap();
    for options in ["", "--dry-run"] {
        let command = format!(
            "mcp stdio --cases 1 --min-steps 2 --max-steps 2 --seed 1 {options} -- sh \"$1\""
        );
        let output = bounded("server", &command, &server);
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(text.contains("a\u{fffd}[2J"), "{options}: {output:?}");
        assert!(is_harmless(&output), "{options}: {output:?}");
    }
}

/// Where no thread can be had for the analysis, a run ends without it; it does not wait for what never
/// comes. How far it gets depends on the machine, so that it ends is all that is asked.
#[test]
fn too_little_memory_for_threads() {
    let session = Session::new();
    let path = session.folder.path().join("small.json");
    fs::write(&path, json!({"properties": {"a": {"enum": [1, 2]}}}).to_string()).unwrap();
    for megabytes in [120, 140, 160, 320, 360, 400] {
        let script =
            format!("ulimit -v {} && exec \"$0\" generate \"$1\" --n 2 --quiet", megabytes * 1024);
        let mut child = Command::new("sh")
            .args(["-c", &script, env!("CARGO_BIN_EXE_foolproof")])
            .arg(&path)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let start = Instant::now();
        while child.try_wait().unwrap().is_none() {
            if start.elapsed() > LIMIT {
                child.kill().unwrap();
                child.wait().unwrap();
                panic!("a run with {megabytes} MB did not end");
            }
            thread::sleep(Duration::from_millis(10));
        }
    }
}
