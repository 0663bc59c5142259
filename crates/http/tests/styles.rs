//! The texts of every place, style and type, as the specifications write them.

use foolproof_contract::{
    TypeSet,
    openapi::{ParameterPlace, Style, StyleEncoding, ValueTypes, WireFormat},
};
use foolproof_http::{NotTransmittable, parse, serialize};
use serde_json::{Value, json};

use ParameterPlace::{Cookie, Header, Path, Query};

fn format(place: ParameterPlace, style: Style, explodes: bool) -> WireFormat {
    WireFormat::styled(place, StyleEncoding::new(style).exploding(explodes))
}

/// The texts of the example of OpenAPI 3.1.1 §4.8.12.4: a parameter `color`.
fn check(place: ParameterPlace, style: Style, explodes: bool, expected: [&str; 4]) {
    let object = json!({ "R": 100, "G": 200, "B": 150 });
    let values = [json!(""), json!("blue"), json!(["blue", "black", "brown"]), object.clone()];
    let format = format(place, style, explodes);
    for (value, expected) in values.iter().zip(expected) {
        let label = format!("{place} {style:?} {explodes} {value}");
        let texts = serialize("color", format, value);
        if expected == "n/a" {
            assert!(texts.is_err(), "{label}: {texts:?}");
            continue;
        }
        let texts = texts.unwrap_or_else(|error| panic!("{label}: {error}"));
        let joined = texts.join(if place == Cookie { "; " } else { "&" });
        assert_eq!(joined, expected, "{label}");
        // The empty string is excluded where it leaves no trace.
        if !(value == "" && matches!(place, Path | Header)) {
            let pieces: Vec<&str> = texts.iter().map(String::as_str).collect();
            let types = types_of(value);
            assert_eq!(parse("color", format, &pieces, &types).as_ref(), Some(value), "{label}");
        }
    }
}

fn types_of(value: &Value) -> ValueTypes {
    let mut types = ValueTypes::of(TypeSet::of(value));
    types.items = TypeSet::STRING;
    types.other_members = TypeSet::INTEGER;
    types
}

/// Members are in the order of their names, since the order of members has no meaning.
#[test]
fn parameters_are_written_as_the_specification_writes_them() {
    let list = "blue,black,brown";
    check(
        Path,
        Style::Matrix,
        false,
        [";color", ";color=blue", ";color=blue,black,brown", ";color=B,150,G,200,R,100"],
    );
    check(
        Path,
        Style::Matrix,
        true,
        [";color", ";color=blue", ";color=blue;color=black;color=brown", ";B=150;G=200;R=100"],
    );
    // OpenAPI 3.0.3 and 3.1.0 had dots here; RFC 6570 and the later versions have commas.
    check(Path, Style::Label, false, [".", ".blue", ".blue,black,brown", ".B,150,G,200,R,100"]);
    check(Path, Style::Label, true, [".", ".blue", ".blue.black.brown", ".B=150.G=200.R=100"]);
    check(Path, Style::Simple, false, ["", "blue", list, "B,150,G,200,R,100"]);
    check(Path, Style::Simple, true, ["", "blue", list, "B=150,G=200,R=100"]);
    check(Header, Style::Simple, false, ["", "blue", list, "B,150,G,200,R,100"]);
    check(Header, Style::Simple, true, ["", "blue", list, "B=150,G=200,R=100"]);
    check(
        Query,
        Style::Form,
        false,
        ["color=", "color=blue", "color=blue,black,brown", "color=B,150,G,200,R,100"],
    );
    check(
        Query,
        Style::Form,
        true,
        ["color=", "color=blue", "color=blue&color=black&color=brown", "B=150&G=200&R=100"],
    );
    check(
        Query,
        Style::SpaceDelimited,
        false,
        ["color=", "color=blue", "color=blue%20black%20brown", "color=B%20150%20G%20200%20R%20100"],
    );
    check(
        Query,
        Style::PipeDelimited,
        false,
        ["color=", "color=blue", "color=blue%7Cblack%7Cbrown", "color=B%7C150%7CG%7C200%7CR%7C100"],
    );
    check(
        Query,
        Style::TabDelimited,
        false,
        ["color=", "color=blue", "color=blue%09black%09brown", "color=B%09150%09G%09200%09R%09100"],
    );
    check(
        Query,
        Style::DeepObject,
        true,
        ["color=", "color=blue", "n/a", "color%5BB%5D=150&color%5BG%5D=200&color%5BR%5D=100"],
    );
    check(
        Cookie,
        Style::Form,
        false,
        ["color=", "color=blue", "color=blue,black,brown", "color=B,150,G,200,R,100"],
    );
    check(
        Cookie,
        Style::Form,
        true,
        ["color=", "color=blue", "color=blue; color=black; color=brown", "B=150; G=200; R=100"],
    );
    check(
        Cookie,
        Style::Cookie,
        true,
        ["color=", "color=blue", "color=blue; color=black; color=brown", "B=150; G=200; R=100"],
    );
    check(
        Cookie,
        Style::Cookie,
        false,
        ["color=", "color=blue", "color=blue,black,brown", "color=B,150,G,200,R,100"],
    );
}

/// `collectionFormat` of version 2.0 in places that have no name.
#[test]
fn delimiters_of_version_2_are_written_in_paths_and_headers() {
    let list = json!(["a", "b c"]);
    let text = |place, style| serialize("p", format(place, style, false), &list).unwrap().concat();
    assert_eq!(text(Path, Style::PipeDelimited), "a%7Cb%20c");
    assert_eq!(text(Path, Style::TabDelimited), "a%09b%20c");
    assert_eq!(text(Header, Style::PipeDelimited), "a|b c");
    assert_eq!(text(Header, Style::TabDelimited), "a\tb c");
}

#[test]
fn scalars_are_written_exactly() {
    let text = |value: &str| {
        let value: Value = serde_json::from_str(value).unwrap();
        serialize("p", format(Path, Style::Simple, false), &value).unwrap().concat()
    };
    assert_eq!(text("1.50"), "1.50");
    assert_eq!(text("123456789012345678901234567890"), "123456789012345678901234567890");
    assert_eq!(text("true"), "true");
    assert_eq!(text("-0.0"), "-0.0");
    let label = format(Path, Style::Label, true);
    assert_eq!(serialize("p", label, &json!([1.5, 2])).unwrap(), [".15e-1.2"]);
}

#[test]
fn values_without_a_text_are_refused() {
    let form = format(Query, Style::Form, true);
    let error = |value: Value| serialize("p", form, &value).unwrap_err();
    assert_eq!(error(json!(null)), NotTransmittable::Null);
    assert_eq!(error(json!([null])), NotTransmittable::Null);
    assert_eq!(error(json!([[1]])), NotTransmittable::Nested);
    assert_eq!(error(json!({ "a": {} })), NotTransmittable::Nested);
    assert_eq!(error(json!([])), NotTransmittable::Empty);
    assert_eq!(error(json!({})), NotTransmittable::Empty);
}

#[test]
fn content_is_written_as_json() {
    let value = json!({ "a": [null, "ü"] });
    for (place, expected) in [
        (Query, "p=%7B%22a%22%3A%5Bnull%2C%22%5Cu00fc%22%5D%7D"),
        (Header, r#"{"a":[null,"\u00fc"]}"#),
        (ParameterPlace::QueryString, "%7B%22a%22%3A%5Bnull%2C%22%5Cu00fc%22%5D%7D"),
    ] {
        let format = WireFormat::content(place, "application/json");
        let texts = serialize("p", format, &value).unwrap();
        assert_eq!(texts, [expected]);
        let types = ValueTypes::of(TypeSet::ALL);
        assert_eq!(parse("p", format, &[expected], &types), Some(value.clone()));
    }
}

/// What other clients write.
#[test]
fn texts_are_read_as_other_clients_write_them() {
    let mut types = ValueTypes::of(TypeSet::ARRAY);
    types.items = TypeSet::STRING;
    let list = Some(json!(["a", "b"]));
    let read = |style, explodes, pieces: &[&str]| {
        parse("p", format(Query, style, explodes), pieces, &types)
    };
    assert_eq!(read(Style::Form, false, &["p=a%2Cb"]), list);
    assert_eq!(read(Style::PipeDelimited, false, &["p=a|b"]), list);
    assert_eq!(read(Style::SpaceDelimited, false, &["p=a+b"]), list);
    assert_eq!(parse("p", format(Header, Style::Simple, false), &[" a , b "], &types), list);
    let object = ValueTypes::of(TypeSet::OBJECT);
    let deep = format(Query, Style::DeepObject, true);
    assert_eq!(parse("p", deep, &["p[a]=1"], &object), parse("p", deep, &["p%5Ba%5D=1"], &object));
    assert_eq!(parse("p", deep, &["p[a]=1"], &object), Some(json!({ "a": 1 })));
}
