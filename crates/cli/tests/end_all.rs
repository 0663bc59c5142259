//! `end_all` of the library, with the command as the launcher. It ends every server of its process, so it has a test binary
//! of its own.
#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::{
    fs,
    path::Path,
    thread,
    time::{Duration, Instant},
};

use foolproof_mcp::wire::{
    CallEnd, CommandEndpoint, ConnectOptions, Connection, Isolation, Launcher, ProtocolChoice,
    end_all,
};
use serde_json::json;

/// Answers `initialize`, and starts children in a group and in a session of their own that ignore signals.
const SERVER: &str = r#"
trap '' TERM INT HUP QUIT
read line
echo '{"jsonrpc": "2.0", "id": 1, "result": {"protocolVersion": "2025-11-25", "capabilities": {}, "serverInfo": {"name": "sh", "version": "1"}}}'
sleep 600 &
setsid sleep 600 &
setsid sh -c 'trap "" TERM INT HUP; while :; do sleep 0.01; done' </dev/null >/dev/null 2>&1 &
while read line; do :; done
wait
"#;

/// How many processes have this text in their environment.
fn count(mark: &str) -> usize {
    let entries = fs::read_dir("/proc").unwrap().filter_map(Result::ok);
    let has_mark = |folder: &Path| {
        let environment = fs::read(folder.join("environ")).unwrap_or_default();
        environment.windows(mark.len()).any(|window| window == mark.as_bytes())
    };
    entries.filter(|entry| has_mark(&entry.path())).count()
}

fn wait_for(mark: &str, is_right: impl Fn(usize) -> bool) {
    let end = Instant::now() + Duration::from_secs(10);
    while !is_right(count(mark)) {
        assert!(Instant::now() < end, "{} processes", count(mark));
        thread::sleep(Duration::from_millis(10));
    }
}

#[tokio::test]
async fn every_server_and_all_that_it_started_ends() {
    let mark = format!("end-all-{}", std::process::id());
    let launcher = Launcher::new(env!("CARGO_BIN_EXE_foolproof"));
    let mut endpoint = CommandEndpoint::new("sh", ["-c", SERVER], Isolation::Supervised(launcher));
    endpoint.env.insert("MARK".to_owned(), mark.clone());
    let options =
        ConnectOptions { protocol: ProtocolChoice::Handshake, ..ConnectOptions::default() };
    let mut connections = Vec::new();
    for _ in 0..3 {
        let opened = Connection::open(&endpoint.clone().into(), &options).await;
        connections.push(opened.unwrap());
    }
    // The launcher, the shell and its three children each.
    wait_for(&mark, |count| count >= 15);
    let begun = Instant::now();
    end_all();
    wait_for(&mark, |count| count == 0);
    assert!(begun.elapsed() < Duration::from_secs(2), "{:?}", begun.elapsed());
    for connection in &mut connections {
        connection.settle(Duration::from_secs(5)).await;
        let end = connection.call_tool("any", &json!({})).await;
        let CallEnd::Crashed { status, .. } = end else { panic!("{end}") };
        assert_eq!(status.signal, Some(9));
    }
}
