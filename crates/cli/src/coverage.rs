//! `foolproof coverage`: coverage of existing data, and commands that read reports.

use std::io::{self, Write};

use foolproof_coverage::{Report, ReportMode};

use crate::{exit::Exit, failure::Failure, file, output::Output, terminal::print_line};

pub(crate) mod args;
mod data;
mod diff;
mod measure;
mod merge;
mod refused;
mod report_file;
pub(crate) mod summary;
mod traffic;

pub(crate) use args::{Command, CoverageArgs};

pub(crate) fn run(command: &Command, output: &mut Output) -> Result<Exit, Failure> {
    match command {
        Command::Diff(args) => diff::run(args, output),
        Command::Measure(args) => measure::run(args),
        Command::Merge(args) => merge::run(args),
        Command::Schema => schema(output),
    }
}

/// Prints the JSON Schema of reports.
fn schema(output: &mut Output) -> Result<Exit, Failure> {
    print_json(&foolproof_coverage::report_schema(), output)?;
    Ok(Exit::Success)
}

/// Writes `report`, in full or as a summary as the options say, and prints its summary.
pub(crate) fn publish(
    args: &CoverageArgs,
    is_quiet: bool,
    mut report: Report,
) -> Result<Report, Failure> {
    // Before the report is cut to a summary, which has no counts.
    let summary = summary::summary(&report);
    if args.report_mode() == ReportMode::Summary {
        report.summarize();
    }
    file::write(args.report(), report.to_json().as_bytes())?;
    if !is_quiet {
        print_line(&format!("{summary}\nThe report is in `{}`", args.report().display()));
    }
    Ok(report)
}

fn print_json(value: &impl serde::Serialize, output: &mut Output) -> Result<(), Failure> {
    serde_json::to_writer_pretty(&mut *output, value).map_err(io::Error::from)?;
    writeln!(output)?;
    Ok(output.flush()?)
}
