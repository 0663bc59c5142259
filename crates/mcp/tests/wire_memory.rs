//! Huge answers and floods need bounded memory. The peak of the process is measured, so this is the only
//! test of its binary.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]
#![cfg(target_os = "linux")]

mod wire_support;

use std::{fs, process::Command, time::Duration};

use foolproof_mcp::wire::{ConnectOptions, Connection, Endpoint, Isolation};
use serde_json::json;
use wire_support::{options, skip};

const SERVER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/wire_support/server.py");

/// The most memory that this process has had, in MiB.
fn peak() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap() / 1024
}

#[tokio::test]
async fn memory_is_bounded() {
    if Command::new("python3").arg("--version").output().is_err() {
        return skip("python3 is not installed");
    }
    let before = peak();
    let options = ConnectOptions { call_timeout: Duration::from_secs(2), ..options() };
    for mode in ["big", "flood"] {
        let endpoint = Endpoint::command("python3", [SERVER, mode], Isolation::Unconfined);
        let mut connection = Connection::open(&endpoint, &options).await.unwrap();
        for _ in 0..2 {
            connection.call_tool("any", &json!({})).await;
        }
        assert!(!connection.take_findings().is_empty());
    }
    // 16 MiB of a message, the growth of its buffer, and the log.
    let used = peak() - before;
    assert!(used < 64, "{used} MiB were used");
}
