//! `foolproof generate`: valid instances of a schema, and what they cover of it.
//!
//! Workers make and serialise batches of instances; this thread writes them in order, counts, keeps
//! the ledger of what was hit, and says in the end what came of it.

use foolproof_contract::{Ajv, AjvOptions, AjvOracle, Document, Formats, Kind};
use foolproof_coverage::Report;
use foolproof_generate::Meter;

use crate::{
    args::{GenerateArgs, ModeArg, OracleArg},
    clock, coverage,
    exit::Exit,
    failure::Failure,
    file,
    output::Output,
    source, warning,
};

mod batch;
mod engine;
mod interrupt;
mod metrics;
mod progress;
mod summary;
mod target;
mod work;

use batch::{Batch, Job, Tally};
use engine::Engine;
use interrupt::Interrupt;
use progress::Progress;
use summary::Summary;
use target::{Target, Writer};
use work::{End, Work};

pub(crate) fn run(args: &GenerateArgs, output: &mut Output) -> Result<Exit, Failure> {
    check(args)?;
    let (started_at, start) = (clock::now(), clock::elapsed());
    let source = source::read(&args.contract)?;
    let document = &source.document;
    if document.kind() != Kind::Schema {
        return Err(Failure::Unsupported("generating data from an OpenAPI document"));
    }
    // Reading a clock costs about as much as drawing a small value.
    let timing = || Meter::timing(clock::elapsed);
    let mut meter = args.metrics.as_ref().map_or_else(Meter::counting, |_| timing());
    let engine = Engine::new(args, &source, &mut meter)?;
    warning::self_references(engine.generator().self_references());
    let second = match args.oracle {
        OracleArg::Jsonschema => None,
        OracleArg::Ajv => Some(ajv(document, args.contract.formats.into())?),
    };
    // Only now: until here nothing needs to be put in order, and Ctrl-C just ends the process.
    let interrupt = Interrupt::watch().map_err(Failure::Signals)?;
    let job = Job {
        engine: &engine,
        second: second.as_ref(),
        format: args.format,
        interrupt: &interrupt,
        meter: &meter.another(),
    };
    let mut target = Target::open(args.out.as_deref(), output)?;
    let mut work = Work::new(args, &job, meter.metrics().clone());
    match work.write(&mut target)? {
        End::Complete => target.finish()?,
        End::Interrupted => {
            work.summary.report_interruption(target.keep_what_cannot_be_undone()?);
            return Ok(Exit::Interrupted);
        }
    }
    let exit = work.summary.report();
    let report = work.report().map(|mut report| {
        report.run.started_at = started_at;
        let took = clock::elapsed().saturating_sub(start).as_millis();
        report.run.duration_ms = u64::try_from(took).unwrap_or(u64::MAX);
        report.engine.oracle = Some(args.oracle.name().to_owned());
        report
    });
    metrics::write(args, &work)?;
    let report = report.map(|report| coverage::tell(&args.coverage, args.quiet, report));
    let is_enough = report.transpose()?.as_ref().is_none_or(Report::is_ok);
    Ok(if exit == Exit::Success && !is_enough { Exit::BelowMinimum } else { exit })
}

/// What is wrong with the arguments, and what can be known to fail, is said before any work.
fn check(args: &GenerateArgs) -> Result<(), Failure> {
    if let (ModeArg::Off, Some(option)) = (args.mode, args.coverage_given()) {
        let message = format!("`{option}` needs `--coverage measure` or `--coverage guided`");
        return Err(Failure::Usage(message));
    }
    let report = (args.mode != ModeArg::Off).then(|| args.coverage.report());
    let written = [args.out.as_deref(), report, args.metrics.as_deref()];
    let named: Vec<_> = written.into_iter().flatten().collect();
    for (number, path) in named.iter().enumerate() {
        let is_regular = !path.exists() || path.is_file();
        if is_regular && named[..number].contains(path) {
            let message = format!("`{}` would be written twice", path.display());
            return Err(Failure::Usage(message));
        }
    }
    for path in report.into_iter().chain(args.metrics.as_deref()) {
        file::probe(path)?;
    }
    Ok(())
}

/// The second oracle, with the packages that Node finds from the current folder.
fn ajv(document: &Document, formats: Formats) -> Result<AjvOracle, Failure> {
    Ok(Ajv::start(AjvOptions::default())?.oracle(document, formats)?)
}
