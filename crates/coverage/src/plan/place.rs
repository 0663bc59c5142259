//! A place of a blueprint: a schema location that a value is to stand at, and what it is to look like.

use std::collections::{BTreeMap, BTreeSet};

use foolproof_contract::{NodeId, Pointer};
use serde_json::Value;

use super::route::Goal;

/// A place of a blueprint.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    pub(crate) node: NodeId,
    /// Where in the instance it stands.
    pub(crate) at: Pointer,
    pub(crate) members: BTreeMap<String, Option<usize>>,
    pub(crate) lacking: BTreeSet<String>,
    pub(crate) items: BTreeMap<usize, usize>,
    pub(crate) along: BTreeMap<usize, usize>,
    pub(crate) branches: BTreeMap<&'static str, (usize, usize)>,
    pub(crate) conditions: BTreeMap<usize, bool>,
    /// The values of properties that conditions hang on.
    pub(crate) given: BTreeMap<String, Value>,
    pub(crate) value: Option<Value>,
    pub(crate) length: Option<u64>,
    pub(crate) size: Option<u64>,
}

impl Place {
    pub(super) fn new(node: NodeId, at: Pointer) -> Self {
        Self {
            node,
            at,
            members: BTreeMap::new(),
            lacking: BTreeSet::new(),
            items: BTreeMap::new(),
            along: BTreeMap::new(),
            branches: BTreeMap::new(),
            conditions: BTreeMap::new(),
            given: BTreeMap::new(),
            value: None,
            length: None,
            size: None,
        }
    }

    /// Whether nothing is asked of it that only a value of another kind could meet.
    pub(super) fn is_open(&self) -> bool {
        self.value.is_none() && self.length.is_none()
    }
}

/// Whether the value at `place` can be what is wished for.
pub(super) fn fits_goal(place: &Place, goal: &Goal) -> bool {
    let holds_nothing = place.members.is_empty() && place.items.is_empty();
    match goal {
        Goal::Nothing => true,
        Goal::Be(value) => {
            holds_nothing
                && place.length.is_none()
                && place.size.is_none()
                && place.value.as_ref().is_none_or(|decided| decided == value)
        }
        Goal::Length(length) => {
            holds_nothing
                && place.value.is_none()
                && place.size.is_none()
                && place.length.is_none_or(|decided| decided == *length)
        }
        Goal::Size(size) => {
            let last = place.items.keys().next_back();
            place.is_open()
                && place.members.is_empty()
                && place.size.is_none_or(|decided| decided == *size)
                && last.is_none_or(|last| (*last as u64) < *size)
        }
        Goal::Have(name) => place.is_open() && !place.lacking.contains(name),
        Goal::Lack(name) => !place.members.contains_key(name),
        Goal::Decide { condition, holds } => {
            place.conditions.get(condition).is_none_or(|decided| decided == holds)
        }
    }
}

/// Asks the value at `place` to be what is wished for.
pub(super) fn grant(place: &mut Place, goal: &Goal) {
    match goal {
        Goal::Nothing => {}
        Goal::Be(value) => place.value = Some(value.clone()),
        Goal::Length(length) => place.length = Some(*length),
        Goal::Size(size) => place.size = Some(*size),
        Goal::Have(name) => {
            place.members.entry(name.clone()).or_insert(None);
        }
        Goal::Lack(name) => {
            place.lacking.insert(name.clone());
        }
        Goal::Decide { condition, holds } => {
            place.conditions.insert(*condition, *holds);
        }
    }
}
