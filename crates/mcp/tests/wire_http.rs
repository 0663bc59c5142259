//! Connections over HTTP, in both eras.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

#[path = "wire_support/http.rs"]
mod http;
mod wire_support;

use std::{
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

use foolproof_mcp::wire::{
    CallEnd, Channel, ConnectOptions, Connection, Endpoint, Era, FindingKind, ProtocolChoice,
    StartFailure, UrlEndpoint,
};
use http::{Received, Reply, Server, event};
use serde_json::{Value, json};
use wire_support::{
    answer, call_result, codes, discover_result, impatient, initialize_result, is_malformed,
    options,
};

/// What a server of the handshake era with a session does, except for calls.
fn handshake(request: &Received, on_call: impl FnOnce(&Value) -> Reply) -> Reply {
    match (request.verb.as_str(), request.method()) {
        ("POST", "initialize") => {
            Reply::json(answer(&request.message, initialize_result("2025-06-18")))
                .with("mcp-session-id", "s-1")
        }
        ("POST", "tools/call") => on_call(&request.message),
        ("POST", "tools/list") => Reply::json(answer(&request.message, json!({"tools": []}))),
        ("POST", "server/discover") => Reply::text(400, "text/plain", "what?"),
        ("POST", _) => Reply::status(202),
        ("DELETE", _) => Reply::status(200),
        _ => Reply::status(405),
    }
}

/// What a server of the stateless era does, except for calls.
fn stateless(request: &Received, on_call: impl FnOnce(&Received) -> Reply) -> Reply {
    match (request.verb.as_str(), request.method()) {
        ("POST", "server/discover") => Reply::json(answer(&request.message, discover_result())),
        ("POST", "tools/call") => on_call(request),
        ("POST", "tools/list") => {
            let region = json!({"type": "string", "x-mcp-header": "Region"});
            let level = json!({"type": "integer", "x-mcp-header": "Level"});
            let schema =
                json!({"properties": {"region": region, "a": {"properties": {"b": level}}}});
            let bad = json!({"properties": {"n": {"type": "number", "x-mcp-header": "N"}}});
            let tools = json!([
                {"name": "größe", "inputSchema": schema},
                {"name": "bad", "inputSchema": bad},
            ]);
            let list = json!({
                "resultType": "complete", "tools": tools, "ttlMs": 0, "cacheScope": "private",
            });
            Reply::json(answer(&request.message, list))
        }
        _ => Reply::status(405),
    }
}

async fn open(server: &Server) -> Connection {
    Connection::open(&server.endpoint(), &options()).await.unwrap()
}

fn is_ok(end: &CallEnd) -> bool {
    matches!(end, CallEnd::Answered(result) if !result.is_error())
}

/// How a call ends whose response is this, and what is found.
async fn call(
    reply: impl Fn(&Value) -> Reply + Send + Sync + 'static,
) -> (CallEnd, Vec<&'static str>) {
    call_with(&options(), reply).await
}

async fn call_with(
    options: &ConnectOptions,
    reply: impl Fn(&Value) -> Reply + Send + Sync + 'static,
) -> (CallEnd, Vec<&'static str>) {
    let server = Server::start(move |request| handshake(request, &reply)).await;
    let mut connection = Connection::open(&server.endpoint(), options).await.unwrap();
    let end = connection.call_tool("any", &json!({})).await;
    connection.settle(Duration::from_millis(50)).await;
    (end, codes(&mut connection))
}

#[tokio::test]
async fn the_handshake_has_a_session() {
    let server = Server::start(|request| {
        handshake(request, |call| Reply::json(answer(call, call_result())))
    })
    .await;
    let endpoint = UrlEndpoint {
        url: server.url.clone(),
        headers: vec![("X-Team".to_owned(), "a".to_owned())],
        bearer_token: Some("secret".to_owned()),
        ..UrlEndpoint::default()
    };
    assert!(!format!("{endpoint:?}").contains("secret"));
    let mut connection = Connection::open(&endpoint.into(), &options()).await.unwrap();
    assert!(is_ok(&connection.call_tool("any", &json!({})).await));
    connection.close().await;
    assert_eq!(codes(&mut connection), Vec::<&str>::new());

    let received = server.received();
    let first = &received[0];
    assert_eq!(first.method(), "initialize");
    assert_eq!(first.header("mcp-session-id"), None);
    assert_eq!(first.header("mcp-protocol-version"), None);
    for request in &received {
        assert_eq!(request.header("x-team"), Some("a"));
        assert_eq!(request.header("authorization"), Some("Bearer secret"));
        assert_eq!(request.header("mcp-method"), None);
        if request.verb == "POST" {
            assert_eq!(request.header("accept"), Some("application/json, text/event-stream"));
            assert_eq!(request.header("content-type"), Some("application/json"));
        }
    }
    for request in &received[1..] {
        assert_eq!(request.header("mcp-session-id"), Some("s-1"));
        assert_eq!(request.header("mcp-protocol-version"), Some("2025-06-18"));
    }
    let summary = server.summary();
    assert_eq!(summary[..2], ["POST initialize", "POST notifications/initialized"]);
    assert_eq!(summary.last().unwrap(), "DELETE");
    assert!(summary.contains(&"GET".to_owned()));

    let log = serde_json::to_string(connection.log()).unwrap();
    assert!(!log.contains("secret"));
    let mut statuses = Vec::new();
    for entry in connection.log().entries() {
        if let Channel::HttpResponse { status } = entry.channel {
            statuses.push(status);
        }
    }
    assert_eq!(statuses, [200, 202, 200, 200]);
}

#[tokio::test]
async fn events_carry_notifications_and_requests_before_the_answer() {
    let waiting = Arc::new(Mutex::new(None));
    let server = Server::start(move |request| {
        let is_reply = request.message.get("result").is_some();
        if is_reply {
            let (sender, call): (tokio::sync::mpsc::UnboundedSender<_>, Value) =
                waiting.lock().unwrap().take().unwrap();
            let result = json!({"content": [], "structuredContent": request.message["result"]});
            sender.send(event(&answer(&call, result))).unwrap();
            return Reply::status(202);
        }
        handshake(request, |call| {
            let (sender, reply) = Reply::events();
            sender.send(": keep-alive\n\n".into()).unwrap();
            let note = json!({"jsonrpc": "2.0", "method": "notifications/message", "params": {}});
            sender.send(event(&note.to_string())).unwrap();
            let ask = json!({"jsonrpc": "2.0", "id": "r", "method": "roots/list"});
            sender.send(event(&ask.to_string())).unwrap();
            *waiting.lock().unwrap() = Some((sender, call.clone()));
            reply
        })
    })
    .await;
    let mut connection = open(&server).await;
    let end = connection.call_tool("any", &json!({})).await;
    let CallEnd::Answered(result) = end else { panic!("{end}") };
    assert_eq!(result.structured_content(), Some(&json!({"roots": []})));
    assert!(codes(&mut connection).is_empty());
    let events = connection.log().entries().filter(|entry| entry.channel == Channel::Event);
    assert_eq!(events.count(), 4);
}

#[tokio::test]
async fn the_stream_of_the_server_is_read_and_answered() {
    let (sender, reply) = Reply::events();
    let reply = Mutex::new(Some(reply));
    let server = Server::start(move |request| {
        if request.verb == "GET" {
            assert_eq!(request.header("accept"), Some("text/event-stream"));
            return reply.lock().unwrap().take().unwrap();
        }
        handshake(request, |call| Reply::json(answer(call, call_result())))
    })
    .await;
    let mut connection = open(&server).await;
    let ping = json!({"jsonrpc": "2.0", "id": 1, "method": "ping"});
    sender.send(event(&ping.to_string())).unwrap();
    sender.send(event("noise")).unwrap();
    connection.settle(Duration::from_millis(300)).await;
    assert_eq!(codes(&mut connection), ["not_json"]);
    assert!(is_ok(&connection.call_tool("any", &json!({})).await));
    let received = server.received();
    assert!(received.iter().any(|request| request.message["result"] == json!({})), "{received:?}");
}

#[tokio::test]
async fn messages_after_the_answer_are_found() {
    let (end, found) = call(|request| {
        Reply::event_list([answer(request, call_result()), answer(request, call_result())])
    })
    .await;
    assert!(is_ok(&end), "{end}");
    assert_eq!(found, ["duplicate_answer"]);
}

#[tokio::test]
async fn http_failures_are_described() {
    let closed = |end: CallEnd| {
        let CallEnd::Closed { detail } = end else { panic!("{end}") };
        detail
    };
    let (end, found) = call(|_| Reply::text(404, "application/json", "{}")).await;
    assert_eq!(closed(end), "404 Not Found: the session has expired");
    assert!(found.is_empty());

    let (end, _) = call(|_| Reply::text(500, "text/plain", "oops")).await;
    assert!(closed(end).ends_with(": oops"));

    let (end, _) = call(|_| Reply::status(302).with("location", "http://example.com")).await;
    assert!(closed(end).contains("http://example.com"));

    let (end, found) = call(|_| Reply::status(202)).await;
    assert_eq!(closed(end), "202 Accepted without an answer");
    assert_eq!(found, ["unexpected_status"]);

    let (end, found) = call(|_| Reply::text(200, "text/html", "<p>hello")).await;
    assert!(is_malformed(&end, FindingKind::UnexpectedContentType), "{end}");
    assert_eq!(found, ["unexpected_content_type"]);

    let (end, found) = call(|_| Reply::json(r#"{"jsonrpc": "2.0", "id": 99, "result": {}}"#)).await;
    assert_eq!(closed(end), "the response does not answer the request");
    assert_eq!(found, ["unknown_id"]);

    let (end, _) = call(|_| Reply::event_list([])).await;
    assert!(closed(end).ends_with("ended without an answer"));
}

#[tokio::test]
async fn an_error_body_without_an_id_is_a_refusal() {
    let (end, found) = call(|_| {
        let error = json!({"code": -32000, "message": "Bad Request"});
        let body = json!({"jsonrpc": "2.0", "id": null, "error": error});
        Reply::text(400, "application/json", body.to_string())
    })
    .await;
    let CallEnd::Refused(error) = end else { panic!("{end}") };
    assert_eq!(error.code, -32000);
    assert!(found.is_empty());
}

#[tokio::test]
async fn huge_bodies_and_endless_streams_are_bounded() {
    let (end, found) = call(|request| {
        let text = "x".repeat(17 * 1024 * 1024);
        Reply::json(answer(request, json!({"content": [{"type": "text", "text": text}]})))
    })
    .await;
    assert!(is_malformed(&end, FindingKind::Oversized), "{end}");
    assert_eq!(found, ["oversized"]);

    let begun = Instant::now();
    let (end, found) = call_with(&impatient(), |_| {
        let (sender, reply) = Reply::events();
        tokio::spawn(async move {
            let many = "data: junk\n\n".repeat(1_000);
            while sender.send(many.clone().into()).is_ok() {
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
        });
        reply
    })
    .await;
    assert_eq!(end, CallEnd::TimedOut);
    assert_eq!(found.len(), 16);
    assert!(begun.elapsed() < Duration::from_secs(5));
}

#[tokio::test]
async fn a_call_that_times_out_is_cancelled_and_its_late_answer_is_found() {
    let waiting = Arc::new(Mutex::new(None));
    let server = Server::start(move |request| {
        if request.method() == "notifications/cancelled" {
            let (sender, call): (tokio::sync::mpsc::UnboundedSender<_>, Value) =
                waiting.lock().unwrap().take().unwrap();
            assert_eq!(request.message["params"]["requestId"], call["id"]);
            sender.send(event(&answer(&call, call_result()))).unwrap();
        }
        handshake(request, |call| {
            let (sender, reply) = Reply::events();
            *waiting.lock().unwrap() = Some((sender, call.clone()));
            reply
        })
    })
    .await;
    let mut connection = Connection::open(&server.endpoint(), &impatient()).await.unwrap();
    assert_eq!(connection.call_tool("slow", &json!({})).await, CallEnd::TimedOut);
    assert!(connection.is_responsive(Duration::from_secs(5)).await);
    connection.settle(Duration::from_millis(100)).await;
    assert_eq!(codes(&mut connection), ["late_answer"]);
}

#[tokio::test]
async fn an_event_without_an_end_answers_nothing() {
    let (end, found) = call(|request| {
        let (sender, reply) = Reply::events();
        // A blank line would end it.
        sender.send(format!("data: {}\n", answer(request, call_result())).into()).unwrap();
        reply
    })
    .await;
    let CallEnd::Closed { detail } = end else { panic!("{end}") };
    assert!(detail.ends_with("ended without an answer"), "{detail}");
    assert_eq!(found, ["cut_off"]);
}

#[tokio::test]
async fn a_call_ends_after_three_times_its_limit_whatever_arrives() {
    let limit = Duration::from_millis(300);
    for method in ["notifications/progress", "ping"] {
        let server = Server::start(move |request| {
            if request.message.get("result").is_some() {
                // The reply to `ping` is never accepted to its end.
                let (sender, reply) = Reply::events();
                tokio::spawn(async move { sender.closed().await });
                return reply;
            }
            handshake(request, |call| {
                let (sender, reply) = Reply::events();
                let params = json!({"progressToken": call["id"], "progress": 1});
                let mut message = json!({"jsonrpc": "2.0", "method": method, "params": params});
                if method == "ping" {
                    message["id"] = json!("p");
                }
                tokio::spawn(async move {
                    while sender.send(event(&message.to_string())).is_ok() {
                        tokio::time::sleep(Duration::from_millis(20)).await;
                    }
                });
                reply
            })
        })
        .await;
        let options = ConnectOptions { call_timeout: limit, ..options() };
        let mut connection = Connection::open(&server.endpoint(), &options).await.unwrap();
        let begun = Instant::now();
        assert_eq!(connection.call_tool("any", &json!({})).await, CallEnd::TimedOut, "{method}");
        let took = begun.elapsed();
        let least = if method == "ping" { limit } else { 3 * limit };
        assert!(took >= least && took < 5 * limit, "{method}: {took:?}");
        let begun = Instant::now();
        connection.is_responsive(limit).await;
        assert!(begun.elapsed() < 3 * limit, "{method}: {:?}", begun.elapsed());
    }
}

#[tokio::test]
async fn a_notification_that_is_never_accepted_takes_no_longer_than_the_start() {
    let server = Server::start(|request| {
        if request.method().starts_with("notifications/") {
            let (sender, reply) = Reply::events();
            tokio::spawn(async move { sender.closed().await });
            return reply;
        }
        handshake(request, |call| Reply::json(answer(call, call_result())))
    })
    .await;
    let options = ConnectOptions { start_timeout: Duration::from_millis(500), ..options() };
    let begun = Instant::now();
    let mut connection = Connection::open(&server.endpoint(), &options).await.unwrap();
    assert!(begun.elapsed() < Duration::from_secs(2), "{:?}", begun.elapsed());
    assert_eq!(codes(&mut connection), ["unexpected_status"]);
}

#[tokio::test]
async fn a_stream_that_breaks_off_is_resumed() {
    let call = Arc::new(Mutex::new(Value::Null));
    let server = Server::start(move |request| {
        if request.verb == "GET"
            && let Some(id) = request.header("last-event-id")
        {
            assert_eq!(id, "e-1");
            return Reply::event_list([answer(&call.lock().unwrap(), call_result())]);
        }
        handshake(request, |request| {
            *call.lock().unwrap() = request.clone();
            let (sender, reply) = Reply::events();
            sender.send("id: e-1\nretry: 10\ndata:\n\n".into()).unwrap();
            reply
        })
    })
    .await;
    let mut connection = open(&server).await;
    let end = connection.call_tool("any", &json!({})).await;
    assert!(is_ok(&end), "{end}");
    assert!(codes(&mut connection).is_empty());
}

#[tokio::test]
async fn other_statuses_of_notifications_and_streams_are_found() {
    let server = Server::start(|request| match (request.verb.as_str(), request.method()) {
        ("GET", _) => Reply::text(404, "text/plain", "no"),
        (_, "notifications/initialized") => Reply::status(200),
        _ => handshake(request, |call| Reply::json(answer(call, call_result()))),
    })
    .await;
    let mut connection = open(&server).await;
    assert!(is_ok(&connection.call_tool("any", &json!({})).await));
    connection.settle(Duration::from_millis(100)).await;
    assert_eq!(codes(&mut connection), ["unexpected_status", "unexpected_status"]);
}

#[tokio::test]
async fn the_stateless_era_repeats_parts_of_a_request_in_headers() {
    let server = Server::start(|request| {
        stateless(request, |request| {
            let result = json!({"resultType": "complete", "content": [], "structuredContent": 1});
            Reply::event_list([answer(&request.message, result)])
        })
    })
    .await;
    let options = ConnectOptions { protocol: ProtocolChoice::Auto, ..options() };
    let mut connection = Connection::open(&server.endpoint(), &options).await.unwrap();
    assert_eq!(connection.era(), Era::Stateless);
    let tools = connection.list_tools().await.unwrap();
    assert_eq!(tools.len(), 1);
    assert_eq!(codes(&mut connection), ["invalid_header_annotation"]);
    let arguments = json!({"region": " eu", "a": {"b": 7}});
    assert!(is_ok(&connection.call_tool("größe", &arguments).await));
    connection.close().await;
    assert!(codes(&mut connection).is_empty());

    let received = server.received();
    assert_eq!(server.summary(), ["POST server/discover", "POST tools/list", "POST tools/call"]);
    for request in &received {
        assert_eq!(request.header("mcp-protocol-version"), Some("2026-07-28"));
        assert_eq!(request.header("mcp-method"), Some(request.method()));
        let meta = &request.message["params"]["_meta"];
        assert_eq!(meta["io.modelcontextprotocol/protocolVersion"], "2026-07-28");
    }
    assert_eq!(received[2].header("mcp-name"), Some("=?base64?Z3LDtsOfZQ==?="));
    assert_eq!(received[2].header("mcp-param-region"), Some("=?base64?IGV1?="));
    assert_eq!(received[2].header("mcp-param-level"), Some("7"));
    assert_eq!(received[1].header("mcp-name"), None);
}

#[tokio::test]
async fn required_input_is_given_over_http() {
    let server = Server::start(|request| {
        stateless(request, |request| {
            let result = if request.message["params"].get("inputResponses").is_some() {
                json!({"resultType": "complete", "content": []})
            } else {
                let requests = json!({"a": {"method": "roots/list"}});
                json!({"resultType": "input_required", "inputRequests": requests})
            };
            Reply::json(answer(&request.message, result))
        })
    })
    .await;
    let options = ConnectOptions { protocol: ProtocolChoice::Stateless, ..options() };
    let mut connection = Connection::open(&server.endpoint(), &options).await.unwrap();
    assert!(is_ok(&connection.call_tool("any", &json!({})).await));
    assert!(codes(&mut connection).is_empty());
}

#[tokio::test]
async fn the_stateless_era_cancels_by_ending_the_response() {
    let (ended, mut ends) = tokio::sync::mpsc::unbounded_channel();
    let server = Server::start(move |request| {
        let ended = ended.clone();
        stateless(request, |_| {
            let (sender, reply) = Reply::events();
            tokio::spawn(async move {
                sender.closed().await;
                ended.send(()).unwrap();
            });
            reply
        })
    })
    .await;
    let options = ConnectOptions { protocol: ProtocolChoice::Stateless, ..impatient() };
    let mut connection = Connection::open(&server.endpoint(), &options).await.unwrap();
    assert_eq!(connection.call_tool("slow", &json!({})).await, CallEnd::TimedOut);
    ends.recv().await.unwrap();
    assert!(!server.summary().contains(&"POST notifications/cancelled".to_owned()));
}

#[tokio::test]
async fn errors_of_the_stateless_era_come_with_a_status() {
    let server = Server::start(|request| {
        stateless(request, |request| {
            let (status, code) = match request.message["params"]["name"].as_str() {
                Some("header") => (400, -32020),
                _ => (404, -32601),
            };
            let error = json!({"code": code, "message": "no"});
            let answer = json!({"jsonrpc": "2.0", "id": request.message["id"], "error": error});
            Reply::text(status, "application/json", answer.to_string())
        })
    })
    .await;
    let options = ConnectOptions { protocol: ProtocolChoice::Stateless, ..options() };
    let mut connection = Connection::open(&server.endpoint(), &options).await.unwrap();
    for (name, code) in [("header", -32020), ("method", -32601)] {
        let end = connection.call_tool(name, &json!({})).await;
        let CallEnd::Refused(error) = end else { panic!("{end}") };
        assert_eq!(error.code, code);
    }
    assert!(codes(&mut connection).is_empty());
}

#[tokio::test]
async fn a_server_of_the_handshake_era_is_recognised() {
    let server = Server::start(|request| {
        handshake(request, |call| Reply::json(answer(call, call_result())))
    })
    .await;
    let options = ConnectOptions { protocol: ProtocolChoice::Auto, ..options() };
    let mut connection = Connection::open(&server.endpoint(), &options).await.unwrap();
    assert_eq!(connection.era(), Era::Handshake);
    assert!(is_ok(&connection.call_tool("any", &json!({})).await));
    assert!(codes(&mut connection).is_empty());
    assert_eq!(server.summary()[..2], ["POST server/discover", "POST initialize"]);
}

#[tokio::test]
async fn a_start_that_fails_says_why() {
    let server = Server::start(|_| Reply::text(401, "text/plain", "no token")).await;
    let options = ConnectOptions { protocol: ProtocolChoice::Auto, ..options() };
    let error = Connection::open(&server.endpoint(), &options).await.unwrap_err();
    let StartFailure::Closed { detail } = error.reason() else { panic!("{error}") };
    assert!(detail.starts_with("401 Unauthorized") && detail.ends_with("no token"), "{detail}");

    let refused = Endpoint::url("http://127.0.0.1:1/mcp");
    let error = Connection::open(&refused, &options).await.unwrap_err();
    assert!(error.to_string().contains("refused"), "{error}");

    for url in ["ftp://example.com", "not a url", "/mcp"] {
        let error = Connection::open(&Endpoint::url(url), &options).await.unwrap_err();
        assert!(matches!(error.reason(), StartFailure::CouldNotStart { .. }), "{error}");
    }
}
