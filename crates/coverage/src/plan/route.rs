//! A route: the steps from the root of an instance to one of its values, and the goal there.

use foolproof_contract::{NodeId, json_equal};
use serde_json::Value;

/// One step from a schema to the next, with the value that it applies to.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum RouteStep {
    /// Into the property of this name.
    Member(String),
    /// Into a property of one of these names: an entry of a map.
    Entry(Vec<String>),
    /// Into an item whose index is at least `from` and less than `to`.
    Item { from: usize, to: usize },
    /// To a schema that always applies to the same value.
    InPlace { edge: usize },
    /// To a branch. A value takes one branch of a keyword in a blueprint.
    Branch { keyword: &'static str, edge: usize },
    /// To a schema that applies if the condition at the edge `condition` holds, or if it does not.
    Condition { condition: usize, holds: bool, edge: usize },
    /// To the same schema and the same value, in which the property has this value.
    PropertyEquals {
        name: String,
        value: Value,
        /// Whether no other value of the property leads on from here.
        is_forced: bool,
    },
    /// To a schema that applies if the property is present.
    Dependent { name: String, edge: usize },
}

impl RouteStep {
    /// Whether it leads to a child of the current value.
    pub(crate) fn leads_to_child(&self) -> bool {
        match self {
            Self::Member(_) | Self::Entry(_) | Self::Item { .. } => true,
            Self::InPlace { .. }
            | Self::Branch { .. }
            | Self::Condition { .. }
            | Self::PropertyEquals { .. }
            | Self::Dependent { .. } => false,
        }
    }
}

/// What is required of the value at the end of a route.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Goal {
    /// That it exists.
    Exists,
    /// That it equals this value.
    Equals(Value),
    /// That it is a string of this length.
    Length(u64),
    /// That it is an array of this size.
    Size(u64),
    /// That it has a property.
    HasProperty(String),
    /// That it lacks a property.
    LacksProperty(String),
    /// That the condition at an edge holds, or does not.
    Condition { condition: usize, holds: bool },
}

impl Goal {
    /// Whether no object can meet it.
    pub(crate) fn excludes_objects(&self) -> bool {
        match self {
            Self::Equals(value) => !value.is_object(),
            Self::Length(_) | Self::Size(_) => true,
            Self::Exists
            | Self::HasProperty(_)
            | Self::LacksProperty(_)
            | Self::Condition { .. } => false,
        }
    }
}

/// The steps from the root to a value, each with the schema that it leads to, and the goal there.
#[derive(Clone, Debug)]
pub(crate) struct Route {
    pub(crate) steps: Vec<(RouteStep, NodeId)>,
    pub(crate) goal: Goal,
}

impl Route {
    /// The steps after the last one that enters a value at the schema `part`; nothing if none does.
    pub(crate) fn after(&self, part: NodeId) -> Option<&[(RouteStep, NodeId)]> {
        let enters =
            |(step, schema): &(RouteStep, NodeId)| step.leads_to_child() && *schema == part;
        let position = self.steps.iter().rposition(enters)?;
        Some(&self.steps[position + 1..])
    }
}

/// Whether the rest of a route through a property that has to equal `value` ends at that property,
/// with a goal that the value does not contradict.
pub(super) fn is_met_by(value: &Value, rest: &[(RouteStep, NodeId)], goal: &Goal) -> bool {
    if rest.iter().any(|(step, _)| step.leads_to_child()) {
        return false;
    }
    match goal {
        Goal::Equals(required) => json_equal(required, value),
        Goal::Length(length) => {
            value.as_str().is_some_and(|text| text.chars().count() as u64 == *length)
        }
        Goal::Exists | Goal::Condition { .. } | Goal::LacksProperty(_) => true,
        Goal::Size(_) | Goal::HasProperty(_) => false,
    }
}
