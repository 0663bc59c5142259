//! Warnings about a contract that can be read but will not mean what its author wanted.

use std::io::{self, Write};

use foolproof_contract::Location;

/// The number of warnings of one kind that are printed one by one.
const LISTED: usize = 10;

/// Warns of schemas that require themselves of the same value.
pub(crate) fn self_references(sites: &[Location]) {
    let mut text = String::new();
    for site in sites.iter().take(LISTED) {
        let pointer = site.pointer().to_fragment();
        text.push_str(&format!(
            "warning: the reference at `{pointer}` leads back to the schema it stands in, on the same value; it adds nothing and is ignored\n"
        ));
    }
    if sites.len() > LISTED {
        text.push_str(&format!("warning: and {} more of this kind\n", sites.len() - LISTED));
    }
    // Nobody is left to warn if even this cannot be printed.
    let _ = io::stderr().lock().write_all(text.as_bytes());
}
