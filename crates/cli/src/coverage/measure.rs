//! `foolproof coverage measure`: what data that is there already covers of a schema.

use std::{path::Path, sync::Arc, time::Instant};

use foolproof_contract::{Canonicalizer, Kind, Oracle, Verdict};
use foolproof_coverage::{Measurement, Observer, Outcome, Report, RunInfo, Universe, evaluate};

use super::{
    args::MeasureArgs,
    data::{Data, Text},
    progress::Progress,
    refused::{Refusal, Refused},
    talk,
};
use crate::{clock, exit::Exit, failure::Failure, file, source, warning};

pub(super) fn run(args: &MeasureArgs) -> Result<Exit, Failure> {
    let data = data(args)?;
    let source = source::read(&args.contract)?;
    if source.document.kind() != Kind::Schema {
        return Err(Failure::Unsupported("measuring data against an OpenAPI document"));
    }
    // Better known now than after hours of reading.
    file::probe(args.coverage.report())?;
    let (started_at, start) = (clock::now(), Instant::now());
    let formats = args.contract.formats.into();
    let fail = |error| source.fail(error);
    let oracle = Oracle::new(&source.document, formats).map_err(fail)?;
    let mut forms = Canonicalizer::new(&source.document, formats).map_err(fail)?;
    warning::self_references(forms.graph().self_references());
    let universe = Arc::new(Universe::of(&source.document, &mut forms, args.coverage.dimensions()));
    let observer = Observer::new(&universe, &source.document, formats);

    let mut measurement = Measurement::new(&observer);
    let mut refused = Refused::default();
    let mut progress = Progress::new(args.quiet);
    for data in &data {
        data.each(|text| {
            if let Err(why) = take(&text, &oracle, &mut measurement, refused.is_listing()) {
                progress.clear();
                refused.add(&text, &why);
            }
            progress.advance(measurement.read());
        })?;
    }
    progress.clear();
    refused.tell(measurement.read());
    if !refused.is_empty() && !args.quiet {
        talk("\n");
    }
    let time = Time { started_at, start };
    let report = evaluated(args, &universe, &measurement, &time);
    let report = super::tell(&args.coverage, args.quiet, report)?;
    Ok(if forms.root().satisfiable() == Verdict::No {
        talk("The schema admits no value; `foolproof inspect` says why\n");
        Exit::Unsatisfiable
    } else if args.strict && !refused.is_empty() {
        Exit::CheckFailed
    } else if report.is_ok() {
        Exit::Success
    } else {
        Exit::BelowMinimum
    })
}

/// The data, looked at before anything is read.
fn data(args: &MeasureArgs) -> Result<Vec<Data<'_>>, Failure> {
    let data: Vec<Data<'_>> =
        args.data.iter().map(|path| Data::new(path)).collect::<Result<_, _>>()?;
    let schema_is_stdin = args.contract.file == Path::new("-");
    let readers = data.iter().filter(|data| data.is_stdin()).count();
    if readers + usize::from(schema_is_stdin) > 1 {
        return Err(Failure::Usage("standard input (`-`) can be read only once".to_owned()));
    }
    Ok(data)
}

/// Takes in one instance, or says why it does not count; in full only if that is going to be listed.
fn take(
    text: &Text<'_>,
    oracle: &Oracle,
    measurement: &mut Measurement,
    is_listed: bool,
) -> Result<(), Refusal> {
    let checked = match serde_json::from_slice(text.bytes) {
        Err(error) => Err(Refusal::NotJson(error)),
        // Reasons cost many times what the answer does.
        Ok(value) if is_listed => oracle.check(value).map_err(|rejected| {
            Refusal::Invalid(rejected.violations().first().map(ToString::to_string))
        }),
        Ok(value) => oracle.accept(value).ok_or(Refusal::Invalid(None)),
    };
    match &checked {
        Ok(value) => measurement.add(value),
        Err(_) => measurement.pass_over(),
    }
    checked.map(drop)
}

/// When a run began, by the calendar and by the stopwatch.
struct Time {
    started_at: String,
    start: Instant,
}

fn evaluated(
    args: &MeasureArgs,
    universe: &Universe,
    measurement: &Measurement,
    time: &Time,
) -> Report {
    let run = RunInfo {
        seed: 0,
        max_instances: measurement.read(),
        actual_instances: measurement.accepted(),
        exclude_unreachable: args.coverage.excludes_unreachable(),
        started_at: &time.started_at,
        duration_ms: u64::try_from(time.start.elapsed().as_millis()).unwrap_or(u64::MAX),
        operations_scope: None,
        selected_operations: None,
    };
    evaluate(&Outcome {
        examples: measurement.examples(),
        minimum: args.coverage.minimum,
        ..Outcome::new(universe, measurement.hits(), run)
    })
}
