//! Failures and statistics as JSON. The names of fields are stable: programs read them.

use foolproof_stateful::{Config, Failure, Statistics, stateful};
use serde_json::{Value, json};

fn check(limit: u32) -> Result<Statistics, Failure> {
    stateful::<u32, u32>()
        .model(|| 0)
        .sut(|| 0)
        .command("add", |c| {
            c.forall("by", 1..1_000_u32).run(|by, model, system| {
                *model += by;
                *system += by;
                *system
            })
        })
        .command("reset", |c| {
            c.pre(|model, ()| *model > 0).run(|(), model, system| (*model, *system) = (0, 0))
        })
        .invariant("below the limit", move |_, system| *system < limit)
        .check(Config { seed: Some(9), ..Config::default() })
}

fn keys(value: &Value) -> Vec<&str> {
    // Another crate of the same build may have serde_json keep the order of fields.
    let mut keys: Vec<&str> =
        value.as_object().expect("an object").keys().map(String::as_str).collect();
    keys.sort_unstable();
    keys
}

#[test]
fn a_counterexample_has_stable_names() {
    let failure = check(500).unwrap_err();
    let value = serde_json::to_value(&failure).unwrap();
    assert_eq!(keys(&value), ["found"]);
    let found = &value["found"];
    let expected = [
        "executions",
        "failedAgain",
        "fault",
        "given",
        "isStopped",
        "models",
        "origin",
        "original",
        "originalSteps",
        "regressionFile",
        "replay",
        "run",
        "seed",
        "shrinking",
        "statistics",
        "steps",
        "systems",
        "triedAgain",
    ];
    assert_eq!(keys(found), expected);
    let fault = json!({
        "kind": "invariant",
        "place": "below the limit",
        "identity": "",
        "during": "",
        "detail": "",
    });
    assert_eq!(found["fault"], fault);
    let step = json!({ "command": "add", "arguments": ["by: 500"], "result": "500" });
    assert_eq!(found["steps"], json!([step]));
    assert_eq!(found["replay"], failure.replay());
    assert_eq!(found["models"], json!(["0", "500"]));
}

#[test]
fn other_failures_have_stable_names() {
    let outside = stateful::<u8, ()>()
        .model(|| panic!("no model"))
        .sut(|| ())
        .command("step", |c| c.run(|(), _, ()| ()))
        .check(Config { seed: Some(1), ..Config::default() })
        .unwrap_err();
    let value = serde_json::to_value(outside).unwrap();
    assert_eq!(keys(&value["broken"]), ["fault", "run", "seed", "statistics"]);
    let unused = stateful::<u8, ()>()
        .model(|| 0)
        .sut(|| ())
        .command("step", |c| c.run(|(), _, ()| ()))
        .command("stop", |c| c.pre(|_, ()| false).run(|(), _, ()| ()))
        .check(Config { require_all_commands: true, ..Config::default() })
        .unwrap_err();
    let value = serde_json::to_value(unused).unwrap();
    assert_eq!(keys(&value["unused"]), ["problem", "statistics"]);
    let misuse = stateful::<u8, ()>().model(|| 0).sut(|| ()).check(Config::default()).unwrap_err();
    let value = serde_json::to_value(misuse).unwrap();
    assert_eq!(value, json!({ "misuse": "the test has no commands: call `.command(…)`" }));
}

#[test]
fn statistics_have_stable_names() {
    let statistics = check(u32::MAX).unwrap();
    let value = serde_json::to_value(&statistics).unwrap();
    let expected =
        ["commands", "cutShort", "labels", "regressions", "rejected", "runs", "steps", "warnings"];
    assert_eq!(keys(&value), expected);
    let add = json!({ "name": "add", "ran": statistics.commands[0].ran, "blocked": 0 });
    assert_eq!(value["commands"][0], add);
}
