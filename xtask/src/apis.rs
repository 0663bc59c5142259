//! What guided generation makes of OpenAPI documents: how much of them it covers with a budget of twenty
//! instances an operation, whether every operation that can be used yields something, and whether
//! everything is valid and arrives.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
    num::NonZeroUsize,
    ops::ControlFlow,
    sync::Mutex,
    thread,
    time::{Duration, Instant},
};

use foolproof_contract::{
    AcceptedView, Document, Oracle,
    openapi::{Api, ApiEntry, Side},
};
use foolproof_corpus::{Contracts, Entry};
use foolproof_coverage::{
    ApiError, ApiRun, ApiRunOptions, CompiledRun, Dimension, Dimensions, Profile, Report,
    RunContext, Settings,
};
use foolproof_generate::Meter;
use foolproof_http::build_request;

/// The budget of an operation.
const INSTANCES: u64 = 20;

/// The findings over many documents.
#[derive(Debug)]
pub struct Apis(Vec<Finding>);

#[derive(Debug)]
struct Finding {
    name: String,
    time: Duration,
    outcome: Result<Covered, String>,
}

#[derive(Debug)]
struct Covered {
    operations: usize,
    broken: Vec<String>,
    instances: u64,
    active: usize,
    overall: f64,
    of_operations: f64,
    /// The most that any plan can hit with the budget, as far as enumerations alone decide it.
    limit: f64,
    /// Sides of operations that yielded nothing.
    silent: Vec<String>,
    /// Instances that are not valid, or do not become a request.
    refused: Vec<String>,
}

impl Apis {
    /// Covers every `stride`-th document whose name contains `only`.
    #[must_use]
    pub fn of(contracts: &Contracts, stride: usize, only: &str) -> Self {
        let entries = contracts.openapi().into_iter().filter(|entry| entry.name.contains(only));
        Self(entries.step_by(stride.max(1)).map(|entry| find(&entry)).collect())
    }

    /// How many documents were covered.
    #[must_use]
    pub fn len(&self) -> usize {
        self.covered().count()
    }

    /// Whether there was nothing to cover.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// What must never happen: a document that fails, a side of an operation that yields nothing, an
    /// instance that is not valid or cannot be sent, an operation that is not covered.
    #[must_use]
    pub fn failures(&self) -> Vec<String> {
        let mut failures = Vec::new();
        for Finding { name, outcome, .. } in &self.0 {
            match outcome {
                Err(error) => failures.push(format!("{name}: {error}")),
                Ok(covered) => {
                    let all = covered.silent.iter().chain(&covered.refused);
                    failures.extend(all.map(|what| format!("{name}: {what}")));
                    if covered.of_operations < 1.0 {
                        failures.push(format!("{name}: operations {:.4}", covered.of_operations));
                    }
                }
            }
        }
        failures
    }

    /// The share of the targets that were hit, for the median document.
    #[must_use]
    pub fn median(&self) -> f64 {
        let mut shares: Vec<f64> = self.covered().map(|covered| covered.overall).collect();
        shares.sort_by(f64::total_cmp);
        shares.get(shares.len() / 2).copied().unwrap_or(1.0)
    }

    /// The documents of which less than `least` was hit, of what the budget allows.
    #[must_use]
    pub fn below(&self, least: f64) -> Vec<String> {
        let shown = |finding: &Finding| {
            let covered = finding.outcome.as_ref().ok()?;
            let Covered { overall, limit, .. } = covered;
            (overall / limit < least).then(|| format!("{}: {overall:.4}", finding.name))
        };
        self.0.iter().filter_map(shown).collect()
    }

    fn covered(&self) -> impl Iterator<Item = &Covered> {
        self.0.iter().filter_map(|finding| finding.outcome.as_ref().ok())
    }
}

fn find(entry: &Entry) -> Finding {
    let start = Instant::now();
    let outcome = entry.read().and_then(|document| cover(&document));
    Finding { name: entry.name.clone(), time: start.elapsed(), outcome }
}

fn cover(document: &Document) -> Result<Covered, String> {
    let api = Api::of(document).map_err(|error| error.to_string())?;
    let instances = (INSTANCES * api.operations().len() as u64).max(1);
    let settings = Settings {
        instances,
        dimensions: Dimensions::all(),
        ..Settings::guided(Profile::Thorough)
    };
    let threads = thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
    let options = ApiRunOptions { threads, ..ApiRunOptions::default() };
    let run = match CompiledRun::of_api(&api, &options, settings, &mut Meter::counting()) {
        Ok(run) => run,
        Err(ApiError::NothingLeft { broken }) => return Ok(Covered::nothing(&api, &broken)),
        Err(error) => return Err(error.to_string()),
    };
    let scope = run.api().ok_or("it is not the run of an API")?;
    let watch = Watch::new(scope)?;
    let see = |instance: AcceptedView<'_>, _: &mut Vec<u8>| watch.see(&api, instance);
    let context = RunContext { threads, encode: &see, ..RunContext::default() };
    let finished = run
        .stream(&context, &Meter::counting(), |_| ControlFlow::<()>::Continue(()))
        .map_err(|_| "it was stopped")?;
    let report = finished.report.ok_or("there is no report")?;
    let (silent, refused) = watch.into_findings(scope);
    let counts = report.counts();
    Ok(Covered {
        operations: api.operations().len(),
        broken: scope.broken().iter().map(ToString::to_string).collect(),
        instances: report.run.actual_instances,
        active: counts.map_or(0, |counts| counts.overall.total),
        overall: report.metrics.overall,
        of_operations: report
            .metrics
            .by_dimension
            .get(&Dimension::Operations)
            .copied()
            .unwrap_or(1.0),
        limit: limit(&report, instances),
        silent,
        refused,
    })
}

impl Covered {
    fn nothing(api: &Api, broken: &[foolproof_coverage::BrokenOperation]) -> Self {
        Self {
            operations: api.operations().len(),
            broken: broken.iter().map(ToString::to_string).collect(),
            instances: 0,
            active: 0,
            overall: 1.0,
            of_operations: 1.0,
            limit: 1.0,
            silent: Vec::new(),
            refused: Vec::new(),
        }
    }
}

/// The most that a plan can hit. An instance uses one member of an enumeration that is no item, so a document
/// whose enumerations have more members than it has instances cannot be covered. The `r`-th instance of a side of
/// an operation hits at most one new member of each enumeration there with `r` members or more; the plan chooses the
/// best instances.
fn limit(report: &Report, instances: u64) -> f64 {
    let mut sizes: BTreeMap<(&str, bool), BTreeMap<&str, usize>> = BTreeMap::new();
    for target in &report.targets {
        if let (Dimension::Enum, Some(key)) = (target.dimension, &target.operation_key)
            && !target.canon_path.contains("items")
        {
            let side = (key.as_str(), target.canon_path.contains("/responses/"));
            *sizes.entry(side).or_default().entry(&target.canon_path).or_default() += 1;
        }
    }
    let all: usize = sizes.values().flat_map(BTreeMap::values).sum();
    let mut gains: Vec<usize> = Vec::new();
    for sizes in sizes.values() {
        let most = sizes.values().max().copied().unwrap_or(0);
        gains.extend((1..=most).map(|round| sizes.values().filter(|size| **size >= round).count()));
    }
    gains.sort_unstable_by_key(|gain| std::cmp::Reverse(*gain));
    let instances = usize::try_from(instances).unwrap_or(usize::MAX);
    let possible: usize = gains.into_iter().take(instances).sum();
    let total = report.counts().map_or(0, |counts| counts.overall.total) as f64;
    if total == 0.0 { 1.0 } else { (total - (all - possible) as f64) / total }
}

/// What was seen of a run while it generated.
struct Watch {
    oracles: Vec<(usize, Side, Oracle)>,
    seen: Mutex<Seen>,
}

#[derive(Default)]
struct Seen {
    sides: BTreeSet<(usize, Side)>,
    refused: Vec<String>,
}

impl Watch {
    fn new(scope: &ApiRun) -> Result<Self, String> {
        let formats = foolproof_contract::FormatPolicy::Assert;
        let oracle = |entry: &ApiEntry| {
            // The API as written, without what generation leaves out.
            let document = scope.api().admitted(entry.operation, entry.side, None, formats);
            let document = document.ok_or("there is no schema")?.map_err(|it| it.to_string())?;
            let oracle = Oracle::new(&document, formats).map_err(|error| error.to_string())?;
            Ok((entry.operation, entry.side, oracle))
        };
        let oracles = scope.entries().iter().map(oracle).collect::<Result<_, String>>()?;
        Ok(Self { oracles, seen: Mutex::default() })
    }

    fn see(&self, api: &Api, instance: AcceptedView<'_>) {
        let value = instance.value().to_value();
        let (operation, side) = (instance.entry().operation(), instance.entry().side());
        let mut oracles = self.oracles.iter();
        let oracle = oracles.find(|(number, of, _)| (*number, *of) == (operation, side));
        let is_valid = oracle.is_some_and(|(_, _, oracle)| oracle.is_valid(&*value));
        let key = &api.operations()[operation].key;
        let mut refused = Vec::new();
        if !is_valid {
            refused.push(format!("`{key}`: {value} is not valid"));
        }
        if side == Side::Request
            && let Err(error) = build_request(api, operation, &value, None)
        {
            refused.push(format!("`{key}`: {error}"));
        }
        if let Ok(mut seen) = self.seen.lock() {
            seen.sides.insert((operation, side));
            seen.refused.extend(refused);
        }
    }

    /// The sides that yielded nothing, and what was refused.
    fn into_findings(self, scope: &ApiRun) -> (Vec<String>, Vec<String>) {
        let Seen { sides, refused } = self.seen.into_inner().unwrap_or_default();
        let is_silent = |entry: &&ApiEntry| !sides.contains(&(entry.operation, entry.side));
        let silent = scope.entries().iter().filter(is_silent).map(|entry| {
            format!("`{}` has no {}", scope.operation(entry).key, entry.side.as_str())
        });
        (silent.collect(), refused)
    }
}

impl fmt::Display for Apis {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            formatter,
            "document                                            operations  broken  instances  targets  overall  limit  operations   time"
        )?;
        for Finding { name, time, outcome } in &self.0 {
            let name: String = name.chars().take(50).collect();
            match outcome {
                Err(error) => writeln!(formatter, "{name:<50} {error}")?,
                Ok(covered) => {
                    let Covered { operations, broken, instances, active, overall, .. } = covered;
                    let (limit, of_operations) = (covered.limit, covered.of_operations);
                    writeln!(
                        formatter,
                        "{name:<50}  {operations:>9}  {:>6}  {instances:>9}  {active:>7}   {overall:.4}  {limit:.2}      {of_operations:.4}  {:>5.2} s",
                        broken.len(),
                        time.as_secs_f64()
                    )?;
                    for reason in broken {
                        writeln!(formatter, "    {reason}")?;
                    }
                }
            }
        }
        let least = self.covered().map(|covered| covered.overall).fold(1.0, f64::min);
        write!(formatter, "median {:.4}, least {least:.4}", self.median())
    }
}
