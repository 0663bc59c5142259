//! A way from the root of an instance to one of its places, and what is asked there.

use foolproof_contract::NodeId;
use serde_json::Value;

/// One step from a place to the next.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum RouteStep {
    /// Into the property of this name.
    Member(String),
    /// Into a property of one of these names: an entry of a map.
    Entry(Vec<String>),
    /// Into an item at one of the positions from `from` on, the end excluded.
    Item { from: usize, to: usize },
    /// To a schema that applies to the same value in any case.
    Along { edge: usize },
    /// To a branch; only one under a keyword is taken.
    Branch { keyword: &'static str, edge: usize },
    /// To a schema that applies where the condition at `condition` holds, or does not.
    Condition { condition: usize, holds: bool, edge: usize },
    /// To the same place, where the property has this value.
    PropertyEquals {
        name: String,
        value: Value,
        /// Whether nothing else leads on from here.
        is_forced: bool,
    },
    /// To a schema that applies where the property is there.
    Dependent { name: String, edge: usize },
}

impl RouteStep {
    /// Whether it leads to a value inside the one at hand.
    pub(crate) fn leads_inside(&self) -> bool {
        match self {
            Self::Member(_) | Self::Entry(_) | Self::Item { .. } => true,
            Self::Along { .. }
            | Self::Branch { .. }
            | Self::Condition { .. }
            | Self::PropertyEquals { .. }
            | Self::Dependent { .. } => false,
        }
    }
}

/// What is asked of the value at the end of a route.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Goal {
    /// That it is there.
    Nothing,
    /// To be this value.
    Be(Value),
    /// To be a text of this length.
    Length(u64),
    /// To be an array of this size.
    Size(u64),
    /// To have a property.
    Have(String),
    /// To lack a property.
    Lack(String),
    /// That the condition holds, or does not.
    Decide { condition: usize, holds: bool },
}

impl Goal {
    /// Whether only a value that is no object can grant it.
    pub(crate) fn is_for_no_object(&self) -> bool {
        match self {
            Self::Be(value) => !value.is_object(),
            Self::Length(_) | Self::Size(_) => true,
            Self::Nothing | Self::Have(_) | Self::Lack(_) | Self::Decide { .. } => false,
        }
    }
}

/// A way from the root to a place, and what is asked there.
#[derive(Clone, Debug)]
pub(crate) struct Route {
    pub(crate) moves: Vec<(RouteStep, NodeId)>,
    pub(crate) goal: Goal,
}

/// Whether the rest of a route through a property that has to be `value` leads nowhere else.
pub(super) fn is_granted(value: &Value, rest: &[(RouteStep, NodeId)], goal: &Goal) -> bool {
    if rest.iter().any(|(step, _)| step.leads_inside()) {
        return false;
    }
    match goal {
        Goal::Be(wished) => wished == value,
        Goal::Length(length) => {
            value.as_str().is_some_and(|text| text.chars().count() as u64 == *length)
        }
        Goal::Nothing | Goal::Decide { .. } | Goal::Lack(_) => true,
        Goal::Size(_) | Goal::Have(_) => false,
    }
}
