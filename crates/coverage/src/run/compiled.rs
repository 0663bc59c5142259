//! A run that is compiled and planned: which instance is at each index.
//!
//! Everything that needs the whole contract happens here, once: the generator is compiled, the
//! targets are listed and, in a guided run, planned for. From then on instance `i` is a pure function
//! of the compiled run and `i`, so it can be generated on any number of threads and in shards. Planned
//! instances come first; after them, each index has the instance of a run without guidance.

use std::{ops::Range, sync::Arc};

use foolproof_contract::{AjvError, AjvOracle, Document, Error};
use foolproof_generate::{Exhausted, Generated, Generator, Meter, Phase, SecondOracle, Seed};

use super::report::ReportInput;
use crate::{
    HitLog, Hits, Observer, PlanInput, Report, RunContext, Settings, TestPlan, TestUnit, Universe,
};

/// Generates the instance at each index of a run, and has what observes its coverage. Shared between
/// threads.
#[derive(Debug)]
pub struct CompiledRun {
    settings: Settings,
    generator: Generator,
    coverage: Option<CompiledCoverage>,
}

#[derive(Debug)]
struct CompiledCoverage {
    observer: Observer,
    plan: Option<TestPlan>,
}

/// The instance at one index; with the targets that it hits, if planning observed them already.
pub(super) type Produced<'r> = (Result<Generated, Exhausted>, Option<&'r Hits>);

impl CompiledRun {
    /// Compiles and plans a run whose coverage is measured or guided. `meter` counts what that costs.
    pub fn new(document: &Document, settings: Settings, meter: &mut Meter) -> Result<Self, Error> {
        let (generator, mut forms) = Generator::with_forms(document, settings.formats, meter)?;
        let (observer, plan) = meter.time(Phase::Plan, || {
            let universe = Arc::new(Universe::of(document, &mut forms, settings.dimensions));
            let observer = Observer::new(&universe, document, settings.formats);
            let Some(profile) = settings.guidance else { return (observer, None) };
            let input = PlanInput {
                observer: &observer,
                generator: &generator,
                seed: Seed::from_number(settings.seed),
                units: usize::try_from(settings.instances).unwrap_or(usize::MAX),
                profile,
            };
            let plan = TestPlan::of(&input, &mut forms);
            (observer.without(plan.unreachable()), Some(plan))
        });
        let coverage = Some(CompiledCoverage { observer, plan });
        let compiled = Self { settings, generator, coverage };
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
        Ok(Self { settings, generator, coverage: None })
    }

    /// The options of the run.
    #[must_use]
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The generator of the contract.
    #[must_use]
    pub fn generator(&self) -> &Generator {
        &self.generator
    }

    /// Decides which targets an instance hits. Nothing if coverage is off.
    #[must_use]
    pub fn observer(&self) -> Option<&Observer> {
        self.coverage.as_ref().map(|coverage| &coverage.observer)
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

    /// Generates instance `index`; `meter` counts what that costs.
    pub fn generate(&self, index: u64, meter: &mut Meter) -> Result<Generated, Exhausted> {
        self.produce(index, meter).0
    }

    pub(super) fn produce(&self, index: u64, meter: &mut Meter) -> Produced<'_> {
        match self.unit(index) {
            Some(unit) => (Ok(unit.generated().clone()), unit.hits()),
            None => (self.generator.generate_metered(self.seed(), index, meter), None),
        }
    }

    /// Generates the instances `indices` so that AJV accepts them as well. A planned one that it
    /// rejects is replaced by the one that a run without guidance has there.
    pub(super) fn produce_with(
        &self,
        ajv: &AjvOracle,
        indices: Range<u64>,
        meter: &mut Meter,
    ) -> Result<Vec<Produced<'_>>, AjvError> {
        let second = SecondOracle::new(&self.generator, ajv);
        let planned = indices.start..indices.end.min(self.planned()).max(indices.start);
        let units: Vec<&TestUnit> = planned.clone().filter_map(|index| self.unit(index)).collect();
        let instances: Vec<Generated> = units.iter().map(|unit| unit.generated().clone()).collect();
        let verdicts = second.confirm(&instances, meter)?;
        let mut all = Vec::new();
        for ((index, unit), is_accepted) in planned.clone().zip(units).zip(verdicts) {
            if is_accepted {
                all.push((Ok(unit.generated().clone()), unit.hits()));
            } else {
                let plain = second.generate_metered(self.seed(), index..index + 1, meter)?;
                all.extend(plain.into_iter().map(|generated| (generated, None)));
            }
        }
        let plain = second.generate_metered(self.seed(), planned.end..indices.end, meter)?;
        all.extend(plain.into_iter().map(|generated| (generated, None)));
        Ok(all)
    }

    /// The report on a run that generated so many instances and hit what `hit_log` says; nothing if
    /// coverage is off.
    pub(super) fn report(
        &self,
        hit_log: &HitLog,
        generated: u64,
        context: &RunContext<'_>,
    ) -> Option<Report> {
        let CompiledCoverage { observer, plan } = self.coverage.as_ref()?;
        let input = ReportInput { settings: &self.settings, observer, plan: plan.as_ref() };
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

    fn seed(&self) -> Seed {
        Seed::from_number(self.settings.seed)
    }
}
