//! `--metrics`: what each phase of the run took, for a file.

use serde_json::json;

use super::Work;
use crate::{args::GenerateArgs, failure::Failure, file};

/// The format of the file.
const VERSION: &str = "foolproof-metrics/v1";

/// Writes the metrics, if somebody wants them.
pub(super) fn write(args: &GenerateArgs, work: &Work<'_>) -> Result<(), Failure> {
    let Some(path) = &args.metrics else { return Ok(()) };
    let metrics = json!({
        "version": VERSION,
        "coverage": args.mode.name(),
        "instances": work.summary.tally.made,
        "phases": work.metrics.to_json(),
    });
    file::write(path, format!("{metrics:#}\n").as_bytes())
}
