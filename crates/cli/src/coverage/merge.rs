//! `foolproof coverage merge`: several reports as one, and the check of the minimum after a sharded run.

use std::path::Path;

use foolproof_contract::wording::{count, percent};
use foolproof_coverage::{MergeError, Merger};

use super::{args::MergeArgs, ci::Summary, report_file, summary};
use crate::{
    exit::Exit,
    failure::Failure,
    file,
    outputs::{self, Input, Sink},
    terminal::print,
};

pub(super) fn run(args: &MergeArgs) -> Result<Exit, Failure> {
    let outputs: Vec<Sink<'_>> =
        args.ci.outputs().map(|(_, sink)| sink).chain([Sink::File(&args.out)]).collect();
    let inputs: Vec<Input<'_>> =
        args.reports.iter().map(|path| Input { role: "report", path }).collect();
    outputs::check(&outputs, &inputs)?;
    let fail = |error: MergeError| report_file::fail(&at_fault(&error, args), error.code(), &error);
    let mut merger = Merger::default();
    if args.partial {
        merger = merger.partial();
    }
    // One at a time: there may be thousands, each with all targets.
    for path in &args.reports {
        let report = report_file::read(path)?;
        args.verbosity.detail(|| {
            let instances = count(report.run.actual_instances, "instance");
            let overall = percent(report.metrics.overall);
            format!("read {}: coverage is {overall} by {instances}", path.display())
        });
        merger.add(report).map_err(fail)?;
    }
    let mut merged = merger.finish().map_err(fail)?;
    if let Some(minimum) = args.coverage_min {
        merged.set_minimum(minimum);
    }
    file::write(&args.out, merged.to_json().as_bytes())?;
    if !args.verbosity.quiet {
        print(&summary::summary(&merged));
    }
    let is_enough = args.ci.publish(&merged, None, Summary::unless(args.verbosity.quiet))?;
    Ok(if is_enough { Exit::Success } else { Exit::BelowMinimum })
}

/// The files that `error` is about: one report, or all of them.
fn at_fault<'a>(error: &MergeError, args: &'a MergeArgs) -> Vec<&'a Path> {
    let report = match error {
        MergeError::OtherVersion { report, .. }
        | MergeError::Summary { report }
        | MergeError::Twice { report, .. }
        | MergeError::OtherRules { report, .. }
        | MergeError::OtherContract { report, .. }
        | MergeError::OtherTargets { report, .. }
        | MergeError::Overlap { report, .. }
        | MergeError::Repeated { report } => Some(*report),
        MergeError::Nothing | MergeError::Missing(_) | _ => None,
    };
    match report.and_then(|report| args.reports.get(report.checked_sub(1)?)) {
        Some(path) => vec![path],
        None => args.reports.iter().map(|path| &**path).collect(),
    }
}
