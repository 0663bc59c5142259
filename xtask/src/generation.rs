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
    repaired: usize,
    rejected: u64,
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

    /// Makes instances of every `step`th schema of the corpus in `folder`.
    #[must_use]
    pub fn of_every(folder: &Path, step: usize) -> Self {
        let entries = foolproof_corpus::schemas(folder);
        Self { findings: entries.iter().step_by(step).map(find).collect() }
    }

    /// How many schemas were tried.
    #[must_use]
    pub fn len(&self) -> usize {
        self.findings.len()
    }

    /// Whether there was nothing to try.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.findings.is_empty()
    }

    /// The schemas that could not be read or compiled, or that took longer than five seconds.
    #[must_use]
    pub fn failures(&self) -> Vec<String> {
        let failure = |finding: &Finding| match &finding.outcome {
            Outcome::Failed(error) => Some(format!("{}: {error}", finding.name)),
            Outcome::Made(_) | Outcome::Empty => (finding.time > Duration::from_secs(5))
                .then(|| format!("{} took {:?}", finding.name, finding.time)),
        };
        self.findings.iter().filter_map(failure).collect()
    }

    /// The share of the schemas not proven empty that gave every instance asked for.
    #[must_use]
    pub fn share_of_full(&self) -> f64 {
        let full = self.made().filter(|made| made.instances as u64 == INSTANCES).count();
        share(full, self.made().count())
    }

    /// The share of the instances that differ from all others of their schema.
    #[must_use]
    pub fn share_of_distinct(&self) -> f64 {
        let distinct = self.made().map(|made| made.distinct).sum();
        share(distinct, self.made().map(|made| made.instances).sum())
    }

    /// The share of the declared property names that were seen, on average over the schemas.
    #[must_use]
    pub fn share_of_names(&self) -> f64 {
        let shares = self.made().map(|made| share(made.seen, made.declared));
        shares.sum::<f64>() / self.made().count().max(1) as f64
    }

    fn made(&self) -> impl Iterator<Item = &Made> {
        self.findings.iter().filter_map(|finding| match &finding.outcome {
            Outcome::Made(made) => Some(made),
            Outcome::Failed(_) | Outcome::Empty => None,
        })
    }
}

/// A part of a whole; all of nothing is all.
fn share(part: usize, whole: usize) -> f64 {
    if whole == 0 { 1.0 } else { part as f64 / whole as f64 }
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
    let (mut instances, mut repaired, mut rejected) = (Vec::new(), 0, 0);
    for made in (0..INSTANCES).filter_map(|index| generator.make(seed, index).ok()) {
        repaired += usize::from(made.is_repaired());
        rejected += u64::from(made.rejected());
        instances.push(made.into_instance().into_value());
    }
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
        repaired,
        rejected,
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
        writeln!(formatter, "{} schemas, {} not proven empty", self.len(), self.made().count())?;
        writeln!(formatter, "10 of 10 valid: {:.2} %", 100.0 * self.share_of_full())?;
        writeln!(formatter, "declared names seen, mean: {:.2} %", 100.0 * self.share_of_names())?;
        writeln!(formatter, "distinct: {:.2} %", 100.0 * self.share_of_distinct())?;
        let total: usize = self.made().map(|made| made.instances).sum();
        let repaired = share(self.made().map(|made| made.repaired).sum(), total);
        let rejected: u64 = self.made().map(|made| made.rejected).sum();
        writeln!(formatter, "repaired: {:.2} %, draws rejected: {rejected}", 100.0 * repaired)?;
        let time: Duration = self.findings.iter().map(|finding| finding.time).sum();
        write!(formatter, "time: {time:.2?}")
    }
}
