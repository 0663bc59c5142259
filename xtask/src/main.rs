//! `cargo xtask corpus [DIR]`: reads, graphs and canonicalises every document of the corpus and
//! prints what it found. `cargo xtask generate [DIR [PART OF A NAME]]`: makes ten instances of every
//! schema and prints how that went. `cargo xtask guide [DIR [PART OF A NAME]]`: covers every schema with
//! guided runs and prints how much of it. Without DIR they read the corpus, or `contracts/` where the
//! corpus is absent.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "this is a command line tool")]

use std::process::ExitCode;

use foolproof_contract::with_large_stack;
use foolproof_corpus::Contracts;
use xtask::{findings::Choice, generation::Generation, guidance::Guidance, survey::Survey};

fn main() -> ExitCode {
    let mut args = std::env::args().skip(1);
    let (command, folder) = (args.next(), args.next());
    let contracts = || folder.map_or_else(Contracts::find, Contracts::in_folder);
    match command.as_deref() {
        Some("corpus") => {
            let survey = with_large_stack(|| Survey::of(&contracts()));
            println!("{survey}");
            let failures = survey.failures();
            for failure in &failures {
                println!("FAILED: {failure}");
            }
            if failures.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
        }
        Some("generate") => {
            let only = args.next().unwrap_or_default();
            println!("{}", with_large_stack(|| Generation::of(&contracts(), Choice::Named(&only))));
            ExitCode::SUCCESS
        }
        Some("guide") => {
            let only = args.next().unwrap_or_default();
            println!("{}", with_large_stack(|| Guidance::of(&contracts(), Choice::Named(&only))));
            ExitCode::SUCCESS
        }
        _ => {
            eprintln!("usage: cargo xtask corpus [DIR]");
            eprintln!("       cargo xtask generate [DIR [PART OF A NAME]]");
            eprintln!("       cargo xtask guide [DIR [PART OF A NAME]]");
            ExitCode::from(2)
        }
    }
}
