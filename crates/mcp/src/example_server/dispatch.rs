//! Which answer a request gets, in either era.
//!
//! A request takes effect at once and in full, so requests take effect in the order in which they
//! arrive; only the answer may be late.

use std::time::Duration;

use serde_json::{Value, json};

use super::{
    ExampleServer,
    bugs::Bug,
    calls::{self, CallOutcome},
    jsonrpc::{INVALID_PARAMS, INVALID_REQUEST, Request, RpcError},
    session::Session,
    tools::Tool,
    versions::{
        Era, HANDSHAKE_VERSIONS, SERVER_INFO_KEY, STATELESS_VERSION, stateless_version,
        unsupported_version,
    },
};

/// The number of tools on one page of `tools/list`.
const PAGE_SIZE: usize = 4;

/// How long a client may keep a list.
const TTL_MS: u64 = 60_000;

/// What the bug `junk` writes.
const JUNK: &str = "debug: listing tasks";

const INSTRUCTIONS: &str = "Create tasks first: the other tools need the ids that create_task \
                            returns.";

/// What the connection does about a request.
#[derive(Debug)]
pub(super) enum Outcome {
    /// It sends an answer.
    Answer(Answer),
    /// It sends nothing, ever.
    Hang,
    /// It ends, after this line on standard error.
    Crash(String),
}

/// An answer, and how it is sent.
#[derive(Debug)]
pub(super) struct Answer {
    /// The response.
    pub(super) message: Value,
    /// How long it is held back.
    pub(super) delay: Duration,
    /// A line before the response that is not JSON.
    pub(super) junk: Option<&'static str>,
}

impl Answer {
    pub(super) fn immediate(message: Value) -> Self {
        Self { message, delay: Duration::ZERO, junk: None }
    }

    /// The code of an error response.
    pub(super) fn error_code(&self) -> Option<i64> {
        self.message["error"]["code"].as_i64()
    }
}

/// Answers `request` as a message of `era`.
pub(super) fn respond(
    server: &ExampleServer,
    session: &Session,
    era: Era,
    request: &Request,
) -> Outcome {
    if session.is_frozen() {
        return Outcome::Hang;
    }
    let outcome = match era {
        Era::Handshake => respond_in_session(server, session, request),
        Era::Stateless => respond_stateless(server, session, request),
    };
    outcome.unwrap_or_else(|error| {
        Outcome::Answer(Answer::immediate(error.to_message(Some(&request.id))))
    })
}

fn respond_in_session(
    server: &ExampleServer,
    session: &Session,
    request: &Request,
) -> Result<Outcome, RpcError> {
    let answer = |result| Ok(Outcome::Answer(Answer::immediate(request.result(&result))));
    match request.method.as_str() {
        "initialize" => answer(initialize(session, request)?),
        "ping" => answer(json!({})),
        "tools/list" | "tools/call" if !session.is_initialized() => Err(RpcError::new(
            INVALID_REQUEST,
            "Invalid request: `initialize` must come first, or `_meta` with a protocol version",
        )),
        "tools/list" => answer(list_tools(request)?),
        "tools/call" => call_tool(server, session, Era::Handshake, request),
        method => Err(RpcError::method_not_found(method)),
    }
}

fn respond_stateless(
    server: &ExampleServer,
    session: &Session,
    request: &Request,
) -> Result<Outcome, RpcError> {
    if request.method == "initialize" {
        // A client of the handshake era learns the versions from this error only.
        return Err(unsupported_version(request.text("protocolVersion").unwrap_or("none")));
    }
    let version = stateless_version(request)?;
    if version != STATELESS_VERSION {
        return Err(unsupported_version(version));
    }
    let cacheable = |mut result: Value| {
        result["ttlMs"] = json!(TTL_MS);
        result["cacheScope"] = json!("public");
        let message = request.result(&complete(result));
        Ok(Outcome::Answer(Answer::immediate(message)))
    };
    match request.method.as_str() {
        "server/discover" => cacheable(json!({
            "supportedVersions": [STATELESS_VERSION],
            "capabilities": capabilities(),
            "instructions": INSTRUCTIONS,
        })),
        "tools/list" => cacheable(list_tools(request)?),
        "tools/call" => call_tool(server, session, Era::Stateless, request),
        method => Err(RpcError::method_not_found(method)),
    }
}

fn initialize(session: &Session, request: &Request) -> Result<Value, RpcError> {
    let invalid = |name: &str, kind: &str| {
        RpcError::new(INVALID_PARAMS, format!("Invalid params: `{name}` must be {kind}"))
    };
    let requested =
        request.text("protocolVersion").ok_or_else(|| invalid("protocolVersion", "a string"))?;
    if !request.params.get("capabilities").is_some_and(Value::is_object) {
        return Err(invalid("capabilities", "an object"));
    }
    let client = request.params.get("clientInfo").unwrap_or(&Value::Null);
    if !(client["name"].is_string() && client["version"].is_string()) {
        return Err(invalid("clientInfo", "an object with `name` and `version`"));
    }
    if session.initialize() {
        let message = "Invalid request: the session is initialized already";
        return Err(RpcError::new(INVALID_REQUEST, message));
    }
    let known = HANDSHAKE_VERSIONS.into_iter().find(|version| *version == requested);
    Ok(json!({
        "protocolVersion": known.unwrap_or(HANDSHAKE_VERSIONS[0]),
        "capabilities": capabilities(),
        "serverInfo": server_info(),
        "instructions": INSTRUCTIONS,
    }))
}

/// One page of tools. A cursor names the last tool of the page before, so it stays valid.
fn list_tools(request: &Request) -> Result<Value, RpcError> {
    let start = match request.params.get("cursor") {
        None => 0,
        Some(cursor) => {
            let after = cursor.as_str().and_then(|cursor| cursor.strip_prefix("after-"));
            let index = after.and_then(|name| Tool::ALL.iter().position(|t| t.name() == name));
            let message = format!("Invalid params: {cursor} is not a cursor");
            index.ok_or_else(|| RpcError::new(INVALID_PARAMS, message))? + 1
        }
    };
    let page = &Tool::ALL[start..(start + PAGE_SIZE).min(Tool::ALL.len())];
    let definitions: Vec<Value> = page.iter().map(|tool| tool.definition()).collect();
    let mut result = json!({ "tools": definitions });
    if let Some(last) = page.last().filter(|_| start + PAGE_SIZE < Tool::ALL.len()) {
        result["nextCursor"] = json!(format!("after-{}", last.name()));
    }
    Ok(result)
}

fn call_tool(
    server: &ExampleServer,
    session: &Session,
    era: Era,
    request: &Request,
) -> Result<Outcome, RpcError> {
    let Some(name) = request.text("name") else {
        return Err(RpcError::new(INVALID_PARAMS, "Invalid params: `name` must be a string"));
    };
    let Some(tool) = Tool::named(name) else {
        return Err(RpcError::new(INVALID_PARAMS, format!("Unknown tool: {name}")));
    };
    let arguments = request.params.get("arguments").cloned().unwrap_or_else(|| json!({}));
    let bugs = &server.bugs;
    let result = match calls::call(&mut session.store(), bugs, tool, arguments)? {
        CallOutcome::Success(content) => json!({
            "content": [{ "type": "text", "text": content.to_string() }],
            "structuredContent": content,
            "isError": false,
        }),
        CallOutcome::ToolError(text) => {
            json!({ "content": [{ "type": "text", "text": text }], "isError": true })
        }
        CallOutcome::Hang => {
            if bugs.contains(Bug::Frozen) {
                session.freeze();
            }
            return Ok(Outcome::Hang);
        }
        CallOutcome::Crash(line) => return Ok(Outcome::Crash(line)),
    };
    let result = if era == Era::Stateless { complete(result) } else { result };
    let mut answer = Answer::immediate(request.result(&result));
    if tool == Tool::TaskStatistics && bugs.contains(Bug::Slow) {
        answer.delay = bugs.delay();
    }
    if tool == Tool::ListTasks && bugs.contains(Bug::Junk) {
        answer.junk = Some(JUNK);
    }
    Ok(Outcome::Answer(answer))
}

/// Adds what every result of the stateless era has.
fn complete(mut result: Value) -> Value {
    result["resultType"] = json!("complete");
    result["_meta"] = json!({ SERVER_INFO_KEY: server_info() });
    result
}

fn capabilities() -> Value {
    json!({ "tools": {} })
}

fn server_info() -> Value {
    json!({
        "name": "foolproof-example-server",
        "title": "Task store",
        "version": env!("CARGO_PKG_VERSION"),
    })
}
