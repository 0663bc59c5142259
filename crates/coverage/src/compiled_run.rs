//! The compiled of a run: which instance stands at each index.
//!
//! Everything that takes a look at the whole contract happens here, once: the generator is compiled,
//! the targets are listed and, in a guided run, planned for. From then on instance `i` is a pure
//! function of the compiled and `i`, so a run can be made on any number of threads and in shards. The
//! planned instances come first; from there on it is what a run without guidance has at the same
//! index.

use std::{ops::Range, sync::Arc};

use foolproof_contract::{AjvError, AjvOracle, Document, Error, FormatPolicy};
use foolproof_generate::{Exhausted, Generated, Generator, Meter, Phase, SecondOracle, Seed};

use crate::{Dimensions, Minimum, Observer, PlanInput, Profile, ReportMode, TestPlan, Universe};

mod hints;
mod report;

/// What a run is to do.
///
/// ```
/// use foolproof_coverage::{Profile, Settings};
///
/// let settings = Settings { seed: 42, ..Settings::guided(Profile::Quick) };
/// assert_eq!(settings.instances, 75);
/// ```
#[derive(Clone, Debug)]
pub struct Settings {
    /// How hard guidance tries; without it the run is only measured.
    pub guidance: Option<Profile>,
    /// The dimensions to look at.
    pub dimensions: Dimensions,
    /// Whether formats constrain.
    pub formats: FormatPolicy,
    /// The seed that names the run.
    pub seed: u64,
    /// The most instances.
    pub instances: u64,
    /// The part of the run to make, if it is not the whole. A shard never stops early, since it cannot
    /// know what the others hit.
    pub shard: Option<Range<u64>>,
    /// The least overall coverage that is good enough.
    pub minimum: Option<Minimum>,
    /// Whether unreachable targets are left out of the metrics.
    pub exclude_unreachable: bool,
    /// How much the report lists.
    pub report_mode: ReportMode,
}

impl Settings {
    /// Measures a run of so many instances.
    #[must_use]
    pub fn measure(instances: u64) -> Self {
        Self {
            guidance: None,
            dimensions: Dimensions::default(),
            formats: FormatPolicy::Assert,
            seed: 0,
            instances,
            shard: None,
            minimum: None,
            exclude_unreachable: true,
            report_mode: ReportMode::Full,
        }
    }

    /// Guides a run, with as many instances as the profile allows.
    #[must_use]
    pub fn guided(profile: Profile) -> Self {
        Self { guidance: Some(profile), ..Self::measure(profile.instances()) }
    }
}

/// What stands at each index of a run, and what instances are looked at for. Shared between threads.
#[derive(Debug)]
pub struct CompiledRun {
    settings: Settings,
    generator: Generator,
    observer: Observer,
    plan: Option<TestPlan>,
}

impl CompiledRun {
    /// Compiles and plans everything that the run takes. `meter` takes down what that took.
    pub fn of(document: &Document, settings: Settings, meter: &mut Meter) -> Result<Self, Error> {
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
        let compiled = Self { settings, generator, observer, plan };
        meter.count(Phase::Plan, compiled.planned());
        Ok(compiled)
    }

    /// What the run is to do.
    #[must_use]
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The generator of the contract.
    #[must_use]
    pub fn generator(&self) -> &Generator {
        &self.generator
    }

    /// Says what instances hit; with the targets.
    #[must_use]
    pub fn observer(&self) -> &Observer {
        &self.observer
    }

    /// What was planned, in a guided run.
    #[must_use]
    pub fn plan(&self) -> Option<&TestPlan> {
        self.plan.as_ref()
    }

    /// The indices that the run makes.
    #[must_use]
    pub fn indices(&self) -> Range<u64> {
        self.settings.shard.clone().unwrap_or(0..self.settings.instances)
    }

    /// Whether the run ends once everything is hit.
    #[must_use]
    pub fn stops_early(&self) -> bool {
        self.plan.is_some() && self.settings.shard.is_none()
    }

    /// Makes instance `index`; `meter` takes down what it took.
    pub fn generate(&self, index: u64, meter: &mut Meter) -> Result<Generated, Exhausted> {
        match self.unit(index) {
            Some(made) => Ok(made.clone()),
            None => self.generator.generate_metered(self.seed(), index, meter),
        }
    }

    /// Makes the instances `indices` so that AJV accepts them as well. A planned one that it refuses
    /// gives way to the one that a run without guidance has there.
    pub fn generate_with(
        &self,
        ajv: &AjvOracle,
        indices: Range<u64>,
        meter: &mut Meter,
    ) -> Result<Vec<Result<Generated, Exhausted>>, AjvError> {
        let second = SecondOracle::new(&self.generator, ajv);
        let planned = indices.start..indices.end.min(self.planned()).max(indices.start);
        let units: Vec<Generated> =
            planned.clone().filter_map(|index| self.unit(index)).cloned().collect();
        let opinions = second.confirm(&units, meter)?;
        let mut all = Vec::new();
        for ((index, unit), is_fine) in planned.clone().zip(units).zip(opinions) {
            if is_fine {
                all.push(Ok(unit));
            } else {
                all.extend(second.generate_metered(self.seed(), index..index + 1, meter)?);
            }
        }
        all.extend(second.generate_metered(self.seed(), planned.end..indices.end, meter)?);
        Ok(all)
    }

    /// How many instances are planned.
    fn planned(&self) -> u64 {
        self.plan.as_ref().map_or(0, |plan| plan.units().len() as u64)
    }

    /// The planned instance at `index`, if there is one.
    fn unit(&self, index: u64) -> Option<&Generated> {
        let units = self.plan.as_ref()?.units();
        units.get(usize::try_from(index).ok()?).map(crate::TestUnit::generated)
    }

    fn seed(&self) -> Seed {
        Seed::from_number(self.settings.seed)
    }
}
