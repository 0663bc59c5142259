//! What a node offers, with its unions and filters resolved: sets of strings, sets of numbers, and the rest.

use std::{collections::BTreeSet, sync::LazyLock};

use foolproof_contract::{IntegerShape, JsonType, NumberShape, StringShape};
use serde_json::{Number, Value};

use super::{Group, NumberKind};
use crate::{
    Integers, Numbers, Source, Strings,
    plan::{ArrayPlan, Filter, Node, NodeId, ObjectPlan, Plan},
};

/// A set of values, and what its values must also satisfy.
pub(super) struct Filtered<'p, T> {
    pub(super) set: T,
    filters: Vec<&'p Filter>,
}

impl<T> Filtered<'_, T> {
    pub(super) fn is_filtered(&self) -> bool {
        !self.filters.is_empty()
    }

    pub(super) fn passes(&self, value: &Value) -> bool {
        self.filters.iter().all(|filter| filter.admits(value))
    }
}

/// A set of strings.
#[derive(Clone, Copy)]
pub(super) enum StringSet<'p> {
    Any,
    Of(&'p Strings),
}

impl StringSet<'_> {
    fn admits(self, text: &str) -> bool {
        match self {
            Self::Any => true,
            Self::Of(strings) => strings.admits(text),
        }
    }

    pub(super) fn draw(self, source: &mut impl Source) -> Option<String> {
        static ANY: LazyLock<Strings> = LazyLock::new(|| Strings::compile(&StringShape::default()));
        match self {
            Self::Any => ANY.draw(source),
            Self::Of(strings) => strings.draw(source),
        }
    }
}

/// A set of numbers.
#[derive(Clone, Copy)]
pub(super) enum NumberSet<'p> {
    Any,
    AnyInteger,
    Integers(&'p Integers),
    Numbers(&'p Numbers),
}

static ANY_INTEGER: LazyLock<Integers> =
    LazyLock::new(|| Integers::compile(&IntegerShape::default()));
static ANY_NUMBER: LazyLock<Numbers> = LazyLock::new(|| Numbers::compile(&NumberShape::default()));

impl NumberSet<'_> {
    fn admits(self, number: &Number) -> bool {
        match self {
            Self::Any => true,
            Self::AnyInteger => ANY_INTEGER.admits(number),
            Self::Integers(integers) => integers.admits(number),
            Self::Numbers(numbers) => numbers.admits(number),
        }
    }

    pub(super) fn draw(self, source: &mut impl Source) -> Option<Number> {
        match self {
            Self::Any => ANY_NUMBER.draw(source),
            Self::AnyInteger => ANY_INTEGER.draw(source),
            Self::Integers(integers) => integers.draw(source),
            Self::Numbers(numbers) => numbers.draw(source),
        }
    }
}

/// A set that nobody needs to supply, or whose parts are supplied one by one.
#[derive(Clone, Copy)]
pub(super) enum Other<'p> {
    Null,
    Boolean,
    AnyArray,
    AnyObject,
    Values(&'p [Value]),
    Array(&'p ArrayPlan),
    Object(&'p ObjectPlan),
}

/// What a node offers.
#[derive(Default)]
pub(super) struct Alternatives<'p> {
    pub(super) strings: Vec<Filtered<'p, StringSet<'p>>>,
    pub(super) numbers: Vec<Filtered<'p, NumberSet<'p>>>,
    pub(super) others: Vec<Filtered<'p, Other<'p>>>,
    /// The node of each of the others.
    nodes: Vec<NodeId>,
}

impl<'p> Alternatives<'p> {
    pub(super) fn of(plan: &'p Plan, id: NodeId) -> Self {
        let mut found = Self::default();
        found.add(plan, id, &[], &mut BTreeSet::new());
        found
    }

    fn add(
        &mut self,
        plan: &'p Plan,
        id: NodeId,
        filters: &[&'p Filter],
        passed: &mut BTreeSet<NodeId>,
    ) {
        let filtered = || filters.to_vec();
        let mut other = |set: Other<'p>| {
            self.others.push(Filtered { set, filters: filtered() });
            self.nodes.push(id);
        };
        match &*plan.nodes[id.index()] {
            Node::Never => {}
            Node::Values(values) if values.is_empty() => {}
            Node::Values(values) => other(Other::Values(values)),
            Node::Array(array) => other(Other::Array(array)),
            Node::Object(object) => other(Other::Object(object)),
            Node::String(strings) => {
                self.strings.push(Filtered { set: StringSet::Of(strings), filters: filtered() });
            }
            Node::Integer(integers) => self
                .numbers
                .push(Filtered { set: NumberSet::Integers(integers), filters: filtered() }),
            Node::Number(numbers) => self
                .numbers
                .push(Filtered { set: NumberSet::Numbers(numbers), filters: filtered() }),
            Node::Types(types) => {
                for kind in types {
                    self.add_type(*kind, id, filters);
                }
            }
            Node::Union(options) => {
                for option in options {
                    self.add_once(plan, *option, filters, passed);
                }
            }
            Node::Filtered { bases, filter } => {
                let filters: Vec<&'p Filter> = filters.iter().copied().chain([filter]).collect();
                for base in bases {
                    self.add_once(plan, *base, &filters, passed);
                }
            }
        }
    }

    /// A union may lead to itself, and reach a node on several ways.
    fn add_once(
        &mut self,
        plan: &'p Plan,
        id: NodeId,
        filters: &[&'p Filter],
        passed: &mut BTreeSet<NodeId>,
    ) {
        if passed.insert(id) {
            self.add(plan, id, filters, passed);
            passed.remove(&id);
        }
    }

    fn add_type(&mut self, kind: JsonType, id: NodeId, filters: &[&'p Filter]) {
        let filters = filters.to_vec();
        let other = match kind {
            JsonType::String => {
                self.strings.push(Filtered { set: StringSet::Any, filters });
                return;
            }
            JsonType::Integer => {
                self.numbers.push(Filtered { set: NumberSet::AnyInteger, filters });
                return;
            }
            JsonType::Number => {
                self.numbers.push(Filtered { set: NumberSet::Any, filters });
                return;
            }
            JsonType::Null => Other::Null,
            JsonType::Boolean => Other::Boolean,
            JsonType::Array => Other::AnyArray,
            JsonType::Object => Other::AnyObject,
        };
        self.others.push(Filtered { set: other, filters });
        self.nodes.push(id);
    }

    pub(super) fn admits_string(&self, text: &str) -> bool {
        let value = || Value::String(text.to_owned());
        let is_in = |set: &Filtered<'_, StringSet<'_>>| {
            set.set.admits(text) && (!set.is_filtered() || set.passes(&value()))
        };
        self.strings.iter().any(is_in)
    }

    pub(super) fn admits_number(&self, number: &Number) -> bool {
        let value = || Value::Number(number.clone());
        let is_in = |set: &Filtered<'_, NumberSet<'_>>| {
            set.set.admits(number) && (!set.is_filtered() || set.passes(&value()))
        };
        self.numbers.iter().any(is_in)
    }

    /// Which numbers it offers.
    pub(super) fn number_kind(&self) -> NumberKind {
        let is_integral = |set: &Filtered<'_, NumberSet<'_>>| {
            matches!(set.set, NumberSet::AnyInteger | NumberSet::Integers(_))
        };
        if self.numbers.iter().all(is_integral) { NumberKind::Integer } else { NumberKind::Any }
    }

    /// How deep the values of `group` are at least.
    pub(super) fn depth(&self, plan: &Plan, group: Group) -> u32 {
        match group {
            Group::String | Group::Number => 0,
            Group::Other(index) => {
                plan.least[self.nodes[index].index()].map_or(u32::MAX, |least| least.depth)
            }
        }
    }
}
