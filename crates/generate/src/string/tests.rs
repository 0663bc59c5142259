//! Draws against the library's verdict: tables of formats and patterns, and laws.

use std::{collections::BTreeSet, time::Instant};

use foolproof_contract::{Document, FormatPolicy, Oracle, StringShape};
use serde_json::{Number, Value, json};

use super::Strings;
use crate::{Random, Recorder, Replay, Seed};

/// Everything of a shape as one schema, written independently of the code under test.
fn accepts(shape: &StringShape) -> impl Fn(&str) -> bool {
    let mut all = vec![json!({ "type": "string" })];
    all.extend(shape.min_length.iter().map(|it| json!({ "minLength": it })));
    all.extend(shape.max_length.iter().map(|it| json!({ "maxLength": it })));
    all.extend(shape.patterns.iter().map(|it| json!({ "pattern": it })));
    all.extend(shape.formats.iter().map(|it| json!({ "format": it })));
    all.extend(shape.excluded_patterns.iter().map(|it| json!({ "not": { "pattern": it } })));
    all.extend(shape.excluded_formats.iter().map(|it| json!({ "not": { "format": it } })));
    all.push(json!({ "not": { "enum": shape.excluded } }));
    let document = Document::from_value(json!({ "allOf": all })).unwrap();
    let oracle = Oracle::new(&document, FormatPolicy::Assert).unwrap();
    move |text| oracle.is_valid(&Value::from(text))
}

fn source(index: u64) -> Random {
    Seed::from_number(7).child("string", index).random()
}

/// Draws that must all succeed and be valid, and the simplest.
fn check(shape: &StringShape, draws: u64) -> BTreeSet<String> {
    let strings = Strings::compile(shape);
    let accepts = accepts(shape);
    let simplest = strings.simplest().unwrap_or_else(|| panic!("no simplest: {shape:?}"));
    assert!(accepts(&simplest), "simplest {simplest:?} of {shape:?}");
    let drawn = (0..draws).map(|index| {
        let text = strings.draw(&mut source(index));
        let text = text.unwrap_or_else(|| panic!("draw {index} found nothing: {shape:?}"));
        assert!(accepts(&text), "draw {index} gave {text:?} for {shape:?}");
        text
    });
    drawn.collect()
}

fn shape(patterns: &[&str], least: Option<u64>, most: Option<u64>) -> StringShape {
    StringShape {
        patterns: patterns.iter().map(|it| (*it).to_owned()).collect(),
        min_length: least.map(Number::from),
        max_length: most.map(Number::from),
        ..StringShape::default()
    }
}

const FORMATS: &[&str] = &[
    "date-time",
    "date",
    "time",
    "duration",
    "email",
    "idn-email",
    "hostname",
    "idn-hostname",
    "ipv4",
    "ipv6",
    "uri",
    "uri-reference",
    "iri",
    "iri-reference",
    "uuid",
    "uri-template",
    "json-pointer",
    "relative-json-pointer",
    "regex",
    "unheard-of",
];

#[test]
fn every_format_is_valid_and_varied() {
    for format in FORMATS {
        let formats = vec![(*format).to_owned()];
        let drawn = check(&StringShape { formats, ..StringShape::default() }, 300);
        assert!(drawn.len() >= 50, "{format}: {} distinct", drawn.len());
    }
}

#[test]
fn formats_meet_lengths_and_patterns() {
    let cases: &[(&str, Case)] = &[
        ("email", (&[], None, Some(10))),
        ("email", (&[], Some(60), Some(64))),
        ("email", (&["@example\\.com$"], None, None)),
        ("hostname", (&[], Some(100), Some(120))),
        ("hostname", (&["^[^.]+$"], Some(3), Some(8))),
        ("uri", (&["^https://"], Some(1), Some(2048))),
        ("uri", (&["^https?://.+\\.git$"], None, None)),
        ("uri", (&[], Some(300), None)),
        ("uri", (&[], None, Some(9))),
        ("date", (&["^2024-02"], None, None)),
        ("date-time", (&["Z$"], None, Some(20))),
        ("date-time", (&["^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$"], None, None)),
        ("time", (&["^23:"], None, None)),
        ("duration", (&["^PT"], Some(8), None)),
        ("ipv4", (&["^10\\."], None, Some(9))),
        ("ipv6", (&["^fe80"], None, None)),
        ("uuid", (&["^[0-9a-f-]+$"], Some(36), Some(36))),
        ("uuid", (&["^0{8}-"], None, None)),
        ("json-pointer", (&["^/a"], Some(20), None)),
        ("relative-json-pointer", (&["#$"], None, None)),
        ("regex", (&["^\\^"], None, Some(12))),
        ("uri-template", (&["\\{id\\}"], None, None)),
        ("iri-reference", (&["^/"], None, Some(5))),
    ];
    for (format, (patterns, least, most)) in cases {
        let formats = vec![(*format).to_owned()];
        check(&StringShape { formats, ..shape(patterns, *least, *most) }, 100);
    }
}

/// Patterns, then the window.
type Case = (&'static [&'static str], Option<u64>, Option<u64>);

const PATTERNS: &[Case] = &[
    (
        &[r"^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-[0-9A-Za-z-]+(\.[0-9A-Za-z-]+)*)?$"],
        None,
        None,
    ),
    (&["^#([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$"], None, None),
    (&[r"^\+?[1-9]\d{1,14}$"], None, None),
    (&[r"^\(?\d{3}\)?[-. ]?\d{3}[-. ]?\d{4}$"], None, None),
    (&["^[A-Z]{2,3}$"], None, None),
    (&[r"^(foo|bar)-\d+$"], None, None),
    (&[r"^\p{L}+$"], None, None),
    (&[r"^\p{Lu}\p{Ll}{2,}$"], Some(5), Some(9)),
    (&[r"^(?!x)\w+$"], None, None),
    (&[r"^(?=.*[a-z])(?=.*[A-Z])(?=.*\d)(?=.*[^\w\s]).{8,}$"], None, Some(20)),
    (&[r"^(?=.*[A-Z])(?=.*\d)[A-Za-z\d]{8,16}$"], None, None),
    (&[r"^\S+@\S+$"], None, None),
    (&["^$"], None, None),
    (&["[0-9]"], None, None),
    (&["[0-9]"], Some(10), Some(12)),
    (&[""], None, None),
    (&["^.*$"], Some(3), Some(5)),
    (&[r"^[a-z0-9]+(?:-[a-z0-9]+)*$"], None, Some(40)),
    (&[r"^(?!-)[a-z0-9-]{1,63}(?<!-)$"], None, None),
    (&[r"^[^\s]+$"], Some(1), Some(255)),
    (&["^x-"], None, None),
    (&[r"\.json$"], None, None),
    (&["^[a-z]+$", "^.{3,6}$"], None, None),
    (&["[A-Z]", "[0-9]", "[a-z]"], Some(6), Some(10)),
    (&[r"^([01]\d|2[0-3]):[0-5]\d$"], None, None),
    (&[r"^\d{5}(-\d{4})?$"], None, None),
    (&[r"^[A-Z]{3}-\d{4}$"], None, None),
    (&[r"^arn:aws:[a-z0-9-]+:[a-z0-9-]*:\d{12}:.+$"], None, None),
    (&[r"^[a-zA-Z_$][\w$]*$"], None, Some(30)),
    (&["^(a|b)\\1c$"], None, None),
    (&[r#"^(['"])[a-z]*\1$"#], None, None),
    (&[r"^[a-z]{1,5000}$"], None, None),
    (&[r"^[ -~]{0,20000}$"], None, None),
    (&[r"^[ -~]{0,20000}$"], Some(5000), None),
    (&["(a|b)*a(a|b){20}"], None, None),
    (&[r"^\u0041\x42$"], None, None),
    (&[r"^\w+\b \b\w+$"], None, None),
    (&["^[\\s\\S]{4}$"], None, None),
    (&["^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$"], Some(4), Some(100)),
    (&["^(ab)*$"], Some(3), Some(4)),
    (&[r"(?<=\$)\d+"], None, None),
    (&[r"^\w+(?=!)"], None, None),
    (&[r"^((?!foo).)+bar$"], None, None),
    (&[r"^(?=.{3,10}$)[a-z]+\.[a-z]+$"], None, None),
];

#[test]
fn every_pattern_is_met() {
    for (patterns, least, most) in PATTERNS {
        let draws = if least.is_some_and(|least| least > 1000) { 10 } else { 200 };
        check(&shape(patterns, *least, *most), draws);
    }
}

#[test]
fn exclusions_are_left_out() {
    let excluding = |patterns: &[&str], excluded: &[&str]| StringShape {
        excluded_patterns: excluded.iter().map(|it| (*it).to_owned()).collect(),
        ..shape(patterns, None, None)
    };
    check(&excluding(&["^[ab]{1,4}$"], &["aa"]), 200);
    check(&excluding(&[], &["^a", "e"]), 200);
    check(&excluding(&["^.+$"], &[r"^(?=x)y|\s"]), 200);
    let mut booleans = shape(&["^(yes|no)$"], None, None);
    booleans.excluded.push("no".to_owned());
    assert_eq!(check(&booleans, 50).len(), 1);
    let mut no_date = shape(&[r"^\d{4}-\d\d-\d\d$"], None, None);
    no_date.excluded_formats.push("date".to_owned());
    check(&no_date, 100);
}

#[test]
fn an_empty_language_gives_nothing_quickly() {
    let clock = Instant::now();
    let mut cases = vec![
        shape(&["^a$", "^b$"], None, None),
        shape(&["^[a-z]{3}$"], Some(4), None),
        shape(&["^(ab)*$"], Some(3), Some(3)),
        shape(&[], Some(4), Some(3)),
        shape(&[], Some(100_000_000), None),
        shape(&["^a+$"], Some(100_000_000), None),
        shape(&["^(?!a)a"], None, None),
    ];
    cases[0].formats.push("date".to_owned());
    for case in cases {
        let strings = Strings::compile(&case);
        assert_eq!(strings.draw(&mut source(0)), None, "{case:?}");
        assert_eq!(strings.simplest(), None, "{case:?}");
    }
    assert!(clock.elapsed().as_secs() < 5);
}

#[test]
fn windows_are_exact() {
    for (least, most) in [(0, 0), (0, 1), (1, 1), (2, 3), (5, 5), (0, 20), (17, 19), (3000, 3001)] {
        let drawn = check(&shape(&[], Some(least), Some(most)), 900);
        let lengths: BTreeSet<usize> = drawn.iter().map(|text| text.chars().count()).collect();
        if most - least < 3 {
            assert_eq!(lengths.len() as u64, most - least + 1, "{least}..={most}");
        }
    }
    check(&shape(&[], Some(200_000), None), 3);
}

#[test]
fn huge_strings_cost_no_more_than_their_characters() {
    let clock = Instant::now();
    let length = Some(1_400_000);
    let image = r"^data:image\/(jpeg|png|webp|gif);base64,[A-Za-z0-9+/]+={0,2}$";
    for patterns in [&[][..], &[image], &["^(ab|cde)*$"], &["x"], &["^[a-z]+$", "^(?:..)*$"]] {
        check(&shape(patterns, length, length), 2);
    }
    // What is refused is not tried for ever.
    assert_eq!(
        Strings::compile(&shape(&["^(?!a).*(?=b)a"], length, length)).draw(&mut source(0)),
        None
    );
    assert!(clock.elapsed().as_secs() < 5, "{:?}", clock.elapsed());
}

#[test]
fn open_strings_vary() {
    let drawn = check(&StringShape::default(), 1000);
    assert!(drawn.len() > 850, "{} distinct", drawn.len());
    let lengths: BTreeSet<usize> = drawn.iter().map(String::len).collect();
    assert!(lengths.len() > 20, "{lengths:?}");
    assert!(drawn.contains("") && drawn.iter().any(|text| !text.is_ascii()));
    let plausible = drawn.iter().filter(|text| text.bytes().all(|it| (b' '..=b'~').contains(&it)));
    assert!(plausible.count() * 10 > drawn.len() * 9);
}

#[test]
fn the_simplest_string_is_short() {
    assert_eq!(Strings::compile(&StringShape::default()).simplest().as_deref(), Some("a"));
    let simplest = |pattern| Strings::compile(&shape(&[pattern], None, None)).simplest().unwrap();
    assert_eq!(simplest("^[a-z]+$"), "a");
    assert_eq!(simplest("[0-9]"), "0");
    assert_eq!(simplest(r"^(foo|bar)-\d+$"), "bar-0");
}

#[test]
fn the_same_answers_give_the_same_string() {
    for (patterns, least, most) in PATTERNS.iter().filter(|case| case.1.is_none_or(|it| it < 1000))
    {
        let strings = Strings::compile(&shape(patterns, *least, *most));
        let again = Strings::compile(&shape(patterns, *least, *most));
        for index in 0..10 {
            let mut recorder = Recorder::new(source(index));
            let drawn = strings.draw(&mut recorder);
            assert_eq!(drawn, again.draw(&mut source(index)));
            let mut replay = Replay::new(recorder.choices().to_vec());
            assert_eq!(drawn, strings.draw(&mut replay), "{patterns:?}");
        }
    }
}

#[test]
fn large_patterns_do_not_hang() {
    for pattern in ["(a|b)*a(a|b){20}", "^.{0,100000}$", r"^(\w{1,1000}\.){1,1000}\p{L}{1,1000}$"] {
        let clock = Instant::now();
        let strings = Strings::compile(&shape(&[pattern], None, None));
        for index in 0..20 {
            assert!(strings.draw(&mut source(index)).is_some(), "{pattern}");
        }
        assert!(clock.elapsed().as_millis() < 3000, "{pattern}: {:?}", clock.elapsed());
    }
}

#[test]
fn content_is_what_it_says() {
    let mut encoded = shape(&[], Some(8), Some(64));
    encoded.content_encodings.push("base64".to_owned());
    let mut document = StringShape::default();
    document.content_media_types.push("application/json".to_owned());
    for index in 0..200 {
        let text = Strings::compile(&document).draw(&mut source(index)).unwrap();
        assert!(serde_json::from_str::<Value>(&text).is_ok(), "{text}");
        let text = Strings::compile(&encoded).draw(&mut source(index)).unwrap();
        assert!(text.len().is_multiple_of(4) && (8..=64).contains(&text.len()), "{text}");
    }
}

#[test]
fn strings_cross_threads() {
    fn crosses<T: Send + Sync>() {}
    crosses::<Strings>();
}
