//! The laws of coverage, checked on the schemas of the corpus.
//!
//! - The statuses of targets are the same in every mode and for every number of instances.
//! - A guided run never covers less than a measured run of as many instances.
//! - What `plannerCapsHit` counts adds up, and is what the targets say.
//! - Measuring the suite of a guided run gives the metrics of the guided run.

use std::{collections::BTreeMap, fmt};

use foolproof_contract::Document;
use foolproof_corpus::Contracts;
use foolproof_coverage::{
    CompiledRun, CoverageMode, Dimension, HitTracker, Measurement, Profile, Report, Run, Settings,
    Status, TargetEntry, TargetIndex,
};
use foolproof_generate::Meter;
use serde_json::Value;

use crate::findings::{Choice, Findings, Outcome};

/// The numbers of instances for which statuses are compared.
const FOR_STATUSES: [u64; 4] = [1, 2, 8, 300];

/// The numbers of instances for which a guided run is compared with a measured one.
const BUDGETS: [u64; 7] = [1, 2, 3, 4, 8, 16, 64];

/// The findings over many schemas.
#[derive(Debug)]
pub struct Laws(Findings<Vec<String>>);

impl Laws {
    /// Checks the chosen schemas.
    #[must_use]
    pub fn of(contracts: &Contracts, choice: Choice<'_>) -> Self {
        Self(Findings::of(contracts, choice, check))
    }

    /// How many schemas were checked.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.found().count()
    }

    /// Whether there was nothing to check.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Where a law is broken.
    #[must_use]
    pub fn failures(&self) -> Vec<String> {
        let mut failures: Vec<String> = self.0.failures().collect();
        for finding in self.0.all() {
            let (name, Some(broken)) = (&finding.name, finding.found()) else { continue };
            failures.extend(broken.iter().map(|what| format!("{name}: {what}")));
        }
        failures
    }
}

/// The report of a run, and its instances.
fn run(document: &Document, settings: Settings) -> Result<(Report, Vec<Value>), String> {
    let mut run = Run::new(document, settings).map_err(|error| error.to_string())?;
    let values = run.by_ref().map(|instance| instance.value().clone()).collect();
    Ok((run.finish(), values))
}

fn check(document: &Document) -> Result<Outcome<Vec<String>>, String> {
    let mut broken = Vec::new();
    let whole = run(document, Settings { instances: 300, ..Settings::guided(Profile::Thorough) })?;
    if whole.1.is_empty() {
        return Ok(Outcome::Empty);
    }
    let expected = statuses(&whole.0);
    let mut compare = |what: &str, report: &Report| {
        let other = statuses(report);
        let differ = expected
            .iter()
            .filter(|(id, status)| other.get(*id).is_some_and(|other| other != *status));
        let differ: Vec<&str> = differ.map(|(id, _)| *id).collect();
        if let Some(first) = differ.first() {
            broken.push(format!(
                "{what}: {} targets have another status, first `{first}`",
                differ.len()
            ));
        }
    };
    let measured_suite = measure(document, &whole.1)?;
    compare("the suite measured", &measured_suite);
    compare("no data", &measure(document, &[])?);
    compare("quick", &run(document, quick())?.0);
    for instances in FOR_STATUSES {
        let seed = instances;
        let measured = run(document, Settings { seed, ..Settings::measure(instances) })?.0;
        compare(&format!("measured with {instances}"), &measured);
    }
    let mut plans = vec![whole.0.clone()];
    for instances in BUDGETS {
        let guided = Settings { instances, ..Settings::guided(Profile::Balanced) };
        let guided = run(document, guided)?.0;
        compare(&format!("guided with {instances}"), &guided);
        plans.push(guided);
    }
    let measured = covered_after(document, &expected)?;
    for ((guided, instances), measured) in plans[1..].iter().zip(BUDGETS).zip(measured) {
        let is_covered = |target: &&TargetEntry| {
            target.hit && expected.get(&*target.id) == Some(&Status::Active)
        };
        let guided = guided.targets.iter().filter(is_covered).count();
        if guided < measured {
            broken.push(format!(
                "with {instances} instances guided covers {guided} targets, measured {measured}"
            ));
        }
    }
    broken.extend(plans.iter().flat_map(caps));
    if measured_suite.metrics != whole.0.metrics {
        broken.push("measuring the suite of the guided run gives other metrics".to_owned());
    }
    Ok(Outcome::Found(broken))
}

/// How many active targets a measured run has covered after each number of instances in [`BUDGETS`]. The statuses are
/// known and compared elsewhere, so one run without proofs shows it for all of them.
fn covered_after(
    document: &Document,
    statuses: &BTreeMap<&str, Status>,
) -> Result<Vec<usize>, String> {
    let settings = Settings::measure(BUDGETS[BUDGETS.len() - 1]);
    let mut meter = Meter::counting();
    let compiled = CompiledRun::new(document, settings, &mut meter);
    let compiled = compiled.map_err(|error| error.to_string())?;
    let observer = compiled.observer().ok_or("coverage is off")?;
    let is_active = |target: &TargetIndex| {
        statuses.get(observer.universe()[*target].id()) == Some(&Status::Active)
    };
    let mut tracker = HitTracker::new(observer);
    let (mut covered, mut indices) = (Vec::new(), 0);
    for instances in BUDGETS {
        for index in indices..instances {
            if let Ok(generated) = compiled.generate(index, &mut meter) {
                tracker.observe(generated.instance());
            }
        }
        indices = instances;
        covered.push(tracker.hits().iter().filter(is_active).count());
    }
    Ok(covered)
}

fn quick() -> Settings {
    Settings { instances: 20, ..Settings::guided(Profile::Quick) }
}

fn measure(document: &Document, values: &[Value]) -> Result<Report, String> {
    let settings = Settings::measure(0);
    let mut measurement =
        Measurement::new(document, settings).map_err(|error| error.to_string())?;
    for value in values {
        measurement.accept(value.clone());
    }
    Ok(measurement.finish(None))
}

fn statuses(report: &Report) -> BTreeMap<&str, Status> {
    report.targets.iter().map(|target| (target.id.as_str(), target.status)).collect()
}

/// What is wrong with the caps of a report.
fn caps(report: &Report) -> Vec<String> {
    let mut wrong = Vec::new();
    if report.engine.coverage_mode != CoverageMode::Guided {
        return wrong;
    }
    let of = |dimension: Dimension| {
        let active = report
            .targets
            .iter()
            .filter(move |target| target.status == Status::Active && target.dimension == dimension);
        let total = active.clone().count();
        (total, active.filter(|target| target.meta.planned == Some(false)).count())
    };
    for cap in &report.diagnostics.planner_caps_hit {
        let (total, unplanned) = of(cap.dimension);
        if cap.total_targets != cap.planned_targets + cap.unplanned_targets
            || (cap.total_targets, cap.unplanned_targets) != (total, unplanned)
        {
            wrong.push(format!("{} of {}: {cap:?}", cap.dimension, report.run.max_instances));
        }
    }
    wrong
}

impl fmt::Display for Laws {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for finding in self.0.all() {
            if finding.time.as_secs() >= 20 {
                writeln!(formatter, "slow  {}: {:.1?}", finding.name, finding.time)?;
            }
        }
        write!(formatter, "{} schemas of {}", self.len(), self.0.all().len())
    }
}
