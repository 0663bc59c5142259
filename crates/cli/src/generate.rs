//! `foolproof generate`: valid instances of a schema, and what they cover of it.
//!
//! The options become a request, the request a compiled run; its events are written, counted and
//! summarized here. The library decides what is generated, and in which order.

use std::{ops::ControlFlow, path::Path, sync::Arc, time::Duration};

use foolproof_contract::{
    AcceptedView, Ajv, AjvOptions, AjvOracle, ContractKind, Document, openapi::ApiEntry,
    wording::count,
};
use foolproof_coverage::{
    CompileProgress, CompiledRun, Finished, RunContext, RunEnd, Stopped, Timing,
};
use foolproof_generate::{Meter, Phase};
use serde_json::json;

use crate::{
    args::GenerateArgs,
    clock, coverage,
    exit::Exit,
    failure::Failure,
    file,
    output::Output,
    source::{self, Source},
    terminal::{Waiting, print_line},
    warning,
};

pub(crate) mod api;
mod destination;
mod interrupt;
mod request;
mod summary;
mod writer;

use destination::{Destination, Finish};
use interrupt::Interrupt;
use request::{Coverage, Request};
use summary::Summary;
use writer::InstanceWriter;

pub(crate) fn run(args: &GenerateArgs, output: &mut Output) -> Result<Exit, Failure> {
    let request = Request::new(args)?;
    let timing = Timing::start(clock::now(), clock::elapsed);
    let source = source::read(&args.contract)?;
    args.verbosity.describe(&source);
    source.check_outputs(&request.outputs())?;
    if let (ContractKind::Schema, Some(option)) = (source.document.kind(), args.api.first_option())
    {
        let message = format!("`{option}` is for OpenAPI documents, and this is a JSON Schema");
        return Err(Failure::Usage(message));
    }
    let mut compile_meter = Meter::timing(clock::elapsed);
    let progress = Arc::new(CompileProgress::default());
    let waiting = Waiting::start(!args.verbosity.quiet, "planning", Arc::clone(&progress));
    let compiled = compile(&request, &source, progress, &mut compile_meter);
    waiting.stop();
    let compiled = compiled?;
    // Reading a clock costs about as much as drawing a small value.
    let is_timed = args.metrics.is_some() || args.verbosity.verbose;
    let mut meter = if is_timed { Meter::timing(clock::elapsed) } else { Meter::counting() };
    meter.add(compile_meter.metrics());
    for generator in compiled.generators() {
        warning::self_references(generator.self_references());
    }
    if let Some(api) = compiled.api() {
        if args.strict && !api.broken().is_empty() {
            return Err(Failure::Usage(api::strict_message(api)));
        }
        warning::notes(&api.notes());
    }
    args.verbosity.detail(|| describe(&request, &compiled));
    let ajv = request.has_second_oracle().then(|| ajv(&source.document, &compiled)).transpose()?;
    let api_writer = compiled.api().map(|api| api::Writer::new(api, &request));
    let encode = api_writer
        .as_ref()
        .map(|writer| |it: AcceptedView<'_>, out: &mut Vec<u8>| writer.write(it, out));
    // Only now: up to here nothing was written, so a signal can simply end the process.
    let interrupt = Interrupt::register().map_err(Failure::Signals)?;
    let context = RunContext {
        threads: request.threads,
        cancel: Some(interrupt.flag()),
        second_oracles: ajv.as_deref(),
        timing: Some(&timing),
        encode: encode.as_ref().map_or(RunContext::default().encode, |encode| encode),
    };
    let mut destination = Destination::open(args.out.as_deref(), output, request.reader())?;
    let mut summary = Summary::start(args, &compiled);
    let mut writer = InstanceWriter::new(&request, &mut destination);
    let finished = compiled.stream(&context, &meter, |event| match writer.read(&event) {
        Ok(()) => ControlFlow::Continue(()),
        Err(failure) => ControlFlow::Break(failure),
    });
    writer.clear_progress();
    let finished = finished.map_err(|stopped| match stopped {
        Stopped::Reader(failure) => failure,
        Stopped::Oracle(error) => error.into(),
    })?;
    summary.stop();
    if finished.end == RunEnd::Cancelled {
        let kept = destination.interrupt()?;
        Summary::print_interruption(&finished.totals, kept);
        return Ok(Interrupt::exit());
    }
    if destination.finish()? == Finish::WithoutReader && !args.verbosity.quiet {
        print_line(
            "standard output was closed before the last instance; the run went on without it",
        );
    }
    let exit = conclude(args, &summary, &compiled, finished, &source.document, output)?;
    Ok(match api_writer.as_ref().and_then(api::Writer::failure) {
        Some((count, reason)) => {
            print_line(&format!(
                "{count} requests could not be written, the first because {reason}"
            ));
            Exit::Unsatisfiable
        }
        None => exit,
    })
}

fn compile(
    request: &Request<'_>,
    source: &Source,
    progress: Arc<CompileProgress>,
    meter: &mut Meter,
) -> Result<CompiledRun, Failure> {
    if source.document.kind() != ContractKind::Schema {
        return api::compile(request, source, progress, meter);
    }
    let settings = request.settings.clone();
    let compiled = match request.coverage {
        Coverage::Off => CompiledRun::without_coverage(&source.document, settings, meter),
        Coverage::On => CompiledRun::new(&source.document, settings, meter),
    };
    compiled.map_err(|error| source.fail(error))
}

/// Writes the summary, the metrics, the plan and the report of a run that was not interrupted.
fn conclude(
    args: &GenerateArgs,
    summary: &Summary<'_>,
    compiled: &CompiledRun,
    finished: Finished,
    document: &Document,
    output: &mut Output,
) -> Result<Exit, Failure> {
    args.verbosity.phases(&finished.metrics);
    let exit = summary.print(&finished.totals);
    if let Some(path) = &args.metrics {
        write_metrics(path, args, &finished)?;
    }
    if let Some((sink, plan)) = args.plan().zip(compiled.plan_record()) {
        coverage::write(sink, &plan.to_json(), output)?;
    }
    let proofs = finished.metrics.of(Phase::Prove).time;
    let publish =
        |report| coverage::publish(&args.coverage, args.verbosity.quiet, report, document, output);
    let report = finished.report.map(publish);
    if !args.verbosity.quiet && proofs >= Duration::from_secs(1) {
        print_line(&format!(
            "proving which of the missed targets cannot be hit took {:.1} s",
            proofs.as_secs_f64()
        ));
    }
    let is_enough = report.transpose()?.unwrap_or(true);
    Ok(if exit == Exit::Success && !is_enough { Exit::BelowMinimum } else { exit })
}

/// What was decided before the first instance.
fn describe(request: &Request<'_>, compiled: &CompiledRun) -> String {
    let nodes: usize = compiled.generators().map(|generator| generator.plan().size()).sum();
    let indices = compiled.settings().indices();
    let targets = compiled.targets().map(|targets| count(targets.targets().len() as u64, "target"));
    let planned = compiled.plan().map(|plan| count(plan.units().len() as u64, "unit"));
    let parts = [Some(count(nodes as u64, "node")), targets, planned];
    format!(
        "planned {}: instances {} to {}, {}, coverage {}",
        parts.into_iter().flatten().collect::<Vec<_>>().join(", "),
        indices.start,
        indices.end,
        count(request.threads.get() as u64, "thread"),
        request.args.mode.name()
    )
}

/// Writes what each phase cost.
fn write_metrics(path: &Path, args: &GenerateArgs, finished: &Finished) -> Result<(), Failure> {
    let metrics = json!({
        "version": "foolproof-metrics/v1",
        "coverage": args.mode.name(),
        "instances": finished.totals.generated,
        "phases": finished.metrics.to_json(),
    });
    file::write(path, format!("{metrics:#}\n").as_bytes())
}

/// The second oracle of each entry, with the packages that Node finds from the current folder.
fn ajv(document: &Document, compiled: &CompiledRun) -> Result<Vec<AjvOracle>, Failure> {
    let ajv = Ajv::start(AjvOptions::default())?;
    let formats = compiled.settings().formats;
    let Some(api) = compiled.api() else { return Ok(vec![ajv.oracle(document, formats)?]) };
    let oracle = |entry: &ApiEntry| Ok(ajv.oracle(&entry.document, formats)?);
    api.entries().iter().map(oracle).collect()
}
