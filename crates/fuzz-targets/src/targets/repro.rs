//! Files that repeat a failure.
//!
//! - A file that was read and written again reads the same, and is written the same.
//! - A call that was read and written is the same from then on, also once what was shrunk is applied.
//! - A call of which nothing was shrunk keeps its arguments, whatever is in them.

use std::sync::OnceLock;

use foolproof_contract::with_large_stack;
use foolproof_mcp::{Repro, StepFile, Tool, fuzz::rewrite};
use serde_json::json;

use crate::Reached;

/// Checks the laws of repro files.
pub fn repro(data: &[u8]) -> Reached {
    let Ok(file) = serde_json::from_slice::<Repro>(data) else { return Reached::Refused };
    let written = serde_json::to_string(&file).expect("a file can be written");
    let again: Repro = serde_json::from_str(&written).expect("what was written can be read");
    assert_eq!(file, again, "reading what was written");
    assert_eq!(written, serde_json::to_string(&again).expect("as before"), "writing twice");
    with_large_stack(|| file.steps.iter().for_each(check_step));
    if file.steps.is_empty() { Reached::Refused } else { Reached::Checked }
}

fn check_step(file: &StepFile) {
    let _ = file.arguments_with_references();
    let Ok(first) = rewrite(file, tools()) else { return };
    let second = rewrite(&first.step, tools()).expect("a call that was written can be read");
    assert_eq!(first, second, "a call that was read and written");
    let settled = rewrite(&first.settled, tools()).expect("a settled call can be read");
    assert_eq!(first.settled, settled.settled, "a call that was settled twice");
    if file.shrink.is_empty() {
        assert_eq!(first.settled.arguments, file.arguments, "nothing was shrunk");
    }
}

/// Tools with schemas that leave arguments open, and one that cannot be called.
fn tools() -> &'static [Tool] {
    static TOOLS: OnceLock<Vec<Tool>> = OnceLock::new();
    TOOLS.get_or_init(|| {
        let tool = |name: &str, schema| Tool::new(name, json!({ "inputSchema": schema }));
        vec![
            tool("any", json!({ "type": "object" })),
            tool(
                "get",
                json!({ "type": "object", "required": ["id"], "properties": {
                    "id": { "type": "string" }, "tags": { "type": "array", "items": { "type": "string" } }
                } }),
            ),
            tool("none", json!({ "type": "object", "not": {} })),
        ]
    })
}
