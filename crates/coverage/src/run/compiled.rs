//! A run that is compiled and planned: which instance is at each index.
//!
//! Everything that needs the whole contract happens here, once: the generators are compiled, the
//! targets are listed and, in a guided run, planned for. From then on instance `i` is a pure function
//! of the compiled run and `i`, so it can be generated on any number of threads and in shards. Planned
//! instances come first; after them, each index has the instance of a run without guidance. Of a contract
//! with several entries, that is one of each entry in turn.

use std::{collections::BTreeMap, ops::Range, sync::Arc};

use foolproof_contract::{
    AjvError, AjvOracle, Document, Error, openapi::ApiEntry, with_large_stack,
};
use foolproof_generate::{Exhausted, Generated, Generator, Meter, Phase, SecondOracle, Seed};

use super::{api::ApiRun, report::ReportInput};
use crate::{
    HitLog, Hits, Observer, Report, RunContext, Settings, TargetSet, TestPlan, TestUnit, Universe,
    entry_set::{EntryIndex, EntrySet},
    plan::{EntryInput, PlanBuilder},
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
}

/// The instance at one index.
pub(super) struct Produced<'r> {
    pub(super) entry: EntryIndex,
    pub(super) generated: Result<Generated, Exhausted>,
    /// The targets of the entry that it hits, if planning observed them already.
    pub(super) hits: Option<&'r Hits>,
}

impl CompiledRun {
    /// Compiles and plans a run whose coverage is measured or guided. `meter` counts what that costs.
    pub fn new(document: &Document, settings: Settings, meter: &mut Meter) -> Result<Self, Error> {
        // Once for all of it: planning asks the algebra many questions.
        with_large_stack(|| Self::observed(document, settings, meter))
    }

    fn observed(document: &Document, settings: Settings, meter: &mut Meter) -> Result<Self, Error> {
        let (generator, mut forms) = Generator::with_forms(document, settings.formats, meter)?;
        let seed = Seed::from_number(settings.seed);
        let coverage = meter.time(Phase::Plan, || {
            let universe = Arc::new(Universe::of(document, &mut forms, settings.dimensions));
            let observer = Observer::new(&universe, document, settings.formats);
            let entries = EntrySet::single(observer);
            let Some(profile) = settings.guidance else {
                return CompiledCoverage { entries, plan: None };
            };
            let entry = EntryIndex(0);
            let mut builder = PlanBuilder::new(settings.most_units(), profile);
            let observer = entries.entry(entry);
            let input = EntryInput { entry, observer, generator: &generator, seed };
            builder.add(&input, &mut forms, entries.targets());
            let plan = builder.finish(&entries, &[(&generator, seed)]);
            CompiledCoverage { entries: entries.without(plan.unreachable()), plan: Some(plan) }
        });
        let entries = vec![CompiledEntry { generator, seed }];
        let compiled = Self { settings, entries, coverage: Some(coverage), api: None };
        meter.count(Phase::Plan, compiled.planned());
        Ok(compiled)
    }

    /// Compiles a run whose coverage is not observed. Its instances are those of a measured run.
    pub fn without_coverage(
        document: &Document,
        settings: Settings,
        meter: &mut Meter,
    ) -> Result<Self, Error> {
        let (generator, _) = Generator::with_forms(document, settings.formats, meter)?;
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

    /// Whether no entry is known to admit a value.
    pub(super) fn is_empty(&self) -> bool {
        self.generators().all(|generator| generator.plan().is_empty())
    }

    /// Generates instance `index`; `meter` counts what that costs.
    pub fn generate(&self, index: u64, meter: &mut Meter) -> Result<Generated, Exhausted> {
        self.produce(index, meter).generated
    }

    pub(super) fn produce(&self, index: u64, meter: &mut Meter) -> Produced<'_> {
        if let Some(unit) = self.unit(index) {
            let generated = Ok(unit.generated().clone());
            return Produced { entry: unit.entry(), generated, hits: unit.hits() };
        }
        let (entry, index) = self.plain(index);
        let CompiledEntry { generator, seed } = &self.entries[entry.0];
        let generated = generator.generate_metered(*seed, index, meter);
        Produced { entry, generated, hits: None }
    }

    /// Generates the instances `indices` so that AJV accepts them as well; `oracles` are those of the
    /// entries. A planned one that it rejects is replaced by the one that a run without guidance has there.
    pub(super) fn produce_with(
        &self,
        oracles: &[AjvOracle],
        indices: Range<u64>,
        meter: &mut Meter,
    ) -> Result<Vec<Produced<'_>>, AjvError> {
        let mut all: Vec<Option<Produced<'_>>> = indices.clone().map(|_| None).collect();
        let position = |index: u64| usize::try_from(index - indices.start).unwrap_or(usize::MAX);
        for (number, (compiled, ajv)) in self.entries.iter().zip(oracles).enumerate() {
            let entry = EntryIndex(number);
            let second = SecondOracle::new(&compiled.generator, ajv);
            let planned = indices.clone().filter_map(|index| Some((index, self.unit(index)?)));
            let planned: Vec<_> = planned.filter(|(_, unit)| unit.entry() == entry).collect();
            let instances: Vec<Generated> =
                planned.iter().map(|(_, unit)| unit.generated().clone()).collect();
            let verdicts = second.confirm(&instances, meter)?;
            for ((index, unit), is_accepted) in planned.into_iter().zip(verdicts) {
                if is_accepted {
                    let generated = Ok(unit.generated().clone());
                    let hits = unit.hits();
                    all[position(index)] = Some(Produced { entry, generated, hits });
                }
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
                    all[position(*index)] = Some(Produced { entry, generated, hits: None });
                }
            }
        }
        Ok(all.into_iter().flatten().collect())
    }

    /// The report on a run that generated so many instances and hit what `hit_log` says; nothing if
    /// coverage is off.
    pub(super) fn report(
        &self,
        hit_log: &HitLog,
        generated: u64,
        context: &RunContext<'_>,
    ) -> Option<Report> {
        let CompiledCoverage { entries, plan } = self.coverage.as_ref()?;
        let input = ReportInput {
            settings: &self.settings,
            targets: entries.targets(),
            plan: plan.as_ref(),
            api: self.api.as_ref(),
        };
        Some(input.report(hit_log, generated, context))
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
