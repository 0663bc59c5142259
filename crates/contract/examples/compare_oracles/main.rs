//! Compares the two oracles on a corpus of real schemas, formats asserted.
//!
//! `cargo run --release -p foolproof-contract --example compare_oracles -- ../shared/corpus` asks both
//! about a few dozen values for each schema that the corpus lists, and prints every disagreement with
//! its reason. Exits with 1 if one has none. AJV is taken from `tools/ajv`.

mod instances;
mod reasons;

use std::{
    collections::BTreeMap,
    env, fs,
    io::{self, Write},
    path::{Path, PathBuf},
    process::ExitCode,
};

use foolproof_contract::{
    Ajv, AjvError, AjvOptions, ContractKind, Document, Draft, FormatPolicy, Oracle, Pointer,
    ReadOptions, Violation,
    openapi::{Api, EntryOptions, Side},
    with_large_stack,
};
use reasons::Cause;
use serde_json::Value;

/// The most schemas of one OpenAPI document.
const MOST_SCHEMAS: usize = 60;

type Failure = Box<dyn std::error::Error>;

fn main() -> ExitCode {
    let Some(corpus) = env::args_os().nth(1).map(PathBuf::from) else {
        let _ = writeln!(io::stderr(), "usage: compare_oracles <CORPUS>");
        return ExitCode::from(2);
    };
    match with_large_stack(|| compare(&corpus).map_err(|error| error.to_string())) {
        Ok(comparison) if comparison.unexplained == 0 => ExitCode::SUCCESS,
        Ok(_) => ExitCode::from(1),
        Err(error) => {
            let _ = writeln!(io::stderr(), "{error}");
            ExitCode::from(2)
        }
    }
}

fn compare(corpus: &Path) -> Result<Comparison, Failure> {
    let packages = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tools/ajv");
    let mut comparison = Comparison {
        ajv: Ajv::start(AjvOptions::default().packages(packages))?,
        out: io::stdout(),
        schemas: 0,
        instances: 0,
        valid: 0,
        reached: 0,
        unexplained: 0,
        reasons: BTreeMap::new(),
    };
    for line in fs::read_to_string(corpus.join("index.jsonl"))?.lines() {
        let entry: Value = serde_json::from_str(line)?;
        let path = entry["path"].as_str().ok_or("a line of the index has no path")?;
        let draft = Draft::ALL.into_iter().find(|draft| entry["draft"] == draft.name());
        comparison.document(corpus, path, &reading_as(draft))?;
    }
    for path in openapi_documents(corpus)? {
        comparison.document(corpus, &path, &ReadOptions::default())?;
    }
    comparison.summarize()?;
    Ok(comparison)
}

fn reading_as(draft: Option<Draft>) -> ReadOptions {
    let options = ReadOptions::default();
    draft.map_or_else(|| options.clone(), |draft| options.clone().draft(draft))
}

fn openapi_documents(corpus: &Path) -> Result<Vec<String>, Failure> {
    let Ok(entries) = fs::read_dir(corpus.join("openapi")) else {
        return Ok(Vec::new());
    };
    let mut paths = Vec::new();
    for entry in entries {
        paths.push(format!("openapi/{}", entry?.file_name().to_string_lossy()));
    }
    paths.sort();
    Ok(paths)
}

/// One schema to ask about.
struct Case<'c> {
    name: String,
    document: &'c Document,
    pointer: &'c Pointer,
}

struct Comparison {
    ajv: Ajv,
    out: io::Stdout,
    schemas: usize,
    instances: usize,
    valid: usize,
    /// How many schemas accept one of their instances at least.
    reached: usize,
    unexplained: usize,
    /// For each reason, how many schemas and how many instances it explains.
    reasons: BTreeMap<String, (usize, usize)>,
}

impl Comparison {
    fn document(
        &mut self,
        corpus: &Path,
        path: &str,
        options: &ReadOptions,
    ) -> Result<(), Failure> {
        let document = match Document::open_with(corpus.join(path), options) {
            Ok(document) => document,
            // The corpus holds nothing that we should refuse.
            Err(error) => return self.note(path, "", 1, &error.to_string()),
        };
        let pointer = &Pointer::root();
        if document.kind() == ContractKind::Schema {
            return self.schema(&Case { name: path.to_owned(), document: &document, pointer });
        }
        let Ok(api) = Api::of(&document) else { return Ok(()) };
        let numbers = 0..api.operations().len();
        let entries = numbers.flat_map(|number| {
            let side = |side| api.entry(number, side, &EntryOptions::default())?.ok();
            [Side::Request, Side::Response].map(side)
        });
        for entry in entries.flatten().take(MOST_SCHEMAS) {
            let key = &api.operations()[entry.operation].key;
            let name = format!("{path} {key} {}", entry.side.as_str());
            self.schema(&Case { name, document: &entry.document, pointer })?;
        }
        Ok(())
    }

    fn schema(&mut self, case: &Case<'_>) -> Result<(), Failure> {
        self.schemas += 1;
        let Case { name, document, pointer } = case;
        let ours = match Oracle::at(document, pointer, FormatPolicy::Assert) {
            Ok(oracle) => oracle,
            // The corpus holds nothing that we should refuse.
            Err(error) => return self.note(name, "", 1, &error.to_string()),
        };
        let schema = pointer.resolve(document.value()).unwrap_or(&Value::Null);
        let instances = instances::instances(document.value(), schema, &ours);
        let oracle = self.ajv.oracle_at(document, pointer, FormatPolicy::Assert);
        let answers = match oracle.and_then(|oracle| oracle.violations(&instances)) {
            Ok(answers) => answers,
            Err(error) => return self.refused(name, &error),
        };
        self.instances += instances.len();
        self.reached += usize::from(instances.iter().any(|instance| ours.is_valid(instance)));
        let mut by_reason: BTreeMap<String, (usize, String)> = BTreeMap::new();
        for (instance, violations) in instances.iter().zip(answers) {
            let valid = ours.is_valid(instance);
            self.valid += usize::from(valid);
            if valid != violations.is_empty() {
                let reason = self.reason(case, instance);
                let (who, violations) = if valid {
                    ("AJV rejects", violations)
                } else {
                    ("AJV accepts", ours.violations(instance))
                };
                let detail = || describe(who, instance, &violations);
                by_reason.entry(reason).or_insert_with(|| (0, detail())).0 += 1;
            }
        }
        for (reason, (count, detail)) in by_reason {
            self.note(name, &reason, count, &detail)?;
        }
        Ok(())
    }

    /// Why the oracles disagree on `instance`; empty if nobody knows.
    fn reason(&self, case: &Case<'_>, instance: &Value) -> String {
        let (document, draft) = (case.document.original(), case.document.draft());
        let causes = Cause::suspects(document).into_iter();
        let explains = |cause: &Cause| {
            let (document, instance) = cause.remove(draft, document, instance)?;
            self.agree(case, document, &instance)
        };
        let mut explaining = causes.filter(|cause| explains(cause) == Some(true));
        explaining.next().map_or_else(String::new, |cause| cause.describe(draft))
    }

    /// Whether the oracles agree on `instance` if the document is changed to `value`.
    fn agree(&self, case: &Case<'_>, value: Value, instance: &Value) -> Option<bool> {
        let is_schema = case.document.kind() == ContractKind::Schema;
        let options = reading_as(is_schema.then(|| case.document.draft()));
        let document = Document::from_value_with(value, &options).ok()?;
        let ours = Oracle::at(&document, case.pointer, FormatPolicy::Assert).ok()?;
        let ajvs = self.ajv.oracle_at(&document, case.pointer, FormatPolicy::Assert).ok()?;
        let violations = ajvs.violations(std::slice::from_ref(instance)).ok()?;
        Some(ours.is_valid(instance) == violations[0].is_empty())
    }

    fn refused(&mut self, path: &str, error: &AjvError) -> Result<(), Failure> {
        let message = error.to_string();
        let reason = reasons::refusal(&message).unwrap_or_default();
        self.note(path, reason, 1, &message)
    }

    fn note(
        &mut self,
        path: &str,
        reason: &str,
        count: usize,
        detail: &str,
    ) -> Result<(), Failure> {
        if reason.is_empty() {
            self.unexplained += 1;
        }
        let reason = if reason.is_empty() { "UNEXPLAINED" } else { reason };
        let (schemas, instances) = self.reasons.entry(reason.to_owned()).or_default();
        *schemas += 1;
        *instances += count;
        writeln!(self.out, "{path}: {reason} ({count})\n    {detail}")?;
        Ok(())
    }

    fn summarize(&mut self) -> Result<(), Failure> {
        let Self { schemas, instances, valid, reached, unexplained, .. } = self;
        writeln!(
            self.out,
            "\n{schemas} schemas, {reached} of them with a valid instance; \
             {instances} instances, {valid} of them valid; {unexplained} unexplained"
        )?;
        writeln!(self.out, "schemas  instances  reason")?;
        for (reason, (schemas, instances)) in &self.reasons {
            writeln!(self.out, "{schemas:7}  {instances:9}  {reason}")?;
        }
        Ok(())
    }
}

fn describe(who: &str, instance: &Value, violations: &[Violation]) -> String {
    let text: String = instance.to_string().chars().take(200).collect();
    let first = violations.first().map(ToString::to_string).unwrap_or_default();
    format!("{who} {text}: {first}")
}
