//! The scenarios of the requirements, each a test of its name.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod scripted;

use std::{collections::BTreeMap, sync::Arc};

use foolproof_mcp::{
    Corpus, OutcomeStatus, Rule, RunReport, Seed, Settings, Tool, ToolCounts, ToolVerdict, run,
};
use scripted::{Scripted, object, success};
use serde_json::{Value, json};

fn settings(values: &[&str]) -> Settings {
    let seeds = values.iter().map(|text| text.parse::<Seed>().unwrap()).collect();
    Settings { seed: Some(7), cases: 20, seeds, ..Settings::default() }
}

async fn report(server: &Scripted, settings: &Settings) -> RunReport {
    run(&server.target(), settings).await.unwrap()
}

fn verdict(report: &RunReport, name: &str) -> ToolVerdict {
    report.tools.iter().find(|tool| tool.name == name).unwrap().verdict
}

/// A tool that gives an identifier, and one that needs it.
fn giver_and_taker() -> Scripted {
    Scripted::default()
        .tool("give", object(json!({}), &[]), |_| success(json!({ "token": "t-4711" })))
        .tool(
            "take",
            object(json!({ "token": { "type": "string", "pattern": "^t-" } }), &["token"]),
            |_| success(json!({})),
        )
}

fn nothing() -> Value {
    object(json!({}), &[])
}

/// A tool that needs a string that nobody gives.
fn needy() -> Scripted {
    Scripted::default().tool("free", nothing(), |_| success(json!({ "n": 1 }))).tool(
        "needy",
        object(json!({ "key": { "type": "string", "pattern": "^[0-9]{20}$" } }), &["key"]),
        |_| success(json!({})),
    )
}

#[tokio::test]
async fn sequence_length_respects_configuration() {
    let server = Scripted::default().tool("free", nothing(), |_| success(json!({})));
    let settings = Settings { min_steps: 3, max_steps: 6, ..settings(&[]) };
    report(&server, &settings).await;
    let lengths: Vec<usize> = server.sessions().iter().map(Vec::len).collect();
    assert_eq!(lengths.len(), 20);
    assert!(lengths.iter().all(|length| (3..=6).contains(length)), "{lengths:?}");
}

#[tokio::test]
async fn tool_predicate_filters_invocations() {
    let server = giver_and_taker();
    let only = |tool: &Tool| tool.name() == "give";
    let settings = Settings { tools: Some(Arc::new(only)), ..settings(&[]) };
    let report = report(&server, &settings).await;
    assert!(server.calls().iter().all(|(tool, _)| tool == "give"));
    assert_eq!(verdict(&report, "take"), ToolVerdict::Skipped);
}

#[tokio::test]
async fn legacy_generator_mode_is_unavailable() {
    // There is one way to run, and its settings have no mode.
    let text = format!("{:?}", Settings::default());
    assert!(!text.contains("mode") && !text.contains("generator"), "{text}");
}

#[tokio::test]
async fn tool_output_updates_corpus() {
    let server = giver_and_taker();
    report(&server, &settings(&[])).await;
    let taken: Vec<Value> =
        server.calls().into_iter().filter(|(tool, _)| tool == "take").map(|(_, it)| it).collect();
    assert!(!taken.is_empty());
    assert!(taken.iter().all(|arguments| *arguments == json!({ "token": "t-4711" })));
}

#[tokio::test]
async fn tool_output_keys_are_mined() {
    let server = Scripted::default()
        .tool("give", nothing(), |_| success(json!({ "a_key": true })))
        .tool("take", object(json!({ "name": { "type": "string" } }), &["name"]), |_| {
            success(json!({}))
        });
    report(&server, &settings(&[])).await;
    assert!(server.calls().contains(&("take".to_owned(), json!({ "name": "a_key" }))));
}

#[tokio::test]
async fn tool_selection_per_step() {
    let server = giver_and_taker();
    report(&server, &settings(&[])).await;
    for calls in server.sessions() {
        let first_give = calls.iter().position(|(tool, _)| tool == "give");
        let first_take = calls.iter().position(|(tool, _)| tool == "take");
        assert!(
            first_take.is_none_or(|take| first_give.is_some_and(|give| give < take)),
            "{calls:?}"
        );
    }
}

#[tokio::test]
async fn new_corpus_values_unlock_tools() {
    let report = report(&giver_and_taker(), &settings(&[])).await;
    assert_eq!(verdict(&report, "take"), ToolVerdict::Succeeded);
}

#[tokio::test]
async fn nested_outputs_are_mined() {
    let mut corpus = Corpus::default();
    corpus.mine(1, &json!({ "a": [{ "b": [["deep", 2.5]] }], "c": 7 }));
    let strings: Vec<&str> = corpus.strings().entries().iter().map(|it| &*it.value).collect();
    assert_eq!(strings, ["a", "b", "deep", "c"]);
    let numbers: Vec<String> =
        corpus.numbers().entries().iter().map(|it| it.value.to_string()).collect();
    assert_eq!(numbers, ["2.5", "7"]);
    assert_eq!(corpus.integers().entries().len(), 1);
}

#[tokio::test]
async fn stable_index_selection() {
    let mut corpus = Corpus::default();
    corpus.mine(1, &json!(["x", "y"]));
    let before: Vec<String> =
        corpus.strings().entries().iter().map(|it| it.value.clone()).collect();
    corpus.mine(2, &json!(["z", "x"]));
    let after: Vec<String> = corpus.strings().entries().iter().map(|it| it.value.clone()).collect();
    assert_eq!(before, after[..2]);
    assert_eq!(after, ["x", "y", "z"]);
}

#[tokio::test]
async fn seeded_values_define_initial_ordering() {
    let mut corpus = Corpus::new(["beta", "alpha", "9", "beta"].map(|text| text.parse().unwrap()));
    corpus.mine(1, &json!("gamma"));
    let strings: Vec<&str> = corpus.strings().entries().iter().map(|it| &*it.value).collect();
    assert_eq!(strings, ["beta", "alpha", "gamma"]);
}

#[tokio::test]
async fn deterministic_traversal_for_mining() {
    let mut corpus = Corpus::default();
    corpus.mine(1, &json!({ "z": ["1", "0"], "a": { "m": "v" } }));
    let strings: Vec<&str> = corpus.strings().entries().iter().map(|it| &*it.value).collect();
    assert_eq!(strings, ["a", "m", "v", "z", "1", "0"]);
}

#[tokio::test]
async fn uniform_selection_for_string_inputs() {
    let server = Scripted::default().tool(
        "take",
        object(json!({ "s": { "anyOf": [{ "type": "string", "maxLength": 1 }, { "type": "string" }] } }), &["s"]),
        |_| success(json!({})),
    );
    let settings = Settings { cases: 200, ..settings(&["a", "b", "cc", "dd"]) };
    report(&server, &settings).await;
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for (_, arguments) in server.calls() {
        *counts.entry(arguments["s"].as_str().unwrap().to_owned()).or_default() += 1;
    }
    let total: usize = counts.values().sum();
    assert_eq!(counts.len(), 4);
    for (text, count) in counts {
        let share = 4.0 * count as f64 / total as f64;
        assert!((0.9..1.1).contains(&share), "{text}: {share}");
    }
}

#[tokio::test]
async fn tool_becomes_callable_after_mining() {
    let report = report(&giver_and_taker(), &settings(&[])).await;
    assert!(report.coverage.counts["take"] > 0);
    assert!(report.coverage.warnings.is_empty());
}

#[tokio::test]
async fn lenient_sourcing_bypasses_missing_corpus_values() {
    let server = needy();
    let settings = Settings { lenient: true, ..settings(&[]) };
    let report = report(&server, &settings).await;
    assert_eq!(verdict(&report, "needy"), ToolVerdict::Succeeded);
}

#[tokio::test]
async fn sequence_terminates_when_no_tools_are_callable() {
    let input = object(json!({ "key": { "type": "string" } }), &["key"]);
    let server = Scripted::default().tool("needy", input, |_| success(json!({})));
    let settings = Settings { min_steps: 1, ..settings(&[]) };
    let report = report(&server, &settings).await;
    assert!(server.calls().is_empty());
    assert_eq!(report.outcome.code.as_deref(), Some("min_length_unattainable"));
    let details = report.outcome.details.unwrap();
    assert_eq!(details["missing"][0]["reason"], "missing_string");
}

#[tokio::test]
async fn resolved_invocation_matches_schema() {
    let input = object(
        json!({ "id": { "type": "string", "minLength": 3 }, "n": { "type": "integer", "minimum": 5 } }),
        &["id"],
    );
    let oracle = Tool::new("take", json!({ "inputSchema": input }));
    assert!(oracle.unusable().is_none());
    let server = Scripted::default()
        .tool("give", nothing(), |_| success(json!({ "x": "ab", "y": "abc", "n": [4, 5, 6.5] })))
        .tool("take", input, |_| success(json!({})));
    report(&server, &settings(&[])).await;
    let taken = server.calls().into_iter().filter(|(tool, _)| tool == "take");
    for (_, arguments) in taken {
        assert_eq!(arguments["id"], "abc");
        assert!(arguments.get("n").is_none_or(|n| *n == json!(5)), "{arguments}");
    }
}

#[tokio::test]
async fn enum_values_are_generated_without_mining() {
    let server = Scripted::default().tool(
        "set",
        object(json!({ "mode": { "enum": ["on", "off"] }, "flag": { "type": "boolean" }, "none": { "type": "null" } }), &["mode", "flag", "none"]),
        |_| success(json!({})),
    );
    let report = report(&server, &settings(&[])).await;
    assert_eq!(verdict(&report, "set"), ToolVerdict::Succeeded);
    let modes: Vec<Value> = server.calls().into_iter().map(|(_, it)| it["mode"].clone()).collect();
    assert!(modes.contains(&json!("on")) && modes.contains(&json!("off")));
}

#[tokio::test]
async fn missing_required_corpus_values_makes_tool_uncallable() {
    let server = needy();
    let report = report(&server, &settings(&["alpha"])).await;
    assert_eq!(verdict(&report, "needy"), ToolVerdict::Uncallable);
    assert!(server.calls().iter().all(|(tool, _)| tool == "free"));
}

#[tokio::test]
async fn callability_recomputed_after_each_step() {
    let server = giver_and_taker();
    report(&server, &settings(&[])).await;
    let is_next = |calls: &Vec<(String, Value)>| {
        calls.len() > 1 && calls[0].0 == "give" && calls[1].0 == "take"
    };
    assert!(server.sessions().iter().any(is_next));
}

#[tokio::test]
async fn optional_corpus_backed_fields_may_be_omitted() {
    let input = object(json!({ "note": { "type": "string" }, "size": { "type": "number" } }), &[]);
    let server = Scripted::default().tool("free", input, |_| json!({ "content": [] }));
    let report = report(&server, &settings(&[])).await;
    assert_eq!(verdict(&report, "free"), ToolVerdict::Succeeded);
    assert!(server.calls().iter().all(|(_, arguments)| *arguments == json!({})));
}

#[tokio::test]
async fn non_number_string_required_fields_use_schema_generators() {
    let input = object(
        json!({ "list": { "type": "array", "items": { "type": "boolean" }, "minItems": 2 }, "inner": { "type": "object" } }),
        &["list", "inner"],
    );
    let server = Scripted::default().tool("set", input, |_| success(json!({})));
    let report = report(&server, &settings(&[])).await;
    assert_eq!(verdict(&report, "set"), ToolVerdict::Succeeded);
}

#[tokio::test]
async fn uncallable_tool_warning() {
    let leaf = |schema: Value| object(json!({ "v": schema }), &["v"]);
    let server = Scripted::default()
        .tool("free", nothing(), |_| json!({ "content": [] }))
        .tool("s", leaf(json!({ "type": "string" })), |_| success(json!({})))
        .tool("i", leaf(json!({ "type": "integer" })), |_| success(json!({})))
        .tool("n", leaf(json!({ "type": "number" })), |_| success(json!({})))
        .tool(
            "r",
            object(json!({ "v": { "type": "object", "minProperties": 1 } }), &["v"]),
            |_| success(json!({})),
        );
    let report = report(&server, &settings(&[])).await;
    let reasons: Vec<(&str, &str)> =
        report.coverage.warnings.iter().map(|it| (it.tool.raw(), it.reason)).collect();
    let expected = [
        ("s", "missing_string"),
        ("i", "missing_integer"),
        ("n", "missing_number"),
        ("r", "missing_required_value"),
    ];
    assert_eq!(reasons, expected);
    assert_eq!(report.coverage.warnings[0].suggestion.as_deref(), Some("--value v=TEXT"));
}

#[tokio::test]
async fn uncallable_tools_are_skipped() {
    let report = report(&needy(), &settings(&[])).await;
    assert_eq!(verdict(&report, "free"), ToolVerdict::Succeeded);
    assert_eq!(verdict(&report, "needy"), ToolVerdict::Uncallable);
}

fn failing() -> Scripted {
    Scripted::default().tool("free", nothing(), |_| success(json!({}))).tool(
        "broken",
        nothing(),
        |_| json!({ "content": [{ "type": "text", "text": "no" }], "isError": true }),
    )
}

#[tokio::test]
async fn error_responses_do_not_count_as_coverage() {
    let report = report(&failing(), &settings(&[])).await;
    assert_eq!(report.coverage.counts["broken"], 0);
    assert_eq!(verdict(&report, "broken"), ToolVerdict::OnlyErrors);
}

#[tokio::test]
async fn allowlist_and_blocklist_exemptions() {
    let warned = |report: &RunReport| report.coverage.warnings.iter().any(|it| it.tool == "needy");
    assert!(warned(&report(&needy(), &settings(&[])).await));
    let blocked = Settings { coverage_blocklist: vec!["needy".to_owned()], ..settings(&[]) };
    assert!(!warned(&report(&needy(), &blocked).await));
    let allowed = Settings { coverage_allowlist: Some(vec!["free".to_owned()]), ..settings(&[]) };
    assert!(!warned(&report(&needy(), &allowed).await));
}

#[tokio::test]
async fn warnings_are_emitted_after_the_run() {
    // It cannot be called at first, and is not warned of: at the end it can be.
    let report = report(&giver_and_taker(), &settings(&[])).await;
    assert!(report.coverage.warnings.is_empty());
}

#[tokio::test]
async fn coverage_allowlist_and_blocklist_do_not_affect_selection() {
    let server = giver_and_taker();
    let settings = Settings {
        coverage_blocklist: vec!["take".to_owned()],
        coverage_allowlist: Some(vec!["give".to_owned()]),
        ..settings(&[])
    };
    report(&server, &settings).await;
    assert!(server.calls().iter().any(|(tool, _)| tool == "take"));
}

fn with_rule(rule: Rule) -> Settings {
    Settings { rules: vec![rule], ..settings(&[]) }
}

#[tokio::test]
async fn coverage_rules_applied() {
    let rule = |counts: &ToolCounts| {
        assert!(counts.counts["free"] > 0);
        Err(json!("never enough"))
    };
    let report = report(&failing(), &with_rule(Rule::Custom(Arc::new(rule)))).await;
    assert_eq!(report.coverage.failures[0].details["details"], "never enough");
}

#[tokio::test]
async fn percentage_coverage_uses_eligible_tools() {
    // Of two tools one cannot be called, so all that can be were.
    let all = report(&needy(), &with_rule(Rule::MinTools(100.0))).await;
    assert_eq!(all.outcome.status, OutcomeStatus::Passed, "{all}");
    let half = report(&failing(), &with_rule(Rule::MinTools(60.0))).await;
    assert!((half.coverage.percent_called - 50.0).abs() < 1e-9);
    assert_eq!(half.outcome.status, OutcomeStatus::Failed);
    let settings = Settings {
        coverage_blocklist: vec!["broken".to_owned()],
        ..with_rule(Rule::MinTools(100.0))
    };
    let eligible = report(&failing(), &settings).await;
    assert_eq!(eligible.outcome.status, OutcomeStatus::Passed, "{eligible}");
}

#[tokio::test]
async fn coverage_warnings_are_non_fatal() {
    let report = report(&needy(), &settings(&[])).await;
    assert!(!report.coverage.warnings.is_empty());
    assert_eq!(report.outcome.status, OutcomeStatus::Passed);
}

#[tokio::test]
async fn coverage_validation_failures_fail_the_run() {
    for rule in [Rule::NoUncalled, Rule::MinCalls(1)] {
        // A tool that cannot be called is against both.
        let report = report(&needy(), &with_rule(rule)).await;
        assert_eq!(report.outcome.status, OutcomeStatus::Failed);
        assert_eq!(report.outcome.code.as_deref(), Some("coverage_validation_failed"));
    }
}

#[tokio::test]
async fn coverage_validation_failure_reason_includes_code_and_details() {
    let report = report(&needy(), &with_rule(Rule::NoUncalled)).await;
    let failure = &report.coverage.failures[0];
    assert_eq!(failure.code, "coverage_validation_failed");
    assert_eq!(failure.details, json!({ "rule": "no_uncalled", "uncalled": ["needy"] }));
}
