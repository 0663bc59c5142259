//! The command line as typed.

use std::{num::NonZeroUsize, ops::Range, path::PathBuf, str::FromStr};

use clap::{Args, Parser, Subcommand, ValueEnum};
use foolproof_contract::{Draft, FormatPolicy};
use foolproof_coverage::Profile;

use crate::{coverage, exit::Exit, failure, generate, inspect, output::Output};

/// Tests contracts, and knows what it has covered.
///
/// A contract is a JSON Schema or an OpenAPI document, in JSON or YAML. Data goes to standard
/// output, everything else to standard error. Exit codes: 0 fine, 1 a check failed, 2 bad usage or
/// bad input, 3 coverage below the minimum, 4 the contract admits no value, or fewer values than asked
/// for could be made, 130 Ctrl-C.
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

    /// Make valid instances of a JSON Schema.
    ///
    /// Every instance is checked by the oracle against the schema as written. The same schema, seed and
    /// options give the same bytes. If fewer instances than asked for can be made, those that can are
    /// written, and the exit code is 4.
    ///
    /// `--coverage measure` says which parts of the schema the instances exercise; `--coverage guided`
    /// makes instances that exercise all parts that can be reached. The report goes to a file, a
    /// summary to standard error. The exit code is 3 if coverage is below `--coverage-min`.
    #[command(
        after_help = "Examples:\n  foolproof generate schema.json --n 100 --seed 42\n  foolproof generate schema.json --n 1000 --shard 2/4 --out part2.jsonl\n  foolproof generate schema.json --coverage guided --coverage-min 0.9 --out suite.jsonl"
    )]
    Generate(GenerateArgs),

    /// Coverage of data that is there already, and work with coverage reports.
    #[command(subcommand)]
    Coverage(coverage::Command),
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

    /// How many instances to make: 10, or as many as the coverage profile says, unless given. A guided
    /// run makes fewer if that is enough to cover everything.
    #[arg(long, value_name = "N")]
    pub(crate) n: Option<u64>,

    /// The seed that names the run.
    #[arg(long, value_name = "S", default_value_t = 0)]
    pub(crate) seed: u64,

    /// Write to FILE, which appears only once it is complete.
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,

    /// One instance a line, or one JSON array.
    #[arg(long, value_enum, default_value = "jsonl")]
    pub(crate) format: FormatArg,

    /// Make only part K of N of the run; the parts put together are the whole run.
    #[arg(long, value_name = "K/N", default_value = "1/1")]
    pub(crate) shard: Shard,

    /// How many threads to work on; as many as the machine runs at once, unless given. The data is
    /// the same for any number.
    #[arg(long, value_name = "N")]
    pub(crate) threads: Option<NonZeroUsize>,

    /// Who has to accept an instance.
    #[arg(long, value_enum, default_value = "jsonschema")]
    pub(crate) oracle: OracleArg,

    /// No progress and no summary; errors stay.
    #[arg(long, short)]
    pub(crate) quiet: bool,

    /// What to do about coverage.
    #[arg(long = "coverage", value_name = "MODE", value_enum, default_value = "off")]
    pub(crate) mode: ModeArg,

    /// How hard a guided run tries, and how many instances it makes unless `--n` says: quick 75,
    /// balanced 350, thorough 1,000. Balanced, unless given.
    #[arg(long = "coverage-profile", value_name = "PROFILE")]
    profile: Option<Profile>,

    #[command(flatten)]
    pub(crate) coverage: coverage::CoverageArgs,

    /// Write what each phase took, in time and in operations, to FILE as JSON.
    #[arg(long, value_name = "FILE")]
    pub(crate) metrics: Option<PathBuf>,
}

impl GenerateArgs {
    /// The profile of a guided run, or the one that was given.
    pub(crate) fn profile(&self) -> Option<Profile> {
        let is_guided = self.mode == ModeArg::Guided;
        self.profile.or_else(|| is_guided.then(Profile::default))
    }

    /// The first option that makes no sense unless coverage is looked at.
    pub(crate) fn coverage_given(&self) -> Option<&'static str> {
        self.profile.map(|_| "--coverage-profile").or_else(|| self.coverage.given())
    }
}

/// What to do about coverage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ModeArg {
    /// Nothing.
    Off,
    /// Say what the instances cover; they are the same as without.
    Measure,
    /// Make instances that cover as much as can be.
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
    /// The validator that is built in.
    Jsonschema,
    /// AJV 8 as well, which takes Node and `npm install ajv ajv-formats ajv-draft-04` here or above.
    Ajv,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum FormatArg {
    /// One instance a line.
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
    /// A value that breaks a known format is invalid.
    Assert,
    /// Formats say what a value is meant to be, no more.
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
        Command::Generate(args) => generate::run(args, &mut output),
        Command::Coverage(command) => coverage::run(command, &mut output),
    };
    result.unwrap_or_else(|failure| failure::report(&failure))
}
