//! Output on standard error, for people: messages, lines that fit the terminal, progress bars. Data
//! never goes there, and nothing depends on colour.

use std::io::{self, Write};

mod progress;
mod text;
mod waiting;

pub(crate) use progress::{Progress, pace};
pub(crate) use text::{WIDTH, bar, harmless, heading, sentence, short};
pub(crate) use waiting::Waiting;

/// Writes `text` without adding a line break.
pub(crate) fn print(text: &str) {
    // If this cannot be written, the error cannot be reported anywhere.
    let _ = io::stderr().lock().write_all(harmless(text).as_bytes());
}

/// Writes `text` and a line break.
pub(crate) fn print_line(text: &str) {
    print(&format!("{text}\n"));
}
