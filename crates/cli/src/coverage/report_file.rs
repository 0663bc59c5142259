//! Reads the report files of the command line.

use std::{fs, path::Path};

use foolproof_coverage::Report;

use crate::failure::Failure;

/// The report in the file at `path`.
pub(super) fn read(path: &Path) -> Result<Report, Failure> {
    let unreadable = |error| Failure::Unreadable { path: path.to_owned(), error };
    let text = fs::read_to_string(path).map_err(unreadable)?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    Report::from_json(text).map_err(|error| fail(&[path], error.code(), &error))
}

/// A failure that names the files it is about.
pub(super) fn fail(paths: &[&Path], code: &'static str, error: &dyn std::error::Error) -> Failure {
    let names: Vec<String> = paths.iter().map(|path| format!("`{}`", path.display())).collect();
    Failure::Report { code, message: format!("{}: {error}", names.join(" and ")) }
}
