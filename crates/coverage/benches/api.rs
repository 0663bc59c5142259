//! What an API costs: how planning grows with the number of operations, and what measuring recorded traffic
//! costs beside parsing and judging it.
//!
//! `cargo bench --package foolproof-coverage --bench api`. Both halves of a ratio are timed in turn, three times
//! over, and the best of each counts.
#![expect(clippy::unwrap_used, reason = "a bench that cannot go on stops")]
#![expect(clippy::print_stdout, reason = "it prints a table")]

use std::{
    collections::BTreeMap,
    time::{Duration, Instant},
};

use foolproof_contract::{
    Document, FormatPolicy, Oracle,
    openapi::{Api, Side},
};
use foolproof_coverage::{
    ApiMeasurement, ApiRunOptions, CompiledRun, Dimensions, Parts, Profile, Settings,
};
use foolproof_generate::Meter;
use foolproof_http::{Traffic, TrafficReader, build_request, read_har, to_har};
use serde_json::{Value, json};

const ROUNDS: usize = 3;
const ENTRIES: u64 = 10_000;

fn main() {
    planning();
    traffic();
}

/// The best of a few rounds of each, timed in turn.
fn best<const N: usize>(work: [&dyn Fn() -> Duration; N]) -> [Duration; N] {
    let mut best = [Duration::MAX; N];
    for _ in 0..ROUNDS {
        for (best, work) in best.iter_mut().zip(&work) {
            *best = work().min(*best);
        }
    }
    best
}

fn planning() {
    let plan = |operations: usize| {
        let api = Api::of(&Document::from_value(repeated(operations)).unwrap()).unwrap();
        move || {
            let settings =
                Settings { dimensions: Dimensions::all(), ..Settings::guided(Profile::Thorough) };
            let settings = Settings { instances: 20 * operations as u64, ..settings };
            let start = Instant::now();
            let options = ApiRunOptions::default();
            let run = CompiledRun::of_api(&api, &options, settings, &mut Meter::counting());
            std::hint::black_box(run.unwrap());
            start.elapsed()
        }
    };
    let (half, whole) = (plan(1_000), plan(2_000));
    let [half, whole] = best([&half, &whole]);
    println!(
        "planning 1,000 operations {half:.2?}, 2,000 operations {whole:.2?}: {:.2} times (promised: at most 2.2)",
        whole.as_secs_f64() / half.as_secs_f64()
    );
}

/// An API with so many operations, each with schemas of its own.
fn repeated(operations: usize) -> Value {
    let (mut paths, mut schemas) = (serde_json::Map::new(), serde_json::Map::new());
    for number in 0..operations / 2 {
        let order = format!("#/components/schemas/Order{number}");
        let body = json!({ "application/json": { "schema": { "$ref": order } } });
        paths.insert(
            format!("/orders{number}/{{id}}"),
            json!({
                "parameters": [
                    { "name": "id", "in": "path", "required": true, "schema": { "type": "string", "format": "uuid" } },
                    { "name": "verbose", "in": "query", "schema": { "type": "boolean" } },
                    { "name": "page", "in": "query", "schema": { "type": "integer", "minimum": 1, "maximum": 50 } }
                ],
                "get": { "responses": { "200": { "description": "", "content": body } } },
                "put": {
                    "requestBody": { "required": true, "content": body },
                    "responses": { "200": { "description": "", "content": body } }
                }
            }),
        );
        schemas.insert(
            format!("Order{number}"),
            json!({
                "type": "object", "required": ["id", "lines"],
                "properties": {
                    "id": { "type": "string", "format": "uuid" },
                    "state": { "enum": ["new", "paid", "sent", "returned"] },
                    "note": { "type": "string", "maxLength": 80 },
                    "payment": { "oneOf": [
                        { "type": "object", "required": ["card"], "properties": { "card": { "type": "string", "pattern": "^[0-9]{16}$" } } },
                        { "type": "object", "required": ["iban"], "properties": { "iban": { "type": "string", "minLength": 15 } } }
                    ] },
                    "lines": { "type": "array", "minItems": 1, "items": {
                        "type": "object", "required": ["sku", "count"],
                        "properties": { "sku": { "type": "string" }, "count": { "type": "integer", "minimum": 1 } }
                    } }
                }
            }),
        );
    }
    json!({ "openapi": "3.1.0", "info": {}, "paths": paths, "components": { "schemas": schemas } })
}

fn traffic() {
    let api = Api::of(&Document::from_value(repeated(20)).unwrap()).unwrap();
    let archive = archive(&api);
    let settings = || Settings { dimensions: Dimensions::all(), ..Settings::measure(0) };
    let measure = || {
        let start = Instant::now();
        let mut measurement =
            ApiMeasurement::new(&api, &ApiRunOptions::default(), settings()).unwrap();
        each(&api, &archive, |operation, side, value| {
            measurement.check(operation, side, None, value);
        });
        assert_eq!(measurement.accepted(), 2 * ENTRIES);
        std::hint::black_box(measurement.finish(None, &[]));
        start.elapsed()
    };
    let judge = || {
        let start = Instant::now();
        let mut oracles: BTreeMap<(usize, Side), Oracle> = BTreeMap::new();
        each(&api, &archive, |operation, side, value| {
            let oracle = oracles.entry((operation, side)).or_insert_with(|| {
                let document = api.admitted(operation, side, None, FormatPolicy::Assert);
                Oracle::new(&document.unwrap().unwrap(), FormatPolicy::Assert).unwrap()
            });
            assert!(oracle.is_valid(&value));
        });
        start.elapsed()
    };
    let [judge, measure] = best([&judge, &measure]);
    println!(
        "{ENTRIES} entries of an archive: parsed and judged in {judge:.2?}, measured in {measure:.2?}: {:.2} times (promised: at most 1.5)",
        measure.as_secs_f64() / judge.as_secs_f64()
    );
}

/// Calls `handle` with every value of the archive.
fn each(api: &Api, archive: &[u8], mut handle: impl FnMut(usize, Side, Value)) {
    let mut reader = TrafficReader::new(api, None).unwrap();
    for entry in read_har(archive).unwrap() {
        let Traffic::Matched(exchange) = reader.archived(&entry) else { panic!("it matches") };
        let operation = exchange.operation;
        for value in exchange.request.into_iter().flat_map(|request| request.values) {
            handle(operation, Side::Request, value);
        }
        for value in exchange.response.into_iter().flat_map(|response| response.values) {
            handle(operation, Side::Response, value);
        }
    }
}

/// An archive of generated requests, each with a generated response.
fn archive(api: &Api) -> Vec<u8> {
    let of = |parts: Parts| {
        let options = ApiRunOptions { parts, ..ApiRunOptions::default() };
        let settings = Settings::measure(ENTRIES);
        CompiledRun::of_api_without_coverage(api, &options, settings, &mut Meter::counting())
            .unwrap()
    };
    let (requests, responses) = (of(Parts::Request), of(Parts::Response));
    let mut meter = Meter::counting();
    let mut entries = Vec::new();
    for index in 0..ENTRIES {
        let request = requests.generate(index, &mut meter).unwrap().into_instance();
        let operation = request.entry().operation();
        let request = build_request(api, operation, request.value(), None).unwrap();
        let response = responses.generate(index, &mut meter).unwrap().into_instance();
        let mut archive = to_har(&[request]);
        let entry = &mut archive["log"]["entries"][0];
        entry["response"]["status"] = json!(200);
        entry["response"]["content"] = json!({ "mimeType": "application/json", "size": 1, "text": response.value().to_string() });
        entries.push(entry.take());
    }
    json!({ "log": { "version": "1.2", "entries": entries } }).to_string().into_bytes()
}
