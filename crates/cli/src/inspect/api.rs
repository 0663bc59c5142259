//! `foolproof inspect` for an OpenAPI document: its operations, and which of them cannot be used.

use std::{
    collections::{BTreeMap, BTreeSet},
    io::{self, Write},
    num::NonZeroUsize,
    thread,
};

use foolproof_contract::{
    Canonicalizer, Diagnostic, Location, Pointer, Untrusted,
    openapi::{Api, ApiEntry, EntryOptions, Operation},
};
use foolproof_coverage::{ApiError, ApiRunOptions, BrokenOperation, CompiledRun, Settings};
use foolproof_generate::Meter;

use super::{
    dialect, impossible_location,
    report::{self, ApiReport, VERSION},
    text,
};
use crate::{args::InspectArgs, exit::Exit, failure::Failure, output::Output, source::Source};

pub(super) fn run(
    args: &InspectArgs,
    source: &Source,
    output: &mut Output,
) -> Result<Exit, Failure> {
    let api = Api::of(&source.document).map_err(|error| source.fail(error))?;
    let formats = args.contract.formats.into();
    let options = ApiRunOptions {
        threads: thread::available_parallelism().unwrap_or(NonZeroUsize::MIN),
        entries: EntryOptions { formats, ..EntryOptions::default() },
        ..ApiRunOptions::default()
    };
    let settings = Settings { formats, ..Settings::measure(0) };
    let mut meter = Meter::counting();
    let compiled = CompiledRun::of_api_without_coverage(&api, &options, settings, &mut meter);
    let (entries, broken) = match &compiled {
        Ok(compiled) => compiled.api().map_or((&[][..], &[][..]), |it| (it.entries(), it.broken())),
        Err(ApiError::NothingLeft { broken }) => (&[][..], &broken[..]),
        Err(_) => (&[][..], &[][..]),
    };
    let report = describe(&api, source.bytes, entries, broken, options.entries);
    if args.json {
        serde_json::to_writer_pretty(&mut *output, &report).map_err(io::Error::from)?;
        writeln!(output)?;
    } else {
        write(&report, &mut output.text())?;
    }
    output.flush()?;
    Ok(if entries.is_empty() { Exit::Unsatisfiable } else { Exit::Success })
}

fn describe(
    api: &Api,
    bytes: usize,
    entries: &[ApiEntry],
    broken: &[BrokenOperation],
    options: EntryOptions,
) -> ApiReport {
    let document = api.document();
    let impossible = impossible(entries, options);
    let (definitions, unreached) = definitions(api, entries);
    let operations = api.operations().iter().map(|it| it.location.pointer());
    let pointers = impossible.keys().chain(operations).chain(&unreached);
    let positions = document.positions(pointers);
    let position_of = |pointer: &Pointer| {
        let position = positions.get(pointer);
        report::Position {
            pointer: pointer.to_fragment(),
            line: position.map(|position| position.line()),
            column: position.map(|position| position.column()),
        }
    };
    let skipped = |key: &str| {
        let broken = broken.iter().find(|broken| broken.key == key)?;
        let reason = broken.to_string();
        let start = format!("`{key}` is left out: ");
        Some(reason.strip_prefix(&start).unwrap_or(&reason).to_owned())
    };
    let operation = |it: &Operation| report::Operation {
        skipped: skipped(&it.key),
        ..operation(it, position_of(it.location.pointer()))
    };
    let own = api.operations().iter();
    let notes = own.flat_map(|it| it.notes.iter().map(|note| format!("`{}`: {note}", it.key)));
    ApiReport {
        version: VERSION,
        document: document.name().to_owned(),
        kind: document.kind().to_string(),
        dialect: dialect(document),
        format: document.format().map(|format| format.to_string()),
        bytes,
        operations: api.operations().iter().map(operation).collect(),
        webhooks: api.webhooks().to_vec(),
        security_schemes: api
            .security_schemes()
            .iter()
            .map(|it| report::SecurityScheme { name: it.name.clone(), r#type: it.kind.clone() })
            .collect(),
        definitions: report::Definitions {
            total: definitions,
            unreached: unreached.iter().map(position_of).collect(),
        },
        unsatisfiable: impossible
            .iter()
            .map(|(pointer, found)| impossible_location(found, position_of(pointer)))
            .collect(),
        notes: api.notes().iter().cloned().chain(notes).collect(),
    }
}

/// How many schemas the document defines, and those that no operation reaches.
fn definitions(api: &Api, entries: &[ApiEntry]) -> (usize, Vec<Pointer>) {
    let places =
        [Pointer::root().key("components").key("schemas"), Pointer::root().key("definitions")];
    let defined: Vec<Pointer> = places
        .iter()
        .flat_map(|place| {
            let found = place.resolve(api.document().value()).and_then(|it| it.as_object());
            let names: Vec<&String> = found.into_iter().flat_map(|it| it.keys()).collect();
            names.into_iter().map(|name| place.key(name)).collect::<Vec<_>>()
        })
        .collect();
    // Entry by entry, not pointer by pointer: a large API has thousands of both.
    let mut reached = BTreeSet::new();
    for entry in entries {
        for place in &places {
            let found = place.resolve(entry.document.value()).and_then(|it| it.as_object());
            reached.extend(found.into_iter().flat_map(|it| it.keys()).map(|name| place.key(name)));
        }
    }
    let is_reached = |pointer: &Pointer| reached.contains(pointer);
    let unreached = defined.iter().filter(|pointer| !is_reached(pointer)).cloned().collect();
    (defined.len(), unreached)
}

/// The locations of the user's document that no value satisfies.
fn impossible(entries: &[ApiEntry], options: EntryOptions) -> BTreeMap<Pointer, Diagnostic> {
    let mut found = BTreeMap::new();
    for entry in entries {
        // What is left out of a direction is not impossible.
        let document = entry.admitted.as_ref().unwrap_or(&entry.document);
        let Ok(mut forms) = Canonicalizer::new(document, options.formats) else { continue };
        for diagnostic in forms.diagnose() {
            let location = Location::root().join(diagnostic.pointer());
            if !diagnostic.is_intended() && document.is_written(&location) {
                found.entry(diagnostic.pointer().clone()).or_insert(diagnostic);
            }
        }
    }
    found
}

fn operation(operation: &Operation, position: report::Position) -> report::Operation {
    let names = |all: &[foolproof_contract::openapi::MediaType]| {
        all.iter().map(|media_type| media_type.name.clone()).collect()
    };
    let selected = operation.selected_response();
    report::Operation {
        key: operation.key.clone(),
        method: operation.method.clone(),
        path: operation.path.clone(),
        position,
        parameters: operation
            .parameters
            .iter()
            .map(|it| report::Parameter {
                name: it.name.clone(),
                r#in: it.place.as_str(),
                required: it.is_required,
            })
            .collect(),
        body: operation.body.as_ref().map(|body| report::Body {
            required: body.is_required,
            media_types: names(&body.media_types),
            generated: operation.selected_body().map(|it| it.media_type.name.clone()),
        }),
        responses: operation
            .responses
            .iter()
            .map(|it| report::Response {
                status: it.status.clone(),
                media_types: names(&it.media_types),
                generated: selected.is_some_and(|selected| selected.response == it),
            })
            .collect(),
        callbacks: operation.callbacks.clone(),
        skipped: None,
    }
}

/// The most operations of the table; `--json` has all of them.
const MAX_OPERATIONS: usize = 100;

fn write(report: &ApiReport, output: &mut impl Write) -> io::Result<()> {
    let format = report.format.as_deref().map(|format| format!(", {format}")).unwrap_or_default();
    let bytes = text::size(report.bytes);
    writeln!(output, "{}: {}{format}, {bytes}", report.document, report.kind)?;
    let dialect = format!("draft {} ({})", report.dialect.draft, report.dialect.origin);
    text::row(output, "dialect", &dialect)?;
    let skipped = report.operations.iter().filter(|it| it.skipped.is_some()).count();
    let left_out =
        if skipped == 0 { String::new() } else { format!(", of which {skipped} are left out") };
    text::row(output, "operations", &text::none_or(report.operations.len(), &left_out))?;
    table(&report.operations, output)?;
    let callbacks: Vec<String> = report
        .operations
        .iter()
        .flat_map(|it| it.callbacks.iter().map(|name| format!("{name} of {}", it.key)))
        .collect();
    let out_of_scope = " that are out of scope";
    text::list(output, "callbacks", &text::none_or(callbacks.len(), out_of_scope), &callbacks)?;
    let webhooks = &report.webhooks;
    text::list(output, "webhooks", &text::none_or(webhooks.len(), out_of_scope), webhooks)?;
    let schemes: Vec<String> =
        report.security_schemes.iter().map(|it| format!("{} ({})", it.name, it.r#type)).collect();
    text::list(output, "security", &text::none_or(schemes.len(), ""), &schemes)?;
    text::definitions(output, &report.definitions)?;
    let impossible: Vec<String> =
        report.unsatisfiable.iter().map(text::describe_impossible).collect();
    let that = " that no value satisfies";
    text::list(output, "impossible", &text::none_or(impossible.len(), that), &impossible)?;
    text::list(output, "notes", &text::none_or(report.notes.len(), ""), &report.notes)
}

/// A line for each operation: key, method and path, parameters, body, responses; and why it is left out.
fn table(operations: &[report::Operation], output: &mut impl Write) -> io::Result<()> {
    let rows: Vec<[String; 5]> = operations.iter().take(MAX_OPERATIONS).map(cells).collect();
    let heads = ["key", "method and path", "parameters", "body", "responses"].map(str::to_owned);
    let all = || std::iter::once(&heads).chain(&rows);
    let width = |column: usize| all().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: [usize; 5] = std::array::from_fn(width);
    for (number, row) in all().enumerate() {
        if rows.is_empty() {
            break;
        }
        let cells = row.iter().zip(widths).map(|(cell, width)| format!("{cell:<width$}"));
        writeln!(output, "    {}", cells.collect::<Vec<_>>().join("  ").trim_end())?;
        let operation = number.checked_sub(1).and_then(|number| operations.get(number));
        if let Some(reason) = operation.and_then(|operation| operation.skipped.as_ref()) {
            writeln!(output, "      left out: {reason}")?;
        }
    }
    if operations.len() > MAX_OPERATIONS {
        let more = operations.len() - MAX_OPERATIONS;
        writeln!(output, "    … and {more} more; `--json` lists them all")?;
    }
    Ok(())
}

fn cells(operation: &report::Operation) -> [String; 5] {
    let required = operation.parameters.iter().filter(|it| it.required).count();
    let parameters = match operation.parameters.len() {
        0 => "none".to_owned(),
        all => format!("{all} ({required} required)"),
    };
    let body = match &operation.body {
        None => "none".to_owned(),
        Some(body) => {
            let name = body.generated.as_ref().or(body.media_types.first());
            let optional = if body.required { "" } else { ", optional" };
            format!("{}{optional}", name.map_or("any", String::as_str))
        }
    };
    let statuses: Vec<String> = operation
        .responses
        .iter()
        .map(|it| format!("{}{}", it.status, if it.generated { "*" } else { "" }))
        .collect();
    // Names of the document are on one line, and none is wider than a column may be.
    let cell = |text: String, longest| Untrusted::new(text).short(longest).to_string();
    [
        cell(operation.key.clone(), 40),
        cell(format!("{} {}", operation.method, operation.path), 60),
        parameters,
        cell(body, 40),
        cell(statuses.join(" "), 60),
    ]
}
