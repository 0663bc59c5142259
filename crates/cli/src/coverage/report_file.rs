//! Reads the report files of the command line.

use std::path::Path;

use foolproof_coverage::Report;

use crate::{failure::Failure, input};

/// The report in the file at `path`.
pub(super) fn read(path: &Path) -> Result<Report, Failure> {
    let text = input::read_text(path, input::MAX_REPORT)?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    Report::from_json(text).map_err(|error| fail(&[path], error.code(), &error))
}

/// A failure that names the files it is about.
pub(super) fn fail(paths: &[&Path], code: &'static str, error: &dyn std::error::Error) -> Failure {
    let names: Vec<String> = paths.iter().map(|path| format!("`{}`", path.display())).collect();
    Failure::Report { code, message: format!("{}: {error}", names.join(" and ")) }
}
