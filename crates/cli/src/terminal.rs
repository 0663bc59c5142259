//! Output on standard error, for people: messages, lines that fit the terminal, progress bars. Data
//! never goes there, and nothing depends on colour.

use std::io::{self, Write};

use foolproof_contract::Untrusted;

mod progress;
mod text;
mod waiting;

pub(crate) use progress::{Progress, pace};
use text::harmless;
pub(crate) use text::{WIDTH, bar, heading, sentence, short};
pub(crate) use waiting::Waiting;

/// Writes `text` without adding a line break.
pub(crate) fn print(text: &str) {
    write(&Untrusted::new(text).multiline());
}

/// Writes the report of an error, which may have colours.
pub(crate) fn print_report(text: &str) {
    write(&harmless(text));
}

/// Writes workflow commands of GitHub Actions, which a CI is to obey.
pub(crate) fn print_commands(commands: &str) {
    write(commands);
}

fn write(text: &str) {
    // If this cannot be written, the error cannot be reported anywhere.
    let _ = io::stderr().lock().write_all(text.as_bytes());
}

/// Writes `text` and a line break.
pub(crate) fn print_line(text: &str) {
    print(&format!("{text}\n"));
}
