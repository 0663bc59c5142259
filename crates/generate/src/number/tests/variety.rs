//! What draws look like taken together: sizes, edges, digits, and the pinned stream.

use super::*;

#[test]
fn unbounded_values_are_mostly_small_and_short() {
    for text in [r#"{"type":"integer"}"#, r#"{"type":"number"}"#] {
        let set = compile(&serde_json::from_str(text).unwrap());
        let values: Vec<f64> =
            set.draws(5).into_iter().map(|value| value.unwrap().as_f64().unwrap()).collect();
        let small = values.iter().filter(|value| value.abs() <= 1e6).count();
        assert!((200..300).contains(&small), "{text}: {small}");
        assert!(values.iter().any(|value| *value < 0.0), "{text}");
    }
}

#[test]
fn one_draw_in_four_is_an_edge() {
    let set = compile(&json!({"type": "integer", "minimum": 1, "maximum": 1_000_000}));
    let edges = ["1", "2", "999999", "1000000"];
    let count =
        set.draws(9).iter().flatten().filter(|value| edges.contains(&value.as_str())).count();
    assert!((50..100).contains(&count), "{count}");
}

#[test]
fn common_sets_stay_in_machine_words() {
    for text in [
        r#"{"type":"integer"}"#,
        r#"{"type":"integer","minimum":0,"maximum":4294967295,"multipleOf":[7]}"#,
        r#"{"type":"number","multipleOf":[0.01],"minimum":0}"#,
        r#"{"type":"number","exclusiveMinimum":0.5,"maximum":99.5}"#,
    ] {
        let set = compile(&serde_json::from_str(text).unwrap());
        assert!(!set.values().grids.is_empty() && set.values().grids.iter().all(Grid::is_small));
    }
}

#[test]
fn draws_are_pinned() {
    let drawn = |text: &str| {
        let set = compile(&serde_json::from_str(text).unwrap());
        let values: Vec<_> =
            set.draws(42).iter().flatten().take(8).map(Number::to_string).collect();
        values.join(" ")
    };
    assert_eq!(drawn(r#"{"type":"integer"}"#), "-9 -17 1 6 -52766 1 -24194374470014 -960");
    assert_eq!(
        drawn(r#"{"type":"number","minimum":0,"maximum":100}"#),
        "65.822 68.6516 1 30.905 68.19 99 94.2992 50.95"
    );
}

#[test]
fn digits_survive_a_floating_point_reader() {
    for text in [
        r#"{"type":"integer"}"#,
        r#"{"type":"number"}"#,
        r#"{"type":"number","multipleOf":[0.001]}"#,
        r#"{"type":"number","minimum":123456.789}"#,
        r#"{"type":"integer","minimum":-9223372036854775808,"multipleOf":[7]}"#,
    ] {
        let set = compile(&serde_json::from_str(text).unwrap());
        let spread = set.values().grids.iter().flat_map(|grid| {
            (0..DRAWS).map(|index| {
                grid.draw(&mut Seed::from_number(8).child("digits", index).random())
                    .unwrap()
                    .into_number()
            })
        });
        for value in spread {
            let read = Number::from_f64(value.as_f64().unwrap()).unwrap();
            assert!(equal(Some(&read), Some(value.as_str())), "{text}: {value} {read}");
        }
    }
}
