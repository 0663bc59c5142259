//! `foolproof coverage`: coverage of existing data, and commands that read reports.

use std::{
    io::{self, Write},
    path::Path,
};

use foolproof_contract::Document;
use foolproof_coverage::{Report, ReportMode};

use crate::{
    exit::Exit,
    failure::Failure,
    file,
    output::{Output, unless_closed},
    outputs::Sink,
    terminal::print_line,
};

mod accept;
mod annotations;
pub(crate) mod args;
pub(crate) mod ci;
mod data;
mod diff;
pub(crate) mod html;
mod junit;
pub(crate) mod markdown;
mod measure;
mod merge;
mod refused;
mod report_file;
pub(crate) mod summary;
mod traffic;

pub(crate) use args::{Command, CoverageArgs};
use args::{FileArg, SchemaArgs};

pub(crate) fn run(command: &Command, output: &mut Output) -> Result<Exit, Failure> {
    match command {
        Command::Accept(args) => accept::run(args),
        Command::Diff(args) => diff::run(args, output),
        Command::Html(args) => html::run(args, output),
        Command::Measure(args) => measure::run(args, output),
        Command::Merge(args) => merge::run(args),
        Command::Schema(args) => schema(args, output),
    }
}

/// Prints the JSON Schema of a file.
fn schema(args: &SchemaArgs, output: &mut Output) -> Result<Exit, Failure> {
    let schema = match args.of {
        FileArg::Report => foolproof_coverage::report_schema(),
        FileArg::Plan => foolproof_coverage::plan_schema(),
    };
    write_json(&schema, output)?;
    Ok(Exit::Success)
}

/// Writes `report`, in full or as a summary as the options say, and as a page if that is asked for, and
/// prints its summary. Whether every minimum is met.
pub(crate) fn publish(
    args: &CoverageArgs,
    is_quiet: bool,
    mut report: Report,
    document: &Document,
    output: &mut Output,
) -> Result<bool, Failure> {
    // Before the report is cut to a summary, which has no counts.
    let summary = summary::summary(&report);
    if let Some(sink) = args.html() {
        html::write(sink, &report, &document.source_texts(), output)?;
    }
    let mut full = None;
    if args.report_mode() == ReportMode::Summary {
        full = Some(report.clone());
        report.summarize();
    }
    write(args.report(), &report.to_json(), output)?;
    if !is_quiet {
        print_line(&match args.report() {
            Sink::Stdout => summary.trim_end().to_owned(),
            file @ Sink::File(_) => format!("{summary}\nThe report is in {}", file.name()),
        });
        if let Some(file @ Sink::File(_)) = args.html() {
            print_line(&format!("The page is in {}", file.name()));
        }
    }
    let contract = Path::new(document.name());
    let contract = Some(contract).filter(|path| path.is_file());
    let summary = ci::Summary::unless(is_quiet);
    args.ci.publish(full.as_ref().unwrap_or(&report), contract, summary)
}

/// Writes `text` to `sink` as a whole.
pub(crate) fn write(sink: Sink<'_>, text: &str, output: &mut Output) -> Result<(), Failure> {
    match sink {
        Sink::File(path) => file::write(path, text.as_bytes()),
        Sink::Stdout => {
            // Whether anybody reads the report does not change what it says.
            let written = output.write_all(text.as_bytes()).and_then(|()| output.flush());
            Ok(unless_closed(written)?)
        }
    }
}

fn write_json(value: &impl serde::Serialize, output: &mut Output) -> io::Result<()> {
    serde_json::to_writer_pretty(&mut *output, value)?;
    writeln!(output)?;
    output.flush()
}
