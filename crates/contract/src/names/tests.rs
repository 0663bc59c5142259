//! The index by example.

use serde_json::{Value, json};

use super::*;
use crate::{Canonical, Shape};

pub(super) fn shape_of(schema: &Value) -> Option<ObjectShape> {
    let canonical =
        jsonschema::canonical::options().should_validate_formats(true).canonicalize(schema).ok()?;
    let Shape::Object(shape) = Canonical::new(canonical).shape() else {
        return None;
    };
    Some(shape)
}

fn index_of(mut schema: Value) -> NameIndex {
    schema["type"] = json!("object");
    NameIndex::of(&shape_of(&schema).unwrap_or_else(|| panic!("{schema} has an object shape")))
}

/// An index of a shape as it would be without the library's rewriting.
fn plain_index(keywords: &Value) -> NameIndex {
    let canonical = |schema: &Value| {
        Canonical::new(jsonschema::canonical::options().canonicalize(schema).unwrap())
    };
    let map = |keyword: &str| {
        let schemas = keywords[keyword].as_object().cloned().unwrap_or_default();
        schemas.iter().map(|(key, schema)| (key.clone(), canonical(schema))).collect()
    };
    NameIndex::of(&ObjectShape {
        properties: map("properties"),
        pattern_properties: map("patternProperties"),
        property_names: keywords.get("propertyNames").map(canonical),
        additional_properties: keywords.get("additionalProperties").map(canonical),
        ..ObjectShape::default()
    })
}

fn texts(names: &Names) -> Vec<&str> {
    names.names.iter().map(|name| name.text.as_str()).collect()
}

fn check(index: &NameIndex, k: usize, expected: &[&str], extent: Extent) {
    let names = index.enumerate(k);
    assert_eq!((texts(&names).as_slice(), names.extent), (expected, extent));
    assert!(names.names.iter().all(|name| index.has(&name.text)));
}

fn pattern(pattern: &str) -> Provenance {
    Provenance::Pattern(vec![pattern.to_owned()])
}

#[test]
fn index_crosses_threads() {
    fn crosses<T: Send + Sync>() {}
    crosses::<NameIndex>();
}

#[test]
fn a_closed_object_has_its_declared_names() {
    let schema = json!({"properties": {"bb": {}, "a": {"type": "string"}, "é": {}, "c": false},
        "additionalProperties": false});
    for index in [index_of(schema.clone()), plain_index(&schema)] {
        check(&index, 9, &["a", "é", "bb"], Extent::Complete);
        check(&index, 2, &["a", "é"], Extent::Truncated);
        check(&index, 3, &["a", "é", "bb"], Extent::Complete);
        assert!(index.is_closed());
        assert!(!index.has("c") && !index.has("d"));
        assert_eq!(index.provenance("bb"), Some(Provenance::Declared));
        assert_eq!(index.size(), Size::Finite(3));
        assert_eq!(index.satisfiable(), Verdict::Yes);
    }
}

#[test]
fn a_pattern_of_a_closed_object_admits_without_end() {
    let schema = json!({"properties": {"x-b": {"type": "null"}, "y": {"type": "null"}},
        "patternProperties": {"^x-": {"type": ["string", "null"]}}, "additionalProperties": false});
    for index in [index_of(schema.clone()), plain_index(&schema)] {
        check(&index, 3, &["y", "x-", "x-\0"], Extent::Truncated);
        assert_eq!(index.provenance("x-a"), Some(pattern("^x-")));
        assert_eq!(index.provenance("x-b"), Some(Provenance::Declared));
        assert_eq!(index.matched_patterns("x-b").collect::<Vec<_>>(), ["^x-"]);
        assert!(!index.has("z"));
        assert_eq!(index.size(), Size::Infinite);
    }
}

#[test]
fn an_empty_schema_bars_what_its_pattern_matches() {
    let schema = json!({"patternProperties": {"^[ab]{1,2}$": {"type": "integer"}, "b": false},
        "properties": {"bc": {"type": "integer"}}, "additionalProperties": false});
    for index in [index_of(schema.clone()), plain_index(&schema)] {
        check(&index, 9, &["a", "aa"], Extent::Complete);
        assert_eq!(index.size(), Size::Finite(2));
    }
}

#[test]
fn property_names_leave_a_finite_language() {
    let index = index_of(json!({"propertyNames": {"maxLength": 2, "pattern": "^[ab]+$"}}));
    check(&index, 99, &["a", "b", "aa", "ab", "ba", "bb"], Extent::Complete);
    check(&index, 6, &["a", "b", "aa", "ab", "ba", "bb"], Extent::Complete);
    check(&index, 5, &["a", "b", "aa", "ab", "ba"], Extent::Truncated);
    assert_eq!(index.size(), Size::Finite(6));
    assert_eq!(index.provenance("ab"), Some(pattern("^[ab]+$")));
}

#[test]
fn property_names_may_be_a_list() {
    let index = index_of(json!({"propertyNames": {"enum": ["b", "a", "cc", 3]}}));
    check(&index, 9, &["a", "b", "cc"], Extent::Complete);
    assert_eq!(index.size(), Size::Finite(3));
}

#[test]
fn old_drafts_close_objects_too() {
    for draft in ["draft-04", "draft-06", "draft-07"] {
        let index = index_of(json!({"$schema": format!("http://json-schema.org/{draft}/schema#"),
            "properties": {"a": {}, "q": {"type": "null"}}, "patternProperties": {"^[xy]$": {}},
            "additionalProperties": false}));
        check(&index, 9, &["a", "q", "x", "y"], Extent::Complete);
        assert_eq!(index.provenance("a"), Some(Provenance::Declared));
    }
}

#[test]
fn exceptions_are_not_declarations() {
    let index =
        index_of(json!({"propertyNames": {"pattern": "^[ab]$", "not": {"enum": ["b", "zz"]}}}));
    check(&index, 9, &["a"], Extent::Complete);
    assert_eq!(index.size(), Size::Finite(1));
    assert_eq!(index.provenance("a"), Some(pattern("^[ab]$")));
}

#[test]
fn a_name_that_one_alternative_excludes_may_come_by_another() {
    let index = index_of(json!({"propertyNames": {"anyOf": [
        {"pattern": "^x", "maxLength": 5, "not": {"enum": ["xb", "xc"]}},
        {"pattern": "b$", "minLength": 2}
    ]}}));
    let both = Provenance::Pattern(vec!["^x".to_owned(), "b$".to_owned()]);
    assert_eq!(index.provenance("xb"), Some(both));
    assert_eq!(index.provenance("xc"), None);
}

#[test]
fn references_and_alternatives_are_followed() {
    let index = index_of(json!({
        "propertyNames": {"$ref": "#/$defs/n"},
        "$defs": {"n": {"anyOf": [{"pattern": "^x$"}, {"const": "q"}, {"$ref": "#/$defs/m"}]},
            "m": {"oneOf": [{"pattern": "^[pr]$"}, {"const": "p"}]}}
    }));
    check(&index, 9, &["q", "r", "x"], Extent::Complete);
}

#[test]
fn an_empty_language_is_proven_empty() {
    let empty = [
        json!({"propertyNames": {"allOf": [{"pattern": "^a+$"}, {"pattern": "^b+$"}]}}),
        json!({"propertyNames": {"allOf": [{"pattern": "^a{3}$"}, {"maxLength": 2}]}}),
        json!({"propertyNames": {"allOf": [{"pattern": "^(aa)+$"}, {"pattern": "^a(aa)*$"}]}}),
        json!({"propertyNames": {"pattern": "^a"}, "patternProperties": {"^.": false}}),
        json!({"propertyNames": {"allOf": [{"pattern": "^(?=x)a$"}, {"pattern": "^b$"}]}}),
        json!({"propertyNames": {"pattern": "^(?!a)a$"}}),
    ];
    for schema in empty {
        let index = index_of(schema.clone());
        assert_eq!(index.satisfiable(), Verdict::No, "{schema}");
        assert_eq!(index.size(), Size::Finite(0), "{schema}");
    }
}

#[test]
fn an_open_object_admits_all_that_is_not_barred() {
    let index =
        index_of(json!({"properties": {"": false}, "patternProperties": {"^\\u0000": false},
        "additionalProperties": {"type": "string"}}));
    check(&index, 2, &["\u{1}", "\u{2}"], Extent::Truncated);
    assert_eq!(index.provenance("q"), Some(Provenance::Additional));
    assert!(!index.is_closed());
    assert_eq!(index.size(), Size::Infinite);
}

#[test]
fn order_and_length_count_characters_of_every_width() {
    let schema = json!({"propertyNames": {"pattern": "^[z\u{7f}\u{80}\u{7ff}\u{800}\u{d7ff}\u{e000}\u{ffff}\u{10000}\u{10ffff}]$"}});
    let widths = [
        "z",
        "\u{7f}",
        "\u{80}",
        "\u{7ff}",
        "\u{800}",
        "\u{d7ff}",
        "\u{e000}",
        "\u{ffff}",
        "\u{10000}",
        "\u{10ffff}",
    ];
    check(&index_of(schema), 99, &widths, Extent::Complete);
    let two = index_of(json!({"propertyNames": {"pattern": "^(é|zz|😀)$", "maxLength": 1}}));
    check(&two, 9, &["é", "😀"], Extent::Complete);
    let all = index_of(json!({"propertyNames": {"maxLength": 1}}));
    assert_eq!(all.size(), Size::Finite(0x11_0000 - 0x800 + 1));
}

#[test]
fn look_ahead_is_checked_name_by_name() {
    let index = index_of(json!({"propertyNames": {"pattern": "^(?!b)[abc]{1,2}$"}}));
    check(&index, 99, &["a", "c", "aa", "ab", "ac", "ca", "cb", "cc"], Extent::Complete);
    assert_eq!(index.size(), Size::Finite(8));
    let endless = index_of(json!({"propertyNames": {"pattern": "^(?!b)[bc]+$"}}));
    check(&endless, 3, &["c", "cb", "cc"], Extent::Truncated);
    assert_eq!(endless.size(), Size::Unknown(Limit::Inexpressible));
    let barred = plain_index(&json!({"patternProperties": {"^(?=a)": false, "^[ab]$": true},
        "additionalProperties": false}));
    check(&barred, 9, &["b"], Extent::Complete);
}

#[test]
fn a_format_out_of_reach_is_unknown_and_not_empty() {
    let index = index_of(json!({"properties": {"declared": {"type": "null"}},
        "propertyNames": {"anyOf": [{"format": "uuid"}, {"const": "declared"}]}}));
    check(&index, 9, &["declared"], Extent::Cut(Limit::Tries));
    assert!(index.has("2eb8aa08-aa98-11ea-b4aa-73b441d16380"));
    assert_eq!(index.size(), Size::Unknown(Limit::Inexpressible));
    let bare = index_of(json!({"propertyNames": {"format": "uuid"}}));
    assert_eq!(bare.satisfiable(), Verdict::Unknown);
}

#[test]
fn an_exponential_pattern_hits_a_reported_limit() {
    let index = index_of(json!({"propertyNames": {"pattern": "^(a|b)*a(a|b){20}$"}}));
    assert_eq!(index.enumerate(3).extent, Extent::Cut(Limit::PatternSize));
    assert_eq!(index.size(), Size::Unknown(Limit::PatternSize));
    assert_eq!(index.satisfiable(), Verdict::Unknown);
    assert!(index.has(&"a".repeat(21)));
}

#[test]
fn what_is_certain_is_found_beside_what_is_out_of_reach() {
    let index = index_of(json!({"propertyNames":
        {"anyOf": [{"format": "uuid"}, {"pattern": "^x-$"}, {"const": "declared"}]}}));
    check(&index, 9, &["x-", "declared"], Extent::Cut(Limit::Tries));
    let index = index_of(json!({"patternProperties": {"^x-$": {"type": "null"},
        "^(a|b)*a(a|b){20}$": {"type": "null"}}, "additionalProperties": false}));
    check(&index, 9, &["x-"], Extent::Cut(Limit::PatternSize));
    assert_eq!(index.satisfiable(), Verdict::Yes);
}

#[test]
fn patterns_that_multiply_hit_a_reported_limit() {
    let parts: Vec<_> = (2..40).map(|n| json!({"pattern": format!("^(a{{{n}}})+$")})).collect();
    let index = index_of(json!({"propertyNames": {"allOf": parts}}));
    assert_eq!(index.enumerate(3).extent, Extent::Cut(Limit::Length));
    assert_eq!(index.size(), Size::Unknown(Limit::States));
    assert_eq!(index.satisfiable(), Verdict::Unknown);
}

#[test]
fn lengths_beyond_reach_are_never_called_empty() {
    let long = index_of(json!({"propertyNames": {"minLength": 5000}}));
    assert_eq!(long.satisfiable(), Verdict::Unknown);
    assert_eq!(long.size(), Size::Unknown(Limit::Length));
    let wide =
        index_of(json!({"propertyNames": {"maxLength": 9_000_000_000_u64, "pattern": "^a"}}));
    check(&wide, 1, &["a"], Extent::Truncated);
    assert_eq!(wide.size(), Size::Unknown(Limit::Length));
    let vast = index_of(json!({"propertyNames": {"maxLength": 100, "pattern": "^[a-z]*$"}}));
    assert_eq!(vast.size(), Size::Vast);
}

#[test]
fn thousands_of_declared_names_are_a_list() {
    let names: serde_json::Map<_, _> =
        (0..5000).map(|n| (format!("name{n:04}"), json!({"type": "null"}))).collect();
    let index =
        index_of(json!({"properties": names, "patternProperties": {"^x": {"type": "null"}},
        "additionalProperties": false}));
    check(&index, 2, &["x", "x\0"], Extent::Truncated);
    let closed = index_of(json!({"properties": names, "additionalProperties": false}));
    check(&closed, 2, &["name0000", "name0001"], Extent::Truncated);
    assert_eq!(closed.size(), Size::Finite(5000));
    assert!(closed.has("name4999") && !closed.has("name5000"));
}

#[test]
fn recursive_names_end_in_unknown() {
    let index = index_of(json!({
        "propertyNames": {"allOf": [{"$ref": "#/$defs/n"}, {"pattern": "^[ab]$"}]},
        "$defs": {"n": {"anyOf": [{"const": "a"}, {"not": {"$ref": "#/$defs/m"}}]},
            "m": {"anyOf": [{"const": "b"}, {"not": {"$ref": "#/$defs/n"}}]}}
    }));
    assert_ne!(index.satisfiable(), Verdict::No);
}
