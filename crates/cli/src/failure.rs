//! Errors as messages for people: what is wrong, where in the text, and what to do.

use std::{fmt, io, path::PathBuf, sync::Arc};

use foolproof_contract::{AjvError, Error, Pointer, wording::abbreviate};
use miette::{Diagnostic, LabeledSpan, NamedSource, SourceCode};

use crate::{
    exit::Exit,
    output::is_closed,
    terminal::{print_line, print_report},
};

/// Why a command could not do its work.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The contract is at fault.
    Contract {
        error: Error,
        /// The text of the document that the error is in, if it is known.
        text: Option<Arc<str>>,
    },
    /// Standard output could not be written.
    Output(io::Error),
    /// A file could not be written.
    File { path: PathBuf, error: io::Error },
    /// A file could not be read.
    Unreadable { path: PathBuf, error: io::Error },
    /// A file is not a coverage report, or cannot be combined with another; the message names the file.
    Report { code: &'static str, message: String },
    /// The arguments contradict each other.
    Usage(String),
    /// No handler for signals could be registered.
    Signals(io::Error),
    /// The second oracle gave no answer.
    Ajv(AjvError),
    /// The contract admits no value.
    Unsatisfiable(String),
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::Output(error)
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Contract { error, text: None }
    }
}

impl From<AjvError> for Failure {
    fn from(error: AjvError) -> Self {
        Self::Ajv(error)
    }
}

/// Prints `failure` to standard error and returns the exit code.
pub(crate) fn report(failure: &Failure) -> Exit {
    match failure {
        // A reader that closes the pipe early is no failure: `foolproof … | head`.
        Failure::Output(error) if is_closed(error) => Exit::Success,
        Failure::Output(error) => {
            print(&format!("  × cannot write the output: {error}\n"));
            Exit::BadInput
        }
        Failure::File { path, error } => {
            let help = next_step(error, "create its folder, or choose another path");
            print(&format!("  × cannot write `{}`: {error}{help}", path.display()));
            Exit::BadInput
        }
        Failure::Unreadable { path, error } => {
            let help = next_step(error, "check the path");
            print(&format!("  × cannot read `{}`: {error}{help}", path.display()));
            Exit::BadInput
        }
        Failure::Report { code, message } => {
            let help = match *code {
                "coverage::malformed-report" => {
                    "\n  help: pass a report that `--coverage-report` wrote"
                }
                _ => "",
            };
            print(&format!("{code}\n\n  × {}{help}", shorten(message)));
            Exit::BadInput
        }
        Failure::Usage(message) => {
            print(&format!("  × {message}"));
            Exit::BadInput
        }
        Failure::Unsatisfiable(message) => {
            print(&format!("  × {message}"));
            Exit::Unsatisfiable
        }
        Failure::Signals(error) => {
            print(&format!("  × cannot handle Ctrl-C: {error}"));
            Exit::BadInput
        }
        Failure::Ajv(error) => {
            print(&format!("{}\n\n  × {}", error.code(), shorten(&error.to_string())));
            Exit::BadInput
        }
        Failure::Contract { error, text } => {
            let shown = Shown::new(error, text.clone());
            print_report(&format!("{:?}", miette::Report::new(shown)));
            Exit::BadInput
        }
    }
}

/// What to do about a file that cannot be opened, as a line of its own; nothing if the error says it already. `absent` is
/// for what is not there.
fn next_step(error: &io::Error, absent: &str) -> String {
    let steps = [
        (io::ErrorKind::NotFound, absent),
        (io::ErrorKind::PermissionDenied, "check its permissions, or choose another path"),
        (io::ErrorKind::IsADirectory, "name a file, not a folder"),
        (io::ErrorKind::StorageFull, "free some space, or choose another path"),
        (io::ErrorKind::InvalidData, "pass a file of text in UTF-8"),
    ];
    let step = steps.iter().find(|(kind, _)| *kind == error.kind());
    step.map(|(_, step)| format!("\n  help: {step}")).unwrap_or_default()
}

fn print(message: &str) {
    print_line(message.trim_end());
}

/// A contract error with the text it is in.
struct Shown {
    error: Error,
    source: Option<NamedSource<String>>,
    span: Option<usize>,
}

/// Lines longer than this are not shown: a minified document would fill the screen.
const MAX_LINE: usize = 400;

impl Shown {
    fn new(error: &Error, text: Option<Arc<str>>) -> Self {
        let mut shown = Self { error: error.clone(), source: None, span: None };
        if let (Some(text), Some(position)) = (text, error.position()) {
            let offset = position.offset();
            let start = text[..offset].rfind('\n').map_or(0, |newline| newline + 1);
            let end = text[offset..].find('\n').map_or(text.len(), |newline| offset + newline);
            if end - start <= MAX_LINE {
                let name = error.document().unwrap_or("the document");
                shown.source = Some(NamedSource::new(name, text.to_string()));
                shown.span = Some(offset);
            }
        }
        shown
    }

    /// The document, the position and the pointer of the error, if its text is not shown.
    fn position(&self) -> Vec<String> {
        if self.source.is_some() {
            return Vec::new();
        }
        let document = self.error.document().map(|name| format!("in {name}"));
        let position = self
            .error
            .position()
            .map(|position| format!("at line {} column {}", position.line(), position.column()));
        let pointer = self.error.pointer().map(|pointer| format!("at `{}`", short(pointer)));
        [document, position, pointer].into_iter().flatten().collect()
    }
}

/// A pointer, cut to a readable length.
fn short(pointer: &Pointer) -> String {
    abbreviate(&pointer.to_fragment(), 120)
}

/// A message, cut to a readable length: a value of the document in it may have megabytes.
pub(crate) fn shorten(text: &str) -> String {
    abbreviate(text, 500)
}

impl fmt::Display for Shown {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}", self.error.problem())?;
        for part in self.position() {
            write!(formatter, ", {part}")?;
        }
        Ok(())
    }
}

impl fmt::Debug for Shown {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, formatter)
    }
}

impl std::error::Error for Shown {}

impl Diagnostic for Shown {
    fn code<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        Some(Box::new(self.error.code()))
    }

    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        Some(Box::new(self.error.help()))
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        self.source.as_ref().map(|source| source as &dyn SourceCode)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        let offset = self.span?;
        let label = self.error.pointer().map(|pointer| format!("at `{}`", short(pointer)));
        Some(Box::new(std::iter::once(LabeledSpan::new(label, offset, 0))))
    }
}
