//! What guided generation covers of the corpus, beside generation that is left to chance.

use std::{collections::BTreeMap, fmt, time::Duration};

use foolproof_contract::{CpuTimer, Document};
use foolproof_corpus::Contracts;
use foolproof_coverage::{Hits, Profile, Report, Run, Settings, Status};

use crate::findings::{Choice, Findings, Outcome, share};

/// The most instances of a run that is left to chance.
const MOST: u64 = 1_000;

/// The findings over many schemas.
#[derive(Debug)]
pub struct Guidance(Findings<Covered>);

#[derive(Debug)]
struct Covered {
    /// The processor time of compiling and planning.
    planning: Duration,
    /// How many targets can be hit.
    active: usize,
    /// How many of them the guided run hit.
    hit: usize,
    instances: u64,
    planned: usize,
    /// How many a run hit that was left to chance and made as many instances.
    by_chance: usize,
    /// How many instances chance takes to hit as many; nothing if it takes more than it was given.
    needed: Option<u64>,
    /// What was hit though it is called unreachable.
    lies: Vec<String>,
    /// What was missed, with why.
    missed: Vec<(String, Option<String>)>,
}

impl Guidance {
    /// Guides a run over the chosen schemas.
    #[must_use]
    pub fn of(contracts: &Contracts, choice: Choice<'_>) -> Self {
        Self(Findings::of(contracts, choice, cover))
    }

    /// How many schemas were covered.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.found().count()
    }

    /// Whether there was nothing to cover.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// What must never happen: a schema that fails, a target that is hit and called unreachable, one
    /// that is missed without a reason, a guided run that chance does better than.
    #[must_use]
    pub fn failures(&self) -> Vec<String> {
        let mut failures: Vec<String> = self.0.failures().collect();
        for finding in self.0.all() {
            let (name, Some(covered)) = (&finding.name, finding.found()) else { continue };
            let lies = covered.lies.iter();
            failures.extend(lies.map(|id| format!("{name}: `{id}` is reachable")));
            let silent = covered.missed.iter().filter(|(_, reason)| reason.is_none());
            failures.extend(silent.map(|(id, _)| format!("{name}: why not `{id}`?")));
            let Covered { hit, by_chance, .. } = covered;
            if hit < by_chance {
                failures.push(format!("{name}: {hit} hit, by chance {by_chance}"));
            }
        }
        failures
    }

    /// The share of the active targets that were hit, on average over the schemas.
    #[must_use]
    pub fn mean(&self) -> f64 {
        self.0.mean(|covered| share(covered.hit, covered.active))
    }

    /// The same for runs that are left to chance and make as many instances.
    #[must_use]
    pub fn mean_by_chance(&self) -> f64 {
        self.0.mean(|covered| share(covered.by_chance, covered.active))
    }

    /// The share of the schemas of which every active target was hit.
    #[must_use]
    pub fn share_of_full(&self) -> f64 {
        let full = self.0.found().filter(|covered| covered.hit == covered.active).count();
        share(full, self.len())
    }

    /// How many instances guidance takes for one that chance takes, for the median schema. What chance
    /// does not reach counts as if its last instance had done it.
    #[must_use]
    pub fn median_ratio(&self) -> f64 {
        let ratio = |covered: &Covered| {
            covered.planned as f64 / covered.needed.unwrap_or(MOST).max(1) as f64
        };
        let mut ratios: Vec<f64> = self.0.found().map(ratio).collect();
        ratios.sort_by(f64::total_cmp);
        ratios.get(ratios.len() / 2).copied().unwrap_or_default()
    }
}

fn cover(document: &Document) -> Result<Outcome<Covered>, String> {
    let timer = CpuTimer::start();
    let run = |settings| Run::new(document, settings).map_err(|error| error.to_string());
    let mut guided = run(Settings::guided(Profile::Thorough))?;
    let planning = timer.elapsed();
    if guided.by_ref().count() == 0 {
        return Ok(Outcome::Empty);
    }
    let planned = guided.compiled().plan().map_or(0, |plan| plan.units().len());
    let hits = guided.hits().clone();
    let report = guided.finish();
    let is_active = active(&report);
    let hit = count(&hits, &is_active);

    let mut chance = run(Settings::measure(MOST))?;
    let (mut by_chance, mut needed) = (0, None);
    while needed.is_none() || chance.generated() < report.run.actual_instances {
        let is_over = chance.next().is_none();
        let reached = count(chance.hits(), &is_active);
        if chance.generated() <= report.run.actual_instances {
            by_chance = reached;
        }
        if reached >= hit {
            needed = needed.or(Some(chance.generated()));
        }
        if is_over {
            break;
        }
    }
    let universe = chance.targets();
    let lies = report.targets.iter().enumerate().filter(|(place, target)| {
        let is_hit = chance.hits().contains(universe.index_of(*place));
        target.status == Status::Unreachable && is_hit
    });
    let lies = lies.map(|(_, target)| target.id.clone());
    let called = report.diagnostics.notes.iter().filter_map(serde_json::Value::as_str);
    let called = called.filter(|note| note.contains("called unreachable")).map(str::to_owned);
    let missed = report.uncovered_targets.iter();
    let missed = missed.filter(|target| target.status == Status::Active);
    Ok(Outcome::Found(Covered {
        planning,
        active: is_active.iter().filter(|is_active| **is_active).count(),
        hit,
        instances: report.run.actual_instances,
        planned,
        by_chance,
        needed,
        lies: lies.chain(called).collect(),
        missed: missed.map(|target| (target.id.clone(), target.meta.reason.clone())).collect(),
    }))
}

/// Target by target, whether it can be hit.
fn active(report: &Report) -> Vec<bool> {
    report.targets.iter().map(|target| target.status == Status::Active).collect()
}

fn count(hits: &Hits, is_active: &[bool]) -> usize {
    hits.iter().filter(|target| is_active[target.index()]).count()
}

impl fmt::Display for Guidance {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut reasons: BTreeMap<&str, usize> = BTreeMap::new();
        for finding in self.0.all() {
            let (name, Some(covered)) = (&finding.name, finding.found()) else { continue };
            if covered.planning > Duration::from_secs(2) {
                writeln!(formatter, "slow  {name}: {:.2?} to plan", covered.planning)?;
            }
            for (_, reason) in &covered.missed {
                *reasons.entry(reason.as_deref().unwrap_or("no reason")).or_default() += 1;
            }
            if covered.hit < covered.active {
                let Covered { active, hit, instances, .. } = covered;
                let first = covered.missed.first().map_or("", |(id, _)| id.as_str());
                writeln!(
                    formatter,
                    "part  {name}: {hit} of {active} with {instances}, not {first}"
                )?;
            }
        }
        for failure in self.failures() {
            writeln!(formatter, "FAILED: {failure}")?;
        }
        for (reason, count) in reasons {
            writeln!(formatter, "{count} missed: {reason}")?;
        }
        writeln!(formatter, "{} schemas of {}", self.len(), self.0.all().len())?;
        writeln!(formatter, "coverage, mean: {:.4}", self.mean())?;
        writeln!(
            formatter,
            "coverage by chance, as many instances, mean: {:.4}",
            self.mean_by_chance()
        )?;
        writeln!(formatter, "all covered: {:.2} %", 100.0 * self.share_of_full())?;
        let planned: usize = self.0.found().map(|covered| covered.planned).sum();
        writeln!(
            formatter,
            "planned instances, mean: {:.2}",
            planned as f64 / self.len().max(1) as f64
        )?;
        writeln!(formatter, "instances for one by chance, median: {:.3}", self.median_ratio())?;
        let total: Duration = self.0.found().map(|covered| covered.planning).sum();
        let slowest = self.0.found().map(|covered| covered.planning).max().unwrap_or_default();
        write!(formatter, "planning: {total:.2?}, the slowest {slowest:.2?}")
    }
}
