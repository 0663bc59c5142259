//! `foolproof coverage measure` for an OpenAPI document: what recorded traffic covers of its operations.
//!
//! Traffic is an HTTP archive or envelopes, in an array or one a line; its content decides. What matches no operation is listed and is
//! no failure; what was not recorded is not judged.

use std::{collections::BTreeMap, ffi::OsStr, fs, num::NonZeroUsize, path::Path, thread};

use foolproof_contract::{
    openapi::{Api, EntryOptions, Side},
    wording::count,
};
use foolproof_coverage::{
    ApiMeasurement, ApiRunOptions, Dimensions, Parts, Settings, Timing, TrafficVerdict,
};
use foolproof_http::{
    BodyState, Exchange, Traffic, TrafficReader, is_secret_name, read_envelopes, read_har,
};
use serde_json::Value;

use super::{args::MeasureArgs, data::Data};
use crate::{
    exit::Exit,
    failure::Failure,
    generate::api,
    output::Output,
    source::Source,
    terminal::{Progress, print_line, short},
    warning,
};

/// The most records of one kind that are listed.
const MAX_LISTED: u64 = 20;
const MAX_PATHS: usize = 20;

pub(super) fn run(
    args: &MeasureArgs,
    source: &Source,
    timing: &Timing,
    output: &mut Output,
) -> Result<Exit, Failure> {
    if args.data_format.is_some() {
        let message = "`--data-format` is for JSON Schemas, and this is an OpenAPI document";
        return Err(Failure::Usage(message.to_owned()));
    }
    let api = Api::of(&source.document).map_err(|error| source.fail(error))?;
    let options = options(args);
    let measurement =
        ApiMeasurement::new(&api, &options, settings(args)).map_err(|error| api::fail(&error))?;
    let measurement = if args.examples { measurement.with_examples() } else { measurement };
    if args.strict && !measurement.api().broken().is_empty() {
        return Err(Failure::Usage(api::strict_message(measurement.api())));
    }
    warning::notes(&measurement.api().notes());
    let reader = TrafficReader::new(&api, args.base_url.as_deref())
        .map_err(|error| Failure::Usage(error.to_string()))?;
    let mut session = Session {
        api: &api,
        reader,
        measurement,
        counts: Counts { lists_all: args.verbosity.verbose, ..Counts::default() },
        shows_examples: args.examples,
    };
    let mut progress = Progress::new(!args.verbosity.quiet, None, "records read");
    for path in &args.data {
        session.file(path, &mut progress)?;
    }
    progress.clear();
    session.counts.print(args.verbosity.quiet);
    let notes = session.counts.notes();
    let report = session.measurement.finish(Some(timing), &notes);
    let is_enough =
        super::publish(&args.coverage, args.verbosity.quiet, report, &source.document, output)?;
    Ok(if !args.allow_invalid && session.counts.invalid > 0 {
        Exit::CheckFailed
    } else if is_enough {
        Exit::Success
    } else {
        Exit::BelowMinimum
    })
}

fn options(args: &MeasureArgs) -> ApiRunOptions {
    ApiRunOptions {
        operations: args.scope.operations.clone(),
        parts: args.scope.part.map(Parts::from).unwrap_or_default(),
        entries: EntryOptions {
            formats: args.contract.formats.into(),
            read_only: args.scope.read_only.map(Into::into).unwrap_or_default(),
        },
        threads: thread::available_parallelism().unwrap_or(NonZeroUsize::MIN),
        progress: None,
    }
}

fn settings(args: &MeasureArgs) -> Settings {
    Settings {
        formats: args.contract.formats.into(),
        dimensions: args.coverage.dimensions_or(Dimensions::all()),
        minimum: args.coverage.minimum,
        exclude_unreachable: args.coverage.excludes_unreachable(),
        long_examples: args.coverage.long_examples(),
        ..Settings::measure(0)
    }
}

/// The traffic while it is read.
struct Session<'a> {
    api: &'a Api,
    reader: TrafficReader<'a>,
    measurement: ApiMeasurement,
    counts: Counts,
    shows_examples: bool,
}

impl Session<'_> {
    fn file(&mut self, path: &Path, progress: &mut Progress) -> Result<(), Failure> {
        let is_archive =
            path.extension().map(OsStr::to_ascii_lowercase).is_some_and(|it| it == "har");
        if is_archive {
            let bytes = fs::read(path).map_err(|error| unreadable(path, error))?;
            return self.archive(&path.display().to_string(), &bytes, progress);
        }
        let data = Data::new(path, None)?;
        let name = data.name();
        let mut failure = None;
        let mut number = 0;
        data.each_text(|text| {
            if failure.is_some() {
                return;
            }
            if text.line.is_none() && is_archive_text(text.bytes) {
                failure = self.archive(&name, text.bytes, progress).err();
                return;
            }
            match read_envelopes(text.bytes) {
                Ok(envelopes) => {
                    for envelope in &envelopes {
                        number += 1;
                        let record = Record { file: &name, number };
                        let traffic = self.reader.enveloped(envelope);
                        self.record(&record, traffic, progress);
                    }
                }
                Err(error) => {
                    let line = text.line.map(|line| format!(" line {line}")).unwrap_or_default();
                    failure = Some(Failure::Usage(format!(
                        "cannot read `{name}`{line} as envelopes: {error}"
                    )));
                }
            }
        })?;
        failure.map_or(Ok(()), Err)
    }

    fn archive(
        &mut self,
        name: &str,
        bytes: &[u8],
        progress: &mut Progress,
    ) -> Result<(), Failure> {
        let entries = read_har(bytes)
            .map_err(|error| Failure::Usage(format!("cannot read `{name}` as traffic: {error}")))?;
        for (number, entry) in entries.iter().enumerate() {
            let record = Record { file: name, number: number + 1 };
            let traffic = self.reader.archived(entry);
            self.record(&record, traffic, progress);
        }
        Ok(())
    }

    fn record(&mut self, record: &Record<'_>, traffic: Traffic, progress: &mut Progress) {
        self.counts.records += 1;
        match traffic {
            Traffic::Matched(exchange) => self.exchange(record, exchange, progress),
            Traffic::Unmatched { method, path } => {
                self.counts.unmatched += 1;
                *self.counts.unmatched_paths.entry(format!("{method} {path}")).or_default() += 1;
            }
            _ => {}
        }
        progress.set(self.counts.records);
    }

    fn exchange(&mut self, record: &Record<'_>, exchange: Exchange, progress: &mut Progress) {
        let operation = exchange.operation;
        if let Some(request) = exchange.request {
            self.body(record, operation, Side::Request, &request.body, progress);
            let is_whole = matches!(request.body, BodyState::Absent | BodyState::Read);
            for value in request.values {
                // Without its body a request is not what was sent.
                if is_whole || self.api.operations()[operation].selected_body().is_none() {
                    self.value(record, (operation, Side::Request), None, value, progress);
                }
            }
        }
        if let Some(response) = exchange.response {
            self.body(record, operation, Side::Response, &response.body, progress);
            let other = response.documented_status.filter(|_| !response.is_selected);
            for value in response.values {
                let side = (operation, Side::Response);
                self.value(record, side, other.as_deref(), value, progress);
            }
        }
    }

    /// Counts bodies that cannot be judged.
    fn body(
        &mut self,
        record: &Record<'_>,
        operation: usize,
        side: Side,
        body: &BodyState,
        progress: &mut Progress,
    ) {
        match body {
            BodyState::NotRecorded => self.counts.not_recorded += 1,
            BodyState::Malformed(reason) => {
                let key = &self.api.operations()[operation].key;
                self.counts.list_invalid(
                    &format!("{record}: `{key}`, {}: {reason}", side.as_str()),
                    progress,
                );
            }
            BodyState::Absent
            | BodyState::Read
            | BodyState::OtherMediaType(_)
            | BodyState::Undocumented
            | _ => {}
        }
    }

    fn value(
        &mut self,
        record: &Record<'_>,
        (operation, side): (usize, Side),
        status: Option<&str>,
        value: Value,
        progress: &mut Progress,
    ) {
        let example = self.shows_examples.then(|| without_secrets(value.clone()));
        let verdict = self.measurement.check_showing(operation, side, status, value, example);
        let key = &self.api.operations()[operation].key;
        match verdict {
            TrafficVerdict::Invalid(rejected) => {
                let reason = rejected.violations().first().map(ToString::to_string);
                let reason = reason.unwrap_or_else(|| "it is not valid".to_owned());
                let message = format!("{record}: `{key}`, {}: {reason}", side.as_str());
                self.counts.list_invalid(&message, progress);
            }
            TrafficVerdict::Valid { unexpected } if !unexpected.is_empty() => {
                self.counts.unexpected += 1;
            }
            TrafficVerdict::Valid { .. } | TrafficVerdict::NotJudged | _ => {}
        }
    }
}

/// Whether a text is an HTTP archive and no envelope: an object with `log`.
fn is_archive_text(text: &[u8]) -> bool {
    #[derive(serde::Deserialize)]
    struct Archive {
        log: Option<serde::de::IgnoredAny>,
    }
    serde_json::from_slice(text).is_ok_and(|archive: Archive| archive.log.is_some())
}

/// Where a record is.
struct Record<'a> {
    file: &'a str,
    number: usize,
}

impl std::fmt::Display for Record<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{}: entry {}", self.file, self.number)
    }
}

/// What of the traffic does not count, and why.
#[derive(Default)]
struct Counts {
    records: u64,
    unmatched: u64,
    unmatched_paths: BTreeMap<String, u64>,
    not_recorded: u64,
    invalid: u64,
    unexpected: u64,
    /// Whether all records and paths are listed, and not only the first.
    lists_all: bool,
}

impl Counts {
    fn list_invalid(&mut self, message: &str, progress: &mut Progress) {
        self.invalid += 1;
        if self.lists_all || self.invalid <= MAX_LISTED {
            progress.clear();
            print_line(&short(message, 400));
        }
    }

    /// What the report says about the traffic.
    fn notes(&self) -> Vec<String> {
        let notes = [
            (self.unmatched, "matched no operation"),
            (self.not_recorded, "had a body that was not recorded"),
            (self.invalid, "had a request or response that is not valid"),
            (
                self.unexpected,
                "had values that are read-only in requests or write-only in responses",
            ),
        ];
        let records = count(self.records, "record");
        let note = |(number, what): (u64, &str)| format!("{number} of {records} {what}");
        notes.into_iter().filter(|(number, _)| *number > 0).map(note).collect()
    }

    fn print(&self, is_quiet: bool) {
        if self.invalid > MAX_LISTED && !self.lists_all {
            print_line(&format!("and {} more", self.invalid - MAX_LISTED));
        }
        if is_quiet {
            return;
        }
        let most = if self.lists_all { usize::MAX } else { MAX_PATHS };
        for (path, times) in self.unmatched_paths.iter().take(most) {
            let (path, times) = (short(path, 200), count(*times, "time"));
            print_line(&format!("no operation matches {path} ({times})"));
        }
        if self.unmatched + self.invalid > 0 {
            print_line("");
        }
    }
}

/// A value without headers and cookies whose names say that they are secret.
fn without_secrets(mut value: Value) -> Value {
    for part in ["header", "cookie"] {
        if let Some(Value::Object(members)) = value.get_mut(part) {
            // Every cookie may identify a session.
            members.retain(|name, _| part != "cookie" && !is_secret_name(name));
        }
    }
    value
}

fn unreadable(path: &Path, error: std::io::Error) -> Failure {
    Failure::Unreadable { path: path.to_owned(), error }
}
