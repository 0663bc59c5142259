//! The browser that opens HTML reports: Chromium of the system, and the packages in `tools/html`. They need
//! Node and `npm ci`, so they may be absent.

use std::process::Command;

use crate::{
    absent::{find, folder},
    skip,
};

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
