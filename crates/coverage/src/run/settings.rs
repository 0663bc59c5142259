//! The options of a run.

use std::ops::Range;

use foolproof_contract::FormatPolicy;
use foolproof_generate::ValueSize;

use crate::{Dimensions, LongExamples, Minimum, Profile, ReportMode};

/// The options of a run.
///
/// ```
/// use foolproof_coverage::{Profile, Settings};
///
/// let settings = Settings { seed: 42, ..Settings::guided(Profile::Quick) };
/// assert_eq!(settings.instances, 75);
/// ```
#[derive(Clone, Debug)]
pub struct Settings {
    /// How much effort guidance spends; without it coverage is only measured.
    pub guidance: Option<Profile>,
    /// The dimensions that have targets.
    pub dimensions: Dimensions,
    /// Whether `format` constrains values.
    pub formats: FormatPolicy,
    /// The seed of the run.
    pub seed: u64,
    /// The most instances.
    pub instances: u64,
    /// The most that one instance may have.
    pub largest: ValueSize,
    /// The part of the run to generate, if it is not the whole. A shard never stops early, since it
    /// cannot know what the others hit.
    pub shard: Option<Range<u64>>,
    /// The least overall coverage that is required.
    pub minimum: Option<Minimum>,
    /// Whether unreachable targets are excluded from the metrics.
    pub exclude_unreachable: bool,
    /// How much the report lists.
    pub report_mode: ReportMode,
    /// What is kept of examples that are too long for a report.
    pub long_examples: LongExamples,
}

impl Settings {
    /// A run of so many instances whose coverage is measured.
    #[must_use]
    pub fn measure(instances: u64) -> Self {
        Self {
            guidance: None,
            dimensions: Dimensions::default(),
            formats: FormatPolicy::Assert,
            seed: 0,
            instances,
            largest: ValueSize::DEFAULT_LIMIT,
            shard: None,
            minimum: None,
            exclude_unreachable: true,
            report_mode: ReportMode::Full,
            long_examples: LongExamples::SizeOnly,
        }
    }

    /// A guided run, with the instances and the dimensions of the profile.
    #[must_use]
    pub fn guided(profile: Profile) -> Self {
        let dimensions = profile.dimensions();
        Self { guidance: Some(profile), dimensions, ..Self::measure(profile.instances()) }
    }

    /// The most units of a plan.
    pub(super) fn most_units(&self) -> usize {
        usize::try_from(self.instances).unwrap_or(usize::MAX)
    }

    /// The indices of the instances that the run generates.
    #[must_use]
    pub fn indices(&self) -> Range<u64> {
        self.shard.clone().unwrap_or(0..self.instances)
    }
}
