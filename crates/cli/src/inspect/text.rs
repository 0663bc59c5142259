//! The findings of `foolproof inspect` as text.

use std::io::{self, Write};

use foolproof_contract::{Untrusted, wording::count};

use super::report::{Definitions, Impossible, Position, Relaxed, Report};

/// The most entries of a list; `--json` has all of them.
const MAX_ENTRIES: usize = 20;

pub(super) fn write(report: &Report, output: &mut impl Write) -> io::Result<()> {
    let format = report.format.as_deref().map(|format| format!(", {format}")).unwrap_or_default();
    writeln!(output, "{}: {}{format}, {}", report.document, report.kind, size(report.bytes))?;
    row(output, "dialect", &format!("draft {} ({})", report.dialect.draft, report.dialect.origin))?;
    row(output, "locations", &format!("{} that a value can reach", report.locations))?;
    definitions(output, &report.definitions)?;
    row(output, "satisfiable", report.satisfiable)?;
    let impossible: Vec<String> = report.unsatisfiable.iter().map(describe_impossible).collect();
    list(
        output,
        "impossible",
        &none_or(impossible.len(), " that no value satisfies"),
        &impossible,
    )?;
    let relaxed: Vec<String> = report.relaxed.iter().map(describe_relaxed).collect();
    list(
        output,
        "relaxed",
        &none_or(relaxed.len(), " that the analysis does not account for"),
        &relaxed,
    )?;
    list(output, "external", &none_or(report.external.len(), ""), &report.external)
}

/// How many definitions there are, and which of them nothing reaches.
pub(super) fn definitions(output: &mut impl Write, definitions: &Definitions) -> io::Result<()> {
    let summary = match (definitions.total, definitions.unreached.len()) {
        (0, _) => "none".to_owned(),
        (total, 0) => format!("{total}, all reached"),
        (total, unreached) => format!("{total}, of which nothing reaches {unreached}"),
    };
    let unreached: Vec<String> = definitions.unreached.iter().map(describe_position).collect();
    list(output, "definitions", &summary, &unreached)
}

pub(super) fn row(output: &mut impl Write, name: &str, text: &str) -> io::Result<()> {
    writeln!(output, "  {name:<13}{text}")
}

pub(super) fn list(
    output: &mut impl Write,
    name: &str,
    summary: &str,
    entries: &[String],
) -> io::Result<()> {
    row(output, name, summary)?;
    for entry in entries.iter().take(MAX_ENTRIES) {
        writeln!(output, "    {entry}")?;
    }
    if entries.len() > MAX_ENTRIES {
        writeln!(
            output,
            "    … and {} more; `--json` lists them all",
            entries.len() - MAX_ENTRIES
        )?;
    }
    Ok(())
}

pub(super) fn none_or(number: usize, rest: &str) -> String {
    if number == 0 { "none".to_owned() } else { format!("{number}{rest}") }
}

fn describe_position(position: &Position) -> String {
    let pointer = Untrusted::new(&position.pointer);
    match (position.line, position.column) {
        (Some(line), Some(column)) => format!("{pointer} (line {line} column {column})"),
        _ => pointer.to_string(),
    }
}

pub(super) fn describe_impossible(found: &Impossible) -> String {
    format!("{} {}\n      {}", describe_position(&found.position), found.code, found.message)
}

fn describe_relaxed(relaxed: &Relaxed) -> String {
    let pointer = Untrusted::new(&relaxed.pointer);
    match relaxed.keyword {
        "*" => format!("{pointer}, the whole schema: {}", relaxed.reason),
        keyword => format!("{pointer}: `{keyword}` {}: {}", relaxed.effect, relaxed.reason),
    }
}

pub(super) fn size(bytes: usize) -> String {
    match bytes {
        0..1_000 => count(bytes as u64, "byte"),
        1_000..1_000_000 => format!("{}.{} kB", bytes / 1_000, bytes % 1_000 / 100),
        _ => format!("{}.{} MB", bytes / 1_000_000, bytes % 1_000_000 / 100_000),
    }
}
