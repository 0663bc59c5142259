//! Runs against the example server: planted bugs are found, shrunk and repeated.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::{num::NonZeroUsize, sync::Arc, time::Duration};

use foolproof_mcp::{
    FailureReport, OutcomeStatus, ReplayOutcome, Repro, RunReport, Seed, Settings, Target, Tool,
    ToolVerdict,
    example_server::{Bug, Bugs, ExampleServer},
    replay, run,
    wire::ConnectOptions,
};
use serde_json::Value;

/// A target that serves the example with these bugs, in this process.
fn target(bugs: Bugs) -> Target {
    Target::new(ExampleServer::new(bugs).endpoint())
}

fn seeds(texts: &[&str]) -> Vec<Seed> {
    texts.iter().map(|text| text.parse().unwrap()).collect()
}

fn settings(seed: u64, values: &[&str]) -> Settings {
    Settings { seed: Some(seed), cases: 100, seeds: seeds(values), ..Settings::default() }
}

/// The tools of a simple store.
fn simple_store(mut settings: Settings) -> Settings {
    let names = ["create_task", "get_task", "update_task", "delete_task", "search_tasks"];
    settings.tools = Some(Arc::new(move |tool: &Tool| names.contains(&tool.name())));
    settings
}

fn tools(failure: &FailureReport) -> Vec<&str> {
    failure.steps.iter().map(|step| step.tool.raw()).collect()
}

#[tokio::test]
async fn a_correct_server_passes() {
    let report = run(&target(Bugs::none()), &settings(1, &["alpha", "3"])).await.unwrap();
    assert_eq!(report.outcome.status, OutcomeStatus::Passed, "{report}");
    let verdict = |name: &str| report.tools.iter().find(|tool| tool.name == name).unwrap().verdict;
    assert_eq!(verdict("delete_all_tasks"), ToolVerdict::Skipped);
    assert_eq!(verdict("create_task"), ToolVerdict::Succeeded);
    assert_eq!(verdict("get_task"), ToolVerdict::Succeeded);
}

#[tokio::test]
async fn a_bug_of_three_calls_is_found_with_every_seed_and_fails_again_on_a_fresh_server() {
    let target = target(Bugs::from(Bug::StaleRead));
    // All of them take half a minute.
    let is_full = std::env::var("FOOLPROOF_REQUIRE_ALL").is_ok_and(|it| it == "1");
    let seeds = if is_full { 20 } else { 5 };
    for seed in 0..seeds {
        let settings = simple_store(settings(seed, &["alpha", "3"]));
        let report = run(&target, &settings).await.unwrap();
        assert_eq!(report.failures.len(), 1, "seed {seed}: {report}");
        let failure = &report.failures[0];
        assert_eq!(tools(failure), ["create_task", "delete_task", "get_task"], "{report}");
        assert_eq!(failure.confirmations, (3, 3));
        // Identifiers differ in every session, so the sequence works only because of its references.
        let repro = Repro::new(failure, &report, &settings, Value::Null);
        let again = replay(&target, &settings, &repro).await.unwrap();
        assert!(matches!(again, ReplayOutcome::StillFails(_)), "seed {seed}: {again:?}");
    }
}

#[tokio::test]
async fn a_repro_is_fixed_on_a_correct_server() {
    let settings = settings(1, &["alpha", "3"]);
    let report = run(&target(Bugs::from(Bug::StaleRead)), &settings).await.unwrap();
    let repro = Repro::new(&report.failures[0], &report, &settings, Value::Null);
    let again = replay(&target(Bugs::none()), &settings, &repro).await.unwrap();
    assert!(matches!(again, ReplayOutcome::Fixed(_)), "{again:?}");
}

#[tokio::test]
async fn a_repro_that_refers_to_nothing_is_not_called_fixed() {
    let settings = settings(1, &["alpha", "3"]);
    let target = target(Bugs::from(Bug::StaleRead));
    let report = run(&target, &settings).await.unwrap();
    let mut repro = Repro::new(&report.failures[0], &report, &settings, Value::Null);
    repro.steps.remove(0);
    let problem = replay(&target, &settings, &repro).await.unwrap_err().to_string();
    assert!(problem.contains("cannot be made: nothing is at $"), "{problem}");
}

#[tokio::test]
async fn a_threshold_is_shrunk_to_its_exact_value() {
    let settings = Settings { lenient: true, ..settings(3, &["alpha"]) };
    let report = run(&target(Bugs::from(Bug::Threshold)), &settings).await.unwrap();
    let failure = report.failures.iter().find(|failure| failure.tool == "set_reminder").unwrap();
    assert_eq!(failure.steps.last().unwrap().arguments["minutes"], 1000, "{report}");
}

#[tokio::test]
async fn a_crash_names_the_guilty_call() {
    let report =
        run(&target(Bugs::from(Bug::Crash)), &settings(1, &["alpha", "2000"])).await.unwrap();
    assert_eq!(report.failures.len(), 1, "{report}");
    let failure = &report.failures[0];
    assert_eq!((failure.tool.raw(), &*failure.code), ("set_reminder", "crash"), "{report}");
    assert_eq!(tools(failure), ["create_task", "set_reminder"], "{report}");
}

fn impatient(bugs: Bugs) -> Target {
    let connect =
        ConnectOptions { call_timeout: Duration::from_millis(100), ..ConnectOptions::default() };
    Target { connect, ..target(bugs) }
}

#[tokio::test]
async fn a_server_that_freezes_is_a_failure_and_a_slow_call_a_warning() {
    let frozen = impatient(Bugs::from(Bug::Frozen));
    let settings = Settings { cases: 10, ..settings(1, &["alpha", "3"]) };
    let report = run(&frozen, &settings).await.unwrap();
    let failure = &report.failures[0];
    assert_eq!((failure.tool.raw(), &*failure.code), ("search_tasks", "server_unresponsive"));
    assert_eq!(failure.steps.len(), 1, "{report}");

    let slow = impatient(Bugs::from(Bug::Slow));
    let report = run(&slow, &settings).await.unwrap();
    assert_eq!(report.outcome.status, OutcomeStatus::Passed, "{report}");
    let warning = report.warnings.iter().find(|warning| warning.code == "slow_call").unwrap();
    assert_eq!(warning.tool, "task_statistics");
}

#[tokio::test]
async fn two_bugs_are_two_failures() {
    let bugs = Bugs::from(Bug::StaleRead).with(Bug::Junk);
    let report = run(&target(bugs), &settings(1, &["alpha", "3"])).await.unwrap();
    let mut found: Vec<(&str, &str)> =
        report.failures.iter().map(|failure| (failure.tool.raw(), &*failure.code)).collect();
    found.sort_unstable();
    let expected = [("get_task", "output_schema_mismatch"), ("list_tasks", "invalid_message")];
    assert_eq!(found, expected, "{report}");
}

#[tokio::test]
async fn the_same_seed_gives_the_same_report_at_any_concurrency() {
    let comparable = |report: RunReport| {
        let counts: Vec<(String, u64, u64)> = report
            .tools
            .iter()
            .map(|tool| (tool.name.raw().to_owned(), tool.calls, tool.successes))
            .collect();
        let failures: Vec<Vec<String>> = report
            .failures
            .iter()
            .map(|failure| failure.steps.iter().map(|step| step.tool.raw().to_owned()).collect())
            .collect();
        (counts, failures)
    };
    let mut reports = Vec::new();
    for concurrency in [1, 3] {
        let concurrency = NonZeroUsize::new(concurrency).unwrap();
        let settings = Settings { concurrency, ..settings(5, &["alpha", "3"]) };
        let report = run(&target(Bugs::from(Bug::StaleRead)), &settings).await.unwrap();
        reports.push(comparable(report));
    }
    assert_eq!(reports[0], reports[1]);
}
