//! A connection to a server, from its start to its end.

use std::{fmt, time::Duration};

use serde::Serialize;
use serde_json::{Map, Value};

use super::{
    endpoint::Endpoint,
    finding::{FindingKind, Findings},
    limits::Limits,
    log::WireLog,
    options::ConnectOptions,
    outcome::{CallEnd, ExitStatus},
    request::{CallParams, ListParams, Meta},
    revision::{Era, Revision},
    session::Session,
    shape::requires_input,
    start::{self, Introduction, StartError},
    transport::{Outgoing, Transport},
};

/// Progress notifications can extend a call up to this many times its limit.
const MOST_EXTENSION: u32 = 3;

/// A connection to a server.
///
/// One request runs at a time. What arrives between requests is read with the next one, or with
/// [`settle`](Self::settle) and [`close`](Self::close). A connection that is dropped kills its server
/// process with all its children; closing it first lets the server end by itself.
///
/// ```
/// use foolproof_mcp::wire::{CallEnd, ConnectOptions, Connection, Endpoint, Era, Pipe};
/// use serde_json::{Value, json};
/// use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, split};
///
/// /// A server with one tool, which echoes its arguments.
/// async fn serve(stream: DuplexStream) {
///     let (reader, mut writer) = split(stream);
///     let mut lines = BufReader::new(reader).lines();
///     while let Ok(Some(line)) = lines.next_line().await {
///         let request: Value = serde_json::from_str(&line).unwrap();
///         let result = match request["method"].as_str() {
///             Some("initialize") => json!({
///                 "protocolVersion": "2025-11-25",
///                 "capabilities": {"tools": {}},
///                 "serverInfo": {"name": "echo", "version": "1"},
///             }),
///             Some("tools/list") => json!({"tools": [{"name": "echo", "inputSchema": {}}]}),
///             Some("tools/call") => {
///                 json!({"content": [], "structuredContent": request["params"]["arguments"]})
///             }
///             Some("notifications/initialized") => continue,
///             _ => {
///                 let error = json!({"code": -32601, "message": "method not found"});
///                 let answer = json!({"jsonrpc": "2.0", "id": request["id"], "error": error});
///                 writer.write_all(format!("{answer}\n").as_bytes()).await.unwrap();
///                 continue;
///             }
///         };
///         let answer = json!({"jsonrpc": "2.0", "id": request["id"], "result": result});
///         writer.write_all(format!("{answer}\n").as_bytes()).await.unwrap();
///     }
/// }
///
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// let endpoint = Endpoint::factory(|| {
///     let (client, server) = tokio::io::duplex(64 * 1024);
///     tokio::spawn(serve(server));
///     Pipe::from(client)
/// });
/// let mut connection = Connection::open(&endpoint, &ConnectOptions::default()).await.unwrap();
/// assert_eq!(connection.era(), Era::Handshake);
/// assert_eq!(connection.list_tools().await.unwrap()[0].name.as_deref(), Some("echo"));
///
/// let end = connection.call_tool("echo", &json!({"text": "hello"})).await;
/// let CallEnd::Answered(result) = end else { panic!("{end}") };
/// assert_eq!(result.structured_content(), Some(&json!({"text": "hello"})));
///
/// connection.close().await;
/// assert!(connection.take_findings().is_empty());
/// # });
/// ```
pub struct Connection {
    pub(super) transport: Transport,
    pub(super) session: Session,
    options: ConnectOptions,
    introduction: Introduction,
    is_closed: bool,
}

impl Connection {
    /// Starts or reaches the server, and agrees with it on what to speak.
    ///
    /// It must be called within a Tokio runtime with time and I/O enabled.
    pub async fn open(endpoint: &Endpoint, options: &ConnectOptions) -> Result<Self, StartError> {
        start::open(endpoint, options).await
    }

    pub(super) fn new(
        transport: Transport,
        session: Session,
        options: ConnectOptions,
        introduction: Introduction,
    ) -> Self {
        Self { transport, session, options, introduction, is_closed: false }
    }

    /// The era of the server, worth remembering for the next connection to it.
    #[must_use]
    pub fn era(&self) -> Era {
        self.session.era
    }

    /// The revision that was agreed on.
    #[must_use]
    pub fn revision(&self) -> &Revision {
        &self.session.revision
    }

    /// What the server calls itself: an object with `name` and `version`, or `null`.
    #[must_use]
    pub fn server_info(&self) -> &Value {
        &self.introduction.server_info
    }

    /// The capabilities that the server declares.
    #[must_use]
    pub fn server_capabilities(&self) -> &Value {
        &self.introduction.capabilities
    }

    /// The server's instructions for its use.
    #[must_use]
    pub fn instructions(&self) -> Option<&str> {
        self.introduction.instructions.as_deref()
    }

    /// Calls a tool.
    ///
    /// In the stateless era, a result that requires input is answered and the call is repeated, as
    /// often as [`max_input_rounds`](ConnectOptions::max_input_rounds) allows.
    pub async fn call_tool(&mut self, name: &str, arguments: &Value) -> CallEnd {
        let limits = self.call_limits();
        let mut responses: Option<Map<String, Value>> = None;
        let mut state: Option<Value> = None;
        for _ in 0..=self.options.max_input_rounds {
            let era = self.era();
            let end = self
                .request("tools/call", Some((name, arguments)), limits, |id| CallParams {
                    name,
                    arguments,
                    input_responses: responses.as_ref(),
                    request_state: state.as_ref(),
                    meta: Meta { era, progress_token: Some(id) },
                })
                .await;
            let CallEnd::Answered(result) = &end else { return end };
            let Some(required) = result.raw().as_object().filter(|_| era == Era::Stateless) else {
                return end;
            };
            if !requires_input(required) {
                return end;
            }
            responses = required.get("inputRequests").map(|requests| self.give_input(requests));
            state = required.get("requestState").cloned();
        }
        let kind = FindingKind::TooManyInputRounds;
        let rounds = self.options.max_input_rounds;
        self.session.found(kind, || format!("`{name}` required input more than {rounds} times"));
        CallEnd::Malformed { kind }
    }

    /// Whether the server answers `tools/list` within this time, with a result or an error.
    /// After a call that timed out, this distinguishes a slow tool from a server that hangs.
    pub async fn is_responsive(&mut self, limit: Duration) -> bool {
        let era = self.era();
        let limits = Limits::new(limit, 1);
        let end = self
            .request("tools/list", None, limits, |_| ListParams {
                cursor: None,
                meta: Meta { era, progress_token: None },
            })
            .await;
        match end {
            CallEnd::Answered(_) | CallEnd::Refused(_) | CallEnd::Malformed { .. } => true,
            CallEnd::Crashed { .. } | CallEnd::Closed { .. } | CallEnd::TimedOut => false,
        }
    }

    /// Reads what arrives during this time although nothing was asked, such as a second answer or a
    /// late one.
    pub async fn settle(&mut self, time: Duration) {
        if !self.is_closed {
            self.transport.read_for(&mut self.session, time).await;
        }
    }

    /// What the server did against the protocol since this was last called.
    pub fn take_findings(&mut self) -> Findings {
        self.session.take_findings()
    }

    /// The messages of this connection.
    #[must_use]
    pub fn log(&self) -> &WireLog {
        &self.session.log
    }

    /// The end of what the process wrote to standard error, at most 64 KiB.
    #[must_use]
    pub fn stderr_tail(&self) -> String {
        self.transport.stderr_tail()
    }

    /// How the process ended, if it has.
    pub fn exit_status(&mut self) -> Option<ExitStatus> {
        self.transport.exit_status()
    }

    /// The number of the process, which is the number of its group too.
    pub fn process_id(&mut self) -> Option<u32> {
        self.transport.process_id()
    }

    /// Ends the connection: closes the input of the process, waits, sends `SIGTERM`, waits, and kills
    /// what is left of its group; over HTTP, ends the session. What arrives meanwhile is recorded.
    ///
    /// The log, the findings and the standard error can be read afterwards; calls are
    /// [`CallEnd::Closed`].
    pub async fn close(&mut self) -> Option<ExitStatus> {
        if !self.is_closed {
            self.is_closed = true;
            self.transport.close(&mut self.session, self.options.close_timeout).await;
        }
        self.exit_status()
    }

    /// The limits of a call that begins now.
    pub(super) fn call_limits(&self) -> Limits {
        Limits::new(self.options.call_timeout, MOST_EXTENSION)
    }

    /// Sends a request whose parameters depend on its id, and reads until it ends.
    pub(super) async fn request<P: Serialize>(
        &mut self,
        method: &'static str,
        call: Option<(&str, &Value)>,
        limits: Limits,
        params: impl FnOnce(u64) -> P,
    ) -> CallEnd {
        if self.is_closed {
            return CallEnd::Closed { detail: "this client closed the connection".to_owned() };
        }
        if let Some(end) = self.transport.drain(&mut self.session, limits.deadline()).await {
            return end;
        }
        let params = params(self.session.next_id());
        let message = self.session.begin_request(method, call.map(|(name, _)| name), &params);
        let outgoing = Outgoing { method: Some(method), call, message };
        let end = self.transport.request(&mut self.session, outgoing, limits).await;
        if end == CallEnd::TimedOut {
            self.transport.cancel(&mut self.session, limits.end()).await;
        }
        end
    }

    /// Answers what a result requires, by its keys.
    fn give_input(&mut self, requests: &Value) -> Map<String, Value> {
        let mut responses = Map::new();
        for (key, request) in requests.as_object().into_iter().flatten() {
            let method = request.get("method").and_then(Value::as_str).unwrap_or_default();
            let response = match method {
                // It is a request of the handshake era only.
                "ping" => None,
                _ => self.session.responder.respond(method, request.get("params")),
            };
            match response {
                Some(response) => {
                    responses.insert(key.clone(), response);
                }
                None => self.session.found(FindingKind::UnknownInputRequest, || {
                    format!("the input `{key}` requires the method `{method}`")
                }),
            }
        }
        responses
    }
}

impl fmt::Debug for Connection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Connection")
            .field("era", &self.era())
            .field("revision", self.revision())
            .field("server_info", self.server_info())
            .finish_non_exhaustive()
    }
}
