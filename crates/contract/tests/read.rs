//! Reading: the exact value of a text, and the exact position and message of its errors.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use foolproof_contract::{Document, Draft, DraftOrigin, Error, Graph, ReadOptions, Syntax};
use serde_json::{Value, json};

fn read(name: &str, text: &str) -> Result<Document, Error> {
    Document::from_bytes(
        name,
        text.as_bytes().to_vec(),
        &ReadOptions::default(),
        Some(name.as_ref()),
    )
}

/// The value of a YAML text; under `x`, the document is a schema whatever the text is.
fn yaml(text: &str) -> Value {
    let document = read("a.yaml", &format!("x:\n{}", indent(text))).unwrap();
    document.value()["x"].clone()
}

fn indent(text: &str) -> String {
    text.lines().flat_map(|line| ["  ", line, "\n"]).collect()
}

/// The error as a person sees it, with its code.
fn error_message(name: &str, text: &str) -> String {
    let error = read(name, text).unwrap_err();
    format!("{} [{}]", error, error.code())
}

#[test]
fn numbers_keep_their_digits() {
    let text = r#"{"default": [123456789012345678901234567890, 0.1, 1.10, 1e2, -0.0, 1E+400]}"#;
    let written = "[123456789012345678901234567890,0.1,1.10,1e2,-0.0,1E+400]";
    // `serde_json` writes the exponent in one way; the digits are what counts.
    let normal = |text: &str| text.replace("E+", "e").replace("e+", "e");
    let json = read("a.json", text).unwrap();
    assert_eq!(normal(&json.value()["default"].to_string()), normal(written));
    let digits = yaml("[123456789012345678901234567890, 0.1, 1.10, 0x1F, 0o17, +12, 007, .5, 1.]");
    assert_eq!(digits.to_string(), "[123456789012345678901234567890,0.1,1.10,31,15,12,7,0.5,1]");
}

#[test]
fn yaml_scalars_follow_the_core_schema() {
    assert_eq!(
        yaml(
            "[NO, off, yes, y, on, true, False, ~, null, '', 'true', \"12\", 1_000, 12:30, 2020-01-01]"
        ),
        json!([
            "NO",
            "off",
            "yes",
            "y",
            "on",
            true,
            false,
            null,
            null,
            "",
            "true",
            "12",
            "1_000",
            "12:30",
            "2020-01-01"
        ])
    );
    assert_eq!(yaml("[!!str 12, !!str true, ! 7]"), json!(["12", "true", "7"]));
}

#[test]
fn yaml_keys_are_strings_as_written() {
    assert_eq!(
        yaml("200: ok\n1.50: x\ntrue: y\n~: z"),
        json!({"200": "ok", "1.50": "x", "true": "y", "~": "z"})
    );
}

#[test]
fn yaml_aliases_and_merges_are_unfolded() {
    assert_eq!(
        yaml(
            "base: &base {a: 1, b: 2}\none: *base\ntwo: {<<: *base, b: 3}\nthree: {<<: [*base, {c: 4}]}"
        ),
        json!({
            "base": {"a": 1, "b": 2}, "one": {"a": 1, "b": 2}, "two": {"a": 1, "b": 3},
            "three": {"a": 1, "b": 2, "c": 4}
        })
    );
}

/// `anyOf` of three aliases to the line before, so many times.
fn laughs(levels: usize) -> String {
    let mut text = String::from("definitions:\n  a0: &a0 {type: string}\n");
    for level in 1..=levels {
        let before = level - 1;
        text.push_str(&format!(
            "  a{level}: &a{level} {{anyOf: [*a{before},*a{before},*a{before}]}}\n"
        ));
    }
    text.push_str(&format!("$ref: \"#/definitions/a{levels}\"\n"));
    text
}

#[test]
fn aliases_that_unfold_to_much_more_than_the_text_are_refused() {
    assert!(read("a.yaml", &laughs(7)).is_ok());
    assert_eq!(
        error_message("a.yaml", &laughs(10)),
        "a.yaml:12:22: with `*a9`, aliases repeat more than 1000000 bytes of the document at \
         `#/definitions/a10/anyOf/0` [contract::too-many-aliases]"
    );
    // One long text counts as much as many short ones.
    let long = format!("{{a: &long {}, b: [{}]}}", "x".repeat(10_000), "*long, ".repeat(500));
    assert!(error_message("a.yaml", &long).ends_with("[contract::too-many-aliases]"));
}

#[test]
fn a_large_text_may_repeat_more_than_a_small_one() {
    // Every operation has the same 2 kB of parameters, as tools write them that replace equal parts by aliases.
    let part = format!("{{description: {}}}", "x".repeat(2_000));
    let used = |count: usize| {
        let users = (0..count)
            .map(|number| format!("  p{number}: {{title: {}, not: *part}}\n", "y".repeat(1_000)));
        format!("definitions:\n  part: &part {part}\n{}", users.collect::<String>())
    };
    let document = read("a.yaml", &used(1_000)).unwrap();
    assert_eq!(
        document.value()["definitions"]["p999"]["not"],
        document.value()["definitions"]["part"]
    );
}

#[test]
fn anchors_inside_one_another_are_bounded_as_aliases_are() {
    let nested = |levels: usize| {
        let open = "{a: &a ".repeat(levels);
        format!("{open}[{}]{}", "1, ".repeat(20_000), "}".repeat(levels))
    };
    assert!(read("a.yaml", &nested(10)).is_ok());
    let message = error_message("a.yaml", &nested(900));
    assert!(message.contains("with `&a`"), "{message}");
    assert!(message.ends_with("[contract::too-many-aliases]"), "{message}");
}

#[test]
fn tabs_inside_block_scalars_are_text() {
    assert_eq!(yaml("|\n  a\tb\n  \tc"), json!("a\tb\n\tc\n"));
}

#[test]
fn a_byte_order_mark_is_no_part_of_the_text() {
    for text in ["\u{feff}{\"type\": \"string\"}", "\u{feff}type: string\n"] {
        let document = Document::from_text("bom", text).unwrap();
        assert_eq!(document.value(), &json!({"type": "string"}));
    }
}

#[test]
fn the_format_is_detected_from_the_name_or_the_text() {
    let format = |name: &str, text: &str| read(name, text).unwrap().format().unwrap();
    assert_eq!(format("a.json", "{\"type\": \"string\"}"), Syntax::Json);
    assert_eq!(format("a.yaml", "{\"type\": \"string\"}"), Syntax::Json);
    assert_eq!(format("a.yaml", "{type: string}"), Syntax::Yaml);
    assert_eq!(format("a", "{type: string}"), Syntax::Yaml);
    assert_eq!(format("a", "true"), Syntax::Json);
}

#[test]
fn every_complaint_names_the_place() {
    let cases = [
        (
            "a.json",
            "{\"a\": 1,\n \"a\": 2}",
            "a.json:2:2: duplicate key `a` at `#` [contract::duplicate-key]",
        ),
        (
            "a.yaml",
            "x:\n  - b: 1\n    b: 2\n",
            "a.yaml:3:5: duplicate key `b` at `#/x/0` [contract::duplicate-key]",
        ),
        (
            "a.json",
            "{\"a\": [1,\n 2,, 3]}",
            "a.json:2:4: invalid JSON: Unexpected comma, no values to separate at `#/a/2` [contract::syntax]",
        ),
        (
            "a.json",
            "{\"minimum\": NaN}",
            "a.json:1:13: invalid JSON: Unexpected char: 'N' at `#/minimum` [contract::syntax]",
        ),
        (
            "a.yaml",
            "minimum: .nan",
            "a.yaml:1:10: `.nan` has no JSON equivalent at `#/minimum` [contract::not-json]",
        ),
        (
            "a.yaml",
            "a: &a [*a]",
            "a.yaml:1:8: invalid YAML: an alias occurs inside the value it names at `#/a/0` [contract::syntax]",
        ),
        (
            "a.yaml",
            "a: 1\n---\nb: 2",
            "a.yaml:2:1: invalid YAML: a second document starts here, one was expected at `#` [contract::syntax]",
        ),
        (
            "a.yaml",
            "? [a]\n: 1",
            "a.yaml:1:3: invalid YAML: a key must be a scalar, not a sequence at `#` [contract::syntax]",
        ),
        ("a.json", " \n", "a.json: the document is empty [contract::empty]"),
        (
            "a.json",
            "[]",
            "a.json:1:1: a schema must be an object or a boolean, not an array at `#` [contract::not-a-schema]",
        ),
        (
            "a.json",
            "{\"properties\": {\"a\": 5}}",
            "a.json:1:22: invalid schema: 5 is not of types \"boolean\", \"object\" at `#/properties/a` [contract::invalid-schema]",
        ),
        (
            "a.json",
            "{\"$schema\": \"http://json-schema.org/draft-03/schema#\"}",
            "a.json:1:13: unknown dialect `http://json-schema.org/draft-03/schema#` at `#/$schema` [contract::unknown-dialect]",
        ),
        (
            "a.json",
            "{\"$ref\": \"b.json#/x\"}",
            "a.json:1:10: `$ref` to `b.json#/x` leaves the document at `#/$ref` [contract::external-reference]",
        ),
        (
            "a.json",
            "{\"items\": {\"$ref\": \"https://example.com/s\"}}",
            "a.json:1:20: `$ref` to `https://example.com/s` leaves the document at `#/items/$ref` [contract::external-reference]",
        ),
        (
            "a.yaml",
            "swagger: '1.2'",
            "a.yaml:1:10: Swagger 1.2 is not supported at `#/swagger` [contract::unsupported-version]",
        ),
        (
            "a.yaml",
            "openapi: 4.0.0",
            "a.yaml:1:10: OpenAPI 4.0.0 is not supported at `#/openapi` [contract::unsupported-version]",
        ),
    ];
    for (name, text, expected) in cases {
        assert_eq!(error_message(name, text), expected);
    }
}

#[test]
fn bytes_that_are_no_text_are_rejected() {
    let error = Document::from_bytes("a.json", vec![b'{', 0xff], &ReadOptions::default(), None)
        .unwrap_err();
    assert_eq!(error.to_string(), "a.json:1:2: the text is not UTF-8: invalid byte at offset 1");
}

#[test]
fn limits_are_errors_and_not_crashes() {
    let deep = |levels: usize| format!("{}true{}", "{\"not\": ".repeat(levels), "}".repeat(levels));
    assert!(read("a.json", &deep(900)).is_ok());
    assert!(error_message("a.json", &deep(100_000)).ends_with("[contract::too-deep]"));
    let yaml = format!("{}1{}", "[".repeat(100_000), "]".repeat(100_000));
    assert!(error_message("a.yaml", &yaml).ends_with("[contract::too-deep]"));

    let mut laughs = String::from("a0: &a0 [x, x, x, x, x, x, x, x, x]\n");
    for level in 1..10 {
        let previous = format!("*a{}, ", level - 1).repeat(9);
        laughs.push_str(&format!("a{level}: &a{level} [{previous}]\n"));
    }
    assert!(error_message("a.yaml", &laughs).ends_with("[contract::too-many-aliases]"));

    let digits = "9".repeat(100_000);
    assert!(
        error_message("a.json", &format!("{{\"minimum\": {digits}}}"))
            .ends_with("[contract::number-too-long]")
    );
    assert!(
        error_message("a.yaml", &format!("minimum: {digits}"))
            .ends_with("[contract::number-too-long]")
    );
    let pattern = "x".repeat(1_000_000);
    assert!(
        error_message("a.json", &format!("{{\"pattern\": \"{pattern}\"}}"))
            .ends_with("[contract::pattern-too-long]")
    );

    let mut deep_value = json!(true);
    for _ in 0..1_001 {
        deep_value = json!({ "not": deep_value });
    }
    assert_eq!(Document::from_value(deep_value).unwrap_err().code(), "contract::too-deep");
}

#[test]
fn a_schema_without_a_dialect_gets_the_first_it_compiles_under() {
    let guess = |schema: Value| {
        let document = Document::from_value(schema).unwrap();
        (document.draft(), document.draft_origin())
    };
    assert_eq!(guess(json!({"type": "string"})), (Draft::Draft202012, DraftOrigin::Guessed));
    assert_eq!(
        guess(json!({"items": [{"type": "string"}]})),
        (Draft::Draft7, DraftOrigin::Guessed)
    );
    assert_eq!(
        guess(json!({"maximum": 1, "exclusiveMaximum": true})),
        (Draft::Draft4, DraftOrigin::Guessed)
    );
    assert_eq!(
        guess(json!({"$schema": "http://json-schema.org/draft-06/schema"})),
        (Draft::Draft6, DraftOrigin::Declared)
    );
}

#[test]
fn files_are_read_only_with_permission_and_only_beside_the_document() {
    let folder = tempfile::tempdir().unwrap();
    let inside = folder.path().join("contract");
    std::fs::create_dir(&inside).unwrap();
    std::fs::write(folder.path().join("secret.json"), "true").unwrap();
    std::fs::write(inside.join("b c.yaml"), "$defs: {name: {type: string}, up: {$ref: 'c.json'}}")
        .unwrap();
    std::fs::write(inside.join("c.json"), "{\"type\": \"integer\"}").unwrap();
    let write = |reference: &str| {
        let path = inside.join("a.json");
        std::fs::write(&path, json!({"properties": {"x": {"$ref": reference}}}).to_string())
            .unwrap();
        path
    };
    let path = write("b%20c.yaml#/$defs/up");
    assert_eq!(Document::open(&path).unwrap_err().code(), "contract::external-reference");
    let allowed = ReadOptions::default().allow_files(&inside);
    let document = Document::open_with(&path, &allowed).unwrap();
    assert_eq!(document.resources().count(), 2);
    let graph = foolproof_contract::Graph::of(&document).unwrap();
    assert!(graph.external_resources().any(|uri| uri.ends_with("/c.json")));
    let oracle =
        foolproof_contract::Oracle::new(&document, foolproof_contract::FormatPolicy::Assert)
            .unwrap();
    assert!(oracle.is_valid(&json!({"x": 1})) && !oracle.is_valid(&json!({"x": "a"})));

    for (reference, reason) in [
        ("../secret.json", "lies outside"),
        ("missing.json", "cannot read"),
        ("http://localhost/x", "is not a file"),
    ] {
        let error = Document::open_with(write(reference), &allowed).unwrap_err();
        assert!(error.to_string().contains(reason), "{error}");
    }
    std::fs::write(inside.join("broken.json"), "{\"a\": ").unwrap();
    let error = Document::open_with(write("broken.json"), &allowed).unwrap_err();
    assert!(
        error.document().unwrap().ends_with("broken.json") && error.position().is_some(),
        "{error}"
    );
}

#[test]
fn given_resources_resolve_and_unneeded_ones_are_ignored() {
    let options = ReadOptions::default()
        .resource("https://example.com/name", json!({"type": "string"}))
        .resource("https://example.com/broken", json!({"$ref": "https://example.com/nowhere"}));
    let schema = json!({"properties": {"n": {"$ref": "https://example.com/name"}}});
    let document = Document::from_value_with(schema, &options).unwrap();
    assert_eq!(
        document.resources().map(|(uri, _)| uri).collect::<Vec<_>>(),
        ["https://example.com/name"]
    );
}

/// The parser skips a mark of its own accord, and the one of the file is gone by then.
#[test]
fn a_second_byte_order_mark_is_no_json() {
    let text = "\u{feff}\u{feff}{\"type\": \"string\"}";
    assert_eq!(
        error_message("a.json", text),
        "a.json:1:1: invalid JSON: a second byte order mark at `#` [contract::syntax]"
    );
}

/// Under draft 4, which it is read under, the document has no `$id` and so no documents inside it.
#[test]
fn an_error_does_not_depend_on_which_missing_document_is_met_first() {
    let schema = json!({
        "$id": "https://a.example/one.json",
        "$defs": { "two": { "$id": "two.json" } },
        "properties": {
            "a": { "$ref": "two.json" },
            "b": { "$ref": { "type": "object" } },
            "c": { "$ref": "https://a.example/two.json#c" }
        }
    });
    let error = || {
        let document = Document::from_value(schema.clone());
        document.and_then(|document| Graph::of(&document)).unwrap_err().to_string()
    };
    let first = error();
    assert!((0..40).all(|_| error() == first), "{first}");
}
