//! Calls per second over standard input and output, one session: a bare loop of `rmcp`, our wire layer, and a whole test
//! with its choices, checks and coverage. The runs are interleaved; the medians are compared.

use std::{
    env,
    path::PathBuf,
    time::{Duration, Instant},
};

use foolproof_mcp::{
    Seed, Settings, Target, run,
    wire::{CallEnd, ConnectOptions, Connection, Endpoint, Isolation, ProtocolChoice},
};
use rmcp::{ServiceExt as _, model::CallToolRequestParams, transport::TokioChildProcess};
use serde_json::json;

const CALLS: u32 = 5_000;
const RUNS: usize = 5;

fn server() -> PathBuf {
    let here = env::current_exe().expect("the path of this program is known");
    here.with_file_name("echo")
}

fn endpoint() -> Endpoint {
    Endpoint::command(server().display().to_string(), Vec::<String>::new(), Isolation::Unconfined)
}

fn options() -> ConnectOptions {
    ConnectOptions { protocol: ProtocolChoice::Handshake, ..ConnectOptions::default() }
}

async fn peer() -> Duration {
    let process = TokioChildProcess::new(tokio::process::Command::new(server())).expect("it starts");
    let client = ().serve(process).await.expect("it answers");
    let arguments = json!({ "text": "alpha" });
    let start = Instant::now();
    for _ in 0..CALLS {
        let arguments = arguments.as_object().expect("an object").clone();
        let request = CallToolRequestParams::new("echo").with_arguments(arguments);
        let answer = client.call_tool(request).await.expect("it answers");
        assert!(answer.structured_content.is_some());
    }
    let time = start.elapsed();
    let _ = client.cancel().await;
    time
}

async fn wire() -> Duration {
    let mut connection = Connection::open(&endpoint(), &options()).await.expect("it answers");
    let arguments = json!({ "text": "alpha" });
    let start = Instant::now();
    for _ in 0..CALLS {
        let end = connection.call_tool("echo", &arguments).await;
        assert!(matches!(end, CallEnd::Answered(_)));
    }
    let time = start.elapsed();
    connection.close().await;
    time
}

async fn whole() -> Duration {
    let mut target = Target::new(endpoint());
    target.connect = options();
    let seed: Seed = "alpha".parse().expect("it is a value");
    let settings = Settings {
        cases: u64::from(CALLS) / 20,
        seed: Some(1),
        seeds: vec![seed],
        reuse_session: true,
        ..Settings::default()
    };
    let start = Instant::now();
    let report = run(&target, &settings).await.expect("it answers");
    let time = start.elapsed();
    assert_eq!(report.tools[0].successes, u64::from(CALLS), "{report}");
    time
}

fn median(mut times: Vec<Duration>) -> f64 {
    times.sort();
    f64::from(CALLS) / times[times.len() / 2].as_secs_f64()
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let (mut peers, mut wires, mut wholes) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..RUNS {
        peers.push(peer().await);
        wires.push(wire().await);
        wholes.push(whole().await);
    }
    let (peer, wire, whole) = (median(peers), median(wires), median(wholes));
    println!("calls per second, median of {RUNS} interleaved runs of {CALLS} calls");
    println!("rmcp, a bare loop    {peer:>8.0}");
    println!("our wire layer       {wire:>8.0}  {:.2} of rmcp", wire / peer);
    println!("a whole test         {whole:>8.0}  {:.2} of rmcp", whole / peer);
    let verdict = if wire / peer >= 0.9 { "held" } else { "MISSED" };
    println!("promise: the wire layer has at least 0.90 of the calls: {verdict}");
}
