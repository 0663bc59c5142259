//! The example server over HTTP.

use std::time::Duration;

use bytes::Bytes;
use foolproof_mcp::example_server::{Bug, Bugs, Eras, ExampleServer};
use http_body_util::{BodyExt, Full};
use hyper::{Method, StatusCode};
use hyper_util::rt::TokioIo;
use serde_json::{Value, json};
use tokio::{
    net::{TcpListener, TcpStream},
    task::JoinHandle,
    time::timeout,
};

use crate::{Era, Published, initialize_params, meta};

/// A server over HTTP, which ends when this is dropped.
struct Http {
    address: std::net::SocketAddr,
    served: JoinHandle<()>,
}

/// An HTTP answer.
struct Answer {
    status: StatusCode,
    session: Option<String>,
    body: String,
}

impl Answer {
    fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap()
    }

    fn error(&self) -> (u16, i64) {
        (self.status.as_u16(), self.json()["error"]["code"].as_i64().unwrap())
    }
}

impl Drop for Http {
    fn drop(&mut self) {
        self.served.abort();
    }
}

type Headers<'h> = &'h [(&'h str, &'h str)];

impl Http {
    async fn start(server: ExampleServer) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let address = listener.local_addr().unwrap();
        let served = tokio::spawn(async move {
            server.serve_http(listener).await.unwrap();
        });
        Self { address, served }
    }

    /// Sends one request on a connection of its own; `None` if that ends without an answer.
    async fn send(&self, method: Method, headers: Headers<'_>, body: &str) -> Option<Answer> {
        let stream = TcpStream::connect(self.address).await.unwrap();
        let (mut sender, connection) =
            hyper::client::conn::http1::handshake(TokioIo::new(stream)).await.unwrap();
        tokio::spawn(connection);
        let mut request = hyper::Request::builder()
            .method(method)
            .uri(ExampleServer::HTTP_PATH)
            .header("host", "localhost")
            .header("content-type", "application/json")
            .header("accept", "application/json, text/event-stream");
        for (name, value) in headers {
            request.headers_mut().unwrap().remove(*name);
            request = request.header(*name, *value);
        }
        let request = request.body(Full::new(Bytes::copy_from_slice(body.as_bytes()))).unwrap();
        let response = sender.send_request(request).await.ok()?;
        let session = response.headers().get("mcp-session-id");
        let session = session.map(|id| id.to_str().unwrap().to_owned());
        let status = response.status();
        let body = response.into_body().collect().await.unwrap().to_bytes();
        Some(Answer { status, session, body: String::from_utf8(body.to_vec()).unwrap() })
    }

    async fn post(&self, headers: Headers<'_>, method: &str, params: Value) -> Answer {
        let body = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
        self.send(Method::POST, headers, &body.to_string()).await.unwrap()
    }

    /// Starts a session of the handshake era; returns its id.
    async fn initialize(&self) -> String {
        let answer = self.post(&[], "initialize", initialize_params("2025-11-25")).await;
        assert_eq!(answer.status, StatusCode::OK);
        answer.session.unwrap()
    }

    async fn call(&self, session: &str, tool: &str, arguments: Value) -> Answer {
        let params = json!({ "name": tool, "arguments": arguments });
        self.post(&[("mcp-session-id", session)], "tools/call", params).await
    }

    /// A stateless request with its headers.
    async fn stateless(&self, method: &str, params: Value) -> Answer {
        let name = params["name"].as_str().unwrap_or_default().to_owned();
        let mut headers = vec![("mcp-protocol-version", "2026-07-28"), ("mcp-method", method)];
        if method == "tools/call" {
            headers.push(("mcp-name", &name));
        }
        self.post(&headers, method, Era::Stateless.complete(params)).await
    }
}

#[tokio::test]
async fn http_sessions_of_the_handshake_era_have_their_own_tasks() {
    let http = Http::start(ExampleServer::new(Bugs::none())).await;
    let (first, second) = (http.initialize().await, http.initialize().await);
    assert_ne!(first, second);
    let initialized = r#"{"jsonrpc": "2.0", "method": "notifications/initialized"}"#;
    let headers = [("mcp-session-id", first.as_str()), ("mcp-protocol-version", "2025-11-25")];
    let accepted = http.send(Method::POST, &headers, initialized).await.unwrap();
    assert_eq!((accepted.status, accepted.body.as_str()), (StatusCode::ACCEPTED, ""));

    let created = http.call(&first, "create_task", json!({ "title": "a" })).await.json();
    let id = &created["result"]["structuredContent"]["id"];
    let found = http.call(&first, "get_task", json!({ "id": id })).await.json();
    assert_eq!(found["result"]["structuredContent"]["title"], "a");
    let missing = http.call(&second, "get_task", json!({ "id": id })).await.json();
    assert_eq!(missing["result"]["isError"], true);

    let ended = http.send(Method::DELETE, &headers, "").await.unwrap();
    assert_eq!(ended.status, StatusCode::NO_CONTENT);
    assert_eq!(http.call(&first, "list_tasks", json!({})).await.error(), (404, -32600));
}

#[tokio::test]
async fn http_refuses_requests_that_break_the_transport() {
    let http = Http::start(ExampleServer::new(Bugs::none())).await;
    assert_eq!(http.post(&[], "tools/list", json!({})).await.error(), (400, -32600));
    let session = http.initialize().await;
    let wrong_version = [("mcp-session-id", session.as_str()), ("mcp-protocol-version", "1900")];
    assert_eq!(http.post(&wrong_version, "tools/list", json!({})).await.error(), (400, -32600));
    assert_eq!(http.send(Method::POST, &[], "{").await.unwrap().error(), (400, -32700));

    let status = async |method, headers| http.send(method, headers, "{}").await.unwrap().status;
    assert_eq!(status(Method::GET, &[]).await, StatusCode::METHOD_NOT_ALLOWED);
    let origin = [("origin", "http://example.com")];
    assert_eq!(status(Method::POST, &origin).await, StatusCode::FORBIDDEN);
    let accept = [("accept", "application/json")];
    assert_eq!(status(Method::POST, &accept).await, StatusCode::NOT_ACCEPTABLE);
    let content = [("content-type", "text/plain")];
    assert_eq!(status(Method::POST, &content).await, StatusCode::UNSUPPORTED_MEDIA_TYPE);
}

#[tokio::test]
async fn http_serves_stateless_requests() {
    let http = Http::start(ExampleServer::new(Bugs::none())).await;
    let discovered = http.stateless("server/discover", json!({})).await;
    assert_eq!(discovered.session, None);
    let discovered = discovered.json();
    assert_eq!(discovered["result"]["supportedVersions"], json!(["2026-07-28"]));
    if let Some(published) = Published::load(Era::Stateless) {
        published.check("DiscoverResultResponse", &discovered);
    }
    let create = json!({ "name": "create_task", "arguments": { "title": "a" } });
    let created = http.stateless("tools/call", create).await.json();
    let id = &created["result"]["structuredContent"]["id"];
    // Another connection, and the same tasks.
    let get = json!({ "name": "get_task", "arguments": { "id": id } });
    let found = http.stateless("tools/call", get).await.json();
    assert_eq!(found["result"]["structuredContent"]["title"], "a");
}

#[tokio::test]
async fn http_checks_the_headers_of_stateless_requests() {
    let http = Http::start(ExampleServer::new(Bugs::none())).await;
    let version = ("mcp-protocol-version", "2026-07-28");
    let params = Era::Stateless.complete(json!({}));
    let list = async |headers: Headers<'_>| http.post(headers, "tools/list", params.clone()).await;
    assert_eq!(list(&[]).await.error(), (400, -32020));
    assert_eq!(list(&[version]).await.error(), (400, -32020));
    assert_eq!(list(&[version, ("mcp-method", "tools/call")]).await.error(), (400, -32020));
    assert_eq!(list(&[version, ("mcp-method", "tools/list")]).await.status, StatusCode::OK);

    let without_meta = http.post(&[version], "tools/list", json!({})).await;
    assert_eq!(without_meta.error(), (400, -32602));
    assert_eq!(http.stateless("ping", json!({})).await.error(), (404, -32601));
    let unknown = [("mcp-protocol-version", "1900-01-01"), ("mcp-method", "tools/list")];
    let answer = http.post(&unknown, "tools/list", json!({ "_meta": meta("1900-01-01") })).await;
    assert_eq!(answer.error(), (400, -32022));

    let arguments = json!({ "id": "a", "to": { "project": "home", "position": 0 } });
    let call = Era::Stateless.complete(json!({ "name": "move_task", "arguments": arguments }));
    let mut headers = vec![version, ("mcp-method", "tools/call"), ("mcp-name", "move_task")];
    assert_eq!(http.post(&headers, "tools/call", call.clone()).await.error(), (400, -32020));
    headers.push(("mcp-param-project", "home"));
    assert_eq!(http.post(&headers, "tools/call", call).await.status, StatusCode::OK);
}

#[tokio::test]
async fn http_servers_of_one_era_refuse_the_other() {
    let stateless = Http::start(ExampleServer::new(Bugs::none()).with_eras(Eras::Stateless)).await;
    let initialized = stateless.post(&[], "initialize", initialize_params("2025-11-25")).await;
    assert_eq!(initialized.error(), (400, -32022));
    let deleted = stateless.send(Method::DELETE, &[], "").await.unwrap();
    assert_eq!(deleted.status, StatusCode::METHOD_NOT_ALLOWED);

    let handshake = Http::start(ExampleServer::new(Bugs::none()).with_eras(Eras::Handshake)).await;
    let refused = handshake.stateless("server/discover", json!({})).await;
    assert_eq!(refused.error(), (400, -32600));
}

#[tokio::test]
async fn bugs_show_over_http() {
    let bugs: Bugs = "stale-read,crash,junk,hang".parse().unwrap();
    let http = Http::start(ExampleServer::new(bugs)).await;
    let session = http.initialize().await;
    let created = http.call(&session, "create_task", json!({ "title": "a" })).await.json();
    let id = &created["result"]["structuredContent"]["id"];
    let listed = http.call(&session, "list_tasks", json!({})).await;
    assert!(serde_json::from_str::<Value>(&listed.body).is_err(), "{}", listed.body);

    let headers = [("mcp-session-id", session.as_str())];
    let call = |tool: &str, arguments: Value| {
        let params = json!({ "name": tool, "arguments": arguments });
        json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params }).to_string()
    };
    let hanging = call("search_tasks", json!({ "query": "b" }));
    tokio::select! {
        biased;
        answer = http.send(Method::POST, &headers, &hanging) => panic!("{}", answer.is_some()),
        answer = http.call(&session, "get_task", json!({ "id": id })) => {
            assert_eq!(answer.json()["result"]["isError"], false);
        }
    }
    http.call(&session, "delete_task", json!({ "id": id })).await;
    let stale = http.call(&session, "get_task", json!({ "id": id })).await.json();
    assert_eq!(stale["result"]["structuredContent"]["title"], Value::Null);

    let created = http.call(&session, "create_task", json!({ "title": "a" })).await.json();
    let id = &created["result"]["structuredContent"]["id"];
    let crashing = call("set_reminder", json!({ "id": id, "minutes": 1000 }));
    assert!(http.send(Method::POST, &headers, &crashing).await.is_none());
    assert_eq!(http.call(&session, "list_tasks", json!({})).await.error(), (404, -32600));
    http.initialize().await;
}

#[tokio::test]
async fn slow_and_hanging_calls_over_http_leave_other_requests_answered() {
    let bugs: Bugs = "slow,hang".parse().unwrap();
    let http = Http::start(ExampleServer::new(bugs)).await;
    let session = http.initialize().await;
    tokio::select! {
        biased;
        _ = http.call(&session, "task_statistics", json!({})) => panic!("it answered at once"),
        _ = http.call(&session, "search_tasks", json!({ "query": "" })) => panic!("it answered"),
        answer = http.call(&session, "list_tasks", json!({})) => {
            assert_eq!(answer.status, StatusCode::OK);
        }
    }
}

#[tokio::test]
async fn frozen_over_http_freezes_the_session() {
    let http = Http::start(ExampleServer::new(Bug::Frozen.into())).await;
    let (frozen, other) = (http.initialize().await, http.initialize().await);
    let mut freeze = Box::pin(http.call(&frozen, "search_tasks", json!({ "query": "" })));
    // Requests may be answered until the one that freezes the session has arrived.
    loop {
        let list = http.call(&frozen, "list_tasks", json!({}));
        tokio::select! {
            biased;
            _ = &mut freeze => panic!("it answered"),
            answer = timeout(Duration::from_millis(200), list) => if answer.is_err() { break },
        }
    }
    assert_eq!(http.call(&other, "list_tasks", json!({})).await.status, StatusCode::OK);
}
