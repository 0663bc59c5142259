//! Released MCP servers with known bugs, as the repository pins them in `tools/mcp-servers`. They need Node and
//! `tools/mcp-servers/install`, so they may be absent.

use std::path::PathBuf;

use crate::{
    absent::{find, folder},
    skip,
};

/// The folder with the servers, or `None` after reporting that what needs them is skipped.
///
/// # Panics
/// With `FOOLPROOF_REQUIRE_ALL=1`, if something is absent.
#[must_use]
pub fn with_bugs() -> Option<PathBuf> {
    let folder = folder("FOOLPROOF_MCP_SERVERS", "tools/mcp-servers");
    if !folder.join("buggy/node_modules").is_dir() {
        return skip("no MCP servers with known bugs; run `tools/mcp-servers/install buggy`");
    }
    if find("node").is_none() {
        return skip("no `node` in PATH");
    }
    Some(folder)
}
