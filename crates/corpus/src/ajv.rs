//! AJV as the repository pins it, in `tools/ajv`. It needs Node and `npm ci`, so it may be absent.

use std::path::PathBuf;

use foolproof_contract::{Ajv, AjvError, AjvOptions};

use crate::{absent::folder, skip};

/// The folder to start AJV from, or `None` after reporting that the test is skipped.
///
/// # Panics
/// With `FOOLPROOF_REQUIRE_ALL=1`, if the packages are not installed.
#[must_use]
pub fn packages() -> Option<PathBuf> {
    let folder = folder("FOOLPROOF_AJV", "tools/ajv");
    let why = "AJV is not installed; run `npm ci --prefix tools/ajv`";
    folder.join("node_modules").is_dir().then_some(folder).or_else(|| skip(why))
}

/// AJV, running, or `None` after reporting that the test is skipped.
///
/// # Panics
/// With `FOOLPROOF_REQUIRE_ALL=1`, if it cannot be started; without, if it is there and does not work.
#[must_use]
pub fn start() -> Option<Ajv> {
    start_with(AjvOptions::default().packages(packages()?))
}

/// The same, with options that name the packages.
///
/// # Panics
/// As [`start`] does.
#[must_use]
pub fn start_with(options: AjvOptions) -> Option<Ajv> {
    match Ajv::start(options) {
        Ok(ajv) => Some(ajv),
        Err(error @ AjvError::NodeUnavailable { .. }) => skip(&error.to_string()),
        Err(error) => panic!("{error}"),
    }
}
