//! What makes the instances: a generator alone, or a course that knows about coverage.

use std::ops::Range;

use foolproof_contract::{AjvError, AjvOracle};
use foolproof_coverage::{Course, Settings, Watcher, Watchers};
use foolproof_generate::{Generator, Made, Meter, Missing, SecondOpinion, Seed};

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
    Covered { course: Box<Course>, watchers: Watchers },
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
        let course = Course::of(&source.document, settings, meter);
        let course = course.map_err(|error| source.fail(error))?;
        let watchers = Watchers::new(course.observer());
        Ok(Self::Covered { course: Box::new(course), watchers })
    }

    pub(super) fn generator(&self) -> &Generator {
        match self {
            Self::Plain { generator, .. } => generator,
            Self::Covered { course, .. } => course.generator(),
        }
    }

    /// What knows about coverage, unless it is off.
    pub(super) fn course(&self) -> Option<&Course> {
        match self {
            Self::Plain { .. } => None,
            Self::Covered { course, .. } => Some(course),
        }
    }

    /// Lends a watcher of the instances `indices`, if they are looked at.
    pub(super) fn watching<T>(
        &self,
        indices: &Range<u64>,
        work: impl FnOnce(Option<&mut Watcher>) -> T,
    ) -> T {
        match self {
            Self::Plain { .. } => work(None),
            Self::Covered { watchers, .. } => watchers.lend(indices, |watcher| work(Some(watcher))),
        }
    }

    pub(super) fn make(&self, index: u64, meter: &mut Meter) -> Result<Made, Missing> {
        match self {
            Self::Plain { generator, seed } => generator.make_metered(*seed, index, meter),
            Self::Covered { course, .. } => course.make(index, meter),
        }
    }

    /// Makes instances that AJV accepts too.
    pub(super) fn make_with(
        &self,
        ajv: &AjvOracle,
        indices: Range<u64>,
        meter: &mut Meter,
    ) -> Result<Vec<Result<Made, Missing>>, AjvError> {
        match self {
            Self::Plain { generator, seed } => {
                SecondOpinion::new(generator, ajv).make_metered(*seed, indices, meter)
            }
            Self::Covered { course, .. } => course.make_with(ajv, indices, meter),
        }
    }
}
