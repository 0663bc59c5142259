//! Fake servers over pipes, and small helpers for the tests of connections.
#![allow(dead_code, reason = "each test binary uses a part")]
#![expect(clippy::needless_pass_by_value, reason = "results are written in place")]

use std::time::Duration;

use foolproof_mcp::wire::{
    CallEnd, ConnectOptions, Connection, Endpoint, FindingKind, Pipe, ProtocolChoice,
};
use serde_json::{Value, json};
use tokio::io::{
    AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, Lines, ReadHalf, WriteHalf, split,
};

/// The server's end of a pipe.
pub(crate) struct Peer {
    lines: Lines<BufReader<ReadHalf<DuplexStream>>>,
    writer: WriteHalf<DuplexStream>,
}

impl Peer {
    fn new(stream: DuplexStream) -> Self {
        let (reader, writer) = split(stream);
        Self { lines: BufReader::new(reader).lines(), writer }
    }

    /// The next message of the client; `None` at its end.
    pub(crate) async fn next(&mut self) -> Option<Value> {
        let line = self.lines.next_line().await.ok()??;
        Some(serde_json::from_str(&line).unwrap())
    }

    /// Sends text as it is, with a line end. A client that is gone is ignored.
    pub(crate) async fn send(&mut self, line: impl AsRef<[u8]>) {
        let mut bytes = line.as_ref().to_vec();
        bytes.push(b'\n');
        let _ = self.writer.write_all(&bytes).await;
    }

    pub(crate) async fn send_raw(&mut self, bytes: &[u8]) {
        let _ = self.writer.write_all(bytes).await;
    }

    pub(crate) async fn answer(&mut self, request: &Value, result: Value) {
        self.send(answer(request, result)).await;
    }

    pub(crate) async fn refuse(&mut self, request: &Value, code: i64) {
        let error = json!({"code": code, "message": "no"});
        self.send(json!({"jsonrpc": "2.0", "id": request["id"], "error": error}).to_string()).await;
    }

    /// Answers what every server of the handshake era must, and returns the first other request.
    pub(crate) async fn next_call(&mut self) -> Option<Value> {
        loop {
            let request = self.next().await?;
            match request["method"].as_str() {
                Some("initialize") => self.answer(&request, initialize_result("2025-11-25")).await,
                Some("notifications/initialized") => {}
                Some("server/discover") => self.refuse(&request, -32601).await,
                _ => return Some(request),
            }
        }
    }
}

/// The text of an answer.
pub(crate) fn answer(request: &Value, result: Value) -> String {
    json!({"jsonrpc": "2.0", "id": request["id"], "result": result}).to_string()
}

pub(crate) fn initialize_result(version: &str) -> Value {
    json!({
        "protocolVersion": version,
        "capabilities": {"tools": {}},
        "serverInfo": {"name": "fake", "version": "1"},
    })
}

pub(crate) fn discover_result() -> Value {
    json!({
        "resultType": "complete",
        "supportedVersions": ["2026-07-28"],
        "capabilities": {"tools": {}},
        "_meta": {"io.modelcontextprotocol/serverInfo": {"name": "fake", "version": "2"}},
        "ttlMs": 0,
        "cacheScope": "private",
    })
}

pub(crate) fn call_result() -> Value {
    json!({"content": [{"type": "text", "text": "ok"}]})
}

/// An endpoint whose connections are served by this function.
pub(crate) fn pipe<F, S>(serve: F) -> Endpoint
where
    F: Fn(Peer) -> S + Send + Sync + 'static,
    S: Future<Output = ()> + Send + 'static,
{
    Endpoint::factory(move || {
        let (client, server) = tokio::io::duplex(64 * 1024);
        tokio::spawn(serve(Peer::new(server)));
        Pipe::from(client)
    })
}

/// A server of the handshake era that answers every other request with these lines.
pub(crate) fn lines(
    reply: impl Fn(&Value) -> Vec<String> + Send + Sync + Clone + 'static,
) -> Endpoint {
    pipe(move |mut peer| {
        let reply = reply.clone();
        async move {
            while let Some(request) = peer.next_call().await {
                for line in reply(&request) {
                    peer.send(line).await;
                }
            }
        }
    })
}

/// The handshake era with short limits.
pub(crate) fn options() -> ConnectOptions {
    ConnectOptions {
        protocol: ProtocolChoice::Handshake,
        start_timeout: Duration::from_secs(10),
        call_timeout: Duration::from_secs(10),
        close_timeout: Duration::from_millis(500),
        ..ConnectOptions::default()
    }
}

pub(crate) fn impatient() -> ConnectOptions {
    ConnectOptions { call_timeout: Duration::from_millis(150), ..options() }
}

pub(crate) async fn open(endpoint: &Endpoint) -> Connection {
    Connection::open(endpoint, &options()).await.unwrap()
}

/// The codes of the findings since the last time, in their order.
pub(crate) fn codes(connection: &mut Connection) -> Vec<&'static str> {
    connection.take_findings().iter().map(|finding| finding.kind.code()).collect()
}

/// Calls a tool of a server that answers these lines, and returns the end and the codes of the findings.
pub(crate) async fn call(
    reply: impl Fn(&Value) -> Vec<String> + Send + Sync + Clone + 'static,
) -> (CallEnd, Vec<&'static str>) {
    let mut connection = Connection::open(&lines(reply), &impatient()).await.unwrap();
    let end = connection.call_tool("any", &json!({})).await;
    (end, codes(&mut connection))
}

pub(crate) fn is_malformed(end: &CallEnd, kind: FindingKind) -> bool {
    *end == CallEnd::Malformed { kind }
}

/// Says that a test cannot run here; with `FOOLPROOF_REQUIRE_ALL=1` that is a failure.
#[expect(clippy::print_stdout, reason = "it is how a test reports that it was skipped")]
pub(crate) fn skip(reason: &str) {
    let is_required = std::env::var("FOOLPROOF_REQUIRE_ALL").is_ok_and(|value| value == "1");
    assert!(!is_required, "{reason}");
    println!("skipped: {reason}");
}
