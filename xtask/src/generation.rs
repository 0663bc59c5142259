//! What the generate crate makes of the corpus: how often it succeeds, how much it reaches.

use std::{
    collections::BTreeSet,
    fmt,
    path::Path,
    time::{Duration, Instant},
};

use foolproof_contract::{Canonicalizer, Document, Formats, Graph, Step, Verdict};
use foolproof_corpus::Entry;
use foolproof_generate::{Generator, Seed};
use serde_json::Value;

/// How many instances are asked of each schema.
const INSTANCES: u64 = 10;

/// The findings over many schemas.
#[derive(Debug)]
pub struct Generation {
    findings: Vec<Finding>,
}

#[derive(Debug)]
struct Finding {
    name: String,
    time: Duration,
    outcome: Outcome,
}

#[derive(Debug)]
enum Outcome {
    /// The schema could not be read or compiled.
    Failed(String),
    /// It is proven that there is no value.
    Empty,
    /// What was made of it.
    Made(Made),
}

#[derive(Debug)]
struct Made {
    instances: usize,
    distinct: usize,
    declared: usize,
    seen: usize,
    missing: Vec<String>,
}

impl Generation {
    /// Makes instances of every schema of the corpus in `folder` whose name contains `only`.
    #[must_use]
    pub fn of(folder: &Path, only: &str) -> Self {
        let entries = foolproof_corpus::schemas(folder);
        let chosen = entries.iter().filter(|entry| entry.name.contains(only));
        Self { findings: chosen.map(find).collect() }
    }
}

fn find(entry: &Entry) -> Finding {
    let start = Instant::now();
    let outcome = entry.read().and_then(|document| make(&document)).unwrap_or_else(Outcome::Failed);
    Finding { name: entry.name.clone(), time: start.elapsed(), outcome }
}

fn make(document: &Document) -> Result<Outcome, String> {
    let graph = Graph::of(document).map_err(|error| error.to_string())?;
    let generator = Generator::new(document, Formats::Assert).map_err(|error| error.to_string())?;
    let seed = Seed::from_number(1);
    let instances: Vec<Value> = (0..INSTANCES)
        .filter_map(|index| generator.instance(seed, index))
        .map(foolproof_contract::Accepted::into_value)
        .collect();
    if instances.is_empty() {
        let forms =
            Canonicalizer::new(document, Formats::Assert).map_err(|error| error.to_string())?;
        if forms.root().satisfiable() == Verdict::No {
            return Ok(Outcome::Empty);
        }
    }
    let declared = declared(document, &graph);
    let mut seen = BTreeSet::new();
    for instance in &instances {
        names(instance, &mut seen);
    }
    let missing: Vec<String> = declared.difference(&seen).cloned().collect();
    let texts: BTreeSet<String> = instances.iter().map(ToString::to_string).collect();
    Ok(Outcome::Made(Made {
        instances: instances.len(),
        distinct: texts.len(),
        declared: declared.len(),
        seen: declared.len() - missing.len(),
        missing,
    }))
}

/// The names of the properties that values can reach and that are not written as `false`.
fn declared(document: &Document, graph: &Graph) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for edge in graph.nodes().iter().flat_map(foolproof_contract::Node::edges) {
        let target = graph[edge.target()].location();
        let is_false = target.resource().is_none()
            && target.pointer().resolve(document.value()) == Some(&Value::Bool(false));
        if let (Step::Property(name), false) = (edge.step(), is_false) {
            names.insert(name.clone());
        }
    }
    names
}

fn names(value: &Value, seen: &mut BTreeSet<String>) {
    match value {
        Value::Object(members) => {
            for (name, member) in members {
                seen.insert(name.clone());
                names(member, seen);
            }
        }
        Value::Array(items) => items.iter().for_each(|item| names(item, seen)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

impl fmt::Display for Generation {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let made = || {
            self.findings.iter().filter_map(|finding| match &finding.outcome {
                Outcome::Made(made) => Some((finding, made)),
                Outcome::Failed(_) | Outcome::Empty => None,
            })
        };
        for finding in &self.findings {
            match &finding.outcome {
                Outcome::Failed(error) => writeln!(formatter, "error  {}: {error}", finding.name)?,
                Outcome::Made(made) if made.instances < 10 => {
                    writeln!(
                        formatter,
                        "few    {}: {} of {INSTANCES}",
                        finding.name, made.instances
                    )?;
                }
                Outcome::Made(made) if made.seen * 2 < made.declared => {
                    let missing: Vec<&str> =
                        made.missing.iter().take(6).map(String::as_str).collect();
                    writeln!(
                        formatter,
                        "poor   {}: {} of {} names, not {}",
                        finding.name,
                        made.seen,
                        made.declared,
                        missing.join(", ")
                    )?;
                }
                Outcome::Made(_) | Outcome::Empty => {}
            }
            if finding.time > Duration::from_secs(1) {
                writeln!(formatter, "slow   {}: {:?}", finding.name, finding.time)?;
            }
        }
        let satisfiable = made().count();
        let full = made().filter(|(_, made)| made.instances == 10).count();
        let share = |part: usize, whole: usize| 100.0 * part as f64 / whole.max(1) as f64;
        let reached: f64 = made()
            .map(
                |(_, made)| {
                    if made.declared == 0 { 1.0 } else { made.seen as f64 / made.declared as f64 }
                },
            )
            .sum();
        let instances: usize = made().map(|(_, made)| made.instances).sum();
        let distinct: usize = made().map(|(_, made)| made.distinct).sum();
        writeln!(formatter, "{} schemas, {satisfiable} not proven empty", self.findings.len())?;
        writeln!(formatter, "10 of 10 valid: {full} ({:.2} %)", share(full, satisfiable))?;
        writeln!(
            formatter,
            "declared names seen, mean: {:.2} %",
            100.0 * reached / satisfiable.max(1) as f64
        )?;
        writeln!(formatter, "distinct: {:.2} %", share(distinct, instances))?;
        write!(
            formatter,
            "time: {:.2?}",
            self.findings.iter().map(|finding| finding.time).sum::<Duration>()
        )
    }
}
