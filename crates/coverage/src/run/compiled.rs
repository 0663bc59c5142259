//! A run that is compiled and planned: which instance is at each index.
//!
//! Everything that needs the whole contract happens here, once: the generators are compiled, the
//! targets are listed and, in a guided run, planned for. From then on instance `i` is a pure function
//! of the compiled run and `i`, so it can be generated on any number of threads and in shards. Planned
//! instances come first; after them, each index has the instance of a run without guidance. Of a contract
//! with several entries, that is one of each entry in turn.

use std::{
    collections::BTreeMap,
    ops::Range,
    sync::{Arc, Mutex, PoisonError},
};

use foolproof_contract::{
    AjvError, AjvOracle, Canonicalizer, Document, Error, Violation, openapi::ApiEntry,
    with_large_stack,
};
use foolproof_generate::{
    DrawMemory, Exhausted, Generated, Generator, Instance, Meter, Phase, SecondOracle, Seed,
};

use super::{api::ApiRun, report::ReportInput};
use crate::{
    HitLog, Hits, LongExamples, Observer, Report, RunContext, RunTotals, Settings, Status,
    TargetSet, TestPlan, TestUnit, Universe,
    entry_set::{EntryIndex, EntrySet},
    plan::{EntryInput, PlanBuilder, ProofInput, Proofs, prove},
    statuses::Statuses,
};

/// Generates the instance at each index of a run, and has what observes its coverage. Shared between
/// threads.
#[derive(Debug)]
pub struct CompiledRun {
    pub(super) settings: Settings,
    pub(super) entries: Vec<CompiledEntry>,
    pub(super) coverage: Option<CompiledCoverage>,
    /// Of an API: what of it is in scope.
    pub(super) api: Option<ApiRun>,
}

/// What generates the instances of one entry.
#[derive(Debug)]
pub(super) struct CompiledEntry {
    pub(super) generator: Generator,
    pub(super) seed: Seed,
}

#[derive(Debug)]
pub(super) struct CompiledCoverage {
    pub(super) entries: EntrySet,
    pub(super) plan: Option<TestPlan>,
    /// Of a schema whose coverage is measured: what proofs about missed targets ask.
    pub(super) forms: Option<Mutex<Canonicalizer>>,
}

/// The instance at one index.
pub(super) struct Produced<'r> {
    pub(super) entry: EntryIndex,
    pub(super) generated: Result<Instance<'r>, Exhausted>,
    /// The targets of the entry that it hits, if planning observed them already.
    pub(super) hits: Option<&'r Hits>,
    /// Why the instance that was planned for the index was rejected, if it was.
    pub(super) rejection: Option<String>,
    /// What is kept of it if it is too long for a report.
    pub(super) long_examples: LongExamples,
}

impl CompiledRun {
    /// Compiles and plans a run whose coverage is measured or guided. `meter` counts what that costs.
    pub fn new(document: &Document, settings: Settings, meter: &mut Meter) -> Result<Self, Error> {
        // Once for all of it: planning asks the algebra many questions.
        with_large_stack(|| Self::observed(document, settings, meter))
    }

    fn observed(document: &Document, settings: Settings, meter: &mut Meter) -> Result<Self, Error> {
        let (generator, mut forms) = Generator::with_forms(document, settings.formats, meter)?;
        let generator = generator.limited(settings.largest);
        let seed = Seed::from_number(settings.seed);
        let entries = meter.time(Phase::Plan, || {
            let universe = Arc::new(Universe::of(document, &mut forms, settings.dimensions));
            EntrySet::single(Observer::new(&universe, document, settings.formats))
        });
        let coverage = if let Some(profile) = settings.guidance {
            let entry = EntryIndex(0);
            let mut builder = PlanBuilder::new(settings.most_units(), profile);
            let observer = entries.entry(entry);
            let input = EntryInput { entry, observer, generator: &generator, seed, side: None };
            builder.add(&input, &mut forms, entries.targets(), meter);
            let generators = [(&generator, seed)];
            let plan = meter.time(Phase::Plan, || builder.finish(&entries, &generators));
            let entries = entries.without(plan.unreachable());
            CompiledCoverage { entries, plan: Some(plan), forms: None }
        } else {
            CompiledCoverage { entries, plan: None, forms: Some(Mutex::new(forms)) }
        };
        let entries = vec![CompiledEntry { generator, seed }];
        let compiled = Self { settings, entries, coverage: Some(coverage), api: None };
        compiled.count_planning(meter);
        Ok(compiled)
    }

    /// Compiles a run whose coverage is not observed. Its instances are those of a measured run.
    pub fn without_coverage(
        document: &Document,
        settings: Settings,
        meter: &mut Meter,
    ) -> Result<Self, Error> {
        let (generator, _) = Generator::with_forms(document, settings.formats, meter)?;
        let generator = generator.limited(settings.largest);
        let seed = Seed::from_number(settings.seed);
        let entries = vec![CompiledEntry { generator, seed }];
        Ok(Self { settings, entries, coverage: None, api: None })
    }

    /// The options of the run.
    #[must_use]
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The generator of each entry of the contract, in their order. A schema has one.
    pub fn generators(&self) -> impl Iterator<Item = &Generator> {
        self.entries.iter().map(|entry| &entry.generator)
    }

    /// Of an API: the entry of the instance at `index`.
    #[must_use]
    pub fn entry_at(&self, index: u64) -> Option<&ApiEntry> {
        let entry = self.unit(index).map_or_else(|| self.plain(index).0, TestUnit::entry);
        Some(&self.api.as_ref()?.entries()[entry.0])
    }

    /// Of an API: what of it is in scope, and what is broken.
    #[must_use]
    pub fn api(&self) -> Option<&ApiRun> {
        self.api.as_ref()
    }

    /// The targets. Nothing if coverage is off.
    #[must_use]
    pub fn targets(&self) -> Option<&TargetSet> {
        self.entry_set().map(EntrySet::targets)
    }

    /// Decides which targets an instance of the first entry hits: of a schema, of the only one. Nothing if
    /// coverage is off.
    #[must_use]
    pub fn observer(&self) -> Option<&Observer> {
        self.entry_set()?.entries().first().map(|entry| &entry.observer)
    }

    pub(crate) fn entry_set(&self) -> Option<&EntrySet> {
        self.coverage.as_ref().map(|coverage| &coverage.entries)
    }

    /// The plan of a guided run.
    #[must_use]
    pub fn plan(&self) -> Option<&TestPlan> {
        self.coverage.as_ref()?.plan.as_ref()
    }

    /// Whether the run ends once every active target is hit.
    #[must_use]
    pub fn stops_early(&self) -> bool {
        self.plan().is_some() && self.settings.shard.is_none()
    }

    /// Whether no entry is known to admit a value that may be generated.
    pub(super) fn is_empty(&self) -> bool {
        let mut generators = self.generators().enumerate();
        generators.all(|(entry, it)| !it.has_instances() || self.is_proven_empty(EntryIndex(entry)))
    }

    /// Whether the values of an entry were proven impossible while the run was planned, by whatever proof.
    fn is_proven_empty(&self, entry: EntryIndex) -> bool {
        let Some(entries) = self.entry_set() else { return false };
        let universe = entries.entry(entry).observer.universe();
        let root = universe.node_targets(universe.graph().root()).node;
        self.planned() == 0 && root.is_some_and(|it| universe[it].status() == Status::Unreachable)
    }

    /// Generates instance `index`; `meter` counts what that costs.
    pub fn generate(&self, index: u64, meter: &mut Meter) -> Result<Generated, Exhausted> {
        let mut memory = DrawMemory::new();
        self.produce(index, &mut memory, meter).generated.map(Instance::into_generated)
    }

    /// The same in memory that is reused.
    pub(super) fn produce<'m, 'r: 'm>(
        &'r self,
        index: u64,
        memory: &'m mut DrawMemory<'r>,
        meter: &mut Meter,
    ) -> Produced<'m> {
        let long_examples = self.settings.long_examples;
        if let Some(unit) = self.unit(index) {
            let generated = Ok(Instance::from(unit.generated()));
            let (entry, hits) = (unit.entry(), unit.hits());
            return Produced { entry, generated, hits, rejection: None, long_examples };
        }
        let (entry, index) = self.plain(index);
        let CompiledEntry { generator, seed } = &self.entries[entry.0];
        let generated = generator.generate_in(*seed, index, memory, meter);
        Produced { entry, generated, hits: None, rejection: None, long_examples }
    }

    /// Generates the instances `indices` so that AJV accepts them as well; `oracles` are those of the
    /// entries. A planned one that it rejects is replaced by the one that a run without guidance has there.
    pub(super) fn produce_with(
        &self,
        oracles: &[AjvOracle],
        indices: Range<u64>,
        meter: &mut Meter,
    ) -> Result<Vec<Produced<'_>>, AjvError> {
        let long_examples = self.settings.long_examples;
        let mut all: Vec<Option<Produced<'_>>> = indices.clone().map(|_| None).collect();
        let mut rejections: BTreeMap<u64, String> = BTreeMap::new();
        let position = |index: u64| usize::try_from(index - indices.start).unwrap_or(usize::MAX);
        for (number, (compiled, ajv)) in self.entries.iter().zip(oracles).enumerate() {
            let entry = EntryIndex(number);
            let second = SecondOracle::new(&compiled.generator, ajv);
            let planned = indices.clone().filter_map(|index| Some((index, self.unit(index)?)));
            let planned: Vec<_> = planned.filter(|(_, unit)| unit.entry() == entry).collect();
            let instances: Vec<Generated> =
                planned.iter().map(|(_, unit)| unit.generated().clone()).collect();
            let verdicts = second.confirm(&instances, meter)?;
            for ((index, unit), verdict) in planned.into_iter().zip(verdicts) {
                if let Err(violations) = verdict {
                    rejections.insert(index, rejection(&violations));
                    continue;
                }
                let generated = Ok(Instance::from(unit.generated()));
                let hits = unit.hits();
                let produced = Produced { entry, generated, hits, rejection: None, long_examples };
                all[position(index)] = Some(produced);
            }
        }
        // What is left has the plain instance of its index.
        let left = indices.clone().filter(|index| all[position(*index)].is_none());
        let mut by_entry: BTreeMap<EntryIndex, Vec<(u64, u64)>> = BTreeMap::new();
        for index in left {
            let (entry, own) = self.plain(index);
            by_entry.entry(entry).or_default().push((index, own));
        }
        for (entry, left) in by_entry {
            let CompiledEntry { generator, seed } = &self.entries[entry.0];
            let second = SecondOracle::new(generator, &oracles[entry.0]);
            for run in left.chunk_by(|(_, one), (_, next)| one + 1 == *next) {
                let own = run[0].1..run[run.len() - 1].1 + 1;
                let generated = second.generate_metered(*seed, own, meter)?;
                for ((index, _), generated) in run.iter().zip(generated) {
                    let rejection = rejections.remove(index);
                    let generated = generated.map(Instance::from);
                    let produced =
                        Produced { entry, generated, hits: None, rejection, long_examples };
                    all[position(*index)] = Some(produced);
                }
            }
        }
        Ok(all.into_iter().flatten().collect())
    }

    /// The report on a run that generated so many instances and hit what `hit_log` says; nothing if
    /// coverage is off. `rejections` says for each planned index why AJV rejected its instance, if it did.
    pub(super) fn report(
        &self,
        hit_log: &HitLog,
        totals: &RunTotals,
        rejections: &BTreeMap<u64, String>,
        context: &RunContext<'_>,
        meter: &mut Meter,
    ) -> Option<Report> {
        let CompiledCoverage { entries, plan, .. } = self.coverage.as_ref()?;
        let statuses = match plan {
            // Planning proved it already.
            Some(plan) => Statuses { late: plan.late, ..Statuses::default() },
            None => meter.time(Phase::Prove, || self.statuses(entries, hit_log.hits())),
        };
        meter.count(Phase::Prove, statuses.asked);
        let input = ReportInput {
            settings: &self.settings,
            entries,
            targets: &entries.targets().without(&statuses.unreachable),
            plan: plan.as_ref(),
            api: self.api.as_ref(),
            rejections,
            late: statuses.late,
        };
        Some(input.report(hit_log, totals, context))
    }

    /// Proves which targets that `hits` lacks are unreachable.
    fn statuses(&self, entries: &EntrySet, hits: &Hits) -> Statuses {
        Statuses::of(entries, hits, |entry, missed| {
            let observer = &entries.entry(entry).observer;
            if let Some(api) = &self.api {
                return api.prove(entry, observer, missed);
            }
            let forms = self.coverage.as_ref().and_then(|coverage| coverage.forms.as_ref());
            let Some(forms) = forms else { return Proofs::default() };
            let mut forms = forms.lock().unwrap_or_else(PoisonError::into_inner);
            let generator = Some(&self.entries[entry.0].generator);
            prove(ProofInput { observer, side: None, generator }, &mut forms, missed)
        })
    }

    /// Counts the planned instances, and what was generated to find them.
    pub(super) fn count_planning(&self, meter: &mut Meter) {
        meter.count(Phase::Plan, self.planned());
        if let Some(plan) = self.plan() {
            meter.add(plan.metrics());
        }
    }

    /// How many instances are planned.
    pub(super) fn planned(&self) -> u64 {
        self.plan().map_or(0, |plan| plan.units().len() as u64)
    }

    /// The planned instance at `index`, if there is one.
    fn unit(&self, index: u64) -> Option<&TestUnit> {
        self.plan()?.units().get(usize::try_from(index).ok()?)
    }

    /// The entry that a run without guidance has at `index`, and the index among its own instances.
    fn plain(&self, index: u64) -> (EntryIndex, u64) {
        let count = self.entries.len() as u64;
        let entry = usize::try_from(index % count).expect("an entry has an index");
        (EntryIndex(entry), index / count)
    }
}

/// What AJV found wrong with an instance that was planned.
fn rejection(violations: &[Violation]) -> String {
    match violations.first() {
        Some(violation) => {
            format!("AJV rejected the instance that was planned for it: {violation}")
        }
        // AJV does not answer for values that are too deep for JavaScript.
        None => "AJV rejected the instance that was planned for it, without a reason".to_owned(),
    }
}
