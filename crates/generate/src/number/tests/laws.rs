//! Laws over random sets: draws are inside, representatives are inside and extreme, the same answers
//! give the same value.

use proptest::prelude::*;

use super::*;
use crate::Recorder;

fn number() -> impl Strategy<Value = Number> {
    let whole = prop_oneof![-20..20_i64, -1_000_000..1_000_000_i64, any::<i64>()];
    let decimal = (-100_000..100_000_i64, 1..6_i64);
    prop_oneof![
        whole.prop_map(Number::from),
        decimal
            .prop_map(|(mantissa, places)| crate::decimal::write(&mantissa.to_string(), -places)),
    ]
}

fn divisors() -> impl Strategy<Value = Vec<Number>> {
    let divisor = prop_oneof![
        (1..50_i64).prop_map(Number::from),
        (1..50_i64, 1..3_i64)
            .prop_map(|(mantissa, places)| crate::decimal::write(&mantissa.to_string(), -places)),
    ];
    proptest::collection::vec(divisor, 0..3)
}

fn integers() -> impl Strategy<Value = IntegerShape> {
    let bounds = (proptest::option::of(number()), proptest::option::of(number()));
    (bounds, divisors(), divisors()).prop_map(
        |((minimum, maximum), multiple_of, not_multiple_of)| IntegerShape {
            minimum,
            maximum,
            multiple_of,
            not_multiple_of,
        },
    )
}

fn numbers() -> impl Strategy<Value = NumberShape> {
    let ends = (any::<bool>(), any::<bool>(), proptest::bool::weighted(0.1));
    (integers(), ends).prop_map(|(shape, (exclusive_minimum, exclusive_maximum, fractions))| {
        NumberShape {
            minimum: shape.minimum,
            exclusive_minimum,
            maximum: shape.maximum,
            exclusive_maximum,
            multiple_of: shape.multiple_of,
            not_multiple_of: shape.not_multiple_of,
            excludes_integers: fractions,
        }
    })
}

fn holds(domain: &Domain, set: &Set) -> Result<(), TestCaseError> {
    let read = |number: &Number| crate::decimal::Decimal::read(number).unwrap();
    let minimum = set.values().minimum.as_ref().map(read);
    let maximum = set.values().maximum.as_ref().map(read);
    for end in [&minimum, &maximum].into_iter().flatten() {
        prop_assert!(domain.admits(end), "representative {:?}", end.write());
    }
    let fixed = matches!(domain.spacing, domain::Spacing::Fixed(_));
    for index in 0..40 {
        let mut recorder = Recorder::new(Seed::from_number(2).child("law", index).random());
        let Some(value) = set.draw(&mut recorder) else {
            prop_assert!(minimum.is_none() && maximum.is_none(), "nothing drawn beside an end");
            continue;
        };
        prop_assert!(domain.admits(&read(&value)), "{value}");
        if fixed {
            prop_assert!(minimum.as_ref().is_none_or(|end| *end <= read(&value)), "{value}");
            prop_assert!(maximum.as_ref().is_none_or(|end| *end >= read(&value)), "{value}");
        }
        let again = set.draw(&mut Replay::new(recorder.choices().to_vec()));
        prop_assert_eq!(again, Some(value));
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn integers_are_inside(shape in integers()) {
        let domain = Domain::of_integers(&shape).unwrap();
        holds(&domain, &Set::Integers(Integers::compile(&shape)))?;
    }

    #[test]
    fn numbers_are_inside(shape in numbers()) {
        let domain = Domain::of_numbers(&shape).unwrap();
        holds(&domain, &Set::Numbers(Numbers::compile(&shape)))?;
    }

    #[test]
    fn the_validator_agrees(shape in numbers(), kind in prop_oneof![Just("integer"), Just("number")]) {
        let mut schema = json!({
            "type": kind,
            "multipleOf": shape.multiple_of,
            "notMultipleOf": shape.not_multiple_of,
        });
        let ends = [
            (shape.minimum, shape.exclusive_minimum, ["minimum", "exclusiveMinimum"]),
            (shape.maximum, shape.exclusive_maximum, ["maximum", "exclusiveMaximum"]),
        ];
        for (end, exclusive, names) in ends {
            if let Some(end) = end.filter(|end| end.as_f64().is_some_and(|end| end.abs() < 1e9)) {
                schema[names[usize::from(exclusive && kind == "number")]] = Value::Number(end);
            }
        }
        let oracle = oracle(&schema);
        for value in compile(&schema).draws(3).into_iter().flatten().take(50) {
            prop_assert!(oracle.is_valid(&Value::Number(value.clone())), "{schema} {value}");
        }
    }

    #[test]
    fn an_interval_of_integers_is_never_missed(low in any::<i64>(), width in 0..5_i64) {
        let high = low.saturating_add(width);
        let set = compile(&json!({"type": "integer", "minimum": low, "maximum": high}));
        let seen: BTreeSet<i64> =
            set.draws(1).into_iter().map(|value| value.unwrap().as_i64().unwrap()).collect();
        prop_assert_eq!(seen, (low..=high).collect());
    }

    #[test]
    fn an_open_interval_of_numbers_is_never_missed(low in number(), width in 1..100_u32, places in 0..20_i64) {
        let width = crate::decimal::Decimal::read(&crate::decimal::write(&width.to_string(), -places)).unwrap();
        let high = crate::decimal::Decimal::read(&low).unwrap().plus(&width).unwrap().write();
        let schema = json!({"type": "number", "exclusiveMinimum": low, "exclusiveMaximum": high});
        let values = compile(&schema).draws(1);
        prop_assert!(values.iter().all(Option::is_some));
        let distinct: BTreeSet<_> = values.iter().flatten().map(Number::to_string).collect();
        prop_assert!(distinct.len() >= 8, "{distinct:?}");
    }
}
