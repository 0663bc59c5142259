//! How a connection begins: the probe for the era, and the handshake.

use std::fmt;

use serde_json::{Map, Value};
use thiserror::Error;

use super::{
    connection::Connection,
    endpoint::Endpoint,
    finding::{FindingKind, Findings},
    input::{capabilities, client_info},
    limits::Limits,
    log::WireLog,
    options::ConnectOptions,
    outcome::{CallEnd, ExitStatus, JsonRpcError},
    request::{InitializeParams, ListParams, Meta},
    revision::{Era, OFFERED, ProtocolChoice, Revision, STATELESS},
    session::Session,
    shape::discover_problem,
    transport::{Outgoing, Transport},
};

/// Codes that only servers of the stateless era use: header mismatch, missing client capability,
/// unsupported version.
const STATELESS_CODES: [i64; 3] = [-32020, -32021, UNSUPPORTED_VERSION];
const UNSUPPORTED_VERSION: i64 = -32022;

/// A connection that could not begin, with everything that was seen of the server.
#[derive(Error)]
#[error("{reason}")]
pub struct StartError {
    reason: StartFailure,
    seen: Box<Seen>,
}

struct Seen {
    log: WireLog,
    findings: Findings,
    stderr_tail: String,
}

/// Why a connection could not begin.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum StartFailure {
    /// The program could not be started, or the address is not usable.
    #[error("could not start {detail}")]
    CouldNotStart {
        /// What, and why.
        detail: String,
    },
    /// The process ended before it answered.
    #[error("the server ended before it answered: {status}")]
    Exited {
        /// How it ended.
        status: ExitStatus,
    },
    /// The connection ended before an answer, or an HTTP request failed.
    #[error("the connection failed: {detail}")]
    Closed {
        /// What happened.
        detail: String,
    },
    /// No answer arrived in time.
    #[error("no answer to `{method}` in time")]
    NoAnswer {
        /// The request that was not answered.
        method: &'static str,
    },
    /// The server answered with an error.
    #[error("the server refused `{method}`: {error}")]
    Refused {
        /// The request that was refused.
        method: &'static str,
        /// The error.
        error: JsonRpcError,
    },
    /// The answer cannot be used.
    #[error("the answer to `{method}` cannot be used: {detail}")]
    Protocol {
        /// The request that was answered.
        method: &'static str,
        /// What is wrong with the answer.
        detail: String,
    },
}

impl StartError {
    /// What happened.
    #[must_use]
    pub fn reason(&self) -> &StartFailure {
        &self.reason
    }

    /// The messages up to then.
    #[must_use]
    pub fn log(&self) -> &WireLog {
        &self.seen.log
    }

    /// What the server did against the protocol up to then.
    #[must_use]
    pub fn findings(&self) -> &Findings {
        &self.seen.findings
    }

    /// The end of what the process wrote to standard error.
    #[must_use]
    pub fn stderr_tail(&self) -> &str {
        &self.seen.stderr_tail
    }
}

impl fmt::Debug for StartError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StartError")
            .field("reason", &self.reason)
            .field("stderr_tail", &self.seen.stderr_tail)
            .finish_non_exhaustive()
    }
}

/// What a server says about itself.
#[derive(Default)]
pub(super) struct Introduction {
    pub(super) server_info: Value,
    pub(super) capabilities: Value,
    pub(super) instructions: Option<String>,
}

/// What the probe found.
enum Probed {
    Stateless(Introduction),
    Handshake,
}

/// Begins a connection in the era that the options choose, or that the server has.
pub(super) async fn open(
    endpoint: &Endpoint,
    options: &ConnectOptions,
) -> Result<Connection, StartError> {
    let mut session = Session::new(options);
    let mut transport = None;
    match begin(endpoint, options, &mut session, &mut transport).await {
        Ok((transport, introduction)) => {
            Ok(Connection::new(transport, session, options.clone(), introduction))
        }
        Err(reason) => {
            let mut stderr_tail = String::new();
            if let Some(transport) = &mut transport {
                transport.close(&mut session, options.close_timeout).await;
                stderr_tail = transport.stderr_tail();
            }
            let Session { log, findings, .. } = session;
            Err(StartError { reason, seen: Box::new(Seen { log, findings, stderr_tail }) })
        }
    }
}

/// `current` holds the transport of a connection that failed.
async fn begin(
    endpoint: &Endpoint,
    options: &ConnectOptions,
    session: &mut Session,
    current: &mut Option<Transport>,
) -> Result<(Transport, Introduction), StartFailure> {
    let transport = current.insert(Transport::connect(endpoint)?);
    let introduction = match options.protocol {
        ProtocolChoice::Handshake => handshake(transport, session, options).await?,
        ProtocolChoice::Stateless => match probe(transport, session, options).await? {
            Ok(Probed::Stateless(introduction)) => introduction,
            Ok(Probed::Handshake) => {
                let detail = format!("the server does not support revision {STATELESS}");
                return Err(StartFailure::Protocol { method: "server/discover", detail });
            }
            Err(failure) => return Err(failure),
        },
        ProtocolChoice::Auto => match probe(transport, session, options).await? {
            Ok(Probed::Stateless(introduction)) => introduction,
            Ok(Probed::Handshake) | Err(_) => {
                transport.close(session, options.close_timeout).await;
                session.begin_next_connection();
                let transport = current.insert(Transport::connect(endpoint)?);
                handshake(transport, session, options).await?
            }
        },
    };
    let transport = current.take().expect("it was inserted above");
    Ok((transport, introduction))
}

/// Sends `server/discover`. The inner error is a reason to try the handshake; the outer one is not.
async fn probe(
    transport: &mut Transport,
    session: &mut Session,
    options: &ConnectOptions,
) -> Result<Result<Probed, StartFailure>, StartFailure> {
    let method = "server/discover";
    session.era = Era::Stateless;
    session.revision = Revision::V2026_07_28;
    let meta = Meta { era: Era::Stateless, progress_token: None };
    let message = session.begin_request(method, None, &ListParams { cursor: None, meta });
    let outgoing = Outgoing { method: Some(method), call: None, message };
    let end = transport.request(session, outgoing, start_limits(options)).await;
    if let CallEnd::Refused(error) = &end
        && STATELESS_CODES.contains(&error.code)
    {
        if supports_handshake(error) {
            return Ok(Ok(Probed::Handshake));
        }
        return Err(failure(method, end));
    }
    let CallEnd::Answered(result) = end else { return Ok(Err(failure(method, end))) };
    let Value::Object(result) = result.into_raw() else {
        return Ok(Err(unusable(method, "`result` is no object")));
    };
    if let Some(problem) = discover_problem(&result) {
        return Ok(Err(unusable(method, &problem)));
    }
    let versions: Vec<&str> = versions(result.get("supportedVersions")).collect();
    if versions.contains(&STATELESS) {
        return Ok(Ok(Probed::Stateless(introduction(&result))));
    }
    if versions.iter().any(|version| Revision::from_name(version).has_handshake()) {
        return Ok(Ok(Probed::Handshake));
    }
    Err(unusable(method, &format!("the server supports only {}", versions.join(", "))))
}

fn supports_handshake(error: &JsonRpcError) -> bool {
    let supported = error.data.as_ref().and_then(|data| data.get("supported"));
    error.code == UNSUPPORTED_VERSION
        && versions(supported).any(|version| Revision::from_name(version).has_handshake())
}

fn versions(list: Option<&Value>) -> impl Iterator<Item = &str> {
    list.and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str)
}

/// Sends `initialize` and `notifications/initialized`.
async fn handshake(
    transport: &mut Transport,
    session: &mut Session,
    options: &ConnectOptions,
) -> Result<Introduction, StartFailure> {
    let method = "initialize";
    session.era = Era::Handshake;
    session.revision = Revision::V2025_11_25;
    let params = InitializeParams {
        protocol_version: OFFERED,
        capabilities: capabilities(),
        client_info: client_info(),
    };
    let message = session.begin_request(method, None, &params);
    let outgoing = Outgoing { method: Some(method), call: None, message };
    let limits = start_limits(options);
    let end = transport.request(session, outgoing, limits).await;
    let CallEnd::Answered(result) = end else { return Err(failure(method, end)) };
    let Value::Object(result) = result.into_raw() else {
        return Err(unusable(method, "`result` is no object"));
    };
    if let Some(name) = result.get("protocolVersion").and_then(Value::as_str) {
        let revision = Revision::from_name(name);
        if !revision.has_handshake() {
            session.found(FindingKind::UnknownRevision, || {
                format!("the server answered `initialize` with revision `{name}`")
            });
        }
        session.revision = revision;
    }
    transport.begin_operation(session, limits.end()).await;
    Ok(introduction(&result))
}

fn introduction(result: &Map<String, Value>) -> Introduction {
    let meta = result.get("_meta").and_then(|meta| meta.get("io.modelcontextprotocol/serverInfo"));
    let member = |name: &str| result.get(name).cloned();
    Introduction {
        server_info: member("serverInfo").or(meta.cloned()).unwrap_or_default(),
        capabilities: member("capabilities").unwrap_or_default(),
        instructions: result.get("instructions").and_then(Value::as_str).map(str::to_owned),
    }
}

fn start_limits(options: &ConnectOptions) -> Limits {
    Limits::new(options.start_timeout, 1)
}

fn unusable(method: &'static str, detail: &str) -> StartFailure {
    StartFailure::Protocol { method, detail: detail.to_owned() }
}

fn failure(method: &'static str, end: CallEnd) -> StartFailure {
    match end {
        CallEnd::Refused(error) => StartFailure::Refused { method, error },
        CallEnd::Crashed { status, .. } => StartFailure::Exited { status },
        CallEnd::Closed { detail } => StartFailure::Closed { detail },
        CallEnd::TimedOut => StartFailure::NoAnswer { method },
        CallEnd::Malformed { kind } => unusable(method, kind.code()),
        CallEnd::Answered(_) => unusable(method, "it was answered"),
    }
}
