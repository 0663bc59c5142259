//! Servers over HTTP.

use std::{io, net::TcpStream, sync::Arc, time::Duration};

use serde_json::json;

use crate::{
    http_server::{Accept, Exchange, On, Server, Stream, Way, chunk, ok},
    machine::{Machine, each},
};

/// A way to misbehave.
struct Case {
    name: &'static str,
    /// How long a call and the run may take: what is long and arrives needs time.
    limits: [&'static str; 2],
    on: &'static [On],
    way: Way,
    /// Exit codes that are right.
    codes: &'static [i32],
    /// What the output must say.
    says: &'static str,
}

const fn case(
    name: &'static str,
    on: &'static [On],
    way: Way,
    codes: &'static [i32],
    says: &'static str,
) -> Case {
    Case { name, limits: ["--call-timeout=300ms", "--time=3s"], on, way, codes, says }
}

const fn slow_case(
    name: &'static str,
    on: &'static [On],
    way: Way,
    codes: &'static [i32],
    says: &'static str,
) -> Case {
    Case { limits: ["--call-timeout=5s", "--time=10s"], ..case(name, on, way, codes, says) }
}

const CALL: &[On] = &[On::Call];
const NO_PAUSE: Duration = Duration::ZERO;
const PAUSE: Duration = Duration::from_millis(20);

#[rustfmt::skip]
const CASES: &[Case] = &[
    // Connections.
    case("closes-after-accept", &[On::Accept], close, &[5], "the connection failed"),
    case("never-reads", &[On::Accept], wait, &[5], "in time"),
    case("tls", &[On::Accept], |it| it.send(b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"), &[5], "the connection failed"),
    case("http-2", &[On::Accept], |it| it.send(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0"), &[5], "the connection failed"),
    case("reset", &[On::Head], close, &[5], "the connection failed"),
    case("closes-in-the-call", CALL, close, &[1], "connection closed"),
    // Heads.
    case("slow-head", CALL, |it| it.send("HTTP/1.1 200 OK\r\nx: ")
        .and_then(|()| it.repeat("x", PAUSE)), &[1], "slow_call"),
    case("head-without-an-end", CALL, |it| it.send("HTTP/1.1 200 OK\r\n")
        .and_then(|()| it.repeat("x: y\r\n".repeat(100), NO_PAUSE)), &[1], "crash"),
    case("header-of-1-mb", CALL, |it| it.json("200 OK", &format!("x: {}\r\n", "x".repeat(1_000_000)), b"{}"), &[1], "crash"),
    case("10000-headers", CALL, |it| it.json("200 OK", &"x: y\r\n".repeat(10_000), b"{}"), &[1], "crash"),
    case("invalid-header", CALL, |it| it.json("200 OK", "x\0y: \u{1}\r\n", b"{}"), &[1], "crash"),
    case("flood-of-continue", CALL, |it| it.repeat("HTTP/1.1 100 Continue\r\n\r\n".repeat(100), NO_PAUSE), &[1], "none succeeded"),
    case("flood-of-early-hints", CALL, |it| it.repeat("HTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n".repeat(100), NO_PAUSE), &[1], "none succeeded"),
    case("control-characters-in-the-session", &[On::Initialize], |it| it.respond("200 OK", "mcp-session-id: a\u{1}b\r\n", b"{}"), &[5], "the connection failed"),
    // Statuses.
    case("redirect-elsewhere", CALL, |it| it.respond("302 Found", "location: http://127.0.0.1:1/\r\n", b""), &[1], "is not followed"),
    case("redirect-to-itself", &[On::Initialize], |it| it.respond("307 Temporary Redirect", "location: /mcp\r\n", b""), &[5], "is not followed"),
    case("204-with-a-body", CALL, |it| it.answer("204 No Content", "", &ok()), &[1], "204 No Content without an answer"),
    case("202-without-an-answer", CALL, |it| it.respond("202 Accepted", "", b""), &[1], "202 Accepted without an answer"),
    case("304-with-a-body", CALL, |it| it.answer("304 Not Modified", "", &ok()), &[1], "304 Not Modified"),
    case("401", &[On::Initialize], |it| it.respond("401 Unauthorized", "www-authenticate: Bearer\r\n", b""), &[5], "401 Unauthorized"),
    case("404-for-the-session", CALL, |it| it.respond("404 Not Found", "", b""), &[1], "the session has expired"),
    case("429", CALL, |it| it.respond("429 Too Many Requests", "retry-after: 999999\r\n", b""), &[1], "429 Too Many Requests"),
    case("session-that-changes", &[On::Initialize, On::List, On::Call], changing_session, &[0], "passed"),
    // Bodies.
    case("slow-body", CALL, |it| it.send("HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 1000000\r\n\r\n")
        .and_then(|()| it.repeat("x", PAUSE)), &[1], "slow_call"),
    case("length-too-long", CALL, |it| with_length(it, 50), &[1], "cut_off"),
    case("length-too-short", CALL, |it| with_length(it, -5), &[1], "not_json"),
    case("cut-in-a-chunk", CALL, |it| {
        let whole = it.message(&ok());
        it.chunked()?;
        it.send(format!("{:x}\r\n{whole}", whole.len() + 1))?;
        close(it)
    }, &[1], "cut_off"),
    case("cut-between-chunks", CALL, |it| {
        let whole = it.message(&ok());
        it.chunked()?;
        it.chunk(whole)?;
        close(it)
    }, &[1], "cut_off"),
    case("nonsense-as-chunk-size", CALL, |it| it.chunked().and_then(|()| it.send("zz\r\n{}\r\n")), &[1], "cut_off"),
    case("huge-chunk-size", CALL, |it| it.chunked().and_then(|()| it.send("fffffffffffffffff\r\n{}\r\n")), &[1], "cut_off"),
    case("endless-chunks", CALL, |it| it.chunked().and_then(|()| it.repeat(chunk(&[b' '; 100_000]), NO_PAUSE)), &[1], "slow_call"),
    slow_case("gzip-bomb", CALL, |it| it.json("200 OK", "content-encoding: gzip\r\n", &bomb()), &[1], "invalid_utf8"),
    case("wrong-type", CALL, |it| it.respond("200 OK", "content-type: text/html\r\n", b"<p>hello"), &[1], "unexpected_content_type"),
    case("invalid-utf-8", CALL, |it| it.json("200 OK", "", b"{\"jsonrpc\":\"2.0\",\"x\":\"\xff\"}"), &[1], "invalid_utf8"),
    case("nul", CALL, |it| it.json("200 OK", "", b"\0\0\0"), &[1], "not_json"),
    case("deep-nesting", CALL, |it| it.json("200 OK", "", &[b'['; 100_000]), &[1], "nested_too_deep"),
    case("other-id", CALL, |it| { it.id = 4711; it.answer("200 OK", "", &ok()) }, &[1], "unknown_id"),
    // Event streams.
    case("endless-events", CALL, |it| it.events().and_then(|()| it.repeat(chunk(&b"data: junk\n\n".repeat(1_000)), NO_PAUSE)), &[1], "not_json"),
    case("silent-events", CALL, |it| it.events().and_then(|()| it.wait()), &[0, 1, 6], "slow_call"),
    slow_case("event-of-100-mb", CALL, |it| {
        it.events()?;
        it.chunk("data: ")?;
        (0..100).try_for_each(|_| it.chunk(vec![b'x'; 1_000_000]))?;
        it.chunk("\n\n")?;
        it.send("0\r\n\r\n")
    }, &[1], "oversized"),
    slow_case("id-of-10-mb", &[On::Call, On::Get], |it| {
        it.events()?;
        it.chunk(format!("id: {}\ndata:\n\n", "x".repeat(10_000_000)))?;
        it.send("0\r\n\r\n")
    }, &[1], "ended without an answer"),
    case("resumed-for-ever", &[On::Call, On::Get], |it| {
        it.events()?;
        it.chunk("id: 1\nretry: 1\ndata:\n\n")?;
        it.send("0\r\n\r\n")
    }, &[1], "ended without an answer"),
    case("resumed-in-a-million-years", CALL, |it| {
        it.events()?;
        it.chunk("id: 1\nretry: 18446744073709551615\ndata:\n\n")?;
        it.send("0\r\n\r\n")
    }, &[0, 1, 6], "slow_call"),
    case("cut-in-an-event", CALL, |it| {
        let whole = it.message(&ok());
        it.events()?;
        it.chunk(format!("data: {whole}\n"))?;
        it.send("0\r\n\r\n")
    }, &[1], "cut_off"),
    case("cut-in-the-chunk-of-an-event", CALL, |it| {
        let whole = it.message(&ok());
        it.events()?;
        it.send(format!("fff\r\ndata: {whole}\n"))?;
        close(it)
    }, &[1], "cut_off"),
    case("cut-after-the-event", CALL, |it| {
        let whole = it.message(&ok());
        it.events()?;
        it.send(format!("fff\r\ndata: {whole}\n\n"))?;
        close(it)
    }, &[1], "cut_off"),
    case("endless-progress", CALL, |it| {
        let token = it.id;
        let params = json!({"progressToken": token, "progress": 1});
        let note = json!({"jsonrpc": "2.0", "method": "notifications/progress", "params": params});
        it.events()?;
        it.repeat(chunk(format!("data: {note}\n\n").as_bytes()), PAUSE)
    }, &[0, 1, 6], "slow_call"),
    case("requests-whose-answers-are-not-accepted", &[On::Call, On::Reply], |it| {
        if it.id < 1_000_000 {
            it.events()?;
            for id in 0..1_000_000 {
                let ask = json!({"jsonrpc": "2.0", "id": 1_000_000 + id, "method": "ping"});
                it.chunk(format!("data: {ask}\n\n"))?;
            }
        }
        it.wait()
    }, &[0, 1, 6], "echo"),
    case("flood-on-the-stream-of-the-server", &[On::Get], |it| it.events().and_then(|()| it.repeat(chunk(&b"data: junk\n\n".repeat(1_000)), NO_PAUSE)), &[1], "not_json"),
    // What is not a call.
    case("notification-is-not-accepted", &[On::Initialized], wait, &[0, 1, 6], "unexpected_status"),
    case("end-is-not-accepted", &[On::Delete], wait, &[0], "passed"),
    case("slow-start", &[On::Initialize], |it| it.send("HTTP/1.1 200 OK\r\nx: ")
        .and_then(|()| it.repeat("x", PAUSE)), &[5], "no answer to `initialize` in time"),
    case("garbage-at-start", &[On::Initialize], |it| it.json("200 OK", "", b"[1, \"2\", null]"), &[5], "does not answer the request"),
];

/// Closes the connection, as every error does.
fn close(_: &mut Exchange<'_>) -> io::Result<()> {
    Err(io::ErrorKind::ConnectionAborted.into())
}

fn wait(it: &mut Exchange<'_>) -> io::Result<()> {
    it.wait()
}

/// A whole answer with a length that is wrong by so much.
fn with_length(it: &mut Exchange<'_>, difference: isize) -> io::Result<()> {
    let whole = it.message(&ok());
    let length = whole.len().wrapping_add_signed(difference);
    it.send(format!(
        "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\r\n{whole}"
    ))?;
    close(it)
}

fn changing_session(it: &mut Exchange<'_>) -> io::Result<()> {
    let result = match it.number {
        0 => {
            json!({"protocolVersion": "2025-11-25", "capabilities": {}, "serverInfo": {"name": "evil", "version": "1"}})
        }
        _ => {
            json!({"tools": [{"name": "echo", "inputSchema": {}, "annotations": {"readOnlyHint": true}}], "content": [],
            "protocolVersion": "2025-11-25", "capabilities": {}, "serverInfo": {"name": "evil", "version": "1"}})
        }
    };
    it.answer("200 OK", &format!("mcp-session-id: s-{}\r\n", it.number), &result)
}

/// 26 MB of one byte as gzip: a fixed Huffman block (RFC 1951, section 3.2.6) of a literal and copies of 258 bytes.
fn bomb() -> Vec<u8> {
    let mut bits: Vec<bool> = Vec::new();
    let mut push = |code: u32, length: u32| {
        bits.extend((0..length).rev().map(|bit| code >> bit & 1 == 1));
    };
    // The last block, with fixed codes: 1, and 01 with its low bit first.
    push(0b110, 3);
    push(0b0011_0000, 8);
    for _ in 0..100_000 {
        // A length of 258, and a distance of 1.
        push(0b1100_0101, 8);
        push(0, 5);
    }
    push(0, 7);
    let pack = |bits: &[bool]| {
        bits.iter().enumerate().fold(0, |byte, (index, bit)| byte | u8::from(*bit) << index)
    };
    let mut file = vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3];
    file.extend(bits.chunks(8).map(pack));
    file.extend([0; 8]);
    file
}

/// How long one run may take: it has three or ten seconds, may be starting or closing sessions then, and others run beside it.
const LIMIT: Duration = Duration::from_secs(30);

/// Options of every run.
const OPTIONS: [&str; 6] = [
    "--cases=2",
    "--max-steps=2",
    "--start-timeout=1s",
    "--protocol=2025-11-25",
    "--seed=1",
    "--value=alpha",
];

fn test(case: &Case) -> Result<(), String> {
    let machine = Machine::new();
    let plain: Arc<Accept> = Arc::new(|socket: TcpStream| Ok(Box::new(socket) as Box<dyn Stream>));
    let server = Server::start(case.on, case.way, plain);
    let url = format!("http://127.0.0.1:{}/mcp", server.port);
    let outputs = machine.outputs();
    let outputs = outputs.iter().map(String::as_str);
    let args: Vec<&str> = ["mcp", "http", &url]
        .into_iter()
        .chain(OPTIONS)
        .chain(case.limits)
        .chain(outputs)
        .collect();
    let ended = machine.start(&args).wait(LIMIT)?;
    machine.census()?;
    let text = ended.text();
    // What arrives on other streams may or may not be there before a call ends.
    let is_steady = !case.on.contains(&On::Call) || !text.contains("FLAKY");
    if case.codes.contains(&ended.code) && text.contains(case.says) && is_steady {
        return Ok(());
    }
    Err(format!("code {} after {:?}: {text:.3000}", ended.code, ended.time))
}

#[test]
fn every_server_over_http_is_survived() {
    each(CASES, 6, |case| case.name.to_owned(), test);
}
