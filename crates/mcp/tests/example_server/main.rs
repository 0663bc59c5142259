//! The example server: its protocol in both eras, its tools, its bugs, and both transports.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]
#![expect(clippy::print_stdout, reason = "a test without its schemas says that it was skipped")]

use std::{
    fs, io,
    path::Path,
    sync::{Arc, Mutex},
    time::Duration,
};

use foolproof_contract::{Document, FormatPolicy, Oracle};
use foolproof_mcp::example_server::{Bug, Bugs, Ending, Eras, ExampleServer};
use serde_json::{Value, json};
use tokio::{
    io::{
        AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, Lines, ReadHalf, WriteHalf,
        duplex, split,
    },
    task::JoinHandle,
};

mod http;

/// The published schemas of the protocol, if they are beside the repository.
const SCHEMAS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/mcp");

/// The era in which a client speaks.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Era {
    Handshake,
    Stateless,
}

const ERAS: [Era; 2] = [Era::Handshake, Era::Stateless];

impl Era {
    /// The parameters as a request of this era has them.
    fn complete(self, mut params: Value) -> Value {
        if self == Era::Stateless {
            params["_meta"] = meta("2026-07-28");
        }
        params
    }

    fn schema_file(self) -> &'static str {
        match self {
            Era::Handshake => "schema-2025-11-25.json",
            Era::Stateless => "schema-2026-07-28.json",
        }
    }
}

fn meta(version: &str) -> Value {
    json!({
        "io.modelcontextprotocol/protocolVersion": version,
        "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "1" },
        "io.modelcontextprotocol/clientCapabilities": {},
    })
}

fn initialize_params(version: &str) -> Value {
    json!({
        "protocolVersion": version,
        "capabilities": {},
        "clientInfo": { "name": "test", "version": "1" },
    })
}

/// A client at the other end of a pipe.
struct Client {
    era: Era,
    lines: Lines<BufReader<ReadHalf<DuplexStream>>>,
    writer: WriteHalf<DuplexStream>,
    served: JoinHandle<io::Result<Ending>>,
    last_id: u64,
}

impl Client {
    /// A client that has sent nothing yet.
    fn open(server: &ExampleServer, era: Era) -> Self {
        let (near, far) = duplex(1 << 16);
        let (reader, writer) = split(far);
        let server = server.clone();
        let served = tokio::spawn(async move { server.serve(reader, writer).await });
        let (reader, writer) = split(near);
        Self { era, lines: BufReader::new(reader).lines(), writer, served, last_id: 0 }
    }

    /// A client that can call tools.
    async fn connect(server: &ExampleServer, era: Era) -> Self {
        let mut client = Self::open(server, era);
        if era == Era::Handshake {
            let answer = client.request("initialize", initialize_params("2025-11-25")).await;
            assert!(answer["result"].is_object(), "{answer}");
            let initialized = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
            client.write(&initialized.to_string()).await;
        }
        client
    }

    async fn with_bugs(bugs: impl Into<Bugs>) -> Self {
        Self::connect(&ExampleServer::new(bugs.into()), Era::Handshake).await
    }

    async fn write(&mut self, line: &str) {
        self.writer.write_all(format!("{line}\n").as_bytes()).await.unwrap();
    }

    async fn send(&mut self, method: &str, params: Value) -> u64 {
        self.last_id += 1;
        let params = self.era.complete(params);
        let id = self.last_id;
        let request = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
        self.write(&request.to_string()).await;
        id
    }

    async fn line(&mut self) -> Option<String> {
        self.lines.next_line().await.unwrap()
    }

    async fn receive(&mut self) -> Value {
        serde_json::from_str(&self.line().await.unwrap()).unwrap()
    }

    /// The answer to a request, which must be the next message.
    async fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.send(method, params).await;
        let answer = self.receive().await;
        assert_eq!(answer["id"], id, "{answer}");
        answer
    }

    async fn send_call(&mut self, tool: &str, arguments: Value) -> u64 {
        self.send("tools/call", json!({ "name": tool, "arguments": arguments })).await
    }

    /// The result of a call.
    async fn call(&mut self, tool: &str, arguments: Value) -> Value {
        let params = json!({ "name": tool, "arguments": arguments });
        let mut answer = self.request("tools/call", params).await;
        assert!(answer["error"].is_null(), "{answer}");
        answer["result"].take()
    }

    /// The structured content of a call that succeeds.
    async fn content(&mut self, tool: &str, arguments: Value) -> Value {
        let mut result = self.call(tool, arguments).await;
        assert_eq!(result["isError"], false, "{result}");
        let text = result["content"][0]["text"].as_str().unwrap();
        assert_eq!(serde_json::from_str::<Value>(text).unwrap(), result["structuredContent"]);
        result["structuredContent"].take()
    }

    async fn create(&mut self, title: &str) -> String {
        let task = self.content("create_task", json!({ "title": title })).await;
        task["id"].as_str().unwrap().to_owned()
    }

    /// The code of the error that a request gets.
    async fn error(&mut self, method: &str, params: Value) -> i64 {
        self.request(method, params).await["error"]["code"].as_i64().unwrap()
    }

    /// Every tool of every page, and the number of pages.
    async fn tools(&mut self) -> (Vec<Value>, usize) {
        let (mut tools, mut pages, mut params) = (Vec::new(), 0, json!({}));
        loop {
            let mut answer = self.request("tools/list", params).await;
            let Value::Array(page) = answer["result"]["tools"].take() else { panic!("{answer}") };
            tools.extend(page);
            pages += 1;
            match answer["result"].get("nextCursor") {
                Some(cursor) => params = json!({ "cursor": cursor }),
                None => return (tools, pages),
            }
        }
    }

    /// Closes the connection; returns what the server still wrote, and how the connection ended.
    async fn close(mut self) -> (Vec<String>, Ending) {
        self.writer.shutdown().await.unwrap();
        let mut rest = Vec::new();
        while let Some(line) = self.line().await {
            rest.push(line);
        }
        (rest, self.served.await.unwrap().unwrap())
    }
}

/// The published schemas of one era.
struct Published(Document);

impl Published {
    /// `None`, with a line that says so, if the schemas are not on this machine.
    fn load(era: Era) -> Option<Self> {
        let file = Path::new(SCHEMAS).join(era.schema_file());
        match fs::read_to_string(&file) {
            Ok(text) => {
                let schema = serde_json::from_str(&text).unwrap();
                Some(Self(Document::from_value(schema).unwrap()))
            }
            Err(error) => {
                let is_required = std::env::var("FOOLPROOF_REQUIRE_ALL").is_ok_and(|it| it == "1");
                assert!(!is_required, "a required test cannot run: {}: {error}", file.display());
                println!("skipped: {}: {error}", file.display());
                None
            }
        }
    }

    #[track_caller]
    fn check(&self, definition: &str, value: &Value) {
        let pointer = format!("/$defs/{definition}").parse().unwrap();
        let oracle = Oracle::at(&self.0, &pointer, FormatPolicy::Assert).unwrap();
        if let Err(rejected) = oracle.check(value.clone()) {
            panic!("{definition}: {:?}\n{value:#}", rejected.violations());
        }
    }
}

fn oracle(schema: &Value) -> Oracle {
    let document = Document::from_value(schema.clone()).unwrap();
    Oracle::new(&document, FormatPolicy::Assert).unwrap()
}

/// The oracle of the output schema of a tool.
async fn output_oracle(tool: &str) -> Oracle {
    let mut client = Client::with_bugs(Bugs::none()).await;
    let (tools, _) = client.tools().await;
    let tool = tools.iter().find(|definition| definition["name"] == tool).unwrap();
    oracle(&tool["outputSchema"])
}

#[tokio::test]
async fn messages_of_the_handshake_era_fit_the_published_schema() {
    let Some(published) = Published::load(Era::Handshake) else { return };
    let server = ExampleServer::new(Bugs::none());
    let mut client = Client::open(&server, Era::Handshake);

    let answer = client.request("initialize", initialize_params("2025-11-25")).await;
    published.check("JSONRPCResultResponse", &answer);
    published.check("InitializeResult", &answer["result"]);
    published.check("EmptyResult", &client.request("ping", json!({})).await["result"]);

    let answer = client.request("tools/list", json!({})).await;
    published.check("ListToolsResult", &answer["result"]);
    for tool in client.tools().await.0 {
        published.check("Tool", &tool);
    }
    let created = client.call("create_task", json!({ "title": "a" })).await;
    published.check("CallToolResult", &created);
    published.check("CallToolResult", &client.call("get_task", json!({ "id": "no" })).await);

    let refused = client.request("resources/list", json!({})).await;
    published.check("JSONRPCErrorResponse", &refused);
    client.write("{").await;
    published.check("JSONRPCErrorResponse", &client.receive().await);
}

#[tokio::test]
async fn messages_of_the_stateless_era_fit_the_published_schema() {
    let Some(published) = Published::load(Era::Stateless) else { return };
    let server = ExampleServer::new(Bugs::none());
    let mut client = Client::open(&server, Era::Stateless);

    let answer = client.request("server/discover", json!({})).await;
    published.check("DiscoverResultResponse", &answer);
    let mut answer = client.request("tools/list", json!({})).await;
    published.check("ListToolsResultResponse", &answer);
    while let Some(cursor) = answer["result"].get("nextCursor") {
        answer = client.request("tools/list", json!({ "cursor": cursor })).await;
        published.check("ListToolsResultResponse", &answer);
    }
    let params = json!({ "name": "create_task", "arguments": { "title": "a" } });
    published.check("CallToolResultResponse", &client.request("tools/call", params).await);
    let unknown_id = client.call("get_task", json!({ "id": "no" })).await;
    published.check("CallToolResult", &unknown_id);
    assert_eq!(unknown_id["resultType"], "complete");

    let unknown_tool = client.request("tools/call", json!({ "name": "no" })).await;
    published.check("InvalidParamsError", &unknown_tool["error"]);
    published.check("MethodNotFoundError", &client.request("ping", json!({})).await["error"]);
    let request = json!({
        "jsonrpc": "2.0",
        "id": "v",
        "method": "tools/list",
        "params": { "_meta": meta("1900-01-01") },
    });
    client.write(&request.to_string()).await;
    published.check("UnsupportedProtocolVersionError", &client.receive().await);
}

#[tokio::test]
async fn older_versions_are_negotiated() {
    let server = ExampleServer::new(Bugs::none());
    let cases = [
        ("2025-11-25", "2025-11-25"),
        ("2025-06-18", "2025-06-18"),
        ("2024-11-05", "2024-11-05"),
        ("1900-01-01", "2025-11-25"),
        ("2026-07-28", "2025-11-25"),
    ];
    for (requested, negotiated) in cases {
        let mut client = Client::open(&server, Era::Handshake);
        let answer = client.request("initialize", initialize_params(requested)).await;
        assert_eq!(answer["result"]["protocolVersion"], negotiated);
    }
}

#[tokio::test]
async fn the_handshake_comes_first_and_once() {
    let server = ExampleServer::new(Bugs::none());
    let mut client = Client::open(&server, Era::Handshake);
    assert_eq!(client.request("ping", json!({})).await["result"], json!({}));
    assert_eq!(client.error("tools/list", json!({})).await, -32600);
    assert_eq!(client.error("initialize", json!({})).await, -32602);
    client.request("initialize", initialize_params("2025-11-25")).await;
    assert_eq!(client.error("initialize", initialize_params("2025-11-25")).await, -32600);
    assert_eq!(client.error("resources/list", json!({})).await, -32601);
    assert!(client.request("tools/list", json!({})).await["result"].is_object());
}

#[tokio::test]
async fn stateless_requests_need_their_meta() {
    let server = ExampleServer::new(Bugs::none());
    let mut client = Client::open(&server, Era::Handshake);
    assert_eq!(client.error("server/discover", json!({})).await, -32602);
    for key in ["protocolVersion", "clientCapabilities"] {
        let mut meta = meta("2026-07-28");
        meta.as_object_mut().unwrap().remove(&format!("io.modelcontextprotocol/{key}"));
        assert_eq!(client.error("tools/list", json!({ "_meta": meta })).await, -32602, "{key}");
    }
}

#[tokio::test]
async fn a_server_of_one_era_refuses_the_other() {
    let stateless = ExampleServer::new(Bugs::none()).with_eras(Eras::Stateless);
    let mut client = Client::open(&stateless, Era::Handshake);
    let answer = client.request("initialize", initialize_params("2025-11-25")).await;
    assert_eq!(answer["error"]["code"], -32022);
    assert_eq!(answer["error"]["data"]["supported"], json!(["2026-07-28"]));
    assert_eq!(client.error("tools/list", json!({})).await, -32602);

    let handshake = ExampleServer::new(Bugs::none()).with_eras(Eras::Handshake);
    let mut client = Client::open(&handshake, Era::Stateless);
    assert_eq!(client.error("server/discover", json!({})).await, -32601);
    assert_eq!(client.error("tools/list", json!({})).await, -32600);
}

#[tokio::test]
async fn one_connection_serves_both_eras() {
    let mut client = Client::with_bugs(Bugs::none()).await;
    let id = client.create("both").await;
    client.era = Era::Stateless;
    let result = client.call("get_task", json!({ "id": id })).await;
    assert_eq!(result["structuredContent"]["title"], "both");
    assert_eq!(result["resultType"], "complete");
}

#[tokio::test]
async fn tools_are_listed_in_pages() {
    let server = ExampleServer::new(Bugs::none());
    for era in ERAS {
        let mut client = Client::connect(&server, era).await;
        let (tools, pages) = client.tools().await;
        let names: Vec<&str> = tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect();
        let expected = [
            "create_task",
            "get_task",
            "update_task",
            "delete_task",
            "search_tasks",
            "list_tasks",
            "task_statistics",
            "move_task",
            "set_reminder",
            "delete_all_tasks",
        ];
        assert_eq!((names, pages), (expected.to_vec(), 3));
        for cursor in [json!("after-nothing"), json!(""), json!(4)] {
            assert_eq!(client.error("tools/list", json!({ "cursor": cursor })).await, -32602);
        }
    }
}

#[tokio::test]
async fn one_tool_is_marked_as_destructive() {
    let (tools, _) = Client::with_bugs(Bugs::none()).await.tools().await;
    let destructive = tools.iter().filter(|tool| tool["annotations"]["destructiveHint"] == true);
    let names: Vec<&Value> = destructive.map(|tool| &tool["name"]).collect();
    assert_eq!(names, ["delete_all_tasks"]);
}

/// Calls every tool; returns the name and the structured content of each.
async fn call_every_tool(client: &mut Client) -> Vec<(&'static str, Value)> {
    let created = json!({ "title": "Write tests", "priority": "high", "estimate": 30 });
    let task = client.content("create_task", created).await;
    let id = task["id"].clone();
    let calls = [
        ("get_task", json!({ "id": id })),
        ("update_task", json!({ "id": id, "done": true, "title": "Write more tests" })),
        ("move_task", json!({ "id": id, "to": { "project": "home", "position": 2 } })),
        ("set_reminder", json!({ "id": id, "minutes": -5 })),
        ("search_tasks", json!({ "query": "MORE", "limit": 1 })),
        ("list_tasks", json!({})),
        ("task_statistics", json!({})),
        ("delete_task", json!({ "id": id })),
        ("delete_all_tasks", json!({})),
    ];
    let mut contents = vec![("create_task", task)];
    for (tool, arguments) in calls {
        contents.push((tool, client.content(tool, arguments).await));
    }
    contents
}

#[tokio::test]
async fn every_tool_works_in_both_eras() {
    let server = ExampleServer::new(Bugs::none());
    for era in ERAS {
        let mut client = Client::connect(&server, era).await;
        let contents = call_every_tool(&mut client).await;
        let id = &contents[0].1["id"];
        let task = json!({
            "id": id,
            "title": "Write more tests",
            "priority": "high",
            "estimate": 30,
            "done": true,
            "location": { "project": "home", "position": 2 },
            "reminder": -5,
        });
        assert_eq!(contents[1].1, contents[0].1);
        assert_eq!(contents[2].1["title"], "Write more tests");
        assert_eq!(contents[3].1, json!({ "id": id, "location": task["location"] }));
        assert_eq!(contents[4].1, json!({ "id": id, "minutes": -5 }));
        assert_eq!(contents[5].1, json!({ "tasks": [task] }));
        assert_eq!(contents[6].1, json!({ "tasks": [task] }));
        let by_priority = json!({ "low": 0, "normal": 0, "high": 1 });
        let statistics = json!({ "total": 1, "open": 0, "done": 1, "by_priority": by_priority });
        assert_eq!(contents[7].1, statistics);
        assert_eq!(contents[8].1, json!({ "deleted": id }));
        assert_eq!(contents[9].1, json!({ "deleted": 0 }));
    }
}

#[tokio::test]
async fn results_fit_their_output_schemas() {
    let mut client = Client::with_bugs(Bugs::none()).await;
    let (tools, _) = client.tools().await;
    for (name, content) in call_every_tool(&mut client).await {
        let tool = tools.iter().find(|tool| tool["name"] == name).unwrap();
        assert_eq!(oracle(&tool["outputSchema"]).violations(&content), [], "{name}");
    }
}

#[tokio::test]
async fn unknown_ids_are_errors_of_the_tool() {
    let mut client = Client::with_bugs(Bugs::none()).await;
    let id = client.create("gone").await;
    client.content("delete_task", json!({ "id": id })).await;
    let to = json!({ "project": "a", "position": 0 });
    let calls = [
        ("get_task", json!({ "id": id })),
        ("get_task", json!({ "id": "" })),
        ("update_task", json!({ "id": id })),
        ("delete_task", json!({ "id": id })),
        ("move_task", json!({ "id": id, "to": to })),
        ("set_reminder", json!({ "id": id, "minutes": 1000 })),
    ];
    for (tool, arguments) in calls {
        let result = client.call(tool, arguments).await;
        assert_eq!(result["isError"], true, "{tool}");
        assert!(result["structuredContent"].is_null());
    }
}

/// The arguments that the server refuses are those that its input schema forbids.
#[tokio::test]
async fn arguments_are_checked_against_the_input_schema() {
    let mut client = Client::with_bugs(Bugs::none()).await;
    let (tools, _) = client.tools().await;
    let to = |position: Value| json!({ "project": "p", "position": position });
    let cases = [
        ("create_task", json!({ "title": "a" }), true),
        ("create_task", json!({ "title": "a", "estimate": 3.0 }), true),
        ("create_task", json!({}), false),
        ("create_task", json!({ "title": "" }), false),
        ("create_task", json!({ "title": null }), false),
        ("create_task", json!({ "title": "a", "priority": "HIGH" }), false),
        ("create_task", json!({ "title": "a", "estimate": -1 }), false),
        ("create_task", json!({ "title": "a", "estimate": 0.5 }), false),
        ("create_task", json!({ "title": "a", "other": 1 }), false),
        ("create_task", json!(["a"]), false),
        ("update_task", json!({ "id": "a", "done": 1 }), false),
        ("search_tasks", json!({ "query": "", "limit": 50 }), true),
        ("search_tasks", json!({ "query": "", "limit": 0 }), false),
        ("search_tasks", json!({ "query": "", "limit": 51 }), false),
        ("move_task", json!({ "id": "a", "to": to(json!(0)) }), true),
        ("move_task", json!({ "id": "a", "to": to(json!(-1)) }), false),
        ("move_task", json!({ "id": "a", "to": to(json!("0")) }), false),
        ("move_task", json!({ "id": "a", "to": "p" }), false),
        ("set_reminder", json!({ "id": "a", "minutes": -1e300 }), true),
        ("set_reminder", json!({ "id": "a", "minutes": 1.5 }), false),
        ("list_tasks", json!({ "id": "a" }), false),
    ];
    for (name, arguments, valid) in cases {
        let tool = tools.iter().find(|tool| tool["name"] == name).unwrap();
        assert_eq!(oracle(&tool["inputSchema"]).is_valid(&arguments), valid, "{arguments}");
        let params = json!({ "name": name, "arguments": arguments });
        let code = client.request("tools/call", params).await["error"]["code"].as_i64();
        assert_eq!(code, if valid { None } else { Some(-32602) }, "{name} {arguments}");
    }
    assert_eq!(client.error("tools/call", json!({ "name": "no" })).await, -32602);
    assert_eq!(client.error("tools/call", json!({})).await, -32602);
    assert!(
        client.request("tools/call", json!({ "name": "list_tasks" })).await["result"].is_object()
    );
}

#[tokio::test]
async fn ids_differ_in_every_session_unless_seeded() {
    let server = ExampleServer::new(Bugs::none());
    let first = Client::connect(&server, Era::Handshake).await.create("a").await;
    let second = Client::connect(&server, Era::Handshake).await.create("a").await;
    let other = Client::with_bugs(Bugs::none()).await.create("a").await;
    assert!(first.starts_with("task-") && first.len() == 17, "{first}");
    assert!(first != second && first != other && second != other);

    let seeded = || ExampleServer::new(Bugs::none()).with_seed(7);
    let first = Client::connect(&seeded(), Era::Handshake).await.create("a").await;
    assert_eq!(Client::connect(&seeded(), Era::Handshake).await.create("a").await, first);
}

#[tokio::test]
async fn sessions_share_no_tasks() {
    let server = ExampleServer::new(Bugs::none());
    let mut first = Client::connect(&server, Era::Handshake).await;
    first.create("a").await;
    let mut second = Client::connect(&server, Era::Handshake).await;
    assert_eq!(second.content("list_tasks", json!({})).await, json!({ "tasks": [] }));
}

#[tokio::test]
async fn blank_lines_notifications_and_answers_get_no_answer() {
    let mut client = Client::with_bugs(Bugs::none()).await;
    client.write("").await;
    client.write(r#"{"jsonrpc": "2.0", "method": "notifications/unknown"}"#).await;
    client.write(r#"{"jsonrpc": "2.0", "id": 5, "result": {}}"#).await;
    client.request("ping", json!({})).await;
    assert_eq!(client.close().await, (vec![], Ending::Closed));
}

#[tokio::test]
async fn stale_read_shows_after_create_delete_and_get_only() {
    let fits = output_oracle("get_task").await;
    let mut client = Client::with_bugs(Bug::StaleRead).await;
    let id = client.create("a").await;
    assert!(fits.is_valid(&client.content("get_task", json!({ "id": id })).await));
    client.content("delete_task", json!({ "id": id })).await;
    let stale = client.content("get_task", json!({ "id": id })).await;
    let pointers: Vec<String> =
        fits.violations(&stale).iter().map(|violation| violation.instance().to_string()).collect();
    assert_eq!(pointers, ["/title"]);

    assert_eq!(client.call("update_task", json!({ "id": id })).await["isError"], true);
    assert_eq!(client.call("get_task", json!({ "id": "other" })).await["isError"], true);
    let id = client.create("b").await;
    client.content("delete_all_tasks", json!({})).await;
    assert_eq!(client.call("get_task", json!({ "id": id })).await["isError"], true);
}

#[tokio::test]
async fn crash_ends_the_connection() {
    let lines = Arc::new(Mutex::new(Vec::new()));
    let recorded = Arc::clone(&lines);
    let server = ExampleServer::new(Bug::Crash.into())
        .on_crash(move |line| recorded.lock().unwrap().push(line.to_owned()));
    let mut client = Client::connect(&server, Era::Handshake).await;
    let id = client.create("a").await;
    client.content("set_reminder", json!({ "id": id, "minutes": 999 })).await;
    client.send_call("set_reminder", json!({ "id": id, "minutes": 1000 })).await;
    assert_eq!(client.line().await, None);
    let Ending::Crashed(line) = client.served.await.unwrap().unwrap() else { panic!("closed") };
    assert_eq!(*lines.lock().unwrap(), [line]);
}

#[tokio::test]
async fn threshold_breaks_the_output_schema() {
    let fits = output_oracle("set_reminder").await;
    let mut client = Client::with_bugs(Bug::Threshold).await;
    let id = client.create("a").await;
    for (minutes, expected) in [(-1000, true), (999, true), (1000, false), (70_000, false)] {
        let arguments = json!({ "id": id, "minutes": minutes });
        let content = client.content("set_reminder", arguments).await;
        assert_eq!(fits.is_valid(&content), expected, "{content}");
    }
    let arguments: Value =
        serde_json::from_str(&format!(r#"{{"id": "{id}", "minutes": 1e999}}"#)).unwrap();
    assert!(!fits.is_valid(&client.content("set_reminder", arguments).await));
    let task = client.content("get_task", json!({ "id": id })).await;
    assert!(output_oracle("get_task").await.is_valid(&task));
}

#[tokio::test]
async fn hang_leaves_other_requests_answered() {
    let mut client = Client::with_bugs(Bug::Hang).await;
    client.create("a").await;
    let found = client.content("search_tasks", json!({ "query": "A" })).await;
    assert_eq!(found["tasks"].as_array().unwrap().len(), 1);
    client.send_call("search_tasks", json!({ "query": "b" })).await;
    client.request("tools/list", json!({})).await;
    client.content("list_tasks", json!({})).await;
    assert_eq!(client.close().await, (vec![], Ending::Closed));
}

#[tokio::test]
async fn frozen_leaves_nothing_answered() {
    let mut client = Client::with_bugs(Bug::Frozen).await;
    client.content("list_tasks", json!({})).await;
    client.send_call("search_tasks", json!({ "query": "b" })).await;
    client.send("tools/list", json!({})).await;
    client.send("ping", json!({})).await;
    client.write("{").await;
    assert_eq!(client.close().await, (vec![], Ending::Closed));
}

#[tokio::test]
async fn slow_answers_after_others() {
    let bugs = Bugs::from(Bug::Slow).with_delay(Duration::from_millis(300));
    let mut client = Client::with_bugs(bugs).await;
    let slow = client.send_call("task_statistics", json!({})).await;
    client.request("tools/list", json!({})).await;
    client.create("a").await;
    let answer = client.receive().await;
    assert_eq!(answer["id"], slow);
    // The answer is late, not the effect.
    assert_eq!(answer["result"]["structuredContent"]["total"], 0);
}

#[tokio::test]
async fn slow_answers_can_be_cancelled() {
    let mut client = Client::with_bugs(Bugs::from(Bug::Slow)).await;
    let id = client.send_call("task_statistics", json!({})).await;
    let params = json!({ "requestId": id });
    let cancelled =
        json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": params });
    client.write(&cancelled.to_string()).await;
    client.request("ping", json!({})).await;
    assert_eq!(client.close().await, (vec![], Ending::Closed));
}

#[tokio::test]
async fn junk_stands_before_the_answer_of_list_tasks() {
    let mut client = Client::with_bugs(Bug::Junk).await;
    let id = client.send_call("list_tasks", json!({})).await;
    let junk = client.line().await.unwrap();
    assert!(serde_json::from_str::<Value>(&junk).is_err(), "{junk}");
    assert_eq!(client.receive().await["id"], id);
    client.create("a").await;
}

#[tokio::test]
async fn a_client_that_stops_reading_has_closed_the_connection() {
    let mut client = Client::with_bugs(Bugs::none()).await;
    client.send("ping", json!({})).await;
    let served = client.served;
    drop((client.lines, client.writer));
    assert_eq!(served.await.unwrap().unwrap(), Ending::Closed);
}

/// Servers are shared between threads.
#[test]
fn servers_are_send_and_sync() {
    fn check<T: Send + Sync>() {}
    check::<ExampleServer>();
    check::<Bugs>();
}
