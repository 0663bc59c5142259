//! Parses the Hurl file on standard input with the parser of Hurl itself, and prints what it read: one JSON object for each
//! entry. Ends with 1 and the place of the error if it is not a Hurl file.

use std::{
    io::{Read as _, stdin},
    process::ExitCode,
};

use hurl_core::{ast::Bytes, parser::parse_hurl_file, types::ToSource as _};
use serde_json::json;

fn main() -> ExitCode {
    let mut text = String::new();
    if let Err(error) = stdin().read_to_string(&mut text) {
        eprintln!("{error}");
        return ExitCode::FAILURE;
    }
    let file = match parse_hurl_file(&text) {
        Ok(file) => file,
        Err(error) => {
            let line = text.lines().nth(error.pos.line.saturating_sub(1)).unwrap_or_default();
            eprintln!("line {}, column {}: {:?}: {line}", error.pos.line, error.pos.column, error.kind);
            return ExitCode::FAILURE;
        }
    };
    for entry in file.entries {
        let request = entry.request;
        let header = |header: &hurl_core::ast::KeyValue| json!([header.key.to_string(), header.value.to_string()]);
        let body = request.body.map(|body| match body.value {
            Bytes::Json(value) => json!({ "text": value.to_source().to_string() }),
            Bytes::Base64(bytes) => json!({ "bytes": bytes.value }),
            other => json!({ "unexpected": format!("{other:?}") }),
        });
        let headers: Vec<_> = request.headers.iter().map(header).collect();
        println!(
            "{}",
            json!({ "method": request.method.to_string(), "url": request.url.to_string(), "headers": headers, "body": body })
        );
    }
    ExitCode::SUCCESS
}
