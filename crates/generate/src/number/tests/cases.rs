//! Sets one by one: what the simplest value is, what stands for the ends, how varied draws are.

use super::*;

/// Schema, simplest value, representatives of the ends, and how many distinct values 300 draws give
/// at least.
type Case = (&'static str, &'static str, Option<&'static str>, Option<&'static str>, usize);

const CASES: &[Case] = &[
    (r#"{"type":"integer"}"#, "0", None, None, 150),
    (r#"{"type":"integer","minimum":0}"#, "0", Some("0"), None, 150),
    (r#"{"type":"integer","minimum":7}"#, "7", Some("7"), None, 150),
    (r#"{"type":"integer","maximum":-7}"#, "-7", None, Some("-7"), 150),
    (r#"{"type":"integer","minimum":1.5,"maximum":4.5}"#, "2", Some("2"), Some("4"), 3),
    (r#"{"type":"integer","minimum":1,"maximum":6}"#, "1", Some("1"), Some("6"), 6),
    (r#"{"type":"integer","minimum":-3,"maximum":3}"#, "0", Some("-3"), Some("3"), 7),
    (r#"{"type":"integer","minimum":5,"maximum":5}"#, "5", Some("5"), Some("5"), 1),
    (r#"{"type":"integer","minimum":1,"maximum":65535}"#, "1", Some("1"), Some("65535"), 180),
    (
        r#"{"type":"integer","minimum":1600000000,"maximum":1700000000}"#,
        "1600000000",
        Some("1600000000"),
        Some("1700000000"),
        150,
    ),
    (
        r#"{"type":"integer","minimum":-9223372036854775808,"maximum":9223372036854775807}"#,
        "0",
        Some("-9223372036854775808"),
        Some("9223372036854775807"),
        150,
    ),
    (
        r#"{"type":"integer","minimum":18446744073709551616}"#,
        "18446744073709551616",
        Some("18446744073709551616"),
        None,
        150,
    ),
    (
        r#"{"type":"integer","minimum":1234567890123456789012345678901234567890,"maximum":1234567890123456789012345678901234567899}"#,
        "1234567890123456789012345678901234567890",
        Some("1234567890123456789012345678901234567890"),
        Some("1234567890123456789012345678901234567899"),
        10,
    ),
    (
        r#"{"type":"integer","maximum":-1234567890123456789012345678901234567890}"#,
        "-1234567890123456789012345678901234567890",
        None,
        Some("-1234567890123456789012345678901234567890"),
        150,
    ),
    (
        r#"{"type":"integer","multipleOf":[5],"minimum":1,"maximum":24}"#,
        "5",
        Some("5"),
        Some("20"),
        4,
    ),
    (
        r#"{"type":"integer","multipleOf":[4,6],"minimum":-13,"maximum":-1}"#,
        "-12",
        Some("-12"),
        Some("-12"),
        1,
    ),
    (
        r#"{"type":"integer","multipleOf":[0.5],"minimum":0,"maximum":3}"#,
        "0",
        Some("0"),
        Some("3"),
        4,
    ),
    (r#"{"type":"integer","multipleOf":[1000]}"#, "0", None, None, 100),
    (
        r#"{"type":"integer","notMultipleOf":[2],"minimum":0,"maximum":9}"#,
        "1",
        Some("1"),
        Some("9"),
        5,
    ),
    (
        r#"{"type":"integer","notMultipleOf":[2,3,5],"minimum":2,"maximum":12}"#,
        "7",
        Some("7"),
        Some("11"),
        2,
    ),
    (r#"{"type":"integer","multipleOf":[3],"notMultipleOf":[9]}"#, "3", None, None, 100),
    (r#"{"type":"number"}"#, "0", None, None, 180),
    (r#"{"type":"number","minimum":0,"maximum":1}"#, "0", Some("0"), Some("1"), 150),
    (r#"{"type":"number","exclusiveMinimum":0}"#, "1", Some("1"), None, 150),
    (
        r#"{"type":"number","exclusiveMinimum":0,"exclusiveMaximum":1}"#,
        "0.1",
        Some("0.1"),
        Some("0.9"),
        150,
    ),
    (r#"{"type":"number","exclusiveMaximum":0}"#, "-1", None, Some("-1"), 150),
    (
        r#"{"type":"number","exclusiveMinimum":0.1,"exclusiveMaximum":0.10000001}"#,
        "0.100000001",
        Some("0.100000001"),
        Some("0.100000009"),
        9,
    ),
    (
        r#"{"type":"number","minimum":0.5,"exclusiveMaximum":0.75}"#,
        "0.5",
        Some("0.5"),
        Some("0.65"),
        100,
    ),
    (
        r#"{"type":"number","minimum":-0.25,"maximum":-0.25}"#,
        "-0.25",
        Some("-0.25"),
        Some("-0.25"),
        1,
    ),
    (
        r#"{"type":"number","minimum":-10.5,"maximum":-1.25}"#,
        "-1.25",
        Some("-10.5"),
        Some("-1.25"),
        150,
    ),
    (
        r#"{"type":"number","multipleOf":[0.01],"minimum":0,"maximum":1}"#,
        "0",
        Some("0"),
        Some("1"),
        60,
    ),
    (
        r#"{"type":"number","multipleOf":[0.01],"exclusiveMinimum":0}"#,
        "0.01",
        Some("0.01"),
        None,
        150,
    ),
    (
        r#"{"type":"number","multipleOf":[0.1,0.25],"exclusiveMinimum":0,"maximum":2}"#,
        "0.5",
        Some("0.5"),
        Some("2"),
        4,
    ),
    (
        r#"{"type":"number","multipleOf":[7],"minimum":-100,"maximum":100}"#,
        "0",
        Some("-98"),
        Some("98"),
        25,
    ),
    (
        r#"{"type":"number","notMultipleOf":[0.5],"minimum":0,"maximum":2}"#,
        "0.1",
        Some("0.1"),
        Some("1.9"),
        100,
    ),
    (r#"{"type":"number","minimum":1e400}"#, "1e400", Some("1e400"), None, 100),
    (
        r#"{"type":"number","exclusiveMinimum":0,"maximum":1e-30}"#,
        "1e-30",
        Some("1e-30"),
        Some("1e-30"),
        50,
    ),
    (
        r#"{"type":"number","minimum":1234567890123456789012345678901234567890.5,"maximum":1234567890123456789012345678901234567891}"#,
        "1234567890123456789012345678901234567890.5",
        Some("1234567890123456789012345678901234567890.5"),
        Some("1234567890123456789012345678901234567891"),
        2,
    ),
    (
        r#"{"$schema":"http://json-schema.org/draft-04/schema#","type":"number","fractions":true}"#,
        "0.1",
        None,
        None,
        150,
    ),
    (
        r#"{"$schema":"http://json-schema.org/draft-04/schema#","type":"number","fractions":true,"minimum":1,"maximum":2}"#,
        "1.1",
        Some("1.1"),
        Some("1.9"),
        100,
    ),
];

#[test]
fn draws_are_valid_varied_and_begin_with_the_simplest() {
    for (text, expected, minimum, maximum, distinct) in CASES {
        let schema: Value = serde_json::from_str(text).unwrap();
        let (set, oracle) = (compile(&schema), oracle(&schema));
        let first = simplest(&set);
        assert!(equal(first.as_ref(), Some(expected)), "{text}: simplest {first:?}");
        let values = set.values();
        assert!(equal(values.minimum.as_ref(), *minimum), "{text}: minimum {:?}", values.minimum);
        assert!(equal(values.maximum.as_ref(), *maximum), "{text}: maximum {:?}", values.maximum);
        let mut seen = BTreeSet::new();
        let listed = [first, values.minimum.clone(), values.maximum.clone()].into_iter().flatten();
        let drawn: Vec<_> = set.draws(1).into_iter().map(Option::unwrap).collect();
        for value in listed.chain(drawn) {
            assert!(oracle.is_valid(&Value::Number(value.clone())), "{text}: {value}");
            seen.insert(value.to_string());
        }
        assert!(seen.len() >= *distinct, "{text}: {} distinct values", seen.len());
    }
}

#[test]
fn empty_sets_draw_nothing() {
    let empty = [
        r#"{"type":"integer","minimum":2,"maximum":1}"#,
        r#"{"type":"integer","minimum":1.2,"maximum":1.8}"#,
        r#"{"type":"integer","multipleOf":[10],"minimum":1,"maximum":9}"#,
        r#"{"type":"integer","notMultipleOf":[1]}"#,
        r#"{"type":"integer","multipleOf":[6],"notMultipleOf":[3]}"#,
        r#"{"type":"number","exclusiveMinimum":1,"maximum":1}"#,
        r#"{"type":"number","exclusiveMinimum":0,"exclusiveMaximum":0}"#,
        r#"{"type":"number","minimum":0.5,"maximum":-0.5}"#,
        r#"{"type":"number","multipleOf":[0.1],"exclusiveMinimum":0.1,"exclusiveMaximum":0.2}"#,
        r#"{"type":"number","minimum":3,"maximum":3,"fractions":true}"#,
    ];
    for text in empty {
        let set = compile(&serde_json::from_str(text).unwrap());
        assert!(set.draws(1).iter().all(Option::is_none), "{text}");
    }
}

#[test]
fn hostile_exponents_cost_nothing() {
    let hostile = [
        (r#"{"type":"integer","minimum":1e1000000000}"#, true),
        (r#"{"type":"integer","minimum":-1e1000000000,"maximum":1e1000000000}"#, true),
        (r#"{"type":"integer","multipleOf":[1e1000000000]}"#, true),
        (r#"{"type":"integer","multipleOf":[3,1e1000000000]}"#, true),
        (r#"{"type":"integer","multipleOf":[3,1e1000000000],"minimum":1}"#, false),
        (r#"{"type":"number","minimum":1e1000000000}"#, true),
        (r#"{"type":"number","exclusiveMinimum":0,"exclusiveMaximum":1e-1000000000}"#, true),
        (r#"{"type":"number","exclusiveMinimum":1e-1000000000,"maximum":1e1000000000}"#, true),
        (r#"{"type":"number","multipleOf":[1e-1000000000]}"#, true),
        (r#"{"type":"number","notMultipleOf":[1e-1000000000]}"#, false),
        (r#"{"type":"number","minimum":1e1000000000,"fractions":true}"#, false),
        (r#"{"type":"number","minimum":1e99999999999999999999999}"#, false),
    ];
    for (text, some) in hostile {
        let set = compile(&serde_json::from_str(text).unwrap());
        assert_eq!(set.draws(1).iter().any(Option::is_some), some, "{text}");
        assert!(set.draws(1).iter().flatten().all(|value| value.as_str().len() < 100), "{text}");
    }
}
