//! What CI gets of a report: minima for single dimensions and operations, a summary in Markdown, test results in the
//! format of `JUnit`, and annotations for GitHub.

use std::{
    env,
    fs::File,
    io::Write as _,
    path::{Path, PathBuf},
    str::FromStr,
};

use clap::{Args, ValueEnum};
use foolproof_contract::wording::{matches_glob, percent};
use foolproof_coverage::{Dimension, Minimum, Report};

use super::{annotations, junit, markdown};
use crate::{
    failure::Failure,
    file,
    outputs::Sink,
    suggest,
    terminal::{print_commands, print_line},
};

/// The variable with the file that GitHub shows as the summary of a job.
const STEP_SUMMARY: &str = "GITHUB_STEP_SUMMARY";

#[derive(Debug, Args)]
#[command(next_help_heading = "CI")]
pub(crate) struct CiArgs {
    /// The least coverage of one dimension, such as `branches=0.9`; repeatable. The exit code is 3 if coverage is
    /// below it.
    #[arg(long = "coverage-min-dimension", value_name = "DIMENSION=F", hide_short_help = true)]
    dimension_minima: Vec<DimensionMinimum>,

    /// The least coverage of the operations of an API whose key matches KEY, which may have `*` and `?`; repeatable. The
    /// exit code is 3 if one is below it, or if none matches.
    #[arg(long = "coverage-min-operation", value_name = "KEY=F", hide_short_help = true)]
    operation_minima: Vec<OperationMinimum>,

    /// Write a summary in Markdown to FILE; in a job of GitHub Actions, append it to the summary of the job too.
    #[arg(long = "summary-md", value_name = "FILE")]
    summary_md: Option<PathBuf>,

    /// Write the minima as test results in the format of `JUnit` to FILE.
    #[arg(long = "coverage-junit", value_name = "FILE", hide_short_help = true)]
    coverage_junit: Option<PathBuf>,

    /// Print missed minima and targets as annotations on standard error [default: github in a job of GitHub
    /// Actions, else none].
    #[arg(long, value_enum, value_name = "KIND", hide_short_help = true)]
    annotations: Option<AnnotationsArg>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum AnnotationsArg {
    /// None.
    None,
    /// Workflow commands of GitHub Actions.
    Github,
}

/// The least coverage of a dimension.
#[derive(Clone, Copy, Debug)]
struct DimensionMinimum {
    dimension: Dimension,
    minimum: Minimum,
}

/// The dimension of this name, or an error with what may have been meant.
pub(super) fn dimension(name: &str) -> Result<Dimension, String> {
    suggest::parse(name, "dimension", Dimension::ALL.map(Dimension::as_str))
}

impl FromStr for DimensionMinimum {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (name, minimum) = halves(text, "branches=0.9")?;
        let dimension = dimension(name)?;
        Ok(Self { dimension, minimum })
    }
}

/// The least coverage of operations.
#[derive(Clone, Debug)]
struct OperationMinimum {
    key: String,
    minimum: Minimum,
}

impl FromStr for OperationMinimum {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (key, minimum) = halves(text, "getPet=0.9")?;
        Ok(Self { key: key.to_owned(), minimum })
    }
}

fn halves<'t>(text: &'t str, example: &str) -> Result<(&'t str, Minimum), String> {
    let (name, share) =
        text.rsplit_once('=').ok_or_else(|| format!("write it as `{example}`, with a `=`"))?;
    let minimum = share.parse::<Minimum>().map_err(|error| error.to_string())?;
    Ok((name, minimum))
}

/// Whether the summary of the report was printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Summary {
    Printed,
    Left,
}

impl Summary {
    /// `--quiet` leaves it out.
    pub(super) fn unless(is_quiet: bool) -> Self {
        if is_quiet { Self::Left } else { Self::Printed }
    }
}

/// A minimum, and whether it is met.
pub(super) struct Check {
    /// What it is about: `overall`, a dimension or an operation.
    pub(super) name: String,
    /// The sentence that says what was found.
    pub(super) message: String,
    pub(super) is_met: bool,
}

impl CiArgs {
    /// The files that are written, each with the option that says so.
    pub(crate) fn outputs(&self) -> impl Iterator<Item = (&'static str, Sink<'_>)> {
        let files =
            [("--summary-md", &self.summary_md), ("--coverage-junit", &self.coverage_junit)];
        files.into_iter().filter_map(|(option, path)| Some((option, Sink::File(path.as_ref()?))))
    }

    /// The first of these options that is on the command line.
    pub(crate) fn first_option(&self) -> Option<&'static str> {
        let options = [
            ("--coverage-min-dimension", !self.dimension_minima.is_empty()),
            ("--coverage-min-operation", !self.operation_minima.is_empty()),
            ("--summary-md", self.summary_md.is_some()),
            ("--coverage-junit", self.coverage_junit.is_some()),
            ("--annotations", self.annotations.is_some()),
        ];
        options.into_iter().find(|(_, is_present)| *is_present).map(|(name, _)| name)
    }

    /// Checks the minima, and writes what is asked for. Whether all minima are met.
    ///
    /// `contract` is the file of the contract, if it is known. Without a summary, which has the minimum of all
    /// targets, that one is printed like the others if it is not met.
    pub(super) fn publish(
        &self,
        report: &Report,
        contract: Option<&Path>,
        summary: Summary,
    ) -> Result<bool, Failure> {
        let checks = self.checks(report);
        if let Some(path) = &self.summary_md {
            let text = markdown::summary(report, &checks);
            file::write(path, text.as_bytes())?;
            append_to_job(&text)?;
        }
        if let Some(path) = &self.coverage_junit {
            file::write(path, junit::document(&checks).as_bytes())?;
        }
        let is_said = |check: &Check| summary == Summary::Printed && check.name == OVERALL;
        for check in checks.iter().filter(|check| !check.is_met && !is_said(check)) {
            print_line(&check.message);
        }
        if self.has_annotations() {
            print_commands(&annotations::of(report, &checks, contract));
        }
        Ok(checks.iter().all(|check| check.is_met))
    }

    fn has_annotations(&self) -> bool {
        match self.annotations {
            Some(kind) => kind == AnnotationsArg::Github,
            None => env::var("GITHUB_ACTIONS").is_ok_and(|value| value == "true"),
        }
    }

    /// Every minimum, that of the report first.
    fn checks(&self, report: &Report) -> Vec<Check> {
        let metrics = &report.metrics;
        let overall = metrics.thresholds.as_ref().and_then(|thresholds| thresholds.overall);
        let overall = overall.map(|least| check(OVERALL.to_owned(), Some(metrics.overall), least));
        let dimensions = self.dimension_minima.iter().map(|it| {
            let found = metrics.by_dimension.get(&it.dimension).copied();
            check(format!("dimension {}", it.dimension.as_str()), found, it.minimum.share())
        });
        let operations = self.operation_minima.iter().flat_map(|it| {
            let matching =
                metrics.by_operation.iter().filter(|(key, _)| matches_glob(&it.key, key));
            let mut checks: Vec<Check> = matching
                .map(|(key, found)| {
                    check(format!("operation {key}"), Some(*found), it.minimum.share())
                })
                .collect();
            if checks.is_empty() {
                checks.push(check(format!("operation {}", it.key), None, it.minimum.share()));
            }
            checks
        });
        overall.into_iter().chain(dimensions).chain(operations).collect()
    }
}

/// The name of the minimum of `--coverage-min`.
const OVERALL: &str = "overall";

fn check(name: String, found: Option<f64>, least: f64) -> Check {
    let wanted = format!("{} %", (least * 1e8).round() / 1e6);
    let (message, is_met) = match found {
        Some(found) if found >= least => {
            (format!("{name}: coverage is {}, at least {wanted}", percent(found)), true)
        }
        Some(found) => (
            format!("{name}: coverage is {}, below the minimum of {wanted}", percent(found)),
            false,
        ),
        None => (format!("{name}: the report does not have it, so {wanted} cannot be met"), false),
    };
    Check { name, message, is_met }
}

/// Appends `text` to the summary of the job, if this is one of GitHub Actions.
pub(crate) fn append_to_job(text: &str) -> Result<(), Failure> {
    let Some(path) = env::var_os(STEP_SUMMARY).filter(|path| !path.is_empty()) else {
        return Ok(());
    };
    let path = PathBuf::from(path);
    let appended = File::options()
        .create(true)
        .append(true)
        .open(&path)
        .and_then(|mut file| file.write_all(text.as_bytes()));
    appended.map_err(|error| Failure::File { path, error })
}
