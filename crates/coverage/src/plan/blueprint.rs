//! A blueprint: what one instance is to look like so that it hits many targets at once.
//!
//! It is a tree of places, each a schema location that a value is to stand at: which members and
//! items it has, which branches it takes, which conditions hold, which value it is. Targets are added
//! along their routes as long as they do not contradict what is there already. Written out as a
//! schema and intersected with the contract, a blueprint is a demand: the set of the root values
//! that hit all of it.

use std::collections::{BTreeMap, BTreeSet};

use foolproof_contract::NodeId;
use serde_json::Value;

/// The most places of one blueprint: an instance needs not be larger.
const MOST_PLACES: usize = 1_500;

/// The most items of one array.
const MOST_ITEMS: usize = 24;

/// One step from a place to the next.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Move {
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
    Given {
        name: String,
        value: Value,
        /// Whether nothing else leads on from here.
        is_forced: bool,
    },
    /// To a schema that applies where the property is there.
    Dependent { name: String, edge: usize },
}

/// What is asked of the value at the end of a route.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Wish {
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

/// A way from the root to a place, and what is asked there.
#[derive(Clone, Debug)]
pub(crate) struct Route {
    pub(crate) moves: Vec<(Move, NodeId)>,
    pub(crate) wish: Wish,
}

/// A place of a blueprint.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    pub(crate) node: NodeId,
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
    fn at(node: NodeId) -> Self {
        Self {
            node,
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
    fn is_open(&self) -> bool {
        self.value.is_none() && self.length.is_none()
    }
}

/// What one instance is to look like. The first place is the root.
#[derive(Clone, Debug)]
pub(crate) struct Blueprint {
    places: Vec<Place>,
}

impl Blueprint {
    pub(crate) fn new(root: NodeId) -> Self {
        Self { places: vec![Place::at(root)] }
    }

    pub(crate) fn place(&self, index: usize) -> &Place {
        &self.places[index]
    }

    /// Adds a route, unless it contradicts what is there or there is no room. `false` leaves the
    /// blueprint as it was.
    pub(crate) fn add(&mut self, route: &Route) -> bool {
        if self.places.len() + route.moves.len() > MOST_PLACES
            || !self.fits(0, &route.moves, &route.wish)
        {
            return false;
        }
        self.build(0, &route.moves, &route.wish);
        true
    }

    /// Whether the rest of a route can be added below `index`.
    fn fits(&self, index: usize, moves: &[(Move, NodeId)], wish: &Wish) -> bool {
        let place = &self.places[index];
        let Some(((step, _), rest)) = moves.split_first() else { return fits_wish(place, wish) };
        let onward = |child: Option<usize>| child.is_none_or(|child| self.fits(child, rest, wish));
        match step {
            Move::Member(name) => {
                place.is_open()
                    && place.size.is_none()
                    && !place.lacking.contains(name)
                    && place.given.get(name).is_none_or(|value| is_granted(value, rest, wish))
                    && onward(place.members.get(name).copied().flatten())
            }
            Move::Entry(names) => {
                place.is_open()
                    && place.size.is_none()
                    && self.entry(place, names, rest, wish).is_some()
            }
            Move::Item { from, to } => {
                place.is_open()
                    && place.members.is_empty()
                    && self.position(place, *from, *to, rest, wish).is_some()
            }
            Move::Along { edge } => onward(place.along.get(edge).copied()),
            Move::Branch { keyword, edge } => match place.branches.get(keyword) {
                Some((taken, child)) => taken == edge && self.fits(*child, rest, wish),
                None => true,
            },
            Move::Condition { condition, holds, edge } => {
                place.conditions.get(condition).is_none_or(|decided| decided == holds)
                    && onward(place.along.get(edge).copied())
            }
            Move::Given { name, value, .. } => {
                let member = place.members.get(name).copied().flatten();
                let decided = member.and_then(|child| self.places[child].value.as_ref());
                place.is_open()
                    && !place.lacking.contains(name)
                    && decided.is_none_or(|decided| decided == value)
                    && place.given.get(name).is_none_or(|given| given == value)
                    && self.fits(index, rest, wish)
            }
            Move::Dependent { name, edge } => {
                place.is_open()
                    && !place.lacking.contains(name)
                    && onward(place.along.get(edge).copied())
            }
        }
    }

    /// Under which name an entry that the rest of a route leads into can stand: one that is there and
    /// fits, or one that is free.
    fn entry<'n>(
        &self,
        place: &Place,
        names: &'n [String],
        rest: &[(Move, NodeId)],
        wish: &Wish,
    ) -> Option<&'n String> {
        let child = |name: &String| place.members.get(name).copied().flatten();
        let is_shared =
            |name: &&String| child(name).is_some_and(|child| self.fits(child, rest, wish));
        let is_free = |name: &&String| {
            !place.members.contains_key(*name)
                && !place.lacking.contains(*name)
                && !place.given.contains_key(*name)
        };
        names.iter().find(is_shared).or_else(|| names.iter().find(is_free))
    }

    /// Where an item that the rest of a route leads into can stand: at an item that is there and
    /// fits, or at a position that is free.
    fn position(
        &self,
        place: &Place,
        from: usize,
        to: usize,
        rest: &[(Move, NodeId)],
        wish: &Wish,
    ) -> Option<usize> {
        let limit = place.size.and_then(|size| usize::try_from(size).ok()).unwrap_or(usize::MAX);
        let to = to.min(from.saturating_add(MOST_ITEMS)).min(limit);
        let known = place.items.range(from..to.max(from));
        let shared = known.clone().find(|(_, child)| self.fits(**child, rest, wish));
        shared
            .map(|(position, _)| *position)
            .or_else(|| (from..to).find(|position| !place.items.contains_key(position)))
    }

    fn build(&mut self, index: usize, moves: &[(Move, NodeId)], wish: &Wish) {
        let Some(((step, node), rest)) = moves.split_first() else {
            grant(&mut self.places[index], wish);
            return;
        };
        let child = match step {
            Move::Member(name) => {
                let known = self.places[index].members.get(name).copied().flatten();
                let child = known.unwrap_or_else(|| self.push(*node));
                self.places[index].members.insert(name.clone(), Some(child));
                child
            }
            Move::Entry(names) => {
                let name = self.entry(&self.places[index], names, rest, wish);
                let name = name.expect("the route was found to fit").clone();
                let known = self.places[index].members.get(&name).copied().flatten();
                let child = known.unwrap_or_else(|| self.push(*node));
                self.places[index].members.insert(name, Some(child));
                child
            }
            Move::Item { from, to } => {
                let place = &self.places[index];
                let position = self.position(place, *from, *to, rest, wish);
                let position = position.expect("the route was found to fit");
                let known = place.items.get(&position).copied();
                let child = known.unwrap_or_else(|| self.push(*node));
                self.places[index].items.insert(position, child);
                child
            }
            Move::Along { edge } => self.along(index, *edge, *node),
            Move::Branch { keyword, edge } => {
                let known = self.places[index].branches.get(keyword).map(|(_, child)| *child);
                let child = known.unwrap_or_else(|| self.push(*node));
                self.places[index].branches.insert(keyword, (*edge, child));
                child
            }
            Move::Condition { condition, holds, edge } => {
                self.places[index].conditions.insert(*condition, *holds);
                self.along(index, *edge, *node)
            }
            Move::Given { name, value, .. } => {
                self.places[index].members.entry(name.clone()).or_insert(None);
                self.places[index].given.insert(name.clone(), value.clone());
                index
            }
            Move::Dependent { name, edge } => {
                self.places[index].members.entry(name.clone()).or_insert(None);
                self.along(index, *edge, *node)
            }
        };
        self.build(child, rest, wish);
    }

    fn along(&mut self, index: usize, edge: usize, node: NodeId) -> usize {
        let known = self.places[index].along.get(&edge).copied();
        let child = known.unwrap_or_else(|| self.push(node));
        self.places[index].along.insert(edge, child);
        child
    }

    fn push(&mut self, node: NodeId) -> usize {
        self.places.push(Place::at(node));
        self.places.len() - 1
    }
}

/// Whether the rest of a route through a property that has to be `value` leads nowhere else.
fn is_granted(value: &Value, rest: &[(Move, NodeId)], wish: &Wish) -> bool {
    let leads_inside =
        |step: &Move| matches!(step, Move::Member(_) | Move::Entry(_) | Move::Item { .. });
    if rest.iter().any(|(step, _)| leads_inside(step)) {
        return false;
    }
    match wish {
        Wish::Be(wished) => wished == value,
        Wish::Length(length) => {
            value.as_str().is_some_and(|text| text.chars().count() as u64 == *length)
        }
        Wish::Nothing | Wish::Decide { .. } | Wish::Lack(_) => true,
        Wish::Size(_) | Wish::Have(_) => false,
    }
}

fn fits_wish(place: &Place, wish: &Wish) -> bool {
    let holds_nothing = place.members.is_empty() && place.items.is_empty();
    match wish {
        Wish::Nothing => true,
        Wish::Be(value) => {
            holds_nothing
                && place.length.is_none()
                && place.size.is_none()
                && place.value.as_ref().is_none_or(|decided| decided == value)
        }
        Wish::Length(length) => {
            holds_nothing
                && place.value.is_none()
                && place.size.is_none()
                && place.length.is_none_or(|decided| decided == *length)
        }
        Wish::Size(size) => {
            let last = place.items.keys().next_back();
            place.is_open()
                && place.members.is_empty()
                && place.size.is_none_or(|decided| decided == *size)
                && last.is_none_or(|last| (*last as u64) < *size)
        }
        Wish::Have(name) => place.is_open() && !place.lacking.contains(name),
        Wish::Lack(name) => !place.members.contains_key(name),
        Wish::Decide { condition, holds } => {
            place.conditions.get(condition).is_none_or(|decided| decided == holds)
        }
    }
}

fn grant(place: &mut Place, wish: &Wish) {
    match wish {
        Wish::Nothing => {}
        Wish::Be(value) => place.value = Some(value.clone()),
        Wish::Length(length) => place.length = Some(*length),
        Wish::Size(size) => place.size = Some(*size),
        Wish::Have(name) => {
            place.members.entry(name.clone()).or_insert(None);
        }
        Wish::Lack(name) => {
            place.lacking.insert(name.clone());
        }
        Wish::Decide { condition, holds } => {
            place.conditions.insert(*condition, *holds);
        }
    }
}
