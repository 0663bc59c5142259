//! What the generate crate makes of the corpus: how often it succeeds, how much it reaches.

use std::{collections::BTreeSet, fmt, time::Duration};

use foolproof_contract::{
    Applicator, Canonicalizer, Document, FormatPolicy, Graph, MemberApplicator, Verdict,
};
use foolproof_corpus::Contracts;
use foolproof_generate::{Generator, Seed};
use serde_json::Value;

use crate::findings::{Choice, Findings, Outcome, share};

/// How many instances are asked of each schema.
const INSTANCES: u64 = 10;

/// The findings over many schemas.
#[derive(Debug)]
pub struct Generation(Findings<Generated>);

#[derive(Debug)]
struct Generated {
    instances: usize,
    repaired: usize,
    rejected: u64,
    distinct: usize,
    declared: usize,
    seen: usize,
    missing: Vec<String>,
}

impl Generation {
    /// Makes instances of the chosen schemas.
    #[must_use]
    pub fn of(contracts: &Contracts, choice: Choice<'_>) -> Self {
        Self(Findings::of(contracts, choice, make))
    }

    /// How many schemas were tried.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.all().len()
    }

    /// Whether there was nothing to try.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.all().is_empty()
    }

    /// The schemas that could not be read or compiled, or that took longer than five seconds.
    #[must_use]
    pub fn failures(&self) -> Vec<String> {
        let slow = self.0.all().iter().filter(|finding| finding.time > Duration::from_secs(5));
        let slow = slow.map(|finding| format!("{} took {:?}", finding.name, finding.time));
        self.0.failures().chain(slow).collect()
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
        self.0.mean(|made| share(made.seen, made.declared))
    }

    fn made(&self) -> impl Iterator<Item = &Generated> {
        self.0.found()
    }
}

fn make(document: &Document) -> Result<Outcome<Generated>, String> {
    let graph = Graph::of(document).map_err(|error| error.to_string())?;
    let generator =
        Generator::new(document, FormatPolicy::Assert).map_err(|error| error.to_string())?;
    let seed = Seed::from_number(1);
    let (mut instances, mut repaired, mut rejected) = (Vec::new(), 0, 0);
    for made in (0..INSTANCES).filter_map(|index| generator.generate(seed, index).ok()) {
        repaired += usize::from(made.is_repaired());
        rejected += u64::from(made.rejected());
        instances.push(made.into_instance().into_value());
    }
    if instances.is_empty() {
        let forms = Canonicalizer::new(document, FormatPolicy::Assert)
            .map_err(|error| error.to_string())?;
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
    Ok(Outcome::Found(Generated {
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
        if let (Applicator::Member(MemberApplicator::Property(name)), false) =
            (edge.applicator(), is_false)
        {
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
        for finding in self.0.all() {
            match &finding.outcome {
                Outcome::Failed(error) => writeln!(formatter, "error  {}: {error}", finding.name)?,
                Outcome::Found(made) if made.instances < 10 => {
                    writeln!(
                        formatter,
                        "few    {}: {} of {INSTANCES}",
                        finding.name, made.instances
                    )?;
                }
                Outcome::Found(made) if made.seen * 2 < made.declared => {
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
                Outcome::Found(_) | Outcome::Empty => {}
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
        let time: Duration = self.0.all().iter().map(|finding| finding.time).sum();
        write!(formatter, "time: {time:.2?}")
    }
}
