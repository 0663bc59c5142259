//! Profiles: how much a guided run may cost.

use std::{fmt, str::FromStr};

use crate::{Dimension, Dimensions, plan::BATCH};

/// How much effort a guided run spends.
///
/// A profile gives the default number of instances, and limits how many targets of each dimension are
/// planned for. Targets beyond the limit are still observed, and the report says that they were not
/// planned.
///
/// | | instances | dimensions | branches | enum | structure | boundaries |
/// |---|---|---|---|---|---|---|
/// | `quick` | 75 | structure, branches | 200 | 100 | 200 | 50 |
/// | `balanced` | 350 | all | 2,000 | 2,000 | 2,000 | 1,000 |
/// | `thorough` | 1,000 | all | all | all | all | all |
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Profile {
    /// For a fast job: the main branches and the structure.
    Quick,
    /// For every day.
    #[default]
    Balanced,
    /// Everything that can be reached.
    Thorough,
}

/// How many more targets of each dimension are planned for with each instance more than a profile has by default.
const TARGETS_PER_INSTANCE: usize = 4;

impl Profile {
    /// All of them, the cheapest first.
    pub const ALL: [Self; 3] = [Self::Quick, Self::Balanced, Self::Thorough];

    /// Its name.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Quick => "quick",
            Self::Balanced => "balanced",
            Self::Thorough => "thorough",
        }
    }

    /// The most instances by default.
    #[must_use]
    pub fn instances(self) -> u64 {
        match self {
            Self::Quick => 75,
            Self::Balanced => 350,
            Self::Thorough => 1_000,
        }
    }

    /// The dimensions that a run has by default; an API has that of operations besides.
    ///
    /// ```
    /// use foolproof_coverage::{Dimension, Profile};
    ///
    /// let quick = Profile::Quick.dimensions();
    /// assert!(quick.contains(Dimension::Branches) && !quick.contains(Dimension::Enum));
    /// ```
    #[must_use]
    pub fn dimensions(self) -> Dimensions {
        match self {
            Self::Quick => [Dimension::Structure, Dimension::Branches].into_iter().collect(),
            Self::Balanced | Self::Thorough => Dimensions::default(),
        }
    }

    /// The most targets of `dimension` that a run of so many instances plans for: more than the profile allows, if
    /// there are more instances than it has by default.
    pub(crate) fn cap_for(self, dimension: Dimension, instances: usize) -> usize {
        let more = self.more(instances).saturating_mul(TARGETS_PER_INSTANCE);
        self.cap(dimension).saturating_add(more)
    }

    /// How many instances beyond the default so many are.
    fn more(self, instances: usize) -> usize {
        instances.saturating_sub(usize::try_from(self.instances()).unwrap_or(usize::MAX))
    }

    /// The most targets of `dimension` that are planned for, with the default number of instances.
    #[must_use]
    pub fn cap(self, dimension: Dimension) -> usize {
        match (self, dimension) {
            (Self::Quick, Dimension::Enum) => 100,
            (Self::Quick, Dimension::Boundaries) => 50,
            (Self::Quick, Dimension::Structure | Dimension::Branches | Dimension::Operations) => {
                200
            }
            (Self::Balanced, Dimension::Boundaries) => 1_000,
            (
                Self::Balanced,
                Dimension::Structure
                | Dimension::Branches
                | Dimension::Enum
                | Dimension::Operations,
            ) => 2_000,
            (Self::Thorough, _) => usize::MAX,
        }
    }

    /// The effort that questions to the algebra may take for a contract with so many locations, in a run of so many
    /// instances: the number of questions times the number of locations that each is about. Even the largest contract
    /// gets a few, and each instance beyond the default adds one small question.
    pub(crate) fn effort(self, locations: usize, instances: usize) -> usize {
        const SMALL: usize = 100;
        let (effort, questions) = match self {
            Self::Quick => (50_000, 10),
            Self::Balanced => (200_000, 40),
            Self::Thorough => (400_000, 80),
        };
        let more = self.more(instances).saturating_mul(SMALL + locations / BATCH);
        effort.max(locations.saturating_mul(questions)).saturating_add(more)
    }
}

impl fmt::Display for Profile {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

/// A text that names no profile.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no profile: choose quick, balanced or thorough")]
pub struct UnknownProfile(String);

impl FromStr for Profile {
    type Err = UnknownProfile;

    fn from_str(name: &str) -> Result<Self, UnknownProfile> {
        let known = Self::ALL.into_iter().find(|profile| profile.as_str() == name);
        known.ok_or_else(|| UnknownProfile(name.to_owned()))
    }
}
