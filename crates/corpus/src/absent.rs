//! What happens where something that a test needs is absent.

use std::{
    env,
    ffi::OsStr,
    io::{self, Write as _},
    path::{Path, PathBuf},
    thread,
};

/// Set to `1` where nothing may be absent. A variable of our own: `CI` is set wherever anybody
/// builds, also where there is no corpus.
const REQUIRE_ALL: &str = "FOOLPROOF_REQUIRE_ALL";

/// Whether tests that take long run in full: where nothing may be absent. Elsewhere they run on less, so that the
/// tests of a clone end within minutes.
#[must_use]
pub fn runs_in_full() -> bool {
    env::var_os(REQUIRE_ALL).is_some_and(|value| value == "1")
}

/// Whether a table of quality is made. It takes long, so elsewhere than in full runs it is reported as skipped.
#[must_use]
pub fn makes_tables() -> bool {
    let is_full = runs_in_full();
    if !is_full {
        require_or_note(
            None,
            &format!("skipped: a table that takes long; {REQUIRE_ALL}=1 makes it"),
        );
    }
    is_full
}

/// Reports in one line that the current test is skipped and why, and gives `None`.
///
/// # Panics
/// With `FOOLPROOF_REQUIRE_ALL=1`.
#[must_use]
pub fn skip<T>(why: &str) -> Option<T> {
    require_or_note(env::var_os(REQUIRE_ALL).as_deref(), &format!("skipped: {why}"));
    None
}

/// Reports in one line that the current test runs on something smaller.
///
/// # Panics
/// With `FOOLPROOF_REQUIRE_ALL=1`.
pub(crate) fn note_replacement(what: &str) {
    require_or_note(env::var_os(REQUIRE_ALL).as_deref(), what);
}

fn require_or_note(requirement: Option<&OsStr>, note: &str) {
    assert!(requirement.is_none_or(|value| value != "1"), "{REQUIRE_ALL} is set, but {note}");
    let thread = thread::current();
    let test = thread.name().unwrap_or("a test");
    // Not by `eprintln!`, which the test harness captures and shows only for tests that fail. A line
    // that cannot be written is no reason to fail.
    let _ = writeln!(io::stderr(), "{test}: {note}");
}

/// The folder that `variable` names, else `usual` below the root of the repository.
pub(crate) fn folder(variable: &str, usual: &str) -> PathBuf {
    let root = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(usual);
    env::var_os(variable).map_or_else(root, PathBuf::from)
}

/// The program of this name in PATH.
pub(crate) fn find(program: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH")?;
    env::split_paths(&path).map(|folder| folder.join(program)).find(|file| Path::is_file(file))
}

#[cfg(test)]
mod tests {
    use super::{OsStr, require_or_note};

    #[test]
    fn what_is_absent_is_noted() {
        require_or_note(None, "skipped: this line is part of a test");
        require_or_note(Some(OsStr::new("")), "skipped: this line is part of a test");
    }

    #[test]
    #[should_panic(expected = "FOOLPROOF_REQUIRE_ALL is set, but skipped: no corpus")]
    fn what_is_absent_and_required_is_a_failure() {
        require_or_note(Some(OsStr::new("1")), "skipped: no corpus");
    }
}
