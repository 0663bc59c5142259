//! A node of a blueprint: a schema that applies to a value of the instance, and what is required of
//! that value.

use std::collections::{BTreeMap, BTreeSet};

use foolproof_contract::{NodeId, Pointer, json_equal};
use serde_json::Value;

use super::route::Goal;

/// A node of a blueprint. Other nodes are referred to by their index in the blueprint.
#[derive(Clone, Debug)]
pub(crate) struct BlueprintNode {
    /// The schema that applies to the value.
    pub(crate) schema: NodeId,
    /// The path of the value in the instance.
    pub(crate) path: Pointer,
    /// Properties that are present; with a node if something is required of their values.
    pub(crate) members: BTreeMap<String, Option<usize>>,
    /// Properties that are absent.
    pub(crate) absent: BTreeSet<String>,
    /// The nodes of items, by their index in the array.
    pub(crate) items: BTreeMap<usize, usize>,
    /// The nodes of other schemas that apply to the same value, by the edge that leads to them.
    pub(crate) in_place: BTreeMap<usize, usize>,
    /// By `anyOf` or `oneOf`: the edge of the branch that is taken, and its node.
    pub(crate) branches: BTreeMap<&'static str, (usize, usize)>,
    /// Whether the condition at an edge holds.
    pub(crate) conditions: BTreeMap<usize, bool>,
    /// The values of properties that conditions depend on.
    pub(crate) property_values: BTreeMap<String, Value>,
    pub(crate) value: Option<Value>,
    pub(crate) length: Option<u64>,
    pub(crate) size: Option<u64>,
}

impl BlueprintNode {
    pub(super) fn new(schema: NodeId, path: Pointer) -> Self {
        Self {
            schema,
            path,
            members: BTreeMap::new(),
            absent: BTreeSet::new(),
            items: BTreeMap::new(),
            in_place: BTreeMap::new(),
            branches: BTreeMap::new(),
            conditions: BTreeMap::new(),
            property_values: BTreeMap::new(),
            value: None,
            length: None,
            size: None,
        }
    }

    /// Whether the value may be an object or an array: no fixed value and no length of a string is
    /// required of it.
    pub(super) fn may_have_children(&self) -> bool {
        self.value.is_none() && self.length.is_none()
    }

    /// Whether the value can meet `goal` together with what is required of it already.
    pub(super) fn can_meet(&self, goal: &Goal) -> bool {
        let is_childless = self.members.is_empty() && self.items.is_empty();
        match goal {
            Goal::Exists => true,
            Goal::Equals(value) => {
                is_childless
                    && self.length.is_none()
                    && self.size.is_none()
                    && self.value.as_ref().is_none_or(|required| json_equal(required, value))
            }
            Goal::Length(length) => {
                is_childless
                    && self.value.is_none()
                    && self.size.is_none()
                    && self.length.is_none_or(|required| required == *length)
            }
            Goal::Size(size) => {
                let last = self.items.keys().next_back();
                self.may_have_children()
                    && self.members.is_empty()
                    && self.size.is_none_or(|required| required == *size)
                    && last.is_none_or(|last| (*last as u64) < *size)
            }
            Goal::HasProperty(name) => self.may_have_children() && !self.absent.contains(name),
            Goal::LacksProperty(name) => !self.members.contains_key(name),
            Goal::Condition { condition, holds } => {
                self.conditions.get(condition).is_none_or(|required| required == holds)
            }
        }
    }

    /// Requires the value to meet `goal`.
    pub(super) fn require(&mut self, goal: &Goal) {
        match goal {
            Goal::Exists => {}
            Goal::Equals(value) => self.value = Some(value.clone()),
            Goal::Length(length) => self.length = Some(*length),
            Goal::Size(size) => self.size = Some(*size),
            Goal::HasProperty(name) => {
                self.members.entry(name.clone()).or_insert(None);
            }
            Goal::LacksProperty(name) => {
                self.absent.insert(name.clone());
            }
            Goal::Condition { condition, holds } => {
                self.conditions.insert(*condition, *holds);
            }
        }
    }
}
