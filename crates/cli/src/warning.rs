//! Warnings about a contract that can be read but will not mean what its author wanted.

use foolproof_contract::Location;

use crate::terminal::print_line;

/// The number of warnings of one kind that are printed one by one.
const LISTED: usize = 10;

/// Prints what a reader should know about an API.
pub(crate) fn notes(notes: &[String]) {
    for note in notes.iter().take(LISTED) {
        print_line(&format!("warning: {note}"));
    }
    if notes.len() > LISTED {
        print_line(&format!(
            "warning: and {} more, which `foolproof inspect` lists",
            notes.len() - LISTED
        ));
    }
}

/// Warns of schemas that require themselves of the same value.
pub(crate) fn self_references(sites: &[Location]) {
    for site in sites.iter().take(LISTED) {
        let pointer = site.pointer().to_fragment();
        print_line(&format!(
            "warning: the reference at `{pointer}` leads back to the schema it stands in, on the same value; it adds nothing and is ignored"
        ));
    }
    if sites.len() > LISTED {
        print_line(&format!("warning: and {} more of this kind", sites.len() - LISTED));
    }
}
