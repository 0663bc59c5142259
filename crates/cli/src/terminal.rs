//! What a person reads on standard error: messages, lines that fit, progress bars. Data never goes
//! there, and nothing depends on colour.

use std::io::{self, Write};

mod progress;
mod text;

pub(crate) use progress::{Progress, pace};
pub(crate) use text::{WIDTH, bar, heading, sentence, short};

/// Writes `text`, which ends with a line break if it is to have one.
pub(crate) fn print(text: &str) {
    // If even this cannot be written there is nobody left to report it to.
    let _ = io::stderr().lock().write_all(text.as_bytes());
}

/// Writes `text` and a line break.
pub(crate) fn print_line(text: &str) {
    print(&format!("{text}\n"));
}
