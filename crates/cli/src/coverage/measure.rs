//! `foolproof coverage measure`: what existing data covers of a schema.

use std::path::Path;

use foolproof_contract::{ContractKind, Verdict, wording::count};
use foolproof_coverage::{Measurement, Settings, Timing};
use serde_json::Value;

use super::{
    args::MeasureArgs,
    data::{Data, Instance, RootArrays},
    refused::{Refusal, Refused},
    traffic,
};
use crate::{
    clock,
    exit::Exit,
    failure::Failure,
    file,
    output::Output,
    outputs::{self, Input, Sink},
    source,
    terminal::{Progress, print_line},
    warning,
};

pub(super) fn run(args: &MeasureArgs, output: &mut Output) -> Result<Exit, Failure> {
    check_stdin(args)?;
    let outputs: Vec<Sink<'_>> =
        std::iter::once(args.coverage.report()).chain(args.coverage.other_outputs()).collect();
    outputs::check(&outputs, &inputs(args))?;
    let source = source::read(&args.contract)?;
    args.verbosity.describe(&source);
    source.check_outputs(&outputs)?;
    // Fails before the data is read, which may take hours.
    outputs.iter().try_for_each(|sink| file::probe_sink(*sink))?;
    let timing = Timing::start(clock::now(), clock::elapsed);
    if source.document.kind() != ContractKind::Schema {
        return traffic::run(args, &source, &timing, output);
    }
    if let Some(option) = args.first_api_option() {
        let message = format!("`{option}` is for OpenAPI documents, and this is a JSON Schema");
        return Err(Failure::Usage(message));
    }
    let data = data(args)?;
    let mut measurement =
        Measurement::new(&source.document, settings(args)).map_err(|error| source.fail(error))?;
    warning::self_references(measurement.self_references());
    let mut refused = Refused::listing(args.verbosity);
    let mut progress = Progress::new(!args.verbosity.quiet, None, "instances read");
    let arrays = match measurement.admits_arrays() {
        Verdict::No => RootArrays::Refused,
        Verdict::Yes | Verdict::Unknown => RootArrays::Admitted,
    };
    for data in &data {
        data.each(arrays, |Instance { file, place, value }| {
            if let Err(why) = measure(value, &mut measurement, refused.is_listing()) {
                progress.clear();
                refused.add(file, place, &why);
            }
            progress.set(measurement.read());
        })?;
        args.verbosity.detail(|| {
            progress.clear();
            format!(
                "read {}: {} so far",
                data.path().display(),
                count(measurement.read(), "instance")
            )
        });
    }
    progress.clear();
    refused.print_total(measurement.read());
    if !refused.is_empty() && !args.verbosity.quiet {
        print_line("");
    }
    let report = measurement.finish(Some(&timing));
    let is_enough =
        super::publish(&args.coverage, args.verbosity.quiet, report, &source.document, output)?;
    Ok(if measurement.satisfiable() == Verdict::No {
        print_line("The schema admits no value; `foolproof inspect` says why");
        Exit::Unsatisfiable
    } else if !args.allow_invalid && !refused.is_empty() {
        Exit::CheckFailed
    } else if is_enough {
        Exit::Success
    } else {
        Exit::BelowMinimum
    })
}

/// The options as settings of the library.
fn settings(args: &MeasureArgs) -> Settings {
    Settings {
        formats: args.contract.formats.into(),
        dimensions: args.coverage.dimensions(),
        minimum: args.coverage.minimum,
        exclude_unreachable: args.coverage.excludes_unreachable(),
        long_examples: args.coverage.long_examples(),
        ..Settings::measure(0)
    }
}

/// The data files, checked before anything is read.
fn data(args: &MeasureArgs) -> Result<Vec<Data<'_>>, Failure> {
    args.data.iter().map(|path| Data::new(path, args.data_format)).collect()
}

/// The files that are read, and that the report must not replace.
fn inputs(args: &MeasureArgs) -> Vec<Input<'_>> {
    let contract = Input { role: "contract", path: &args.contract.file };
    let data = args.data.iter().map(|path| Input { role: "data", path });
    std::iter::once(contract).chain(data).collect()
}

/// Standard input can be read only once.
fn check_stdin(args: &MeasureArgs) -> Result<(), Failure> {
    let files = args.data.iter().chain([&args.contract.file]);
    if files.filter(|path| path.as_path() == Path::new("-")).count() > 1 {
        return Err(Failure::Usage("standard input (`-`) can be read only once".to_owned()));
    }
    Ok(())
}

/// Measures one instance, or returns why it does not count; with the violation only if it is listed.
fn measure(
    value: Result<Value, serde_json::Error>,
    measurement: &mut Measurement,
    is_listed: bool,
) -> Result<(), Refusal> {
    match value {
        Err(error) => {
            measurement.skip();
            Err(Refusal::NotJson(error))
        }
        Ok(value) if is_listed => measurement.check(value).map_err(|rejected| {
            Refusal::Invalid(rejected.violations().first().map(ToString::to_string))
        }),
        Ok(value) => measurement.accept(value).then_some(()).ok_or(Refusal::Invalid(None)),
    }
}
