//! The command `foolproof`. It parses the command line, calls the library, prints, and chooses the exit
//! code. Each subcommand has a module of its name.

use std::process::ExitCode;

mod args;
mod clock;
mod completions;
mod coverage;
mod demo;
mod exit;
mod failure;
mod file;
mod generate;
mod input;
mod inspect;
mod mcp;
mod output;
mod outputs;
mod signals;
mod source;
mod suggest;
mod terminal;
mod verbosity;
mod warning;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    // A server under test is started by this same program, which then is its launcher and nothing else.
    if let Some(code) = foolproof_live::launcher::run_if_asked() {
        return code;
    }
    // Contracts may nest and chain deeper than an ordinary stack allows.
    foolproof_contract::with_large_stack(args::run).into()
}
