//! Whether a plan has any value with the strings and numbers at hand, and if not, what is missing.
//!
//! A place can be filled if one of its alternatives can: a string or number that fits, or a structure all of
//! whose required parts can be filled. That is a least fixed point, since a schema may contain itself.

use std::collections::BTreeMap;

use foolproof_contract::Pointer;
use serde_json::Number;

use super::{Alternatives, NumberKind, Place, alternatives::Other};
use crate::plan::{NodeId, Plan};

/// What is missing at a required place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum MissingKind {
    /// A string.
    String,
    /// An integer.
    Integer,
    /// A number.
    Number,
    /// Something else: no value is known to exist at all.
    Value,
}

/// The first required place that cannot be filled.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Missing {
    /// What is missing.
    pub kind: MissingKind,
    /// Where.
    pub place: Place,
}

/// Says which strings and numbers are at hand.
pub trait AtHand {
    /// Whether there is a string for `place` that `fits`.
    fn has_string(&self, place: &Place, fits: &dyn Fn(&str) -> bool) -> bool;

    /// Whether there is a number for `place` that `fits`.
    fn has_number(&self, place: &Place, kind: NumberKind, fits: &dyn Fn(&Number) -> bool) -> bool;
}

/// A node at places in a property of this name.
type State = (NodeId, Option<String>);

impl Plan {
    /// The first required place that cannot be filled with the strings and numbers at hand; `None` if a value
    /// can be drawn, as far as the plan can tell.
    #[must_use]
    pub fn missing(&self, at_hand: &impl AtHand) -> Option<Missing> {
        let mut search = Search { plan: self, at_hand, states: BTreeMap::new() };
        search.discover((self.root, None));
        while search.round() {}
        let root = Place::root();
        if search.is_filled(self.root, &root) {
            None
        } else {
            Some(search.first(self.root, root, 0))
        }
    }
}

struct Search<'p, A> {
    plan: &'p Plan,
    at_hand: &'p A,
    /// Whether each node can be filled, as far as is known.
    states: BTreeMap<State, bool>,
}

impl<A: AtHand> Search<'_, A> {
    /// Adds all states that can be reached from `start`.
    fn discover(&mut self, start: State) {
        let mut pending = vec![start];
        while let Some((id, property)) = pending.pop() {
            if self.states.contains_key(&(id, property.clone())) {
                continue;
            }
            self.states.insert((id, property.clone()), false);
            for other in &Alternatives::of(self.plan, id).others {
                match other.set {
                    Other::Object(object) => {
                        let members = object.required.iter().chain(&object.optional);
                        pending.extend(members.map(|(name, node)| (*node, Some(name.clone()))));
                    }
                    Other::Array(array) => {
                        let contained = array.contains.iter().map(|contains| contains.node);
                        let items = array.prefix.iter().copied().chain(array.items);
                        pending.extend(items.chain(contained).map(|node| (node, property.clone())));
                    }
                    Other::Null
                    | Other::Boolean
                    | Other::AnyArray
                    | Other::AnyObject
                    | Other::Values(_) => {}
                }
            }
        }
    }

    /// Looks at every state once more. Returns whether anything changed.
    fn round(&mut self) -> bool {
        let open: Vec<State> = self
            .states
            .iter()
            .filter(|(_, filled)| !**filled)
            .map(|(state, _)| state.clone())
            .collect();
        let mut changed = false;
        // What a node contains mostly comes after it.
        for state in open.into_iter().rev() {
            let place = Place { pointer: Pointer::root(), property: state.1.clone() };
            if self.can_fill(state.0, &place) {
                self.states.insert(state, true);
                changed = true;
            }
        }
        changed
    }

    fn is_filled(&self, id: NodeId, place: &Place) -> bool {
        self.states.get(&(id, place.property.clone())).copied().unwrap_or(false)
    }

    fn can_fill(&self, id: NodeId, place: &Place) -> bool {
        let alternatives = Alternatives::of(self.plan, id);
        let has_string = !alternatives.strings.is_empty()
            && self.at_hand.has_string(place, &|text| alternatives.admits_string(text));
        let has_number = || {
            !alternatives.numbers.is_empty()
                && self.at_hand.has_number(place, alternatives.number_kind(), &|number| {
                    alternatives.admits_number(number)
                })
        };
        has_string
            || has_number()
            || alternatives
                .others
                .iter()
                .any(|other| matches!(self.structure(other.set, place), Structure::Filled))
    }

    /// Whether a structure can be filled, or which part of it cannot.
    fn structure(&self, other: Other<'_>, place: &Place) -> Structure {
        match other {
            Other::Null
            | Other::Boolean
            | Other::AnyArray
            | Other::AnyObject
            | Other::Values(_) => Structure::Filled,
            Other::Array(array) => {
                let least = array.min.max(array.contained());
                let mut needed: Vec<NodeId> = array.prefix.iter().copied().take(least).collect();
                needed.extend(array.items.filter(|_| array.min > array.prefix.len()));
                needed.extend(array.contains.iter().map(|contains| contains.node));
                let parts = needed.into_iter().enumerate();
                self.all(parts.map(|(index, node)| (node, place.item(index))))
            }
            Other::Object(object) => {
                let required = object.required.iter();
                let required = self.all(required.map(|(name, node)| (*node, place.member(name))));
                if !matches!(required, Structure::Filled) {
                    return required;
                }
                let optional = object.optional.iter();
                let optional = optional.map(|(name, node)| (*node, place.member(name)));
                let (filled, open): (Vec<_>, Vec<_>) =
                    optional.partition(|(node, place)| self.is_filled(*node, place));
                if object.required.len() + filled.len() >= object.min {
                    return Structure::Filled;
                }
                open.into_iter().next().map_or(Structure::Impossible, Structure::Lacks)
            }
        }
    }

    /// Whether all of `parts` can be filled.
    fn all(&self, mut parts: impl Iterator<Item = (NodeId, Place)>) -> Structure {
        let open = parts.find(|(node, place)| !self.is_filled(*node, place));
        open.map_or(Structure::Filled, Structure::Lacks)
    }

    /// The first required place that cannot be filled, at or below `id`.
    fn first(&self, id: NodeId, place: Place, nested: usize) -> Missing {
        let alternatives = Alternatives::of(self.plan, id);
        if !alternatives.strings.is_empty() {
            return Missing { kind: MissingKind::String, place };
        }
        if !alternatives.numbers.is_empty() {
            let kind = match alternatives.number_kind() {
                NumberKind::Integer => MissingKind::Integer,
                NumberKind::Any => MissingKind::Number,
            };
            return Missing { kind, place };
        }
        let lacking =
            alternatives.others.iter().find_map(|other| match self.structure(other.set, &place) {
                Structure::Lacks(part) => Some(part),
                Structure::Filled | Structure::Impossible => None,
            });
        // A schema that needs itself has no first place.
        match lacking.filter(|_| nested < self.plan.nodes.len()) {
            Some((node, inside)) => self.first(node, inside, nested + 1),
            None => Missing { kind: MissingKind::Value, place },
        }
    }
}

/// Whether a structure can be filled.
enum Structure {
    Filled,
    /// This part cannot.
    Lacks((NodeId, Place)),
    /// It needs more parts than there are.
    Impossible,
}
