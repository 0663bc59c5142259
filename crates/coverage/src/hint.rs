//! Hints: what guidance requires of an instance, in the vocabulary of the requirements.
//!
//! A hint is for one target. There are no hints for boundaries, for schema locations, or for names
//! that no `properties` declares.

use std::{cmp::Ordering, fmt};

use serde_json::{Map, Value, json};

use crate::{Params, ReasonCode, Target, TargetKind, UnsatisfiedHint};

/// What is required of an instance at one schema location.
///
/// ```
/// use foolproof_coverage::Hint;
///
/// let mut hints = vec![
///     Hint::EnsurePropertyPresence { location: "#".into(), property: "a".into(), present: true },
///     Hint::PreferBranch { location: "#/oneOf".into(), index: 1 },
///     Hint::PreferBranch { location: "#/oneOf".into(), index: 0 },
///     Hint::CoverEnumValue { location: "#/properties/a".into(), index: 2 },
/// ];
/// hints.sort_by(Hint::by_precedence);
/// let kinds: Vec<String> = hints.iter().map(|hint| hint.kind().to_string()).collect();
/// assert_eq!(kinds, ["coverEnumValue", "preferBranch", "preferBranch", "ensurePropertyPresence"]);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Hint {
    /// A member of an enumeration.
    CoverEnumValue {
        /// The location of the enumeration.
        location: String,
        /// The index of the member.
        index: usize,
    },
    /// A branch of `oneOf` or `anyOf`, or an outcome of a condition.
    PreferBranch {
        /// The location of the branches: `…/oneOf`, `…/anyOf`, `…/if`,
        /// `…/dependentSchemas/<name>`.
        location: String,
        /// The index of the branch. For a condition, 0 means that it holds, 1 that it does not.
        index: usize,
    },
    /// That a property is present, or absent.
    EnsurePropertyPresence {
        /// The location of the object.
        location: String,
        /// The name of the property.
        property: String,
        /// Whether it should be present.
        present: bool,
    },
}

impl Hint {
    /// The hint for `target`, if there is one.
    #[must_use]
    pub fn of(target: &Target) -> Option<Self> {
        let location = target.location().to_owned();
        Some(match (target.kind(), target.params()) {
            (TargetKind::EnumValueHit, Params::Member { index, .. }) => {
                Self::CoverEnumValue { location, index: *index }
            }
            (TargetKind::OneOfBranch | TargetKind::AnyOfBranch, Params::Branch(index)) => {
                Self::PreferBranch { location, index: *index }
            }
            (TargetKind::ConditionalPath, Params::Path(path)) => {
                Self::PreferBranch { location, index: usize::from(!path.holds()) }
            }
            (TargetKind::PropertyPresent, Params::None) => {
                let (object, name) = declared(&location)?;
                Self::EnsurePropertyPresence { location: object, property: name, present: true }
            }
            _ => return None,
        })
    }

    /// What kind of hint it is.
    #[must_use]
    pub fn kind(&self) -> HintKind {
        match self {
            Self::CoverEnumValue { .. } => HintKind::CoverEnumValue,
            Self::PreferBranch { .. } => HintKind::PreferBranch,
            Self::EnsurePropertyPresence { .. } => HintKind::EnsurePropertyPresence,
        }
    }

    /// The schema location that it applies to.
    #[must_use]
    pub fn location(&self) -> &str {
        match self {
            Self::CoverEnumValue { location, .. }
            | Self::PreferBranch { location, .. }
            | Self::EnsurePropertyPresence { location, .. } => location,
        }
    }

    /// What it requires there, as reports show it.
    #[must_use]
    pub fn params(&self) -> Map<String, Value> {
        let params = match self {
            Self::CoverEnumValue { index, .. } => json!({ "valueIndex": index }),
            Self::PreferBranch { index, .. } => json!({ "branchIndex": index }),
            Self::EnsurePropertyPresence { property, present, .. } => {
                json!({ "property": property, "present": present })
            }
        };
        params.as_object().cloned().unwrap_or_default()
    }

    /// The entry of a report that says that no instance satisfies it, and why.
    pub(crate) fn unsatisfied(&self, code: ReasonCode, detail: &str) -> UnsatisfiedHint {
        UnsatisfiedHint {
            kind: self.kind(),
            canon_path: self.location().to_owned(),
            params: Some(self.params()),
            reason_code: code,
            reason_detail: Some(detail.to_owned()),
        }
    }

    /// Which of two contradicting hints takes precedence: a member of an enumeration before a branch,
    /// and a branch before a property. A stable sort keeps hints of one kind in their order.
    #[must_use]
    pub fn by_precedence(&self, other: &Self) -> Ordering {
        self.kind().cmp(&other.kind())
    }
}

/// What kind of hint it is, the one that takes precedence first.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum HintKind {
    /// A member of an enumeration.
    CoverEnumValue,
    /// A branch, or an outcome of a condition.
    PreferBranch,
    /// That a property is present, or absent.
    EnsurePropertyPresence,
    /// A kind that this version does not know, in a report of another one.
    Unknown(String),
}

impl HintKind {
    /// The word that reports use.
    #[must_use]
    pub fn as_str(&self) -> &str {
        match self {
            Self::CoverEnumValue => "coverEnumValue",
            Self::PreferBranch => "preferBranch",
            Self::EnsurePropertyPresence => "ensurePropertyPresence",
            Self::Unknown(word) => word,
        }
    }
}

impl From<&str> for HintKind {
    fn from(word: &str) -> Self {
        let known = [Self::CoverEnumValue, Self::PreferBranch, Self::EnsurePropertyPresence];
        let found = known.into_iter().find(|kind| kind.as_str() == word);
        found.unwrap_or_else(|| Self::Unknown(word.to_owned()))
    }
}

impl fmt::Display for HintKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

/// The location of the object and the name of the property, from `…/properties/<name>`.
fn declared(location: &str) -> Option<(String, String)> {
    let (properties, name) = location.rsplit_once('/')?;
    let object = properties.strip_suffix("/properties")?;
    Some((object.to_owned(), name.replace("~1", "/").replace("~0", "~")))
}

#[cfg(test)]
mod tests {
    use super::declared;

    #[test]
    fn the_object_of_a_property_is_what_declares_it() {
        let found = declared("#/$defs/properties/properties/a~1b~01");
        assert_eq!(found, Some(("#/$defs/properties".to_owned(), "a/b~1".to_owned())));
        assert_eq!(declared("#/patternProperties/^a"), None);
    }
}
