//! The dimensions of coverage, and the choice of dimensions that a run observes.

use std::{fmt, str::FromStr};

/// A kind of target. Each dimension has a ratio of its own in reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Dimension {
    /// Schemas instantiated and optional properties present.
    Structure,
    /// Branches of `oneOf` and `anyOf`, and conditions that hold or do not hold.
    Branches,
    /// Members of enumerations.
    Enum,
    /// Values on the bounds of numbers, lengths and sizes.
    Boundaries,
    /// Requests and responses of the operations of an API.
    Operations,
}

impl Dimension {
    /// All of them, in the order of reports.
    pub const ALL: [Self; 5] =
        [Self::Structure, Self::Branches, Self::Enum, Self::Boundaries, Self::Operations];

    /// Its rank in the order in which targets are planned for and listed as uncovered (requirements
    /// §4.2): the most important first.
    pub(crate) fn priority(self) -> usize {
        match self {
            Self::Operations => 0,
            Self::Branches => 1,
            Self::Enum => 2,
            Self::Structure => 3,
            Self::Boundaries => 4,
        }
    }

    /// The key that reports and options use.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Structure => "structure",
            Self::Branches => "branches",
            Self::Enum => "enum",
            Self::Boundaries => "boundaries",
            Self::Operations => "operations",
        }
    }
}

impl fmt::Display for Dimension {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

/// A name that is no dimension.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no dimension; there are structure, branches, enum, boundaries and operations")]
pub struct UnknownDimension(String);

impl FromStr for Dimension {
    type Err = UnknownDimension;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        let found = Self::ALL.into_iter().find(|dimension| dimension.as_str() == name);
        found.ok_or_else(|| UnknownDimension(name.to_owned()))
    }
}

/// The dimensions that a run observes. They filter one fixed set of targets: they decide which of the
/// targets a universe has, and never change an id.
///
/// ```
/// use foolproof_coverage::{Dimension, Dimensions};
///
/// let dimensions: Dimensions = [Dimension::Enum, Dimension::Branches].into_iter().collect();
/// assert!(dimensions.contains(Dimension::Enum) && !dimensions.contains(Dimension::Structure));
/// assert_eq!(dimensions.iter().map(Dimension::as_str).collect::<Vec<_>>(), ["branches", "enum"]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dimensions([bool; 5]);

impl Dimensions {
    /// Every dimension.
    #[must_use]
    pub fn all() -> Self {
        Self([true; 5])
    }

    /// Whether `dimension` is enabled.
    #[must_use]
    pub fn contains(self, dimension: Dimension) -> bool {
        self.0[dimension as usize]
    }

    /// The enabled ones, in the order of reports.
    pub fn iter(self) -> impl Iterator<Item = Dimension> {
        Dimension::ALL.into_iter().filter(move |dimension| self.contains(*dimension))
    }
}

impl Default for Dimensions {
    /// All but the operations, which only an API has.
    fn default() -> Self {
        [Dimension::Structure, Dimension::Branches, Dimension::Enum, Dimension::Boundaries]
            .into_iter()
            .collect()
    }
}

impl FromIterator<Dimension> for Dimensions {
    fn from_iter<I: IntoIterator<Item = Dimension>>(dimensions: I) -> Self {
        let mut chosen = [false; 5];
        for dimension in dimensions {
            chosen[dimension as usize] = true;
        }
        Self(chosen)
    }
}
