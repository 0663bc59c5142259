//! What makes the instances: a generator alone, or a compiled that knows about coverage.

use std::ops::Range;

use foolproof_contract::{AjvError, AjvOracle};
use foolproof_coverage::{CompiledRun, HitTracker, Settings, TrackerPool};
use foolproof_generate::{Exhausted, Generated, Generator, Meter, SecondOracle, Seed};

use crate::{
    args::{GenerateArgs, ModeArg},
    failure::Failure,
    source::Source,
};

/// Shared between threads.
pub(super) enum Engine {
    /// Coverage is off.
    Plain { generator: Generator, seed: Seed },
    /// Coverage is measured, or guides.
    Covered { compiled: Box<CompiledRun>, trackers: TrackerPool },
}

impl Engine {
    pub(super) fn new(
        args: &GenerateArgs,
        source: &Source,
        meter: &mut Meter,
    ) -> Result<Self, Failure> {
        let formats = args.contract.formats.into();
        let guidance = match args.mode {
            ModeArg::Off => {
                let made = Generator::with_forms(&source.document, formats, meter);
                let (generator, _) = made.map_err(|error| source.fail(error))?;
                return Ok(Self::Plain { generator, seed: Seed::from_number(args.seed) });
            }
            ModeArg::Measure => None,
            ModeArg::Guided => args.profile(),
        };
        let settings = Settings {
            guidance,
            dimensions: args.coverage.dimensions(),
            formats,
            seed: args.seed,
            shard: args.is_shard().then(|| args.shard.range(args.n())),
            minimum: args.coverage.minimum,
            exclude_unreachable: args.coverage.excludes_unreachable(),
            ..Settings::measure(args.n())
        };
        let compiled = CompiledRun::of(&source.document, settings, meter);
        let compiled = compiled.map_err(|error| source.fail(error))?;
        let trackers = TrackerPool::new(compiled.observer());
        Ok(Self::Covered { compiled: Box::new(compiled), trackers })
    }

    pub(super) fn generator(&self) -> &Generator {
        match self {
            Self::Plain { generator, .. } => generator,
            Self::Covered { compiled, .. } => compiled.generator(),
        }
    }

    /// What knows about coverage, unless it is off.
    pub(super) fn compiled(&self) -> Option<&CompiledRun> {
        match self {
            Self::Plain { .. } => None,
            Self::Covered { compiled, .. } => Some(compiled),
        }
    }

    /// Lends a tracker of the instances `indices`, if they are looked at.
    pub(super) fn watching<T>(
        &self,
        indices: &Range<u64>,
        work: impl FnOnce(Option<&mut HitTracker>) -> T,
    ) -> T {
        match self {
            Self::Plain { .. } => work(None),
            Self::Covered { trackers, .. } => trackers.lend(indices, |tracker| work(Some(tracker))),
        }
    }

    pub(super) fn generate(&self, index: u64, meter: &mut Meter) -> Result<Generated, Exhausted> {
        match self {
            Self::Plain { generator, seed } => generator.generate_metered(*seed, index, meter),
            Self::Covered { compiled, .. } => compiled.generate(index, meter),
        }
    }

    /// Makes instances that AJV accepts too.
    pub(super) fn generate_with(
        &self,
        ajv: &AjvOracle,
        indices: Range<u64>,
        meter: &mut Meter,
    ) -> Result<Vec<Result<Generated, Exhausted>>, AjvError> {
        match self {
            Self::Plain { generator, seed } => {
                SecondOracle::new(generator, ajv).generate_metered(*seed, indices, meter)
            }
            Self::Covered { compiled, .. } => compiled.generate_with(ajv, indices, meter),
        }
    }
}
