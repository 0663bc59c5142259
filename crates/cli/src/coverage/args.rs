//! The command line of `foolproof coverage` as typed.

use std::path::{Path, PathBuf};

use clap::{Args, Subcommand, ValueEnum};
use foolproof_coverage::{Dimension, Dimensions, LongExamples, Minimum, ReportMode};

use super::ci::CiArgs;
use crate::{
    args::{ContractArgs, DraftArg, ScopeArgs},
    failure::Failure,
    outputs::Sink,
    verbosity::VerbosityArgs,
};

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Write a report as the baseline that later reports are compared with.
    ///
    /// A baseline is a report without times, seeds, examples and reasons, with one line for each target in the order of
    /// their ids: small, and stable in version control. `coverage diff --baseline` compares with it.
    #[command(
        after_help = "Examples:\n  foolproof coverage accept coverage-report.json --baseline coverage-baseline.json\n  foolproof coverage diff --baseline coverage-baseline.json coverage-report.json"
    )]
    Accept(AcceptArgs),

    /// Compare an earlier report with a later one.
    ///
    /// Only targets that both reports have are compared: a new target that is not hit is a gap and no
    /// regression. The exit code is 1 if a target that was hit is not hit any more, or if overall
    /// coverage or that of an operation fell.
    #[command(
        after_help = "Examples:\n  foolproof coverage diff yesterday.json today.json\n  foolproof coverage diff yesterday.json today.json --format json | jq .newlyUncovered\n  foolproof coverage diff --baseline coverage-baseline.json coverage-report.json"
    )]
    Diff(DiffArgs),

    /// Write a report as one HTML page, with the contract as a tree.
    ///
    /// The page is one file that loads nothing. It shows at every level of the contract how many targets were
    /// hit, missed and unreachable, and of each target the instance that hit it or why none did.
    /// `--coverage-html` of the command that measures writes the same page, and also shows the beginnings of
    /// instances that are too long for a report.
    #[command(
        after_help = "Examples:\n  foolproof coverage html coverage-report.json --contract schema.json\n  foolproof coverage html merged.json --contract openapi.yaml --out coverage.html"
    )]
    Html(HtmlArgs),

    /// Measure which parts of a contract existing data covers: of a JSON Schema instances, of an OpenAPI
    /// document recorded traffic.
    ///
    /// Traffic is an HTTP archive (`*.har`, as browsers, proxies and test tools write it) or envelopes as
    /// `foolproof generate` writes them. Each record is matched to an operation by method and path; its
    /// parameters and bodies are parsed, judged and observed. Records that match no operation are listed and
    /// are no failure; bodies that were not recorded are not judged. No value of the traffic enters the report
    /// unless `--examples` asks for it.
    ///
    /// For a JSON Schema:
    /// A file, or standard input (`-`), is one instance, an array of instances, or has one instance per
    /// line. Its content decides. If the schema admits arrays, `--data-format` has to say whether a file
    /// that is an array is one instance or holds several. Lines and items are read one by one, so a file
    /// may be larger than memory; empty lines are skipped. An instance may nest up to 127 levels deep, an
    /// item of an array up to 126.
    ///
    /// Instances that are not JSON or not valid do not count and hit nothing. The first 20 of them are
    /// listed on standard error, each with file, line and the first violation, and the exit code is 1,
    /// except with `--allow-invalid`. It is 3 if overall coverage is below the minimum, and 4 if the schema
    /// admits no value. If several codes apply, it is the first of 2, 4, 1, 3.
    ///
    /// In the report, the seed is 0, `maxInstances` is the number of instances read, and
    /// `actualInstances` is the number of valid ones. `meta.instance` counts all that were read, from 0.
    #[command(
        mut_arg("file", |file| file.index(1).value_name("SCHEMA").help("The JSON Schema or OpenAPI document, in JSON or YAML; `-` reads standard input")),
        after_help = "Examples:\n  foolproof coverage measure schema.json orders.jsonl fixtures/*.json\n  foolproof coverage measure openapi.yaml traffic.har --base-url https://staging.example.org/v1\n  zcat log.gz | foolproof coverage measure schema.json - --coverage-min 0.8 --allow-invalid"
    )]
    Measure(MeasureArgs),

    /// Merge the reports of several runs or shards over the same contract into one.
    ///
    /// A target is hit if it is hit in any report, and the metrics are counted again. The summary goes
    /// to standard error. The exit code is 3 if overall coverage is below the minimum.
    #[command(
        after_help = "Example:\n  foolproof coverage merge shard1.json shard2.json --out coverage-report.json --coverage-min 0.9"
    )]
    Merge(MergeArgs),

    /// Print the JSON Schema (2020-12) of a file that coverage writes.
    #[command(
        after_help = "Examples:\n  foolproof coverage schema > coverage-report.schema.json\n  foolproof coverage schema plan > coverage-plan.schema.json"
    )]
    Schema(SchemaArgs),
}

#[derive(Debug, Args)]
pub(crate) struct HtmlArgs {
    /// The report, written with `--coverage-report-mode full`.
    #[arg(value_name = "REPORT")]
    pub(super) report: PathBuf,

    /// The contract of the report; `-` reads standard input. Without it the page does not show what the
    /// contract says.
    #[arg(long, value_name = "FILE")]
    pub(super) contract: Option<PathBuf>,

    /// Read files that the contract refers to, if they are in DIR or below.
    ///
    /// Without DIR, the folder of the contract itself.
    #[arg(long, value_name = "DIR", num_args = 0..=1, require_equals = true, requires = "contract")]
    #[expect(
        clippy::option_option,
        reason = "absent, without a folder and with a folder are three cases"
    )]
    pub(super) allow_file_refs: Option<Option<PathBuf>>,

    /// The draft that the run read schemas under, if it was given.
    #[arg(long, value_enum, value_name = "DRAFT", requires = "contract")]
    pub(super) draft: Option<DraftArg>,

    /// The most bytes that the contract may have, the files that it refers to included [default: 67108864, which is
    /// 64 MiB].
    #[arg(long, value_name = "N", requires = "contract")]
    pub(super) max_contract_bytes: Option<u64>,

    /// Write the page to FILE, which appears only once it is complete; `-` is standard output.
    #[arg(long, short, value_name = "FILE", default_value = "coverage.html")]
    pub(super) out: PathBuf,
}

#[derive(Debug, Args)]
pub(crate) struct SchemaArgs {
    /// Which file.
    #[arg(value_enum, default_value = "report")]
    pub(crate) of: FileArg,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum FileArg {
    /// A coverage report.
    Report,
    /// The plan of a guided run, as `generate --coverage-plan` writes it.
    Plan,
}

#[derive(Debug, Args)]
pub(crate) struct AcceptArgs {
    /// The report, written with `--coverage-report-mode full`.
    #[arg(value_name = "REPORT")]
    pub(super) report: PathBuf,

    /// Write the baseline to FILE, which appears only once it is complete.
    #[arg(long, value_name = "FILE")]
    pub(super) baseline: PathBuf,
}

#[derive(Debug, Args)]
pub(crate) struct DiffArgs {
    /// The reports: the earlier and the later one, or with `--baseline` the later one alone.
    #[arg(value_name = "REPORT", required = true, num_args = 1..=2)]
    reports: Vec<PathBuf>,

    /// Compare with the baseline in FILE, as `coverage accept` writes it.
    #[arg(long, value_name = "FILE")]
    baseline: Option<PathBuf>,

    /// Text for people, or JSON for programs (`coverage-diff/v1`).
    #[arg(long, value_enum, default_value = "text")]
    pub(super) format: DiffFormat,
}

impl DiffArgs {
    /// The files of the earlier and of the later report.
    pub(super) fn files(&self) -> Result<(&Path, &Path), Failure> {
        match (&self.baseline, &self.reports[..]) {
            (Some(before), [after]) | (None, [before, after]) => Ok((before, after)),
            (Some(_), _) => {
                let message = "`--baseline` is the earlier report, so only the later one is named";
                Err(Failure::Usage(message.to_owned()))
            }
            (None, _) => {
                let message = "two reports are compared: name the earlier and the later one, or one and `--baseline`";
                Err(Failure::Usage(message.to_owned()))
            }
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum DiffFormat {
    /// Sentences, the worst first.
    Text,
    /// One JSON object with everything.
    Json,
}

#[derive(Debug, Args)]
pub(crate) struct MeasureArgs {
    #[command(flatten)]
    pub(super) contract: ContractArgs,

    /// The data: JSON, JSON lines or, for an API, an HTTP archive (`*.har`); `-` is standard input.
    #[arg(index = 2, value_name = "DATA", required = true)]
    pub(super) data: Vec<PathBuf>,

    #[command(flatten)]
    pub(super) coverage: CoverageArgs,

    /// What the files of data hold [default: their content decides].
    #[arg(long, value_name = "FORMAT", value_enum, hide_short_help = true)]
    pub(super) data_format: Option<DataFormatArg>,

    /// Do not fail (exit code 1) if an instance is not JSON or not valid.
    #[arg(long)]
    pub(super) allow_invalid: bool,

    /// Fail (exit code 2) if a part of the contract cannot be used, instead of leaving it out.
    #[arg(long, hide_short_help = true)]
    pub(super) strict: bool,

    #[command(flatten, next_help_heading = "OpenAPI")]
    pub(super) scope: ScopeArgs,

    /// Only traffic below this URL [default: the paths of the servers of the document, on any host].
    #[arg(long, value_name = "URL", help_heading = "OpenAPI")]
    pub(super) base_url: Option<String>,

    /// Show values of the traffic as examples in the report; headers and cookies with secrets never.
    #[arg(long, help_heading = "OpenAPI", hide_short_help = true)]
    pub(super) examples: bool,

    #[command(flatten)]
    pub(super) verbosity: VerbosityArgs,
}

impl MeasureArgs {
    /// The first option on the command line that is for OpenAPI documents only.
    pub(super) fn first_api_option(&self) -> Option<&'static str> {
        let own = [("--base-url", self.base_url.is_some()), ("--examples", self.examples)];
        let own = own.into_iter().find(|(_, is_present)| *is_present).map(|(name, _)| name);
        self.scope.first_option().or(own)
    }
}

/// What a file of data holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum DataFormatArg {
    /// One instance.
    Instance,
    /// One JSON array, whose items are the instances.
    Array,
    /// One instance per line.
    Jsonl,
}

/// What is measured, the required minimum, and the file of the report.
#[derive(Debug, Args)]
pub(crate) struct CoverageArgs {
    /// The dimensions to observe: structure, branches, enum, boundaries, operations [default: all, of
    /// the profile quick the first two; only an API has operations].
    #[arg(
        long = "coverage-dimensions",
        value_name = "LIST",
        value_delimiter = ',',
        value_parser = super::ci::dimension,
        hide_short_help = true
    )]
    dimensions: Option<Vec<Dimension>>,

    /// The least overall coverage, from 0 to 1. The exit code is 3 if coverage is below it.
    #[arg(long = "coverage-min", value_name = "F")]
    pub(crate) minimum: Option<Minimum>,

    /// Write the report to FILE, which appears only once it is complete; `-` is standard output, if no
    /// data goes there [default: coverage-report.json].
    #[arg(long = "coverage-report", value_name = "FILE")]
    report: Option<PathBuf>,

    /// Write the report as one HTML page to FILE too; `-` is standard output, if nothing else goes there.
    #[arg(long = "coverage-html", value_name = "FILE")]
    html: Option<PathBuf>,

    /// Which targets the report lists [default: full].
    #[arg(long = "coverage-report-mode", value_enum, hide_short_help = true)]
    report_mode: Option<ReportModeArg>,

    /// Whether targets that no valid value can hit are excluded from the ratios [default: true].
    #[arg(
        long = "coverage-exclude-unreachable",
        value_name = "true|false",
        action = clap::ArgAction::Set,
        hide_possible_values = true,
        hide_short_help = true
    )]
    exclude_unreachable: Option<bool>,

    #[command(flatten)]
    pub(crate) ci: CiArgs,
}

impl CoverageArgs {
    /// The dimensions to observe.
    pub(crate) fn dimensions(&self) -> Dimensions {
        self.dimensions_or(Dimensions::default())
    }

    /// The dimensions to observe, or `default` if none are chosen.
    pub(crate) fn dimensions_or(&self, default: Dimensions) -> Dimensions {
        let listed = |list: &Vec<Dimension>| list.iter().copied().collect();
        self.dimensions.as_ref().map_or(default, listed)
    }

    /// Where the report goes.
    pub(crate) fn report(&self) -> Sink<'_> {
        Sink::named(self.report.as_deref().unwrap_or(Path::new("coverage-report.json")))
    }

    /// Where the page goes, if it is asked for.
    pub(crate) fn html(&self) -> Option<Sink<'_>> {
        self.html.as_deref().map(Sink::named)
    }

    /// What is kept of long examples: only a page shows more than their size.
    pub(crate) fn long_examples(&self) -> LongExamples {
        if self.html.is_some() { LongExamples::Start } else { LongExamples::SizeOnly }
    }

    /// Whether targets that no valid value can hit are excluded from the ratios.
    pub(crate) fn excludes_unreachable(&self) -> bool {
        self.exclude_unreachable.unwrap_or(true)
    }

    /// The first of these options that is on the command line.
    pub(crate) fn first_option(&self) -> Option<&'static str> {
        let options = [
            ("--coverage-dimensions", self.dimensions.is_some()),
            ("--coverage-min", self.minimum.is_some()),
            ("--coverage-report", self.report.is_some()),
            ("--coverage-html", self.html.is_some()),
            ("--coverage-report-mode", self.report_mode.is_some()),
            ("--coverage-exclude-unreachable", self.exclude_unreachable.is_some()),
        ];
        let own = options.into_iter().find(|(_, is_present)| *is_present).map(|(name, _)| name);
        own.or_else(|| self.ci.first_option())
    }

    /// The files beside the report.
    pub(crate) fn other_outputs(&self) -> impl Iterator<Item = Sink<'_>> {
        self.html().into_iter().chain(self.ci.outputs().map(|(_, sink)| sink))
    }

    /// How much the report lists.
    pub(crate) fn report_mode(&self) -> ReportMode {
        match self.report_mode {
            None | Some(ReportModeArg::Full) => ReportMode::Full,
            Some(ReportModeArg::Summary) => ReportMode::Summary,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum ReportModeArg {
    /// Every target; only such reports can be compared and merged.
    Full,
    /// The first uncovered targets of each dimension.
    Summary,
}

#[derive(Debug, Args)]
pub(crate) struct MergeArgs {
    /// The reports, written with `--coverage-report-mode full`.
    #[arg(value_name = "REPORT", required = true)]
    pub(super) reports: Vec<PathBuf>,

    /// Write the merged report to FILE, which appears only once it is complete.
    #[arg(long, value_name = "FILE")]
    pub(super) out: PathBuf,

    /// The least overall coverage, from 0 to 1 [default: the one that all reports have].
    #[arg(long, value_name = "F")]
    pub(super) coverage_min: Option<Minimum>,

    /// Merge also if shards of a run are missing. A note says which.
    #[arg(long)]
    pub(super) partial: bool,

    #[command(flatten)]
    pub(super) ci: CiArgs,

    #[command(flatten)]
    pub(super) verbosity: VerbosityArgs,
}
