//! `cargo xtask corpus [DIR]`: reads, graphs and canonicalises every document of the corpus and
//! prints what it found. `cargo xtask generate [DIR [PART OF A NAME]]`: makes ten instances of every
//! schema and prints how that went. `cargo xtask guide [DIR [PART OF A NAME]]`: covers every schema with
//! guided runs and prints how much of it. `cargo xtask laws [DIR [PART OF A NAME]]`: checks the laws of coverage on every
//! schema. `cargo xtask apis [DIR [PART OF A NAME]]`: the same for the operations of OpenAPI
//! documents. `cargo xtask fuzz [OPTIONS] [DIR]`: runs the command line tool on
//! mutants of contracts and prints what went wrong. `cargo xtask fuzz-targets [OPTIONS] [TARGET...]`: runs the targets of
//! `foolproof-fuzz-targets` in this process. `cargo xtask scale [DIR [PART OF A NAME]]`: what guided runs of wide schemas and
//! of the large API descriptions in DIR cost. `cargo xtask compare OLD NEW [COUNT]`: whether two
//! binaries write the same bytes for schemas of the corpus. Without DIR they read the corpus, or `contracts/` where
//! the corpus is absent.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "this is a command line tool")]

use std::{path::PathBuf, process::ExitCode};

use foolproof_contract::with_large_stack;
use foolproof_corpus::Contracts;
use xtask::{
    apis::Apis,
    compare::Comparison,
    findings::Choice,
    fuzz, fuzz_targets,
    generation::Generation,
    guidance::Guidance,
    laws::Laws,
    scale::{self, Scale},
    survey::Survey,
};

fn main() -> ExitCode {
    let mut args = std::env::args().skip(1);
    let command = args.next();
    if command.as_deref() == Some("fuzz") {
        return run_fuzzer(args);
    }
    if command.as_deref() == Some("fuzz-targets") {
        return run_targets(args);
    }
    if command.as_deref() == Some("compare") {
        return compare(&args.collect::<Vec<_>>());
    }
    if command.as_deref() == Some("scale") {
        return run_scale(&args.collect::<Vec<_>>());
    }
    let folder = args.next();
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
        Some("laws") => {
            let only = args.next().unwrap_or_default();
            let laws = with_large_stack(|| Laws::of(&contracts(), Choice::Named(&only)));
            println!("{laws}");
            let failures = laws.failures();
            for failure in &failures {
                println!("FAILED: {failure}");
            }
            if failures.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
        }
        Some("apis") => {
            let only = args.next().unwrap_or_default();
            let apis = with_large_stack(|| Apis::of(&contracts(), 1, &only));
            println!("{apis}");
            let failures = apis.failures();
            for failure in &failures {
                println!("FAILED: {failure}");
            }
            if failures.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
        }
        _ => {
            eprintln!("usage: cargo xtask corpus [DIR]");
            eprintln!("       cargo xtask generate [DIR [PART OF A NAME]]");
            eprintln!("       cargo xtask guide [DIR [PART OF A NAME]]");
            eprintln!("       cargo xtask laws [DIR [PART OF A NAME]]");
            eprintln!("       cargo xtask apis [DIR [PART OF A NAME]]");
            eprintln!("       cargo xtask scale [DIR [PART OF A NAME]]");
            eprintln!("       {FUZZ_USAGE}");
            eprintln!("       {TARGETS_USAGE}");
            eprintln!("       {COMPARE_USAGE}");
            ExitCode::from(2)
        }
    }
}

/// The costs of guided runs; with `--one` that of one run, in this process and as JSON.
fn run_scale(args: &[String]) -> ExitCode {
    if let [flag, name] = args
        && flag == "--one"
    {
        return match with_large_stack(|| scale::one(name)) {
            Ok(cost) => {
                println!("{cost}");
                ExitCode::SUCCESS
            }
            Err(error) => {
                eprintln!("{error}");
                ExitCode::FAILURE
            }
        };
    }
    let Ok(xtask) = std::env::current_exe() else {
        eprintln!("the path of this program is not known");
        return ExitCode::FAILURE;
    };
    let large = args.first().map(PathBuf::from);
    let large = large.unwrap_or_else(|| Contracts::find().folder().join("large"));
    let scale = Scale::of(&xtask, &large, args.get(1).map_or("", String::as_str));
    print!("{scale}");
    let failures = scale.failures();
    for failure in &failures {
        println!("FAILED: {failure}");
    }
    if failures.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

const COMPARE_USAGE: &str = "cargo xtask compare OLD NEW [COUNT]";

fn compare(args: &[String]) -> ExitCode {
    let count = args.get(2).map_or(Some(200), |count| count.parse().ok());
    let ([old, new] | [old, new, _], Some(count)) = (args, count) else {
        eprintln!("usage: {COMPARE_USAGE}");
        return ExitCode::from(2);
    };
    match Comparison::of(old.as_ref(), new.as_ref(), count) {
        Ok(comparison) => {
            print!("{comparison}");
            if comparison.is_same() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
        }
        Err(error) => {
            eprintln!("cannot compare: {error}");
            ExitCode::from(2)
        }
    }
}

const FUZZ_USAGE: &str =
    "cargo xtask fuzz [--seed S] [--count N | --seconds N] [--jobs J] [--binary PATH] [DIR]";

fn run_fuzzer(args: impl Iterator<Item = String>) -> ExitCode {
    let options = match fuzz::Options::parse(args) {
        Ok(options) => options,
        Err(message) => {
            eprintln!("{message}\nusage: {FUZZ_USAGE}");
            return ExitCode::from(2);
        }
    };
    let summary = fuzz::fuzz(&options);
    print!("{summary}");
    if summary.is_clean() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

const TARGETS_USAGE: &str = "cargo xtask fuzz-targets [--seed S] [--runs N] [--from I] [--jobs J] [--input FILE | --print I] [TARGET...]";

fn run_targets(args: impl Iterator<Item = String>) -> ExitCode {
    let options = match fuzz_targets::Options::parse(args) {
        Ok(options) => options,
        Err(message) => {
            eprintln!("{message}\nusage: {TARGETS_USAGE}");
            return ExitCode::from(2);
        }
    };
    let done = match (&options.input, options.printed) {
        (Some(path), _) => Some(fuzz_targets::run_file(&options, path)),
        (None, Some(index)) => {
            Some(fuzz_targets::print(&options, index, &mut std::io::stdout().lock()))
        }
        (None, None) => None,
    };
    match done {
        Some(Ok(())) => return ExitCode::SUCCESS,
        Some(Err(error)) => {
            eprintln!("{error}");
            return ExitCode::from(2);
        }
        None => {}
    }
    let summary = fuzz_targets::run(&options);
    println!("{summary}");
    if summary.is_clean() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
