//! The server that is built in: served for others, and tested as a demonstration.

use std::io::Write as _;

use clap::Args;
use foolproof_mcp::{
    Settings, Target,
    example_server::{Bug, Bugs, Ending, ExampleServer},
    run,
};

use super::block_on;
use crate::{
    exit::Exit,
    failure::Failure,
    output::{Output, check_open},
    terminal::print_line,
};

#[derive(Debug, Args)]
pub(crate) struct ServeArgs {
    /// The bugs that are switched on, separated by commas.
    #[arg(long, value_name = "BUGS", default_value = "")]
    bugs: Bugs,

    /// Serve over HTTP at this address instead of standard input and output.
    #[arg(long, value_name = "ADDRESS")]
    http: Option<String>,
}

/// Serves until the input ends.
pub(crate) fn serve(args: &ServeArgs) -> Result<Exit, Failure> {
    if args.http.is_none() {
        check_open()?;
    }
    let server = ExampleServer::new(args.bugs.clone());
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(Failure::Signals)?;
    runtime.block_on(async {
        match &args.http {
            None => match server.serve(tokio::io::stdin(), tokio::io::stdout()).await {
                Ok(Ending::Crashed(line)) => {
                    print_line(&line);
                    Ok(Exit::Crashed)
                }
                Ok(_) => Ok(Exit::Success),
                Err(error) => Err(Failure::Output(error)),
            },
            Some(address) => {
                let listener = tokio::net::TcpListener::bind(address).await;
                let listener = listener.map_err(Failure::Output)?;
                let bound = listener.local_addr().map_err(Failure::Output)?;
                print_line(&format!("http://{bound}{}", ExampleServer::HTTP_PATH));
                match server.serve_http(listener).await {
                    Ok(never) => match never {},
                    Err(error) => Err(Failure::Output(error)),
                }
            }
        }
    })
}

/// Finds and shrinks the bugs of the server that is built in.
pub(crate) fn demo(output: &mut Output) -> Result<Exit, Failure> {
    let bugs = Bugs::from(Bug::StaleRead).with(Bug::Threshold);
    for bug in bugs.iter() {
        writeln!(output, "planted bug `{bug}`: {}", bug.description())?;
    }
    writeln!(output)?;
    let target = Target::new(ExampleServer::new(bugs).endpoint());
    let seeds = ["alpha", "3", "1500"].iter().filter_map(|text| text.parse().ok()).collect();
    let settings = Settings { seed: Some(1), cases: 100, seeds, ..Settings::default() };
    match block_on(run(&target, &settings))? {
        Err(exit) => Ok(exit),
        Ok(Ok(report)) => {
            writeln!(output, "{report}")?;
            Ok(Exit::Success)
        }
        Ok(Err(error)) => {
            print_line(&format!("  × {error}"));
            Ok(Exit::NotStarted)
        }
    }
}
