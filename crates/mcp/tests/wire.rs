//! Connections to servers over pipes: what arrives, what is found, and how calls end.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod wire_support;

use std::{
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

use foolproof_mcp::wire::{
    CallEnd, ConnectOptions, Connection, Direction, Era, FindingKind, LogLimits, ProtocolChoice,
    Revision, StartFailure,
};
use serde_json::{Value, json};
use wire_support::{
    answer, call, call_result, codes, discover_result, impatient, initialize_result, is_malformed,
    lines, open, options, pipe,
};

fn is_ok(end: &CallEnd) -> bool {
    matches!(end, CallEnd::Answered(result) if !result.is_error())
}

#[tokio::test]
async fn a_call_is_answered() {
    let endpoint = lines(|request| {
        let arguments = request["params"]["arguments"].clone();
        vec![answer(request, json!({"content": [], "structuredContent": arguments}))]
    });
    let mut connection = open(&endpoint).await;
    assert_eq!(connection.era(), Era::Handshake);
    assert_eq!(*connection.revision(), Revision::V2025_11_25);
    assert_eq!(connection.server_info()["name"], "fake");
    assert_eq!(connection.server_capabilities(), &json!({"tools": {}}));
    for index in 0..10 {
        let end = connection.call_tool("echo", &json!({"index": index})).await;
        let CallEnd::Answered(result) = end else { panic!("{end}") };
        assert_eq!(result.structured_content(), Some(&json!({"index": index})));
        assert!(result.content().is_empty());
    }
    assert_eq!(connection.close().await, None);
    assert_eq!(codes(&mut connection), Vec::<&str>::new());
    let end = connection.call_tool("echo", &json!({})).await;
    assert!(matches!(end, CallEnd::Closed { .. }), "{end}");
}

#[tokio::test]
async fn an_error_answer_is_a_refusal() {
    let (end, codes) = call(|request| {
        let error = json!({"code": -32602, "message": "unknown tool", "data": [1]});
        vec![json!({"jsonrpc": "2.0", "id": request["id"], "error": error}).to_string()]
    })
    .await;
    let CallEnd::Refused(error) = end else { panic!("{end}") };
    assert_eq!((error.code, error.message.as_str()), (-32602, "unknown tool"));
    assert_eq!(error.data, Some(json!([1])));
    assert!(codes.is_empty());
}

#[tokio::test]
async fn noise_is_found_and_the_call_goes_on() {
    let (end, codes) = call(|request| {
        let noise = ["Listening on stdio", "", "[]", "3", r#"{"jsonrpc": "2.0"}"#];
        let mut lines: Vec<String> = noise.iter().map(ToString::to_string).collect();
        lines.push(answer(request, call_result()));
        lines
    })
    .await;
    assert!(is_ok(&end), "{end}");
    assert_eq!(codes, ["not_json", "not_json", "batch", "invalid_message", "invalid_message"]);
}

#[tokio::test]
async fn a_finding_has_its_message_and_its_request() {
    let endpoint = lines(|request| vec!["noise".to_owned(), answer(request, call_result())]);
    let mut connection = open(&endpoint).await;
    connection.call_tool("first", &json!({})).await;
    connection.call_tool("second", &json!({})).await;
    let findings = connection.take_findings();
    assert_eq!(findings.count(FindingKind::NotJson), 2);
    let tools: Vec<_> = findings.iter().map(|one| one.request.clone().unwrap().tool).collect();
    assert_eq!(tools, [Some("first".to_owned()), Some("second".to_owned())]);
    for finding in &findings {
        assert_eq!(finding.message.as_ref().unwrap().text(), "noise");
        assert_eq!(serde_json::to_value(finding).unwrap()["kind"], "not_json");
    }
    assert!(connection.take_findings().is_empty());
}

#[tokio::test]
async fn wrong_jsonrpc_is_found() {
    let (end, codes) =
        call(|request| vec![json!({"id": request["id"], "result": call_result()}).to_string()])
            .await;
    assert!(is_ok(&end), "{end}");
    assert_eq!(codes, ["wrong_jsonrpc"]);
    let (_, codes) = call(|request| {
        let answer = json!({"jsonrpc": "1.0", "id": request["id"], "result": call_result()});
        vec![answer.to_string()]
    })
    .await;
    assert_eq!(codes, ["wrong_jsonrpc"]);
}

#[tokio::test]
async fn ids_that_fit_no_request_are_found() {
    let (end, codes) = call(|request| {
        let with =
            |id: Value| json!({"jsonrpc": "2.0", "id": id, "result": call_result()}).to_string();
        vec![with(json!(999)), with(json!("x")), with(json!(null)), with(request["id"].clone())]
    })
    .await;
    assert!(is_ok(&end), "{end}");
    assert_eq!(codes, ["unknown_id", "unknown_id", "missing_id"]);
}

#[tokio::test]
async fn an_id_of_another_type_is_found_and_accepted() {
    let (end, codes) = call(|request| {
        let id = request["id"].to_string();
        vec![json!({"jsonrpc": "2.0", "id": id, "result": call_result()}).to_string()]
    })
    .await;
    assert!(is_ok(&end), "{end}");
    assert_eq!(codes, ["id_type_changed"]);
    let (end, codes) = call(|request| {
        let id = &request["id"];
        vec![format!(r#"{{"jsonrpc": "2.0", "id": {id}.0, "result": {}}}"#, call_result())]
    })
    .await;
    assert!(is_ok(&end), "{end}");
    assert_eq!(codes, ["id_type_changed"]);
}

#[tokio::test]
async fn a_second_answer_is_attributed_to_its_request() {
    let endpoint = lines(|request| vec![answer(request, call_result()); 2]);
    let mut connection = open(&endpoint).await;
    connection.call_tool("first", &json!({})).await;
    connection.call_tool("second", &json!({})).await;
    connection.settle(Duration::from_millis(20)).await;
    let findings = connection.take_findings();
    let found: Vec<_> =
        findings.iter().map(|one| (one.kind, one.request.clone().unwrap().tool.unwrap())).collect();
    let duplicate = FindingKind::DuplicateAnswer;
    assert_eq!(found, [(duplicate, "first".to_owned()), (duplicate, "second".to_owned())]);
}

#[tokio::test]
async fn an_answer_has_either_a_result_or_an_error() {
    let (end, codes) = call(|request| {
        let error = json!({"code": 1, "message": ""});
        vec![
            json!({"jsonrpc": "2.0", "id": request["id"], "result": {}, "error": error})
                .to_string(),
        ]
    })
    .await;
    assert!(is_malformed(&end, FindingKind::ResultAndError), "{end}");
    assert_eq!(codes, ["result_and_error"]);
    let (end, codes) =
        call(|request| vec![json!({"jsonrpc": "2.0", "id": request["id"]}).to_string()]).await;
    assert!(is_malformed(&end, FindingKind::NoResultNoError), "{end}");
    assert_eq!(codes, ["no_result_no_error"]);
    let (end, codes) = call(|request| {
        vec![json!({"jsonrpc": "2.0", "id": request["id"], "error": "oops"}).to_string()]
    })
    .await;
    assert!(matches!(end, CallEnd::Refused(_)), "{end}");
    assert_eq!(codes, ["invalid_error"]);
}

#[tokio::test]
async fn a_result_of_the_wrong_shape_is_found_and_returned() {
    let (end, codes) = call(|request| vec![answer(request, json!({"content": "text"}))]).await;
    let CallEnd::Answered(result) = end else { panic!("{end}") };
    assert_eq!(result.raw(), &json!({"content": "text"}));
    assert_eq!(codes, ["wrong_result_shape"]);
}

#[tokio::test]
async fn numbers_out_of_range_are_found() {
    let (end, codes) = call(|request| {
        let id = &request["id"];
        let result = r#"{"content": [], "structuredContent": {"a": 1e400}}"#;
        vec![format!(r#"{{"jsonrpc": "2.0", "id": {id}, "result": {result}}}"#)]
    })
    .await;
    assert!(is_ok(&end), "{end}");
    assert_eq!(codes, ["number_out_of_range"]);
}

#[tokio::test]
async fn an_answer_that_is_no_json_ends_its_call() {
    let (end, codes) = call(|request| {
        let id = &request["id"];
        vec![format!(r#"{{"jsonrpc": "2.0", "id": {id}, "result": {{"a": NaN}}}}"#)]
    })
    .await;
    assert!(is_malformed(&end, FindingKind::NotJson), "{end}");
    assert_eq!(codes, ["not_json"]);
    let (end, codes) = call(|request| {
        let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
        vec![format!(r#"{{"jsonrpc": "2.0", "id": {}, "result": {deep}}}"#, request["id"])]
    })
    .await;
    assert!(is_malformed(&end, FindingKind::NestedTooDeep), "{end}");
    assert_eq!(codes, ["nested_too_deep"]);
}

#[tokio::test]
async fn invalid_utf8_is_found_and_read() {
    let endpoint = pipe(|mut peer| async move {
        while let Some(request) = peer.next_call().await {
            let text = answer(&request, json!({"content": [{"type": "text", "text": "?"}]}));
            let bytes: Vec<u8> =
                text.bytes().map(|byte| if byte == b'?' { 0xff } else { byte }).collect();
            peer.send(bytes).await;
        }
    });
    let mut connection = open(&endpoint).await;
    let end = connection.call_tool("any", &json!({})).await;
    assert!(is_ok(&end), "{end}");
    assert_eq!(codes(&mut connection), ["invalid_utf8"]);
    let last = connection.log().entries().next_back().unwrap();
    assert!(last.message.text().contains(r"\xff"), "{:?}", last.message);
}

#[tokio::test]
async fn a_batch_is_read_and_found_unless_the_revision_has_it() {
    for (version, expected) in [("2025-11-25", vec!["batch"]), ("2025-03-26", vec![])] {
        let endpoint = pipe(move |mut peer| async move {
            while let Some(request) = peer.next().await {
                match request["method"].as_str() {
                    Some("initialize") => peer.answer(&request, initialize_result(version)).await,
                    Some("tools/call") => {
                        let notification = json!({"jsonrpc": "2.0", "method": "notifications/a"});
                        let answer = answer(&request, call_result());
                        peer.send(format!("[{notification}, {answer}]")).await;
                    }
                    _ => {}
                }
            }
        });
        let mut connection = open(&endpoint).await;
        assert_eq!(connection.revision().name(), version);
        let end = connection.call_tool("any", &json!({})).await;
        assert!(is_ok(&end), "{end}");
        assert_eq!(codes(&mut connection), expected);
    }
}

#[tokio::test]
async fn an_unknown_revision_is_found() {
    let endpoint = pipe(|mut peer| async move {
        while let Some(request) = peer.next().await {
            if request["method"] == "initialize" {
                peer.answer(&request, initialize_result("1999-01-01")).await;
            }
        }
    });
    let mut connection = open(&endpoint).await;
    assert_eq!(*connection.revision(), Revision::Unknown("1999-01-01".to_owned()));
    assert_eq!(codes(&mut connection), ["unknown_revision"]);
}

#[tokio::test]
async fn an_oversized_answer_is_discarded_in_bounded_memory() {
    let endpoint = pipe(|mut peer| async move {
        while let Some(request) = peer.next_call().await {
            if request["params"]["name"] == "huge" {
                let id = &request["id"];
                peer.send_raw(format!(r#"{{"jsonrpc": "2.0", "id": {id}, "result": ""#).as_bytes())
                    .await;
                let part = vec![b'x'; 1024 * 1024];
                for _ in 0..50 {
                    peer.send_raw(&part).await;
                }
                peer.send("\"}").await;
            } else {
                peer.answer(&request, call_result()).await;
            }
        }
    });
    let mut connection = open(&endpoint).await;
    let end = connection.call_tool("huge", &json!({})).await;
    assert!(is_malformed(&end, FindingKind::Oversized), "{end}");
    let findings = connection.take_findings();
    let message = findings.iter().next().unwrap().message.clone().unwrap();
    assert!(message.length() > 50 * 1024 * 1024 && message.hash().is_some());
    assert!(message.bytes().len() <= 64 * 1024);
    let end = connection.call_tool("small", &json!({})).await;
    assert!(is_ok(&end), "{end}");
    assert!(codes(&mut connection).is_empty());
}

#[tokio::test]
async fn silence_ends_at_the_limit_and_a_late_answer_is_recorded_as_late() {
    let cancelled = Arc::new(Mutex::new(None));
    let seen = Arc::clone(&cancelled);
    let endpoint = pipe(move |mut peer| {
        let seen = Arc::clone(&seen);
        async move {
            let slow = peer.next_call().await.unwrap();
            while let Some(request) = peer.next_call().await {
                if request["method"] == "notifications/cancelled" {
                    *seen.lock().unwrap() = Some(request["params"]["requestId"].clone());
                    peer.answer(&slow, call_result()).await;
                } else {
                    peer.answer(&request, json!({"tools": []})).await;
                }
            }
        }
    });
    let mut connection = Connection::open(&endpoint, &impatient()).await.unwrap();
    let begun = Instant::now();
    assert_eq!(connection.call_tool("slow", &json!({})).await, CallEnd::TimedOut);
    assert!(begun.elapsed() < Duration::from_secs(2));
    assert!(connection.is_responsive(Duration::from_secs(5)).await);
    let findings = connection.take_findings();
    let late = findings.iter().next().unwrap();
    assert_eq!((late.kind, findings.counts().len()), (FindingKind::LateAnswer, 1));
    assert_eq!(late.request.as_ref().unwrap().tool.as_deref(), Some("slow"));
    assert_eq!(cancelled.lock().unwrap().clone(), Some(json!(late.request.as_ref().unwrap().id)));
}

#[tokio::test]
async fn a_call_that_the_caller_drops_is_given_up() {
    let endpoint = pipe(|mut peer| async move {
        let dropped = peer.next_call().await.unwrap();
        while let Some(request) = peer.next_call().await {
            peer.answer(&dropped, call_result()).await;
            peer.answer(&request, call_result()).await;
        }
    });
    let mut connection = open(&endpoint).await;
    let limit = Duration::from_millis(50);
    let arguments = json!({});
    let dropped = tokio::time::timeout(limit, connection.call_tool("dropped", &arguments)).await;
    assert!(dropped.is_err());
    assert!(is_ok(&connection.call_tool("next", &json!({})).await));
    assert_eq!(codes(&mut connection), ["late_answer"]);
}

#[tokio::test]
async fn limits_without_an_end_are_allowed() {
    let forever = ConnectOptions {
        start_timeout: Duration::MAX,
        call_timeout: Duration::MAX,
        close_timeout: Duration::MAX,
        ..options()
    };
    let endpoint = lines(|request| vec![answer(request, call_result())]);
    let mut connection = Connection::open(&endpoint, &forever).await.unwrap();
    assert!(is_ok(&connection.call_tool("any", &json!({})).await));
    connection.close().await;
}

#[tokio::test]
async fn a_server_that_hangs_is_not_responsive() {
    let mut connection = Connection::open(&lines(|_| Vec::new()), &impatient()).await.unwrap();
    assert_eq!(connection.call_tool("any", &json!({})).await, CallEnd::TimedOut);
    assert!(!connection.is_responsive(Duration::from_millis(100)).await);
}

#[tokio::test]
async fn progress_extends_a_call_but_not_forever() {
    let endpoint = pipe(|mut peer| async move {
        while let Some(request) = peer.next_call().await {
            if request["method"] != "tools/call" {
                continue;
            }
            let count = if request["params"]["name"] == "slow" { 6 } else { 1_000 };
            let token = &request["params"]["_meta"]["progressToken"];
            for progress in 0..count {
                tokio::time::sleep(Duration::from_millis(100)).await;
                let params = json!({"progressToken": token, "progress": progress});
                let method = "notifications/progress";
                let message = json!({"jsonrpc": "2.0", "method": method, "params": params});
                peer.send(message.to_string()).await;
            }
            peer.answer(&request, call_result()).await;
        }
    });
    // Four times the pause between notifications, since a busy machine makes pauses longer.
    let patience = ConnectOptions { call_timeout: Duration::from_millis(400), ..options() };
    let mut connection = Connection::open(&endpoint, &patience).await.unwrap();
    let begun = Instant::now();
    let end = connection.call_tool("slow", &json!({})).await;
    assert!(is_ok(&end), "{end}");
    assert!(begun.elapsed() > Duration::from_millis(590));
    let begun = Instant::now();
    assert_eq!(connection.call_tool("endless", &json!({})).await, CallEnd::TimedOut);
    let took = begun.elapsed();
    assert!(took >= Duration::from_millis(1_150) && took < Duration::from_secs(3), "{took:?}");
}

#[tokio::test]
async fn progress_extends_nothing_but_calls() {
    let endpoint = pipe(|mut peer| async move {
        while let Some(request) = peer.next_call().await {
            for _ in 0..100 {
                tokio::time::sleep(Duration::from_millis(20)).await;
                let params = json!({"progressToken": request["id"], "progress": 1});
                let method = "notifications/progress";
                let message = json!({"jsonrpc": "2.0", "method": method, "params": params});
                peer.send(message.to_string()).await;
            }
        }
    });
    let limit = Duration::from_millis(300);
    let hasty = ConnectOptions { call_timeout: limit, ..options() };
    let mut connection = Connection::open(&endpoint, &hasty).await.unwrap();
    let begun = Instant::now();
    assert_eq!(connection.list_tools().await, Err(CallEnd::TimedOut));
    assert!(begun.elapsed() < 2 * limit, "{:?}", begun.elapsed());
    let begun = Instant::now();
    assert!(!connection.is_responsive(limit).await);
    assert!(begun.elapsed() < 2 * limit, "{:?}", begun.elapsed());
}

#[tokio::test]
async fn a_list_without_an_end_is_cut_after_three_times_the_limit_of_a_call() {
    let endpoint = pipe(|mut peer| async move {
        let mut page = 0;
        while let Some(request) = peer.next_call().await {
            page += 1;
            tokio::time::sleep(Duration::from_millis(20)).await;
            let tools = json!([{"name": format!("t{page}"), "inputSchema": {}}]);
            peer.answer(&request, json!({"tools": tools, "nextCursor": page.to_string()})).await;
        }
    });
    let limit = Duration::from_millis(200);
    let hasty = ConnectOptions { call_timeout: limit, ..options() };
    let mut connection = Connection::open(&endpoint, &hasty).await.unwrap();
    let begun = Instant::now();
    let tools = connection.list_tools().await.unwrap();
    assert!(begun.elapsed() < 5 * limit, "{:?}", begun.elapsed());
    assert!((2..40).contains(&tools.len()), "{}", tools.len());
    assert_eq!(codes(&mut connection), ["list_too_long"]);
}

#[tokio::test]
async fn floods_are_bounded_and_the_limit_holds() {
    for line in [r#"{"jsonrpc": "2.0", "method": "notifications/message", "params": {}}"#, "junk"] {
        let endpoint = pipe(move |mut peer| async move {
            peer.next_call().await;
            let many = format!("{line}\n").repeat(1_000);
            // It ends when the client is gone.
            loop {
                peer.send_raw(many.as_bytes()).await;
                tokio::task::yield_now().await;
            }
        });
        let options =
            ConnectOptions { log: LogLimits { entries: 100, bytes: 10_000 }, ..impatient() };
        let mut connection = Connection::open(&endpoint, &options).await.unwrap();
        let begun = Instant::now();
        assert_eq!(connection.call_tool("any", &json!({})).await, CallEnd::TimedOut);
        assert!(begun.elapsed() < Duration::from_secs(2), "{:?}", begun.elapsed());
        assert!(connection.log().entries().len() <= 100 && connection.log().removed() > 0);
        let findings = connection.take_findings();
        if line == "junk" {
            assert!(findings.count(FindingKind::NotJson) > 16);
            assert_eq!(findings.iter().len(), 16);
        } else {
            assert!(findings.is_empty());
        }
    }
}

#[tokio::test]
async fn a_server_that_sends_requests_and_reads_nothing_is_bounded() {
    let endpoint = pipe(|mut peer| async move {
        peer.next_call().await;
        let many = "{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"ping\"}\n".repeat(1_000);
        loop {
            peer.send_raw(many.as_bytes()).await;
            tokio::task::yield_now().await;
        }
    });
    let options = ConnectOptions { call_timeout: Duration::from_secs(1), ..options() };
    let mut connection = Connection::open(&endpoint, &options).await.unwrap();
    assert_eq!(connection.call_tool("any", &json!({})).await, CallEnd::TimedOut);
    assert_eq!(codes(&mut connection).first(), Some(&"unread_answers"));
}

#[tokio::test]
async fn requests_of_the_server_are_answered() {
    let replies = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&replies);
    let endpoint = pipe(move |mut peer| {
        let seen = Arc::clone(&seen);
        async move {
            let call = peer.next_call().await.unwrap();
            let schema = json!({"type": "object", "properties": {"name": {"type": "string"}}});
            let asked = [
                ("ping", json!({})),
                ("roots/list", json!({})),
                ("sampling/createMessage", json!({"messages": [], "maxTokens": 1})),
                ("elicitation/create", json!({"message": "?", "requestedSchema": schema})),
                ("tasks/list", json!({})),
            ];
            for (index, (method, params)) in asked.into_iter().enumerate() {
                let id = format!("s{index}");
                let request =
                    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
                peer.send(request.to_string()).await;
                let reply = peer.next().await.unwrap();
                assert_eq!(reply["id"], json!(id));
                seen.lock().unwrap().push(reply);
            }
            peer.answer(&call, call_result()).await;
            peer.next().await;
        }
    });
    let options = ConnectOptions {
        root: Some("/tmp/a folder".into()),
        elicit: Some(Arc::new(|schema| Some(json!({"name": schema["type"]})))),
        ..options()
    };
    let mut connection = Connection::open(&endpoint, &options).await.unwrap();
    let end = connection.call_tool("any", &json!({})).await;
    assert!(is_ok(&end), "{end}");
    assert_eq!(codes(&mut connection), ["unknown_request"]);
    let replies = replies.lock().unwrap();
    assert_eq!(replies[0]["result"], json!({}));
    assert_eq!(replies[1]["result"]["roots"][0]["uri"], "file:///tmp/a%20folder");
    assert_eq!(replies[2]["result"]["role"], "assistant");
    let accepted = json!({"action": "accept", "content": {"name": "object"}});
    assert_eq!(replies[3]["result"], accepted);
    assert_eq!(replies[4]["error"]["code"], -32601);
}

#[tokio::test]
async fn a_list_is_read_from_all_pages() {
    let endpoint = lines(|request| {
        let (page, next) = match request["params"]["cursor"].as_str() {
            None => (json!([{"name": "a"}, {"description": "no name"}]), json!("2")),
            Some("2") => (json!([{"name": "b"}]), json!("3")),
            _ => return vec![answer(request, json!({"tools": [{"name": "c"}]}))],
        };
        vec![answer(request, json!({"tools": page, "nextCursor": next}))]
    });
    let mut connection = open(&endpoint).await;
    let tools = connection.list_tools().await.unwrap();
    let names: Vec<_> = tools.iter().map(|tool| tool.name.as_deref()).collect();
    assert_eq!(names, [Some("a"), None, Some("b"), Some("c")]);
    assert_eq!(tools[1].raw, json!({"description": "no name"}));
    assert_eq!(codes(&mut connection), ["tool_without_name"]);
}

#[tokio::test]
async fn a_repeated_cursor_ends_the_list() {
    let endpoint = lines(|request| {
        vec![answer(request, json!({"tools": [{"name": "a"}], "nextCursor": "again"}))]
    });
    let mut connection = open(&endpoint).await;
    assert_eq!(connection.list_tools().await.unwrap().len(), 2);
    assert_eq!(codes(&mut connection), ["repeated_cursor"]);
}

#[tokio::test]
async fn an_endless_list_ends() {
    let endpoint = lines(|request| {
        let next = request["id"].to_string();
        vec![answer(request, json!({"tools": [{"name": "a"}], "nextCursor": next}))]
    });
    let mut connection = open(&endpoint).await;
    assert_eq!(connection.list_tools().await.unwrap().len(), 1_000);
    assert_eq!(codes(&mut connection), ["list_too_long"]);
}

#[tokio::test]
async fn a_connection_that_closes_ends_the_call() {
    let endpoint = pipe(|mut peer| async move {
        peer.next_call().await;
        peer.send_raw(br#"{"jsonrpc": "2.0", "id"#).await;
    });
    let mut connection = open(&endpoint).await;
    let end = connection.call_tool("any", &json!({})).await;
    assert!(matches!(end, CallEnd::Closed { .. }), "{end}");
    assert_eq!(codes(&mut connection), ["cut_off"]);
    let end = connection.call_tool("any", &json!({})).await;
    assert!(matches!(end, CallEnd::Closed { .. }), "{end}");
}

/// A server of the stateless era that answers calls with this result.
fn stateless(
    reply: impl Fn(&Value) -> Value + Send + Sync + Clone + 'static,
) -> foolproof_mcp::wire::Endpoint {
    pipe(move |mut peer| {
        let reply = reply.clone();
        async move {
            while let Some(request) = peer.next().await {
                match request["method"].as_str() {
                    Some("server/discover") => peer.answer(&request, discover_result()).await,
                    Some("tools/call") => peer.answer(&request, reply(&request)).await,
                    _ => peer.refuse(&request, -32601).await,
                }
            }
        }
    })
}

#[tokio::test]
async fn the_stateless_era_is_probed() {
    let endpoint = stateless(|request| {
        let meta = request["params"]["_meta"].clone();
        json!({"resultType": "complete", "content": [], "structuredContent": meta})
    });
    let options = ConnectOptions { protocol: ProtocolChoice::Auto, ..options() };
    let mut connection = Connection::open(&endpoint, &options).await.unwrap();
    assert_eq!(connection.era(), Era::Stateless);
    assert_eq!(*connection.revision(), Revision::V2026_07_28);
    assert_eq!(connection.server_info()["version"], "2");
    let end = connection.call_tool("any", &json!({})).await;
    let CallEnd::Answered(result) = end else { panic!("{end}") };
    let meta = result.structured_content().unwrap();
    assert_eq!(meta["io.modelcontextprotocol/protocolVersion"], "2026-07-28");
    assert_eq!(meta["io.modelcontextprotocol/clientInfo"]["name"], "foolproof");
    assert!(meta["io.modelcontextprotocol/clientCapabilities"]["elicitation"].is_object());
    assert!(meta["progressToken"].is_u64());
    assert!(codes(&mut connection).is_empty());

    let options = ConnectOptions { protocol: connection.era().into(), ..options };
    assert_eq!(Connection::open(&endpoint, &options).await.unwrap().era(), Era::Stateless);
}

#[tokio::test]
async fn results_of_the_stateless_era_have_a_type() {
    let endpoint = stateless(|_| call_result());
    let options = ConnectOptions { protocol: ProtocolChoice::Stateless, ..options() };
    let mut connection = Connection::open(&endpoint, &options).await.unwrap();
    let end = connection.call_tool("any", &json!({})).await;
    assert!(is_ok(&end), "{end}");
    assert_eq!(codes(&mut connection), ["wrong_result_shape"]);
}

#[tokio::test]
async fn required_input_is_given_under_a_new_id() {
    let ids = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&ids);
    let endpoint = stateless(move |request| {
        seen.lock().unwrap().push(request["id"].as_u64().unwrap());
        let params = &request["params"];
        match params["requestState"].as_str() {
            None => json!({
                "resultType": "input_required",
                "requestState": "one",
                "inputRequests": {
                    "who": {"method": "elicitation/create", "params": {
                        "message": "?", "requestedSchema": {"type": "object"},
                    }},
                    "where": {"method": "roots/list"},
                    "odd": {"method": "tasks/list"},
                },
            }),
            Some("one") => {
                assert_eq!(params["inputResponses"]["who"]["content"], json!({"a": 1}));
                assert_eq!(params["inputResponses"]["where"], json!({"roots": []}));
                assert_eq!(params["arguments"], json!({"x": 1}));
                json!({"resultType": "input_required", "requestState": "two"})
            }
            Some(_) => {
                assert_eq!(params.get("inputResponses"), None);
                json!({"resultType": "complete", "content": []})
            }
        }
    });
    let options = ConnectOptions {
        protocol: ProtocolChoice::Stateless,
        elicit: Some(Arc::new(|_| Some(json!({"a": 1})))),
        ..options()
    };
    let mut connection = Connection::open(&endpoint, &options).await.unwrap();
    let end = connection.call_tool("any", &json!({"x": 1})).await;
    assert!(is_ok(&end), "{end}");
    assert_eq!(*ids.lock().unwrap(), [2, 3, 4]);
    assert_eq!(codes(&mut connection), ["unknown_input_request"]);
}

#[tokio::test]
async fn endless_input_rounds_end() {
    let endpoint = stateless(|_| json!({"resultType": "input_required", "requestState": "again"}));
    let options = ConnectOptions { protocol: ProtocolChoice::Stateless, ..options() };
    let mut connection = Connection::open(&endpoint, &options).await.unwrap();
    let end = connection.call_tool("any", &json!({})).await;
    assert!(is_malformed(&end, FindingKind::TooManyInputRounds), "{end}");
    assert_eq!(codes(&mut connection), ["too_many_input_rounds"]);
}

#[tokio::test]
async fn the_stateless_era_has_no_requests_of_the_server() {
    let endpoint = pipe(|mut peer| async move {
        while let Some(request) = peer.next().await {
            if request["method"] == "server/discover" {
                peer.answer(&request, discover_result()).await;
            } else {
                assert_eq!(request["method"], "tools/call");
                peer.send(r#"{"jsonrpc": "2.0", "id": 1, "method": "ping"}"#).await;
                peer.answer(&request, json!({"resultType": "complete", "content": []})).await;
            }
        }
    });
    let options = ConnectOptions { protocol: ProtocolChoice::Stateless, ..options() };
    let mut connection = Connection::open(&endpoint, &options).await.unwrap();
    assert!(is_ok(&connection.call_tool("any", &json!({})).await));
    assert!(is_ok(&connection.call_tool("any", &json!({})).await));
    assert_eq!(codes(&mut connection), ["unexpected_request", "unexpected_request"]);
}

#[tokio::test]
async fn the_handshake_begins_in_a_fresh_connection_after_a_probe() {
    let methods = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&methods);
    let endpoint = pipe(move |mut peer| {
        let seen = Arc::clone(&seen);
        async move {
            let mut connection = Vec::new();
            while let Some(request) = peer.next().await {
                let method = request["method"].as_str().unwrap().to_owned();
                match method.as_str() {
                    "server/discover" => peer.refuse(&request, -32602).await,
                    "initialize" => peer.answer(&request, initialize_result("2024-11-05")).await,
                    _ => {}
                }
                connection.push(method);
            }
            seen.lock().unwrap().push(connection);
        }
    });
    let options = ConnectOptions { protocol: ProtocolChoice::Auto, ..options() };
    let mut connection = Connection::open(&endpoint, &options).await.unwrap();
    assert_eq!(connection.era(), Era::Handshake);
    assert_eq!(*connection.revision(), Revision::V2024_11_05);
    connection.close().await;
    tokio::task::yield_now().await;
    let expected = [vec!["server/discover"], vec!["initialize", "notifications/initialized"]];
    assert_eq!(*methods.lock().unwrap(), expected);
    let numbers: Vec<_> = connection.log().entries().map(|entry| entry.connection).collect();
    assert_eq!(numbers, [0, 0, 1, 1, 1]);
}

#[tokio::test]
async fn a_silent_probe_means_the_handshake() {
    let endpoint = pipe(|mut peer| async move {
        while let Some(request) = peer.next().await {
            match request["method"].as_str() {
                Some("server/discover") | None => {}
                Some(_) => peer.answer(&request, initialize_result("2025-06-18")).await,
            }
        }
    });
    let options = ConnectOptions {
        protocol: ProtocolChoice::Auto,
        start_timeout: Duration::from_millis(200),
        ..options()
    };
    let connection = Connection::open(&endpoint, &options).await.unwrap();
    assert_eq!(*connection.revision(), Revision::V2025_06_18);
}

#[tokio::test]
async fn an_unsupported_version_is_not_a_reason_for_the_handshake() {
    for (supported, expects_handshake) in [("2030-01-01", false), ("2025-06-18", true)] {
        let endpoint = pipe(move |mut peer| async move {
            while let Some(request) = peer.next().await {
                if request["method"] == "initialize" {
                    peer.answer(&request, initialize_result("2025-06-18")).await;
                    continue;
                }
                let error = json!({
                    "code": -32022, "message": "no", "data": {"supported": [supported]},
                });
                let answer = json!({"jsonrpc": "2.0", "id": request["id"], "error": error});
                peer.send(answer.to_string()).await;
            }
        });
        let options = ConnectOptions { protocol: ProtocolChoice::Auto, ..options() };
        let opened = Connection::open(&endpoint, &options).await;
        assert_eq!(opened.is_ok(), expects_handshake);
    }
}

#[tokio::test]
async fn a_start_that_fails_says_why() {
    let refusing = pipe(|mut peer| async move {
        while let Some(request) = peer.next().await {
            peer.send("hello").await;
            peer.refuse(&request, -32000).await;
        }
    });
    let error = Connection::open(&refusing, &options()).await.unwrap_err();
    assert!(matches!(error.reason(), StartFailure::Refused { method: "initialize", .. }));
    assert_eq!(error.log().entries().len(), 3);
    assert_eq!(error.findings().count(FindingKind::NotJson), 1);
    assert_eq!(error.to_string(), "the server refused `initialize`: no (-32000)");

    let silent = pipe(|mut peer| async move { while peer.next().await.is_some() {} });
    let hasty = ConnectOptions { start_timeout: Duration::from_millis(100), ..options() };
    let error = Connection::open(&silent, &hasty).await.unwrap_err();
    assert_eq!(*error.reason(), StartFailure::NoAnswer { method: "initialize" });

    let closing = pipe(|_| async {});
    let error = Connection::open(&closing, &options()).await.unwrap_err();
    assert!(matches!(error.reason(), StartFailure::Closed { .. }));

    let odd = lines(|_| Vec::new());
    let forced = ConnectOptions { protocol: ProtocolChoice::Stateless, ..options() };
    let error = Connection::open(&odd, &forced).await.unwrap_err();
    assert!(matches!(error.reason(), StartFailure::Refused { method: "server/discover", .. }));
}

#[tokio::test]
async fn the_log_has_every_message_in_order() {
    let endpoint = lines(|request| vec!["noise".to_owned(), answer(request, call_result())]);
    let mut connection = open(&endpoint).await;
    connection.call_tool("any", &json!({})).await;
    let log = connection.log();
    let sent = |direction| log.entries().filter(|entry| entry.direction == direction).count();
    assert_eq!((sent(Direction::ToServer), sent(Direction::FromServer)), (3, 3));
    let times: Vec<_> = log.entries().map(|entry| entry.at).collect();
    assert!(times.is_sorted());
    let report = serde_json::to_value(log).unwrap();
    assert_eq!(report["entries"][4]["text"], "noise");
    assert_eq!(report["removed"], 0);
}

#[test]
fn connections_can_move_between_threads() {
    fn check<T: Send>() {}
    fn check_shared<T: Send + Sync>() {}
    check::<Connection>();
    check::<foolproof_mcp::wire::StartError>();
    check_shared::<foolproof_mcp::wire::Endpoint>();
    check_shared::<ConnectOptions>();
    check_shared::<foolproof_mcp::wire::WireLog>();
}
