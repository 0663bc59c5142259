//! Whether the result of a command is an `Err`.
//!
//! A generic type cannot be asked whether it is a `Result`, so its type name and its `Debug` text
//! decide.

use std::fmt::{self, Debug, Write};

/// What is in the `Err` of a result, if `value` is one. There is no way to ask a generic type whether
/// it is a `Result`; its name and how it shows itself tell.
pub(super) fn error_of<R: Debug>(value: &R) -> Option<String> {
    let is_result = std::any::type_name::<R>().starts_with("core::result::Result<");
    if !is_result || !starts_with_err(value) {
        return None;
    }
    let text = format!("{value:?}");
    let inside = text.strip_prefix("Err(").and_then(|text| text.strip_suffix(')'));
    Some(inside.unwrap_or(&text).to_owned())
}

/// Whether the text of `value` begins with `Err(`, without writing out the rest.
fn starts_with_err(value: &impl Debug) -> bool {
    struct Peek {
        seen: String,
    }
    impl Write for Peek {
        fn write_str(&mut self, text: &str) -> fmt::Result {
            self.seen.push_str(&text.chars().take(4).collect::<String>());
            if self.seen.len() >= 4 { Err(fmt::Error) } else { Ok(()) }
        }
    }
    let mut peek = Peek { seen: String::new() };
    let _ = write!(peek, "{value:?}");
    peek.seen.starts_with("Err(")
}
