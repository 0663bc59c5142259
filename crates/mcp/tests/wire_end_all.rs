//! `end_all` ends every server of the process, so it has a test binary of its own.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]
#![cfg(unix)]

mod wire_support;

use std::time::Duration;

use foolproof_mcp::wire::{CallEnd, Connection, Endpoint, Isolation, end_all};
use serde_json::json;
use wire_support::options;

/// Answers `initialize`, starts a child, and then reads without an end.
const SERVER: &str = r#"
read line
echo '{"jsonrpc": "2.0", "id": 1, "result": {"protocolVersion": "2025-11-25", "capabilities": {}, "serverInfo": {"name": "sh", "version": "1"}}}'
sleep 600 &
while read line; do :; done
wait
"#;

#[tokio::test]
async fn every_server_ends() {
    let endpoint = Endpoint::command("sh", ["-c", SERVER], Isolation::Unconfined);
    let mut connections = Vec::new();
    for _ in 0..3 {
        connections.push(Connection::open(&endpoint, &options()).await.unwrap());
    }
    end_all();
    for connection in &mut connections {
        connection.settle(Duration::from_secs(5)).await;
        let end = connection.call_tool("any", &json!({})).await;
        let CallEnd::Crashed { status, .. } = end else { panic!("{end}") };
        assert_eq!(status.signal, Some(9));
    }
}
