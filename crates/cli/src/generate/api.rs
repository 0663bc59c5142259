//! `foolproof generate` for an OpenAPI document: what is in scope, and how requests and responses are
//! written.

use std::collections::BTreeMap;

use foolproof_contract::{
    Accepted, EntryId,
    openapi::{Api, ApiEntry},
};
use foolproof_coverage::{ApiError, ApiRun, CompiledRun};
use foolproof_generate::Meter;
use serde_json::{Value, json};

use super::request::{Coverage, Request};
use crate::{failure::Failure, source::Source, suggest};

pub(super) fn compile(
    request: &Request<'_>,
    source: &Source,
    meter: &mut Meter,
) -> Result<CompiledRun, Failure> {
    let api = Api::of(&source.document).map_err(|error| source.fail(error))?;
    let (settings, options) = (request.api_settings(&api), request.api_options());
    let compiled = match request.coverage {
        Coverage::Off => CompiledRun::of_api_without_coverage(&api, &options, settings, meter),
        Coverage::On => CompiledRun::of_api(&api, &options, settings, meter),
    };
    compiled.map_err(fail)
}

/// An error of the scope as a message, with operations that may have been meant.
fn fail(error: ApiError) -> Failure {
    match &error {
        ApiError::NoMatch { pattern, keys } => {
            let close = suggest::close(pattern, keys);
            Failure::Usage(format!("{error}{}", suggest::sentence(&close)))
        }
        ApiError::ChosenBroken { .. } => Failure::Usage(error.to_string()),
        _ => Failure::Unsatisfiable(error.to_string()),
    }
}

/// Why `--strict` refuses an API.
pub(super) fn strict_message(api: &ApiRun) -> String {
    let broken: Vec<String> = api.broken().iter().map(ToString::to_string).collect();
    format!("parts of the API cannot be used:\n    {}", broken.join("\n    "))
}

/// Writes requests and responses. What is the same for all values of an entry is serialized once.
pub(super) struct Writer {
    /// For each entry, the envelope up to its value.
    envelopes: BTreeMap<EntryId, Vec<u8>>,
}

impl Writer {
    pub(super) fn new(api: &ApiRun, _request: &Request<'_>) -> Result<Self, Failure> {
        let envelope = |entry: &ApiEntry| (entry.document.entry(), start_of_envelope(api, entry));
        Ok(Self { envelopes: api.entries().iter().map(envelope).collect() })
    }

    pub(super) fn write(&self, instance: &Accepted, out: &mut Vec<u8>) {
        if let Some(start) = self.envelopes.get(&instance.entry()) {
            out.extend_from_slice(start);
            serde_json::to_writer(&mut *out, instance.value()).expect("it is written into memory");
            out.push(b'}');
        }
    }
}

fn start_of_envelope(api: &ApiRun, entry: &ApiEntry) -> Vec<u8> {
    let operation = api.operation(entry);
    let text = |value: &str| json!(value).to_string();
    let mut members = vec![
        ("operationKey", text(&operation.key)),
        ("method", text(&operation.method)),
        ("path", text(&operation.path)),
        ("part", text(entry.side.as_str())),
    ];
    members.extend(entry.status.as_ref().map(|status| ("status", text(status))));
    members.extend(entry.media_type.as_ref().map(|name| ("mediaType", text(name))));
    let members = members.iter().map(|(name, value)| format!("{}:{value}", Value::from(*name)));
    let mut start = format!("{{{}", members.collect::<Vec<_>>().join(","));
    start.push_str(",\"value\":");
    start.into_bytes()
}
