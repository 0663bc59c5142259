//! The server over streamable HTTP: one message a POST to [`PATH`], answered with JSON, never with a
//! stream of events.
//!
//! Requests of the handshake era share the tasks of their session (`Mcp-Session-Id`); stateless
//! requests share the tasks of the server. Session ids are not secrets here: do not serve this on a
//! public address.

use std::{
    collections::BTreeMap,
    convert::Infallible,
    future::pending,
    io,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use bytes::Bytes;
use http_body_util::{BodyExt, Full, Limited};
use hyper::{
    HeaderMap, Method, Response, StatusCode,
    body::Incoming,
    header::{ALLOW, CONTENT_TYPE, HeaderValue},
    server::conn::http1,
    service::service_fn,
};
use hyper_util::rt::TokioIo;
use thiserror::Error;
use tokio::{net::TcpListener, task::JoinSet, time::sleep};

use super::{
    ExampleServer,
    dispatch::{self, Outcome},
    ids::IdGenerator,
    jsonrpc::{
        HEADER_MISMATCH, INVALID_REQUEST, METHOD_NOT_FOUND, Message, Request, RpcError,
        UNSUPPORTED_VERSION,
    },
    session::Session,
    versions::{Era, Eras, HANDSHAKE_VERSIONS, STATELESS_VERSION, stateless_version},
};

mod base64;
mod headers;

/// The path of the endpoint.
pub(super) const PATH: &str = "/mcp";

/// The largest body of a request, in bytes.
const BODY_LIMIT: usize = 16 << 20;

const SESSION_HEADER: &str = "mcp-session-id";

type HttpResponse = Response<Full<Bytes>>;

/// Accepts connections until that fails. Dropping the future ends every connection.
pub(super) async fn serve(server: &ExampleServer, listener: TcpListener) -> io::Result<Infallible> {
    let endpoint = Arc::new(Endpoint::new(server));
    let mut connections = JoinSet::new();
    loop {
        let (stream, _) = listener.accept().await?;
        let endpoint = Arc::clone(&endpoint);
        connections.spawn(async move {
            let service = service_fn(|request| endpoint.handle(request));
            // It ends with an error if the client goes away or the bug `crash` ends it.
            let _ = http1::Builder::new().serve_connection(TokioIo::new(stream), service).await;
        });
        // Frees the results of connections that ended.
        while connections.try_join_next().is_some() {}
    }
}

/// The bug `crash`: hyper closes a connection whose service fails.
#[derive(Debug, Error)]
#[error("the server crashed")]
struct Crashed;

/// What the connections share.
struct Endpoint {
    server: ExampleServer,
    /// The state of all stateless requests.
    stateless: Arc<Session>,
    /// The state of each session of the handshake era.
    sessions: Mutex<BTreeMap<String, Arc<Session>>>,
    ids: Mutex<IdGenerator>,
}

impl Endpoint {
    fn new(server: &ExampleServer) -> Self {
        Self {
            server: server.clone(),
            stateless: Arc::new(server.new_session()),
            sessions: Mutex::default(),
            ids: Mutex::new(IdGenerator::new(server.next_seed())),
        }
    }

    async fn handle(&self, request: hyper::Request<Incoming>) -> Result<HttpResponse, Crashed> {
        let (head, body) = request.into_parts();
        if head.uri.path() != PATH {
            return Ok(status(StatusCode::NOT_FOUND));
        }
        if !headers::has_local_origin(&head.headers) {
            return Ok(status(StatusCode::FORBIDDEN));
        }
        let has_sessions = self.server.eras.contains(Era::Handshake);
        if head.method == Method::DELETE && has_sessions {
            return Ok(self.end_session(&head.headers));
        }
        if head.method != Method::POST {
            let allowed = if has_sessions { "POST, DELETE" } else { "POST" };
            let mut response = status(StatusCode::METHOD_NOT_ALLOWED);
            response.headers_mut().insert(ALLOW, HeaderValue::from_static(allowed));
            return Ok(response);
        }
        if let Err(refused) = headers::check_content(&head.headers) {
            return Ok(status(refused));
        }
        let Ok(body) = Limited::new(body, BODY_LIMIT).collect().await else {
            return Ok(status(StatusCode::PAYLOAD_TOO_LARGE));
        };
        match Message::parse(&body.to_bytes()) {
            Ok(Message::Request(request)) => self.answer(&head.headers, &request).await,
            Ok(Message::Notification { .. } | Message::Response) => Ok(self.accept(&head.headers)),
            Err(rejection) => {
                Ok(json_response(StatusCode::BAD_REQUEST, &rejection.to_message().to_string()))
            }
        }
    }

    /// Answers a message that has no answer of its own.
    fn accept(&self, headers: &HeaderMap) -> HttpResponse {
        if self.server.eras == Eras::Stateless || self.has_stateless_header(headers) {
            return status(StatusCode::ACCEPTED);
        }
        match self.find_session(headers) {
            Ok(_) => status(StatusCode::ACCEPTED),
            Err((code, error)) => json_response(code, &error.to_message(None).to_string()),
        }
    }

    /// Whether the headers name the stateless revision and the server answers it.
    fn has_stateless_header(&self, headers: &HeaderMap) -> bool {
        self.server.eras.contains(Era::Stateless)
            && headers::version(headers) == Some(STATELESS_VERSION)
    }

    async fn answer(
        &self,
        headers: &HeaderMap,
        request: &Request,
    ) -> Result<HttpResponse, Crashed> {
        // The header alone shows that `_meta` was forgotten; `initialize` never has that field.
        let era = if self.has_stateless_header(headers) && request.method != "initialize" {
            Era::Stateless
        } else {
            self.server.eras.of(request)
        };
        match era {
            Era::Handshake => self.answer_in_session(headers, request).await,
            Era::Stateless => self.answer_stateless(headers, request).await,
        }
    }

    async fn answer_stateless(
        &self,
        headers: &HeaderMap,
        request: &Request,
    ) -> Result<HttpResponse, Crashed> {
        // An `initialize` has none of the headers, and gets an error with the versions.
        if request.method != "initialize" {
            let checked = stateless_version(request)
                .and_then(|version| headers::check(headers, request, version));
            if let Err(error) = checked {
                let message = error.to_message(Some(&request.id));
                return Ok(json_response(StatusCode::BAD_REQUEST, &message.to_string()));
            }
        }
        let outcome = dispatch::respond(&self.server, &self.stateless, Era::Stateless, request);
        self.send(&self.stateless, outcome, stateless_status).await
    }

    async fn answer_in_session(
        &self,
        headers: &HeaderMap,
        request: &Request,
    ) -> Result<HttpResponse, Crashed> {
        if request.method == "initialize" && !headers.contains_key(SESSION_HEADER) {
            return self.start_session(request).await;
        }
        let (id, session) = match self.find_session(headers) {
            Ok(found) => found,
            Err((code, error)) => {
                let message = error.to_message(Some(&request.id));
                return Ok(json_response(code, &message.to_string()));
            }
        };
        let outcome = dispatch::respond(&self.server, &session, Era::Handshake, request);
        let response = self.send(&session, outcome, |_| StatusCode::OK).await;
        if response.is_err() {
            self.sessions().remove(&id);
        }
        response
    }

    async fn start_session(&self, request: &Request) -> Result<HttpResponse, Crashed> {
        let session = Arc::new(self.server.new_session());
        let outcome = dispatch::respond(&self.server, &session, Era::Handshake, request);
        let mut response = self.send(&session, outcome, |_| StatusCode::OK).await?;
        if session.is_initialized() {
            let id = self.ids.lock().unwrap_or_else(PoisonError::into_inner).session();
            let value = HeaderValue::from_str(&id).expect("hexadecimal digits fit a header");
            response.headers_mut().insert(SESSION_HEADER, value);
            self.sessions().insert(id, session);
        }
        Ok(response)
    }

    fn end_session(&self, headers: &HeaderMap) -> HttpResponse {
        match self.find_session(headers) {
            Ok((id, _)) => {
                self.sessions().remove(&id);
                status(StatusCode::NO_CONTENT)
            }
            Err((code, error)) => json_response(code, &error.to_message(None).to_string()),
        }
    }

    /// The session that the headers name.
    fn find_session(
        &self,
        headers: &HeaderMap,
    ) -> Result<(String, Arc<Session>), (StatusCode, RpcError)> {
        let fail = |code, message: &str| {
            Err((code, RpcError::new(INVALID_REQUEST, format!("Invalid request: {message}"))))
        };
        if let Some(version) = headers::version(headers)
            && !HANDSHAKE_VERSIONS.contains(&version)
        {
            return fail(StatusCode::BAD_REQUEST, "unsupported `MCP-Protocol-Version`");
        }
        let Some(id) = headers.get(SESSION_HEADER) else {
            return fail(StatusCode::BAD_REQUEST, "`Mcp-Session-Id` is missing");
        };
        let id = String::from_utf8_lossy(id.as_bytes()).into_owned();
        match self.sessions().get(&id) {
            Some(session) => Ok((id, Arc::clone(session))),
            None => fail(StatusCode::NOT_FOUND, "there is no such session"),
        }
    }

    fn sessions(&self) -> MutexGuard<'_, BTreeMap<String, Arc<Session>>> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn send(
        &self,
        session: &Session,
        outcome: Outcome,
        status: fn(Option<i64>) -> StatusCode,
    ) -> Result<HttpResponse, Crashed> {
        match outcome {
            Outcome::Answer(answer) => {
                sleep(answer.delay).await;
                if session.is_frozen() {
                    return pending().await;
                }
                let junk = answer.junk.map(|line| format!("{line}\n")).unwrap_or_default();
                let body = format!("{junk}{}", answer.message);
                Ok(json_response(status(answer.error_code()), &body))
            }
            Outcome::Hang => pending().await,
            Outcome::Crash(line) => {
                self.server.on_crash.call(&line);
                Err(Crashed)
            }
        }
    }
}

/// The status that the revision 2026-07-28 asks for.
fn stateless_status(error_code: Option<i64>) -> StatusCode {
    match error_code {
        Some(METHOD_NOT_FOUND) => StatusCode::NOT_FOUND,
        Some(UNSUPPORTED_VERSION | HEADER_MISMATCH) => StatusCode::BAD_REQUEST,
        _ => StatusCode::OK,
    }
}

fn status(code: StatusCode) -> HttpResponse {
    let mut response = Response::new(Full::default());
    *response.status_mut() = code;
    response
}

fn json_response(code: StatusCode, body: &str) -> HttpResponse {
    let mut response = Response::new(Full::new(Bytes::copy_from_slice(body.as_bytes())));
    *response.status_mut() = code;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}
