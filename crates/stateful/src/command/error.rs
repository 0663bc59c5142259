//! Whether the result of a command is an `Err`.
//!
//! A generic type cannot be asked whether it is a `Result`, so its type name and its `Debug` text
//! decide.

use std::fmt::{self, Debug, Write};

use crate::fault::{Fault, FaultKind, first_word};

/// The fault of an error: its identity is the first word of its text, which is the name of the variant for
/// most types.
pub(super) fn fault_of<R: Debug>(value: &R) -> Option<Fault> {
    let error = error_of(value)?;
    let identity = first_word(&error).to_owned();
    Some(Fault::new(FaultKind::Error, "", error).with_identity(identity))
}

/// The error of `value` as text, if it is an `Err`.
fn error_of<R: Debug>(value: &R) -> Option<String> {
    let is_result = std::any::type_name::<R>().starts_with("core::result::Result<");
    if !is_result || !starts_with_err(value) {
        return None;
    }
    let text = format!("{value:?}");
    let inside = text.strip_prefix("Err(").and_then(|text| text.strip_suffix(')'));
    Some(inside.unwrap_or(&text).to_owned())
}

/// Whether the `Debug` text of `value` begins with `Err(`, without formatting the rest.
fn starts_with_err(value: &impl Debug) -> bool {
    struct Prefix {
        text: String,
    }
    impl Write for Prefix {
        fn write_str(&mut self, text: &str) -> fmt::Result {
            self.text.push_str(&text.chars().take(4).collect::<String>());
            if self.text.len() >= 4 { Err(fmt::Error) } else { Ok(()) }
        }
    }
    let mut prefix = Prefix { text: String::new() };
    let _ = write!(prefix, "{value:?}");
    prefix.text.starts_with("Err(")
}
