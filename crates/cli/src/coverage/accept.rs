//! `foolproof coverage accept`: a report becomes the baseline.

use foolproof_contract::wording::{count, percent};
use foolproof_coverage::{DiffError, DiffSide};

use super::{args::AcceptArgs, report_file};
use crate::{
    exit::Exit,
    failure::Failure,
    file,
    outputs::{self, Input, Sink},
    terminal::print_line,
};

pub(super) fn run(args: &AcceptArgs) -> Result<Exit, Failure> {
    let input = Input { role: "report", path: &args.report };
    outputs::check(&[Sink::File(&args.baseline)], &[input])?;
    let report = report_file::read(&args.report)?;
    let Some(baseline) = report.to_baseline() else {
        let error = DiffError::Summary { side: DiffSide::After };
        return Err(report_file::fail(&[&args.report], error.code(), &error));
    };
    file::write(&args.baseline, baseline.as_bytes())?;
    print_line(&format!(
        "`{}` has {}; coverage is {}",
        args.baseline.display(),
        count(report.targets.len() as u64, "target"),
        percent(report.metrics.overall)
    ));
    Ok(Exit::Success)
}
