//! `foolproof coverage diff`: whether coverage fell from one report to the next.

use std::{io::Write, path::Path};

use foolproof_coverage::{DiffError, DiffSide, diff};

use super::{
    args::{DiffArgs, DiffFormat},
    report_file, write_json,
};
use crate::{
    exit::Exit,
    failure::Failure,
    output::{Output, unless_closed},
    outputs::{self, Input, Sink},
};

pub(super) fn run(args: &DiffArgs, output: &mut Output) -> Result<Exit, Failure> {
    let files = args.files()?;
    let inputs = [files.0, files.1].map(|path| Input { role: "report", path });
    outputs::check(&[Sink::Stdout], &inputs)?;
    let before = report_file::read(files.0)?;
    let after = report_file::read(files.1)?;
    let found = diff(&before, &after)
        .map_err(|error| report_file::fail(&at_fault(&error, files), error.code(), &error))?;
    let written = match args.format {
        DiffFormat::Text => write!(output.text(), "{found}").and_then(|()| output.flush()),
        DiffFormat::Json => write_json(&found, output),
    };
    // A regression is one even if nobody reads all of it.
    unless_closed(written)?;
    Ok(if found.is_regression() { Exit::CheckFailed } else { Exit::Success })
}

/// The files that `error` is about.
fn at_fault<'a>(error: &DiffError, (before, after): (&'a Path, &'a Path)) -> Vec<&'a Path> {
    match error {
        DiffError::OtherVersion { side, .. }
        | DiffError::Summary { side }
        | DiffError::Twice { side, .. } => match side {
            DiffSide::Before => vec![before],
            DiffSide::After => vec![after],
        },
        DiffError::OtherMajor { .. } | DiffError::NothingInCommon | _ => vec![before, after],
    }
}
