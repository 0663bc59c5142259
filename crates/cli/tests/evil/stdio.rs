//! Servers over standard input and output. What each does is the function of that name in `server.py`.

use std::time::Duration;

use crate::machine::{Machine, each, python};

/// A way to misbehave.
struct Case {
    name: &'static str,
    /// How long a call and the run may take: what is long and arrives needs time.
    limits: [&'static str; 2],
    /// How the report is printed.
    format: &'static [&'static str],
    /// Exit codes that are right.
    codes: &'static [i32],
    /// What the output must say.
    says: &'static str,
}

const fn case(name: &'static str, codes: &'static [i32], says: &'static str) -> Case {
    Case { name, limits: ["--call-timeout=300ms", "--time=3s"], format: &[], codes, says }
}

const fn slow_case(name: &'static str, codes: &'static [i32], says: &'static str) -> Case {
    Case { limits: ["--call-timeout=5s", "--time=10s"], ..case(name, codes, says) }
}

const fn json_case(name: &'static str, codes: &'static [i32], says: &'static str) -> Case {
    Case { format: &["--json"], ..case(name, codes, says) }
}

const CASES: &[Case] = &[
    // Lines.
    case("partial-line-then-silence", &[1], "server_unresponsive"),
    case("partial-line-then-exit", &[1], "cut_off"),
    slow_case("line-of-200-mb", &[1], "oversized"),
    slow_case("answers-of-15-mb", &[0, 6], "echo"),
    case("drip", &[1], "server_unresponsive"),
    case("drip-at-start", &[5], "no answer to `initialize` in time"),
    case("flood-of-notifications", &[1], "server_unresponsive"),
    case("flood-of-junk", &[1], "not_json"),
    case("flood-at-the-end", &[0, 6], "echo"),
    // Bytes and JSON.
    case("invalid-utf-8", &[1], "invalid_utf8"),
    case("byte-order-mark", &[1], "not_json"),
    case("carriage-return", &[0], "passed"),
    case("nul", &[1], "not_json"),
    case("deep-nesting", &[1], "nested_too_deep"),
    case("huge-number", &[1], "number_out_of_range"),
    case("duplicate-keys", &[0], "passed"),
    case("no-jsonrpc", &[1], "wrong_jsonrpc"),
    case("noise", &[1], "Server listening"),
    case("null-schema", &[0], "tool_schema_unusable"),
    // Answers.
    case("other-id", &[1], "unknown_id"),
    case("no-id", &[1], "missing_id"),
    case("twice", &[1], "duplicate_answer"),
    case("in-advance", &[1], "unknown_id"),
    case("silence", &[0, 1, 6], "slow_call"),
    case("error-of-1-mb", &[0, 1, 6], "echo"),
    case("endless-progress", &[1], "server_unresponsive"),
    case("endless-progress-of-the-list", &[5], "does not list its tools"),
    case("endless-progress-at-start", &[5], "no answer to `initialize` in time"),
    case("endless-requests", &[1], "server_unresponsive"),
    slow_case("method-of-10-mb", &[1], "unknown_request"),
    // Lists of tools.
    case("endless-pages", &[1], "no end"),
    case("same-cursor", &[1], "repeated_cursor"),
    json_case("names", &[0, 1, 6], "README.md"),
    // Streams and processes.
    case("closes-stdout", &[1], "closed its output"),
    case("closes-stdin", &[1], "server_unresponsive"),
    case("ignores-everything", &[0, 6], "echo"),
    case("stderr-flood", &[0, 6], "echo"),
    case("exits", &[1], "about to end"),
    case("exits-at-start", &[5], "no configuration"),
    case("stops-itself", &[1], "server_unresponsive"),
    case("kills-its-group", &[1], "signal 9"),
    case("detached-children", &[0], "passed"),
    case("detached-children-with-the-pipes", &[0], "passed"),
    case("respawning", &[0, 6], "echo"),
    case("child-keeps-the-pipes", &[1], "exit code 5"),
    slow_case("bomb", &[0, 6], "echo"),
    case("closed-folders", &[0, 6], "echo"),
    case("sleeps-at-start", &[5], "no answer to `initialize` in time"),
    case("garbage-at-start", &[5], "no object"),
];

/// How long one run may take: it has three or ten seconds, may be starting or closing sessions then, and others run beside it.
const LIMIT: Duration = Duration::from_secs(30);

fn test(case: &Case, python: &[String]) -> Result<(), String> {
    let machine = Machine::new();
    let outputs = machine.outputs();
    let limits = ["--cases=2", "--max-steps=2"];
    let start = ["--start-timeout=1s", "--protocol=2025-11-25", "--seed=1", "--value=alpha", "--"];
    let words = outputs.iter().chain(python).map(String::as_str);
    let (outputs, python): (Vec<_>, Vec<_>) = words.partition(|word| word.starts_with("--"));
    let command = ["mcp", "stdio"].into_iter().chain(outputs).chain(limits).chain(case.limits);
    let command = command.chain(case.format.iter().copied()).chain(start);
    let args: Vec<&str> = command.chain(python).chain([case.name]).collect();
    let ended = machine.start(&args).wait(LIMIT);
    let census = machine.census();
    let ended = ended?;
    census?;
    let text = ended.text();
    if case.codes.contains(&ended.code) && text.contains(case.says) && !text.contains("FLAKY") {
        return Ok(());
    }
    Err(format!("code {} after {:?}: {text:.3000}", ended.code, ended.time))
}

#[test]
fn every_server_on_standard_input_and_output_is_survived() {
    let Some(python) = python() else { return };
    each(CASES, 6, |case| case.name.to_owned(), |case| test(case, &python));
}

#[test]
fn a_session_does_not_keep_large_answers() {
    let Some(python) = python() else { return };
    let machine = Machine::new();
    let options = ["mcp", "stdio", "--cases=1", "--min-steps=20", "--protocol=2025-11-25", "--"];
    let command = python.iter().map(String::as_str).chain(["answers-of-4-mb"]);
    let args: Vec<&str> = options.into_iter().chain(command).collect();
    let ended = machine.start(&args).wait(LIMIT).unwrap();
    assert_eq!(ended.code, 0, "{}", ended.text());
    // All answers are 80 MB, and 160 MB as they are and as text.
    assert!(ended.peak < 100 * 1024, "{} MiB", ended.peak / 1024);
}
