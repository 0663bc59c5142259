//! Runs against the example server: planted bugs are found, shrunk and repeated.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

use foolproof_mcp::{
    OutcomeStatus, RunReport, Seed, Settings, Target,
    example_server::{Bug, Bugs, ExampleServer},
    run,
    wire::{Endpoint, Pipe},
};

/// A target that serves the example with these bugs, in this process.
fn target(bugs: Bugs) -> Target {
    Target::new(Endpoint::factory(move || {
        let server = ExampleServer::new(bugs.clone());
        let (client, stream) = tokio::io::duplex(64 * 1024);
        tokio::spawn(async move {
            let (reader, writer) = tokio::io::split(stream);
            let _ = server.serve(reader, writer).await;
        });
        Pipe::from(client)
    }))
}

fn seeds(texts: &[&str]) -> Vec<Seed> {
    texts.iter().map(|text| text.parse().unwrap()).collect()
}

async fn report(bugs: Bugs, settings: Settings) -> RunReport {
    run(&target(bugs), &settings).await.unwrap()
}

#[tokio::test]
async fn a_correct_server_passes() {
    let settings = Settings { seed: Some(1), seeds: seeds(&["alpha", "3"]), ..Settings::default() };
    let report = report(Bugs::none(), settings).await;
    println!("{report}");
    assert_eq!(report.outcome.status, OutcomeStatus::Passed, "{report}");
}

#[tokio::test]
async fn a_bug_of_three_calls_is_shrunk_to_three_calls() {
    let settings = Settings {
        seed: Some(1),
        cases: 100,
        seeds: seeds(&["alpha", "3"]),
        ..Settings::default()
    };
    let report = report(Bugs::from(Bug::StaleRead), settings).await;
    println!("{report}");
    assert_eq!(report.failures.len(), 1, "{report}");
    let tools: Vec<&str> = report.failures[0].steps.iter().map(|step| &*step.tool).collect();
    assert_eq!(tools, ["create_task", "delete_task", "get_task"]);
}
