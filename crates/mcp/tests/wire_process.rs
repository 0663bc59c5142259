//! Connections to server processes: how they end, what they inherit, and that none is left.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]
#![cfg(unix)]

mod wire_support;

use std::{
    fs,
    process::Command,
    time::{Duration, Instant},
};

use foolproof_mcp::wire::{
    CallEnd, CommandEndpoint, ConnectOptions, Connection, Endpoint, FindingKind, Isolation,
    ProtocolChoice, StartFailure,
};
use rustix::process::{Pid, test_kill_process_group};
use serde_json::json;
use wire_support::{codes, is_malformed, options, skip};

const SERVER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/wire_support/server.py");

/// The server in a mode, unless Python is absent.
fn server(mode: &str) -> Option<CommandEndpoint> {
    if Command::new("python3").arg("--version").output().is_err() {
        skip("python3 is not installed");
        return None;
    }
    Some(CommandEndpoint::new("python3", [SERVER, mode], Isolation::Unconfined))
}

async fn open(mode: &str) -> Option<Connection> {
    let endpoint = Endpoint::from(server(mode)?);
    Some(Connection::open(&endpoint, &options()).await.unwrap())
}

/// Whether a process of this group runs. One that has ended and was not reaped does not.
fn is_group_alive(leader: u32) -> bool {
    let group = Pid::from_raw(i32::try_from(leader).unwrap()).unwrap();
    if test_kill_process_group(group).is_err() {
        return false;
    }
    let listed = Command::new("ps").args(["-e", "-o", "pgid=,stat="]).output().unwrap();
    let listed = String::from_utf8(listed.stdout).unwrap();
    let mut fields = listed.lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
    fields.any(|fields| fields[0] == leader.to_string() && !fields[1].starts_with('Z'))
}

/// A killed process is gone a moment after the signal.
fn assert_group_ends(leader: u32) {
    let begun = Instant::now();
    while is_group_alive(leader) {
        assert!(begun.elapsed() < Duration::from_secs(5), "group {leader} is alive");
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[tokio::test]
async fn a_process_ends_when_its_input_is_closed() {
    let Some(mut connection) = open("plain").await else { return };
    let leader = connection.process_id().unwrap();
    let end = connection.call_tool("any", &json!({})).await;
    assert!(matches!(end, CallEnd::Answered(_)), "{end}");
    assert_eq!(connection.exit_status(), None);
    let status = connection.close().await.unwrap();
    assert_eq!((status.code, status.signal), (Some(0), None));
    assert_group_ends(leader);
    assert!(codes(&mut connection).is_empty());
}

#[tokio::test]
async fn a_process_that_ends_during_a_call_has_crashed() {
    for (mode, code, signal, found) in [
        ("exit", Some(7), None, vec![]),
        ("signal", None, Some(11), vec![]),
        ("half", Some(3), None, vec!["cut_off"]),
    ] {
        let Some(mut connection) = open(mode).await else { return };
        let end = connection.call_tool("any", &json!({})).await;
        let CallEnd::Crashed { status, request_sent: true } = end else { panic!("{mode}: {end}") };
        assert_eq!((status.code, status.signal), (code, signal), "{mode}");
        assert_eq!(codes(&mut connection), found, "{mode}");
        assert_eq!(connection.exit_status(), Some(status));
        if mode == "exit" {
            assert_eq!(connection.stderr_tail(), "about to end\n");
        }
        let end = connection.call_tool("any", &json!({})).await;
        assert_eq!(end, CallEnd::Crashed { status, request_sent: false });
    }
}

#[tokio::test]
async fn an_end_after_an_answer_is_not_attributed_to_the_next_call() {
    let Some(mut connection) = open("exit-after").await else { return };
    let end = connection.call_tool("first", &json!({})).await;
    assert!(matches!(end, CallEnd::Answered(_)), "{end}");
    connection.settle(Duration::from_secs(5)).await;
    let end = connection.call_tool("second", &json!({})).await;
    let CallEnd::Crashed { status, request_sent: false } = end else { panic!("{end}") };
    assert_eq!(status.code, Some(4));
}

#[tokio::test]
async fn grandchildren_end_with_the_connection() {
    for is_closed in [true, false] {
        let Some(mut connection) = open("grandchild").await else { return };
        let leader = connection.process_id().unwrap();
        let end = connection.call_tool("any", &json!({})).await;
        assert!(matches!(end, CallEnd::Answered(_)), "{end}");
        if is_closed {
            connection.close().await;
        }
        drop(connection);
        assert_group_ends(leader);
    }
}

#[tokio::test]
async fn a_grandchild_that_holds_the_output_does_not_hide_the_crash() {
    let Some(mut connection) = open("orphan").await else { return };
    let leader = connection.process_id().unwrap();
    let begun = Instant::now();
    let end = connection.call_tool("any", &json!({})).await;
    let CallEnd::Crashed { status, .. } = end else { panic!("{end}") };
    assert_eq!(status.code, Some(5));
    assert!(begun.elapsed() < Duration::from_secs(5));
    assert!(is_group_alive(leader));
    drop(connection);
    assert_group_ends(leader);
}

#[tokio::test]
async fn a_process_that_ignores_everything_is_killed() {
    let Some(mut connection) = open("stubborn").await else { return };
    let leader = connection.process_id().unwrap();
    let begun = Instant::now();
    let status = connection.close().await.unwrap();
    assert_eq!(status.signal, Some(9));
    assert!(begun.elapsed() < Duration::from_secs(5));
    assert_group_ends(leader);
}

#[tokio::test]
async fn floods_and_huge_answers_end() {
    let Some(endpoint) = server("flood") else { return };
    let hasty = ConnectOptions { call_timeout: Duration::from_millis(500), ..options() };
    let mut connection = Connection::open(&endpoint.into(), &hasty).await.unwrap();
    let leader = connection.process_id().unwrap();
    assert_eq!(connection.call_tool("any", &json!({})).await, CallEnd::TimedOut);
    assert!(connection.take_findings().count(FindingKind::NotJson) > 16);
    connection.close().await;
    assert_group_ends(leader);

    let Some(mut connection) = open("big").await else { return };
    let end = connection.call_tool("any", &json!({})).await;
    assert!(is_malformed(&end, FindingKind::Oversized), "{end}");
    assert!(connection.is_responsive(Duration::from_secs(5)).await);
}

#[tokio::test]
async fn a_closed_output_is_no_crash() {
    let Some(mut connection) = open("close").await else { return };
    let leader = connection.process_id().unwrap();
    let end = connection.call_tool("any", &json!({})).await;
    assert!(matches!(end, CallEnd::Closed { .. }), "{end}");
    assert_eq!(connection.exit_status(), None);
    drop(connection);
    assert_group_ends(leader);
}

#[tokio::test]
async fn a_start_that_fails_has_the_status_and_the_standard_error() {
    let Some(endpoint) = server("start") else { return };
    for protocol in [ProtocolChoice::Handshake, ProtocolChoice::Auto] {
        let options = ConnectOptions { protocol, ..options() };
        let error = Connection::open(&endpoint.clone().into(), &options).await.unwrap_err();
        let StartFailure::Exited { status } = error.reason() else { panic!("{error}") };
        assert_eq!(status.code, Some(2));
        assert_eq!(error.stderr_tail(), "no configuration\n");
        assert_eq!(error.to_string(), "the server ended before it answered: exit code 2");
    }
    let absent = Endpoint::command("/no/such/program", ["a"], Isolation::Unconfined);
    let error = Connection::open(&absent, &options()).await.unwrap_err();
    assert!(matches!(error.reason(), StartFailure::CouldNotStart { .. }), "{error}");
}

#[tokio::test]
async fn the_end_of_standard_error_is_kept() {
    let Some(mut connection) = open("stderr").await else { return };
    connection.call_tool("any", &json!({})).await;
    connection.close().await;
    let tail = connection.stderr_tail();
    assert_eq!(tail.len(), 64 * 1024);
    assert!(tail.ends_with("xthe end\n"));
}

#[tokio::test]
async fn the_environment_is_minimal() {
    let Some(endpoint) = server("env") else { return };
    let folder = tempfile::tempdir().unwrap();
    let mut endpoint = endpoint;
    endpoint.env.insert("ADDED".to_owned(), "1".to_owned());
    endpoint.inherit = vec!["CARGO_MANIFEST_DIR".to_owned(), "NOT_SET_ANYWHERE".to_owned()];
    endpoint.cwd = Some(folder.path().to_owned());
    let mut connection = Connection::open(&endpoint.into(), &options()).await.unwrap();
    let end = connection.call_tool("any", &json!({})).await;
    let CallEnd::Answered(result) = end else { panic!("{end}") };
    let variables = result.structured_content().unwrap().as_object().unwrap();
    // Cargo sets many for a test. Which ones of the machine's are passed on depends on the machine.
    let own = std::env::vars().filter(|(name, _)| name.starts_with("CARGO_PKG_"));
    let own: Vec<String> = own.map(|(name, _)| name).collect();
    assert!(own.len() > 5, "{own:?}");
    for name in own {
        assert!(!variables.contains_key(&name), "{name}");
    }
    assert_eq!(variables["ADDED"], "1");
    assert!(variables.contains_key("CARGO_MANIFEST_DIR"));
}

#[tokio::test]
async fn the_working_folder_is_set() {
    let Some(endpoint) = server("plain") else { return };
    let folder = tempfile::tempdir().unwrap();
    // The server reports the folder without symbolic links.
    let folder_path = fs::canonicalize(folder.path()).unwrap();
    let mut endpoint = endpoint;
    endpoint.cwd = Some(folder_path.clone());
    let mut connection = Connection::open(&endpoint.into(), &options()).await.unwrap();
    let end = connection.call_tool("any", &json!({})).await;
    let CallEnd::Answered(result) = end else { panic!("{end}") };
    assert_eq!(result.structured_content().unwrap()["cwd"], json!(folder_path));
}

#[tokio::test]
async fn a_program_that_echoes_is_refused_by_its_echo() {
    // `initialize` comes back as a request of the server, and its refusal comes back as the answer.
    let endpoint = Endpoint::command("cat", Vec::<String>::new(), Isolation::Unconfined);
    let error = Connection::open(&endpoint, &options()).await.unwrap_err();
    assert!(matches!(error.reason(), StartFailure::Refused { .. }), "{error}");
    assert_eq!(error.findings().count(FindingKind::UnknownRequest), 1);
}
