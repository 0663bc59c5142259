//! `foolproof generate` for an OpenAPI document: what is in scope, and how requests and responses are
//! written.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError},
};

use foolproof_contract::{
    AcceptedView, EntryId,
    openapi::{Api, ApiEntry},
    write_json,
};
use foolproof_coverage::{ApiError, ApiRun, ApiRunOptions, CompileProgress, CompiledRun};
use foolproof_generate::Meter;
use foolproof_http::{HttpRequest, Router, build_request, to_curl, to_har, to_hurl};
use serde_json::{Value, json};

use super::request::{Coverage, Request};
use crate::{args::FormArg, failure::Failure, source::Source, suggest};

pub(super) fn compile(
    request: &Request<'_>,
    source: &Source,
    progress: Arc<CompileProgress>,
    meter: &mut Meter,
) -> Result<CompiledRun, Failure> {
    let api = Api::of(&source.document).map_err(|error| source.fail(error))?;
    if let Some(url) = request.base_url() {
        Router::below(&api, url).map_err(|error| Failure::Usage(error.to_string()))?;
    }
    let settings = request.api_settings(&api);
    let options = ApiRunOptions { progress: Some(progress), ..request.api_options() };
    let compiled = match request.coverage {
        Coverage::Off => CompiledRun::of_api_without_coverage(&api, &options, settings, meter),
        Coverage::On => CompiledRun::of_api(&api, &options, settings, meter),
    };
    compiled.map_err(|error| fail(&error))
}

/// An error of the scope as a message, with operations that may have been meant.
pub(crate) fn fail(error: &ApiError) -> Failure {
    match error {
        ApiError::NoMatch { pattern, keys } => {
            let close = suggest::close(pattern, keys);
            Failure::Usage(format!("{error}{}", suggest::sentence(&close)))
        }
        ApiError::ChosenBroken { .. } => Failure::Usage(error.to_string()),
        ApiError::NothingLeft { .. } | _ => Failure::Unsatisfiable(error.to_string()),
    }
}

/// Why `--strict` refuses an API.
pub(crate) fn strict_message(api: &ApiRun) -> String {
    let broken: Vec<String> = api.broken().iter().map(ToString::to_string).collect();
    format!("parts of the API cannot be used:\n    {}", broken.join("\n    "))
}

/// Writes requests and responses.
pub(super) struct Writer {
    api: Api,
    form: FormArg,
    base_url: Option<String>,
    /// For each entry, the envelope up to its value: it is the same for all values of the entry.
    envelopes: BTreeMap<EntryId, Vec<u8>>,
    /// How many requests could not be written, and why the first one could not.
    failed: Mutex<(u64, Option<String>)>,
}

impl Writer {
    pub(super) fn new(api: &ApiRun, request: &Request<'_>) -> Self {
        let envelope = |entry: &ApiEntry| (entry.document.entry(), start_of_envelope(api, entry));
        Self {
            api: api.api().clone(),
            form: request.form(),
            base_url: request.base_url().map(str::to_owned),
            envelopes: api.entries().iter().map(envelope).collect(),
            failed: Mutex::new((0, None)),
        }
    }

    pub(super) fn write(&self, instance: AcceptedView<'_>, out: &mut Vec<u8>) {
        match self.form {
            FormArg::Envelope => self.write_envelope(instance, out),
            FormArg::Curl => self.write_request(instance, out, to_curl),
            FormArg::Hurl => self.write_request(instance, out, to_hurl),
            FormArg::Har => self.write_request(instance, out, |request| {
                let archive = to_har(std::slice::from_ref(request));
                archive["log"]["entries"][0].to_string()
            }),
        }
    }

    fn write_envelope(&self, instance: AcceptedView<'_>, out: &mut Vec<u8>) {
        if let Some(start) = self.envelopes.get(&instance.entry()) {
            out.extend_from_slice(start);
            write_json(instance.value(), out);
            out.push(b'}');
        }
    }

    fn write_request(
        &self,
        instance: AcceptedView<'_>,
        out: &mut Vec<u8>,
        form: impl Fn(&HttpRequest) -> String,
    ) {
        let operation = instance.entry().operation();
        let base_url = self.base_url.as_deref();
        match build_request(&self.api, operation, &instance.value().to_value(), base_url) {
            Ok(request) => out.extend_from_slice(form(&request).as_bytes()),
            Err(error) => {
                // Nothing can panic while the lock is held.
                let mut failed = self.failed.lock().unwrap_or_else(PoisonError::into_inner);
                let key = &self.api.operations()[operation].key;
                failed.0 += 1;
                failed.1.get_or_insert_with(|| format!("`{key}`: {error}"));
            }
        }
    }

    /// How many requests could not be written, and why the first one could not.
    pub(super) fn failure(&self) -> Option<(u64, String)> {
        let failed = self.failed.lock().unwrap_or_else(PoisonError::into_inner);
        failed.1.clone().map(|reason| (failed.0, reason))
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
