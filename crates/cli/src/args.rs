//! The command line as typed.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use foolproof_contract::{Draft, Formats};

use crate::{exit::Exit, failure, inspect, output::Output};

/// Tests contracts, and knows what it has covered.
///
/// A contract is a JSON Schema or an OpenAPI document, in JSON or YAML. Data goes to standard
/// output, everything else to standard error. Exit codes: 0 fine, 2 bad usage or bad input,
/// 4 the contract admits no value.
#[derive(Debug, Parser)]
#[command(name = "foolproof", version, max_term_width = 100)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Show what a contract contains, what in it is impossible, and why.
    ///
    /// The command to run first, and when something is odd: kind and dialect, how many schema
    /// locations a value can reach, operations, definitions that nothing reaches, locations that no
    /// value can satisfy, what the analysis had to leave out, and documents beside this one.
    #[command(
        after_help = "Examples:\n  foolproof inspect schema.json\n  foolproof inspect openapi.yaml --json | jq .unsatisfiable"
    )]
    Inspect(InspectArgs),
}

/// How the contract is read.
#[derive(Debug, Args)]
pub(crate) struct ContractArgs {
    /// The contract: a JSON Schema or an OpenAPI document; `-` reads standard input.
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,

    /// Read files that the contract refers to, if they lie in DIR or below.
    ///
    /// Without DIR, the folder of the contract itself. Without the option, a reference to another
    /// file is an error. The network is never used.
    #[arg(long, value_name = "DIR", num_args = 0..=1, require_equals = true)]
    #[expect(
        clippy::option_option,
        reason = "absent, given, and given with a folder are three things"
    )]
    pub(crate) allow_file_refs: Option<Option<PathBuf>>,

    /// Read schemas under this draft, whatever they declare.
    #[arg(long, value_enum, value_name = "DRAFT")]
    pub(crate) draft: Option<DraftArg>,

    /// Whether `format` constrains values or only describes them.
    #[arg(long, value_enum, default_value = "assert")]
    pub(crate) formats: FormatsArg,
}

#[derive(Debug, Args)]
pub(crate) struct InspectArgs {
    #[command(flatten)]
    pub(crate) contract: ContractArgs,

    /// Print the findings as one JSON object.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum DraftArg {
    #[value(name = "4")]
    Draft4,
    #[value(name = "6")]
    Draft6,
    #[value(name = "7")]
    Draft7,
    #[value(name = "2019-09")]
    Draft201909,
    #[value(name = "2020-12")]
    Draft202012,
}

impl From<DraftArg> for Draft {
    fn from(draft: DraftArg) -> Self {
        match draft {
            DraftArg::Draft4 => Self::Draft4,
            DraftArg::Draft6 => Self::Draft6,
            DraftArg::Draft7 => Self::Draft7,
            DraftArg::Draft201909 => Self::Draft201909,
            DraftArg::Draft202012 => Self::Draft202012,
        }
    }
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum FormatsArg {
    /// A value that breaks a known format is invalid.
    Assert,
    /// Formats say what a value is meant to be, no more.
    Annotate,
}

impl From<FormatsArg> for Formats {
    fn from(formats: FormatsArg) -> Self {
        match formats {
            FormatsArg::Assert => Self::Assert,
            FormatsArg::Annotate => Self::Annotate,
        }
    }
}

/// Parses the command line and does what it asks for.
pub(crate) fn run() -> Exit {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            let exit = if error.use_stderr() { Exit::BadInput } else { Exit::Success };
            // Nobody is left to tell if even this cannot be printed.
            let _ = error.print();
            return exit;
        }
    };
    let mut output = Output::new();
    let result = match &cli.command {
        Command::Inspect(args) => inspect::run(args, &mut output),
    };
    result.unwrap_or_else(|failure| failure::report(&failure))
}
