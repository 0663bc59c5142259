//! A server for tests: tools are closures, and every call is recorded.
#![expect(clippy::needless_pass_by_value, reason = "`json!` gives values")]

use std::sync::{Arc, Mutex};

use foolproof_mcp::{
    Target,
    wire::{Endpoint, Pipe},
};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, split};

/// What a tool answers: the result of `tools/call`.
type Answer = dyn Fn(&Value) -> Value + Send + Sync;

/// The calls of each session: tool and arguments.
pub(crate) type Sessions = Vec<Vec<(String, Value)>>;

/// A server whose tools are closures.
#[derive(Clone, Default)]
pub(crate) struct Scripted {
    tools: Vec<(Value, Arc<Answer>)>,
    sessions: Arc<Mutex<Sessions>>,
}

/// A successful result with this structured content.
pub(crate) fn success(structured: Value) -> Value {
    json!({ "content": [], "structuredContent": structured })
}

/// The schema of an object with these properties, of which some are required.
pub(crate) fn object(properties: Value, required: &[&str]) -> Value {
    json!({ "type": "object", "properties": properties, "required": required })
}

impl Scripted {
    /// The server with one more tool.
    pub(crate) fn tool(
        mut self,
        name: &str,
        input: Value,
        answer: impl Fn(&Value) -> Value + Send + Sync + 'static,
    ) -> Self {
        self.tools.push((json!({ "name": name, "inputSchema": input }), Arc::new(answer)));
        self
    }

    /// The server as a target.
    pub(crate) fn target(&self) -> Target {
        let server = self.clone();
        Target::new(Endpoint::factory(move || {
            let (client, stream) = tokio::io::duplex(64 * 1024);
            tokio::spawn(server.clone().serve(stream));
            Pipe::from(client)
        }))
    }

    /// The calls of the sessions in which any were made.
    pub(crate) fn sessions(&self) -> Sessions {
        let sessions = self.sessions.lock().expect("no test holds it while it panics");
        sessions.iter().filter(|calls| !calls.is_empty()).cloned().collect()
    }

    /// All calls.
    pub(crate) fn calls(&self) -> Vec<(String, Value)> {
        self.sessions().concat()
    }

    async fn serve(self, stream: DuplexStream) {
        let session = {
            let mut sessions = self.sessions.lock().expect("no test holds it while it panics");
            sessions.push(Vec::new());
            sessions.len() - 1
        };
        let (reader, mut writer) = split(stream);
        let mut lines = BufReader::new(reader).lines();
        while let Ok(Some(line)) = lines.next_line().await {
            let request: Value = serde_json::from_str(&line).unwrap_or_default();
            let Some(id) = request.get("id") else { continue };
            let answer = match request["method"].as_str() {
                Some("initialize") => Ok(json!({
                    "protocolVersion": "2025-11-25",
                    "capabilities": { "tools": {} },
                    "serverInfo": { "name": "scripted", "version": "1" },
                })),
                Some("tools/list") => {
                    let tools: Vec<&Value> = self.tools.iter().map(|(tool, _)| tool).collect();
                    Ok(json!({ "tools": tools }))
                }
                Some("tools/call") => Ok(self.call(session, &request["params"])),
                _ => Err(json!({ "code": -32601, "message": "method not found" })),
            };
            let message = match answer {
                Ok(result) => json!({ "jsonrpc": "2.0", "id": id, "result": result }),
                Err(error) => json!({ "jsonrpc": "2.0", "id": id, "error": error }),
            };
            if writer.write_all(format!("{message}\n").as_bytes()).await.is_err() {
                return;
            }
        }
    }

    fn call(&self, session: usize, params: &Value) -> Value {
        let name = params["name"].as_str().unwrap_or_default();
        let arguments = params.get("arguments").cloned().unwrap_or_else(|| json!({}));
        let mut sessions = self.sessions.lock().expect("no test holds it while it panics");
        sessions[session].push((name.to_owned(), arguments.clone()));
        let tool = self.tools.iter().find(|(tool, _)| tool["name"] == name);
        tool.map_or_else(
            || json!({ "content": [], "isError": true }),
            |(_, answer)| answer(&arguments),
        )
    }
}
