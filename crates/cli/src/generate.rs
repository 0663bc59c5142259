//! `foolproof generate`: valid instances of a schema.
//!
//! Workers make and serialise batches of instances; this thread writes them in order, counts, and
//! says in the end what came of it.

use std::{num::NonZeroUsize, ops::ControlFlow, thread};

use foolproof_contract::{Ajv, AjvOptions, AjvOracle, Document, Formats, Kind};
use foolproof_generate::{Generator, Pipeline, Seed};

use crate::{
    args::{GenerateArgs, OracleArg},
    exit::Exit,
    failure::Failure,
    output::Output,
    source,
};

mod batch;
mod interrupt;
mod progress;
mod summary;
mod target;

use batch::{Batch, Job, Tally};
use interrupt::Interrupt;
use progress::Progress;
use summary::Summary;
use target::{Target, Writer};

pub(crate) fn run(args: &GenerateArgs, output: &mut Output) -> Result<Exit, Failure> {
    let source = source::read(&args.contract)?;
    let document = &source.document;
    if document.kind() != Kind::Schema {
        return Err(Failure::Unsupported("generating data from an OpenAPI document"));
    }
    let formats = args.contract.formats.into();
    let generator = Generator::new(document, formats).map_err(|error| source.fail(error))?;
    let second = match args.oracle {
        OracleArg::Jsonschema => None,
        OracleArg::Ajv => Some(ajv(document, formats)?),
    };
    // Only now: until here nothing needs to be put in order, and Ctrl-C just ends the process.
    let interrupt = Interrupt::watch().map_err(Failure::Signals)?;
    let job = Job {
        generator: &generator,
        second: second.as_ref(),
        seed: Seed::from_number(args.seed),
        format: args.format,
        interrupt: &interrupt,
    };
    let mut target = Target::open(args.out.as_deref(), output)?;
    let mut summary = Summary::start(args, &generator);
    match write(args, &job, &mut summary, &mut target)? {
        End::Complete => {
            target.finish()?;
            Ok(summary.report())
        }
        End::Interrupted => {
            summary.report_interruption(target.keep_what_cannot_be_undone()?);
            Ok(Exit::Interrupted)
        }
    }
}

/// The second oracle, with the packages that Node finds from the current folder.
fn ajv(document: &Document, formats: Formats) -> Result<AjvOracle, Failure> {
    Ok(Ajv::start(AjvOptions::default())?.oracle(document, formats)?)
}

/// How far a run came.
enum End {
    Complete,
    Interrupted,
}

/// Why a run ends before its last instance.
enum Stop {
    Interrupted,
    Failed(Failure),
}

/// Makes and writes the instances.
fn write(
    args: &GenerateArgs,
    job: &Job<'_>,
    summary: &mut Summary<'_>,
    target: &mut Target<'_>,
) -> Result<End, Failure> {
    let mut indices = args.shard.range(args.n);
    if job.generator.plan().is_empty() {
        summary.tally = Tally::none_of(&indices);
        indices.end = indices.start;
    }
    let mut progress = Progress::new(args, &indices);
    let mut writer = Writer::new(args.format, target);
    let threads = args.threads.or_else(|| thread::available_parallelism().ok());
    let mut put = |batch: Batch| -> Result<bool, Failure> {
        writer.put(&batch.text)?;
        progress.advance(&batch.tally);
        let is_over = batch.is_cut || job.interrupt.is_set();
        summary.tally.add(batch.tally);
        Ok(is_over)
    };
    let outcome = Pipeline::new(threads.unwrap_or(NonZeroUsize::MIN)).run(
        indices,
        |indices| job.batch(indices),
        |batch| match batch.map_err(Failure::from).and_then(&mut put) {
            Ok(false) => ControlFlow::Continue(()),
            Ok(true) => ControlFlow::Break(Stop::Interrupted),
            Err(failure) => ControlFlow::Break(Stop::Failed(failure)),
        },
    );
    progress.clear();
    let end = match outcome {
        ControlFlow::Continue(()) => End::Complete,
        ControlFlow::Break(Stop::Interrupted) => End::Interrupted,
        ControlFlow::Break(Stop::Failed(failure)) => return Err(failure),
    };
    writer.end()?;
    Ok(end)
}
