//! What limited a run: hints that were not satisfied, and caps of the planner.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::{Dimension, HintKind};

/// What limited a run, and what else a reader should know.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Diagnostics {
    /// The scopes in which the planner left targets out.
    pub planner_caps_hit: Vec<PlannerCapHit>,
    /// Sentences for people. The format allows any value; this version writes strings.
    pub notes: Vec<Value>,
}

/// A scope in which the planner left targets out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PlannerCapHit {
    /// The dimension of the targets.
    pub dimension: Dimension,
    /// What kind of scope it is.
    pub scope_type: ScopeType,
    /// The location of the schema, or the key of the operation.
    pub scope_key: String,
    /// How many targets the scope has.
    pub total_targets: usize,
    /// How many of them were planned.
    pub planned_targets: usize,
    /// How many were not.
    pub unplanned_targets: usize,
}

/// What a cap of the planner applies to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum ScopeType {
    /// A schema.
    Schema,
    /// An operation of an API.
    Operation,
}

/// A hint that no instance satisfied.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct UnsatisfiedHint {
    /// `preferBranch`, `ensurePropertyPresence` or `coverEnumValue`.
    pub kind: HintKind,
    /// The schema location that it applies to.
    pub canon_path: String,
    /// The branch, property or member that it requires.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub params: Option<Map<String, Value>>,
    /// Why it was not satisfied.
    pub reason_code: ReasonCode,
    /// The reason in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason_detail: Option<String>,
}

impl UnsatisfiedHint {
    /// What a list of hints is sorted by: first those that a reader can do something about, last those that
    /// the contract rules out.
    pub(crate) fn priority(&self) -> usize {
        self.reason_code.priority()
    }
}

/// Why a hint was not satisfied.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
#[non_exhaustive]
pub enum ReasonCode {
    /// The schema does not allow it.
    ConflictingConstraints,
    /// It was applied, and repair had to undo it.
    RepairModifiedValue,
    /// Its branch is proven unreachable.
    UnreachableBranch,
    /// The planner left it out.
    PlannerCap,
    /// An internal error of foolproof.
    InternalError,
    /// The reason is not known.
    Unknown,
}

impl ReasonCode {
    /// All of them, in the order of the requirements.
    pub const ALL: [Self; 6] = [
        Self::ConflictingConstraints,
        Self::RepairModifiedValue,
        Self::UnreachableBranch,
        Self::PlannerCap,
        Self::InternalError,
        Self::Unknown,
    ];

    /// Its place in a list by what a reader can do about it: a limit can be raised, a value that repair
    /// changed or that was not found may be found with another seed; what is proven impossible stays so.
    #[must_use]
    pub fn priority(self) -> usize {
        match self {
            Self::PlannerCap => 0,
            Self::RepairModifiedValue => 1,
            Self::Unknown => 2,
            Self::InternalError => 3,
            Self::ConflictingConstraints | Self::UnreachableBranch => 4,
        }
    }

    /// The code that reports use.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::ConflictingConstraints => "CONFLICTING_CONSTRAINTS",
            Self::RepairModifiedValue => "REPAIR_MODIFIED_VALUE",
            Self::UnreachableBranch => "UNREACHABLE_BRANCH",
            Self::PlannerCap => "PLANNER_CAP",
            Self::InternalError => "INTERNAL_ERROR",
            Self::Unknown => "UNKNOWN",
        }
    }
}
