//! A cross-check against the official SDK: our example server serves its client, and we test its server.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::{
    collections::BTreeSet,
    sync::{Arc, Mutex},
};

use foolproof_mcp::{
    OutcomeStatus, ReplayOutcome, Repro, Settings, Target,
    example_server::{Bugs, ExampleServer},
    replay, run,
    wire::{ConnectOptions, Endpoint, Pipe, ProtocolChoice},
};
use rmcp::{
    ErrorData, RoleServer, ServerHandler, ServiceExt as _,
    model::{
        CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, JsonObject,
        ListToolsResult, PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool,
    },
    service::RequestContext,
};
use serde_json::{Value, json};

#[tokio::test]
async fn the_example_server_serves_a_client_of_the_sdk() {
    let server = ExampleServer::new(Bugs::none());
    let (client, stream) = tokio::io::duplex(64 * 1024);
    tokio::spawn(async move {
        let (reader, writer) = tokio::io::split(stream);
        let _ = server.serve(reader, writer).await;
    });
    let client = ().serve(client).await.unwrap();
    let tools = client.list_all_tools().await.unwrap();
    assert!(tools.iter().any(|tool| tool.name == "create_task" && tool.output_schema.is_some()));
    let call = async |name: &'static str, arguments: Value| {
        let arguments = arguments.as_object().unwrap().clone();
        let request = CallToolRequestParams::new(name).with_arguments(arguments);
        client.call_tool(request).await.unwrap()
    };
    let created = call("create_task", json!({ "title": "read" })).await.structured_content.unwrap();
    let found = call("get_task", json!({ "id": created["id"] })).await;
    assert_eq!(found.structured_content.unwrap()["title"], "read");
    assert_eq!(call("get_task", json!({ "id": "none" })).await.is_error, Some(true));
}

/// A server of the SDK: `open` gives a handle, `close` takes one. The second `close` of a handle breaks its output schema.
#[derive(Clone, Default)]
struct Handles {
    opened: Arc<Mutex<u32>>,
    closed: Arc<Mutex<BTreeSet<String>>>,
    is_right: bool,
}

fn object(value: &Value) -> Arc<JsonObject> {
    Arc::new(value.as_object().unwrap().clone())
}

impl ServerHandler for Handles {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let handle = json!({ "type": "object", "properties": { "handle": { "type": "string" } }, "required": ["handle"] });
        let open = Tool::new("open", "opens", object(&json!({ "type": "object" })));
        let open = open.with_raw_output_schema(object(&handle));
        let close = Tool::new("close", "closes", object(&handle));
        let closed = json!({ "type": "object", "properties": { "open": { "type": "boolean" } }, "required": ["open"] });
        let close = close.with_raw_output_schema(object(&closed));
        Ok(ListToolsResult::with_all_items(vec![open, close]))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let handle = request.arguments.as_ref().and_then(|it| it.get("handle")?.as_str());
        let result = match (&*request.name, handle) {
            ("open", _) => {
                let mut opened = self.opened.lock().unwrap();
                *opened += 1;
                CallToolResult::structured(json!({ "handle": format!("handle-{opened}") }))
            }
            ("close", Some(handle)) if handle.starts_with("handle-") => {
                let is_new = self.closed.lock().unwrap().insert(handle.to_owned());
                let open = if is_new || self.is_right { json!(false) } else { Value::Null };
                CallToolResult::structured(json!({ "open": open }))
            }
            ("close", _) => CallToolResult::error(vec![ContentBlock::text("no such handle")]),
            _ => return Err(ErrorData::invalid_params("no such tool", None)),
        };
        Ok(result.into())
    }
}

fn target(is_right: bool, protocol: ProtocolChoice) -> Target {
    let mut target = Target::new(Endpoint::factory(move || {
        let (client, stream) = tokio::io::duplex(64 * 1024);
        tokio::spawn(async move {
            let server = Handles { is_right, ..Handles::default() }.serve(stream).await.unwrap();
            let _ = server.waiting().await;
        });
        Pipe::from(client)
    }));
    target.connect = ConnectOptions { protocol, ..ConnectOptions::default() };
    target
}

#[tokio::test]
async fn a_server_of_the_sdk_is_tested_in_both_eras() {
    for protocol in [ProtocolChoice::Auto, ProtocolChoice::Handshake, ProtocolChoice::Stateless] {
        let settings = Settings { seed: Some(1), ..Settings::default() };
        let report = run(&target(true, protocol), &settings).await.unwrap();
        assert_eq!(report.outcome.status, OutcomeStatus::Passed, "{protocol:?}: {report}");
        let wrong = target(false, protocol);
        let report = run(&wrong, &settings).await.unwrap();
        let [failure] = &report.failures[..] else { panic!("{protocol:?}: {report}") };
        let tools: Vec<&str> = failure.steps.iter().map(|step| step.tool.raw()).collect();
        assert_eq!(
            (failure.tool.raw(), &tools[..]),
            ("close", &["open", "close", "close"][..]),
            "{report}"
        );
        let repro = Repro::new(failure, &report, &settings, Value::Null);
        let again = replay(&wrong, &settings, &repro).await.unwrap();
        assert!(matches!(again, ReplayOutcome::StillFails(_)), "{again:?}");
    }
}
