//! The command line as typed.

use std::{io::Write as _, num::NonZeroUsize, ops::Range, path::PathBuf, str::FromStr};

use clap::{Args, Parser, Subcommand, ValueEnum};
use foolproof_contract::{Draft, FormatPolicy, openapi::ReadOnlyPolicy};
use foolproof_coverage::{Parts, Profile};

use crate::{
    completions, coverage, demo,
    exit::Exit,
    failure::{self, Failure},
    generate, inspect, mcp,
    output::{self, Output, unless_closed},
    outputs::Sink,
    signals,
    verbosity::VerbosityArgs,
};

/// Tests contracts, and knows what it has covered.
///
/// A contract is a JSON Schema or an OpenAPI document, in JSON or YAML. Data goes to standard
/// output, everything else to standard error. Exit codes: 0 success, 1 a check failed, 2 bad usage or
/// bad input, 3 coverage below the minimum, 4 the contract admits no value, or fewer instances than
/// requested could be generated, 5 the system under test could not be started or reached, 130 Ctrl-C.
#[derive(Debug, Parser)]
#[command(
    name = "foolproof",
    version,
    max_term_width = 100,
    after_help = "Examples:\n  foolproof demo\n  foolproof generate schema.json --coverage guided\n  foolproof mcp stdio -- node my-server.js"
)]
pub(crate) struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Show the three jobs on what is built in, in a few seconds: data that covers a contract, a bug of an MCP server, a
    /// bug of a Rust system.
    ///
    /// Nothing is fetched, and nothing has to be prepared. A page with the coverage is written; its path is printed.
    #[command(after_help = "Example:\n  foolproof demo")]
    Demo(demo::DemoArgs),

    /// Show what a contract contains, what in it is impossible, and why.
    ///
    /// The command to run first, and when a result is unexpected: kind and dialect, how many schema
    /// locations a value can reach, operations, definitions that nothing reaches, locations that no
    /// value can satisfy, keywords that the analysis leaves out, and other documents that it refers to.
    #[command(
        after_help = "Examples:\n  foolproof inspect schema.json\n  foolproof inspect openapi.yaml --json | jq .unsatisfiable"
    )]
    Inspect(InspectArgs),

    /// Generate valid instances of a JSON Schema, or requests and responses of an OpenAPI document.
    ///
    /// A validator checks every instance against the schema as written. The same contract, seed and
    /// options give the same bytes. If fewer instances than requested can be generated, those are
    /// written, and the exit code is 4.
    ///
    /// `--coverage measure` reports which parts of the schema the instances exercise; `--coverage guided`
    /// generates instances that exercise all parts that can be reached. The report goes to a file, a
    /// summary to standard error. The exit code is 3 if coverage is below `--coverage-min`.
    #[command(
        after_help = "Examples:\n  foolproof generate schema.json --n 100 --seed 42\n  foolproof generate schema.json --n 1000 --shard 2/4 --out part2.jsonl\n  foolproof generate schema.json --coverage guided --coverage-min 0.9 --out suite.jsonl\n  foolproof generate openapi.yaml --part request --as curl --base-url http://localhost:8080"
    )]
    Generate(GenerateArgs),

    /// Measure the coverage of existing data, and compare or merge coverage reports.
    #[command(
        subcommand,
        after_help = "Examples:\n  foolproof coverage measure schema.json orders.jsonl\n  foolproof coverage diff yesterday.json today.json"
    )]
    Coverage(coverage::Command),

    /// Test a live MCP server: sequences of schema-valid tool calls, shrunk and replayable.
    #[command(
        subcommand,
        after_help = "Examples:\n  foolproof mcp demo\n  foolproof mcp stdio -- npx -y @modelcontextprotocol/server-everything"
    )]
    Mcp(Box<mcp::Command>),

    /// Print the script that completes commands and options in a shell.
    #[command(
        after_help = "Examples:\n  foolproof completions bash > ~/.local/share/bash-completion/completions/foolproof\n  foolproof completions zsh > \"${fpath[1]}/_foolproof\"\n  foolproof completions fish > ~/.config/fish/completions/foolproof.fish"
    )]
    Completions(completions::CompletionsArgs),

    /// Print the manual page, or write a page for each command.
    #[command(
        after_help = "Examples:\n  foolproof man | man -l -\n  foolproof man --out ~/.local/share/man/man1"
    )]
    Man(completions::ManArgs),
}

/// How the contract is read.
#[derive(Debug, Args)]
pub(crate) struct ContractArgs {
    /// The contract: a JSON Schema or an OpenAPI document; `-` reads standard input.
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,

    /// Read files that the contract refers to, if they are in DIR or below.
    ///
    /// Without DIR, the folder of the contract itself. Without the option, a reference to another
    /// file is an error. The network is never used.
    #[arg(long, value_name = "DIR", num_args = 0..=1, require_equals = true, hide_short_help = true)]
    #[expect(
        clippy::option_option,
        reason = "absent, without a folder and with a folder are three cases"
    )]
    pub(crate) allow_file_refs: Option<Option<PathBuf>>,

    /// Read schemas under this draft, whatever they declare.
    #[arg(long, value_enum, value_name = "DRAFT", hide_short_help = true)]
    pub(crate) draft: Option<DraftArg>,

    /// The most bytes that the contract may have, the files that it refers to included [default: 67108864, which is
    /// 64 MiB].
    #[arg(long, value_name = "N", hide_short_help = true)]
    pub(crate) max_contract_bytes: Option<u64>,

    /// Whether `format` constrains values or only describes them.
    #[arg(long, value_enum, default_value = "assert")]
    pub(crate) formats: FormatPolicyArg,
}

#[derive(Debug, Args)]
pub(crate) struct InspectArgs {
    #[command(flatten)]
    pub(crate) contract: ContractArgs,

    /// Print the findings as one JSON object.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct GenerateArgs {
    #[command(flatten)]
    pub(crate) contract: ContractArgs,

    /// How many instances to generate [default: 10, or the number of the coverage profile]. A guided
    /// run generates fewer if they cover everything.
    #[arg(long, value_name = "N")]
    pub(crate) n: Option<u64>,

    /// The seed of the run.
    #[arg(long, value_name = "S", default_value_t = 0)]
    pub(crate) seed: u64,

    /// Write to FILE, which appears only once it is complete.
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,

    /// The format of the instances.
    #[arg(long, value_enum, default_value = "jsonl")]
    pub(crate) format: FormatArg,

    /// Generate only part K of N of the run; all parts together are the whole run.
    #[arg(long, value_name = "K/N", default_value = "1/1")]
    pub(crate) shard: Shard,

    /// How many threads to use [default: as many as the machine has cores]. The data is the same for
    /// any number.
    #[arg(long, value_name = "N")]
    pub(crate) threads: Option<NonZeroUsize>,

    /// The most values that one instance may have, arrays and objects counted with all that is in them [default: 250000].
    /// A contract whose smallest value is larger ends with exit code 4.
    #[arg(long, value_name = "N", hide_short_help = true)]
    pub(crate) max_values: Option<u64>,

    /// The most bytes that one instance may have as JSON, about [default: 67108864, which is 64 MiB].
    #[arg(long, value_name = "N", hide_short_help = true)]
    pub(crate) max_bytes: Option<u64>,

    /// The validator that must accept every instance.
    #[arg(long, value_enum, default_value = "jsonschema", hide_short_help = true)]
    pub(crate) oracle: OracleArg,

    /// Fail (exit code 2) if a part of the contract cannot be used, instead of leaving it out.
    #[arg(long, hide_short_help = true)]
    pub(crate) strict: bool,

    #[command(flatten)]
    pub(crate) verbosity: VerbosityArgs,

    /// Whether coverage is off, measured or guides the run.
    #[arg(long = "coverage", value_name = "MODE", value_enum, default_value = "off")]
    pub(crate) mode: ModeArg,

    /// How much effort a guided run spends: quick, balanced or thorough [default: balanced]. Without
    /// `--n` it generates at most 75, 350 or 1,000 instances.
    #[arg(long = "coverage-profile", value_name = "PROFILE")]
    profile: Option<Profile>,

    #[command(flatten)]
    pub(crate) coverage: coverage::CoverageArgs,

    /// Write the plan of a guided run to FILE as JSON: its units, with their hints; `-` is standard output,
    /// if the instances do not go there.
    #[arg(long = "coverage-plan", value_name = "FILE", hide_short_help = true)]
    plan: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) api: ApiArgs,

    /// Write the time and the number of operations of each phase to FILE as JSON.
    #[arg(long, value_name = "FILE", hide_short_help = true)]
    pub(crate) metrics: Option<PathBuf>,
}

/// What of an OpenAPI document is generated, and how it is written.
#[derive(Debug, Args)]
#[command(next_help_heading = "OpenAPI")]
pub(crate) struct ApiArgs {
    #[command(flatten)]
    pub(crate) scope: ScopeArgs,

    /// How requests and responses are written; only requests have the last three forms [default:
    /// envelope].
    #[arg(long = "as", value_name = "FORM", value_enum)]
    pub(crate) form: Option<FormArg>,

    /// The URL that paths are appended to [default: the first server of the document].
    #[arg(long, value_name = "URL")]
    pub(crate) base_url: Option<String>,
}

/// Which operations of an OpenAPI document are in scope, and how they are read.
#[derive(Debug, Args)]
pub(crate) struct ScopeArgs {
    /// Only the operations whose key matches KEY, which may have `*` and `?`; repeatable. The key is the
    /// operationId, or `<METHOD> <path>` without one.
    #[arg(long = "operation", value_name = "KEY")]
    pub(crate) operations: Vec<String>,

    /// Only requests or only responses [default: both].
    #[arg(long, value_enum)]
    pub(crate) part: Option<PartArg>,

    /// Whether requests have properties that are read-only, and responses those that are write-only,
    /// where the document does not forbid it [default: omit].
    #[arg(long, value_enum, hide_short_help = true)]
    pub(crate) read_only: Option<ReadOnlyArg>,
}

impl ScopeArgs {
    /// The first of these options that is on the command line.
    pub(crate) fn first_option(&self) -> Option<&'static str> {
        let options = [
            ("--operation", !self.operations.is_empty()),
            ("--part", self.part.is_some()),
            ("--read-only", self.read_only.is_some()),
        ];
        options.into_iter().find(|(_, is_present)| *is_present).map(|(name, _)| name)
    }
}

impl ApiArgs {
    /// The first of these options that is on the command line.
    pub(crate) fn first_option(&self) -> Option<&'static str> {
        let own = [("--as", self.form.is_some()), ("--base-url", self.base_url.is_some())];
        let own = own.into_iter().find(|(_, is_present)| *is_present).map(|(name, _)| name);
        self.scope.first_option().or(own)
    }
}

/// How requests and responses are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum FormArg {
    /// One JSON object for each: operation, part and value.
    Envelope,
    /// A line of `curl` for each request.
    Curl,
    /// A file for the HTTP test runner `hurl`.
    Hurl,
    /// An HTTP archive (HAR 1.2).
    Har,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum PartArg {
    /// Only requests.
    Request,
    /// Only responses.
    Response,
    /// Both.
    Both,
}

impl From<PartArg> for Parts {
    fn from(part: PartArg) -> Self {
        match part {
            PartArg::Request => Self::Request,
            PartArg::Response => Self::Response,
            PartArg::Both => Self::Both,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ReadOnlyArg {
    /// Leave them out.
    Omit,
    /// Keep them.
    Keep,
}

impl From<ReadOnlyArg> for ReadOnlyPolicy {
    fn from(policy: ReadOnlyArg) -> Self {
        match policy {
            ReadOnlyArg::Omit => Self::Omit,
            ReadOnlyArg::Keep => Self::Keep,
        }
    }
}

impl GenerateArgs {
    /// The profile in the options, or the default one if the run is guided.
    pub(crate) fn profile(&self) -> Option<Profile> {
        let is_guided = self.mode == ModeArg::Guided;
        self.profile.or_else(|| is_guided.then(Profile::default))
    }

    /// Where the plan goes, if it is asked for.
    pub(crate) fn plan(&self) -> Option<Sink<'_>> {
        self.plan.as_deref().map(Sink::named)
    }

    /// The first option on the command line that has no effect if coverage is off.
    pub(crate) fn first_coverage_option(&self) -> Option<&'static str> {
        self.profile.map(|_| "--coverage-profile").or_else(|| self.coverage.first_option())
    }
}

/// What coverage does in a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ModeArg {
    /// Do not observe coverage.
    Off,
    /// Report what the instances cover; they are the same as with `off`.
    Measure,
    /// Generate instances that cover as much as possible.
    Guided,
}

impl ModeArg {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Measure => "measure",
            Self::Guided => "guided",
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum OracleArg {
    /// The built-in validator.
    Jsonschema,
    /// AJV 8 as well; it needs Node and `npm install ajv ajv-formats ajv-draft-04` in this folder or
    /// one above it.
    Ajv,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum FormatArg {
    /// One instance per line.
    Jsonl,
    /// One JSON array.
    Json,
}

/// Part `number` of `of`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shard {
    number: u64,
    of: u64,
}

impl Shard {
    /// Whether it is a part and not the whole.
    pub(crate) fn is_part(self) -> bool {
        self.of > 1
    }

    /// The indices of this part of `n` instances.
    pub(crate) fn range(self, n: u64) -> Range<u64> {
        let cut = |number: u64| {
            let cut = u128::from(n) * u128::from(number) / u128::from(self.of);
            u64::try_from(cut).expect("a part of `n` is not larger than `n`")
        };
        cut(self.number - 1)..cut(self.number)
    }
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let parse = |part: &str| part.parse::<u64>().ok();
        let shard = text
            .split_once('/')
            .and_then(|(number, of)| Some(Self { number: parse(number)?, of: parse(of)? }));
        shard
            .filter(|shard| (1..=shard.of).contains(&shard.number))
            .ok_or_else(|| "write it as K/N with K from 1 to N, such as 2/4".to_owned())
    }
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
pub(crate) enum FormatPolicyArg {
    /// A value that does not match a known format is invalid.
    Assert,
    /// Formats are annotations and do not make a value invalid.
    Annotate,
}

impl From<FormatPolicyArg> for FormatPolicy {
    fn from(formats: FormatPolicyArg) -> Self {
        match formats {
            FormatPolicyArg::Assert => Self::Assert,
            FormatPolicyArg::Annotate => Self::Annotate,
        }
    }
}

/// Parses the command line and runs the command.
pub(crate) fn run() -> Exit {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) if error.use_stderr() => {
            // If even this cannot be printed, the error cannot be reported anywhere.
            let _ = error.print();
            return Exit::BadInput;
        }
        // What is asked for: help or the version.
        Err(text) => {
            let printed = output::check_open().and_then(|()| text.print());
            return concluded(printed.map(|()| Exit::Success).map_err(Failure::Output));
        }
    };
    if let Command::Mcp(command) = &cli.command {
        // It has output of its own, and a report, whatever ends its runs.
        return concluded(mcp::execute(command));
    }
    signals::watch();
    concluded(print(&cli.command, &mut Output::new()))
}

/// Runs a command that prints to `output`, to the last byte.
fn print(command: &Command, output: &mut Output) -> Result<Exit, Failure> {
    let exit = match command {
        Command::Demo(args) => demo::run(args, output),
        Command::Inspect(args) => inspect::run(args, output),
        Command::Generate(args) => generate::run(args, output),
        Command::Coverage(command) => coverage::run(command, output),
        Command::Mcp(command) => mcp::execute(command),
        Command::Completions(args) => completions::complete(args, output),
        Command::Man(args) => completions::man(args, output),
    }?;
    unless_closed(output.flush())?;
    Ok(exit)
}

fn concluded(result: Result<Exit, Failure>) -> Exit {
    result.unwrap_or_else(|failure| failure::report(&failure))
}
