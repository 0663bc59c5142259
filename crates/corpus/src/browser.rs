//! The browser that opens HTML reports: Chromium of the system, and the packages in `tools/html`. They need
//! Node and `npm ci`, so they may be absent.

use std::{
    env,
    path::{Path, PathBuf},
    process::Command,
};

use crate::{absent::folder, skip};

/// A command that checks pages in the browser, without its last argument, the file of checks. `None` after
/// reporting that the test is skipped.
///
/// # Panics
/// With `FOOLPROOF_REQUIRE_ALL=1`, if something is absent.
#[must_use]
pub fn checker() -> Option<Command> {
    let tools = folder("FOOLPROOF_HTML", "tools/html");
    if !tools.join("node_modules").is_dir() {
        return skip("no packages to drive a browser; run `npm ci --prefix tools/html`");
    }
    let Some(chromium) = find("chromium") else {
        return skip("no `chromium` in PATH; run `apt-get install chromium`");
    };
    let Some(node) = find("node") else { return skip("no `node` in PATH") };
    let mut command = Command::new(node);
    command.arg(tools.join("check.mjs")).arg(chromium);
    Some(command)
}

/// The program of this name in PATH.
fn find(program: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH")?;
    env::split_paths(&path).map(|folder| folder.join(program)).find(|file| Path::is_file(file))
}
