//! How fast calls over standard input and output are, beside a loop that does nothing but write and read.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]
#![expect(clippy::print_stdout, reason = "`--nocapture` shows the measurement")]
#![cfg(unix)]

mod wire_support;

use std::{
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use foolproof_mcp::wire::{CallEnd, Connection, Endpoint};
use rustix::time::{ClockId, clock_gettime};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader},
    process::{Child, ChildStdin, ChildStdout},
};
use wire_support::{options, skip};

const ROUNDS: usize = 40;
const CALLS_OF_A_ROUND: u32 = 125;

/// Answers without parsing, so that the time is the client's.
const SERVER: &str = r#"
import sys
write, flush = sys.stdout.write, sys.stdout.flush
for line in sys.stdin:
    at = line.find('"id":')
    if at < 0: continue
    id = line[at + 5:line.index(",", at)]
    if "initialize" in line:
        result = '{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"a","version":"1"}}'
    else:
        result = '{"content":[{"type":"text","text":"ok"}],"structuredContent":{"id":7,"tags":["a","b"]}}'
    write('{"jsonrpc":"2.0","id":' + id + ',"result":' + result + '}\n')
    flush()
"#;

/// A client that writes a request, reads a line within a time limit, and parses it.
struct Bare {
    _child: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
    line: String,
    next_id: u64,
}

impl Bare {
    fn start() -> Self {
        let mut child = tokio::process::Command::new("python3")
            .args(["-c", SERVER])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        let stdin = child.stdin.take().unwrap();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        Self { _child: child, stdin, stdout, line: String::new(), next_id: 1 }
    }

    async fn call(&mut self) {
        let id = self.next_id;
        self.next_id += 1;
        let params = json!({"name": "any", "arguments": {"a": 1}});
        let request = json!({"id": id, "jsonrpc": "2.0", "method": "tools/call", "params": params});
        let request = format!("{request}\n");
        self.stdin.write_all(request.as_bytes()).await.unwrap();
        self.stdin.flush().await.unwrap();
        self.line.clear();
        let reading = self.stdout.read_line(&mut self.line);
        tokio::time::timeout(Duration::from_secs(10), reading).await.unwrap().unwrap();
        let answer: Value = serde_json::from_str(&self.line).unwrap();
        assert_eq!(answer["id"], json!(id));
    }
}

async fn call(connection: &mut Connection) {
    let end = connection.call_tool("any", &json!({"a": 1})).await;
    assert!(matches!(end, CallEnd::Answered(_)), "{end}");
}

/// Compares by the time that this process spends, since on a busy machine the clock on the wall measures
/// the scheduler. Waking a server that runs on an idle virtual processor can cost several times a call,
/// for one of the two servers and as long as it runs, so an unlucky pair of servers is replaced.
#[tokio::test]
#[ignore = "a measurement: run it on a quiet machine"]
async fn calls_cost_little_more_than_in_a_bare_loop() {
    if Command::new("python3").arg("--version").output().is_err() {
        return skip("python3 is not installed");
    }
    let mut costs = Vec::new();
    for _ in 0..5 {
        let (ours, bare) = compare().await;
        if ours < bare * 2 {
            return;
        }
        costs.push((ours, bare));
    }
    panic!("a call costs this process, beside a call in a bare loop: {costs:?}");
}

/// What a call costs this process, and a call in a bare loop: the medians of rounds in turns.
async fn compare() -> (Duration, Duration) {
    let mut bare = Bare::start();
    bare.call().await;
    let endpoint = Endpoint::command("python3", ["-c", SERVER]);
    let mut connection = Connection::open(&endpoint, &options()).await.unwrap();
    let (mut our_times, mut bare_times) = (Vec::new(), Vec::new());
    let (mut our_walls, mut bare_walls) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        let (begun, wall) = (cpu_time(), Instant::now());
        for _ in 0..CALLS_OF_A_ROUND {
            call(&mut connection).await;
        }
        our_times.push(cpu_time().saturating_sub(begun) / CALLS_OF_A_ROUND);
        our_walls.push(wall.elapsed());
        let (begun, wall) = (cpu_time(), Instant::now());
        for _ in 0..CALLS_OF_A_ROUND {
            bare.call().await;
        }
        bare_times.push(cpu_time().saturating_sub(begun) / CALLS_OF_A_ROUND);
        bare_walls.push(wall.elapsed());
    }
    connection.close().await;
    assert!(connection.take_findings().is_empty());
    let (ours, bare) = (median(our_times), median(bare_times));
    let rate = median(bare_walls).as_secs_f64() / median(our_walls).as_secs_f64();
    println!("a call costs {ours:?}, in a bare loop {bare:?}; the rate is {rate:.2} of it");
    (ours, bare)
}

fn cpu_time() -> Duration {
    let now = clock_gettime(ClockId::ProcessCPUTime);
    let seconds = Duration::from_secs(now.tv_sec.try_into().unwrap());
    seconds + Duration::from_nanos(now.tv_nsec.try_into().unwrap())
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}
