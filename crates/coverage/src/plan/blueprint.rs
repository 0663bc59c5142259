//! A blueprint: what one instance is to look like so that it hits many targets at once.
//!
//! It is a tree of places, each a schema location that a value is to stand at: which members and
//! items it has, which branches it takes, which conditions hold, which value it is. Targets are added
//! along their routes as long as they do not contradict what is there already. Written out as a
//! schema and intersected with the contract, a blueprint is a demand: the set of the root values
//! that hit all of it.

use foolproof_contract::{NodeId, Pointer};

use super::{
    place::{Place, fits_goal, grant},
    route::{Goal, Route, RouteStep, is_granted},
};

/// The most places of one blueprint: an instance needs not be larger.
const MOST_PLACES: usize = 1_500;

/// The most items of one array.
const MOST_ITEMS: usize = 24;

/// What one instance is to look like. The first place is the root.
#[derive(Clone, Debug)]
pub(crate) struct Blueprint {
    places: Vec<Place>,
}

impl Blueprint {
    pub(crate) fn new(root: NodeId) -> Self {
        Self { places: vec![Place::new(root, Pointer::root())] }
    }

    /// The location that the instance is validated against.
    pub(crate) fn root(&self) -> NodeId {
        self.places[0].node
    }

    pub(crate) fn place(&self, index: usize) -> &Place {
        &self.places[index]
    }

    /// Adds a route, unless it contradicts what is there or there is no room: then the blueprint
    /// stays as it was. Returns where in the instance it leads.
    pub(crate) fn add(&mut self, route: &Route) -> Option<Pointer> {
        if self.places.len() + route.moves.len() > MOST_PLACES
            || !self.fits(0, &route.moves, &route.goal)
        {
            return None;
        }
        let end = self.build(0, &route.moves, &route.goal);
        let end = &self.places[end].at;
        Some(match &route.goal {
            Goal::Have(name) | Goal::Lack(name) => end.key(name),
            Goal::Nothing | Goal::Be(_) | Goal::Length(_) | Goal::Size(_) | Goal::Decide { .. } => {
                end.clone()
            }
        })
    }

    /// Whether the rest of a route can be added below `index`.
    fn fits(&self, index: usize, moves: &[(RouteStep, NodeId)], goal: &Goal) -> bool {
        let place = &self.places[index];
        let Some(((step, _), rest)) = moves.split_first() else { return fits_goal(place, goal) };
        let onward = |child: Option<usize>| child.is_none_or(|child| self.fits(child, rest, goal));
        match step {
            RouteStep::Member(name) => {
                place.is_open()
                    && place.size.is_none()
                    && !place.lacking.contains(name)
                    && place.given.get(name).is_none_or(|value| is_granted(value, rest, goal))
                    && onward(place.members.get(name).copied().flatten())
            }
            RouteStep::Entry(names) => {
                place.is_open()
                    && place.size.is_none()
                    && self.entry(place, names, rest, goal).is_some()
            }
            RouteStep::Item { from, to } => {
                place.is_open()
                    && place.members.is_empty()
                    && self.position(place, *from, *to, rest, goal).is_some()
            }
            RouteStep::Along { edge } => onward(place.along.get(edge).copied()),
            RouteStep::Branch { keyword, edge } => match place.branches.get(keyword) {
                Some((taken, child)) => taken == edge && self.fits(*child, rest, goal),
                None => true,
            },
            RouteStep::Condition { condition, holds, edge } => {
                place.conditions.get(condition).is_none_or(|decided| decided == holds)
                    && onward(place.along.get(edge).copied())
            }
            RouteStep::PropertyEquals { name, value, .. } => {
                let member = place.members.get(name).copied().flatten();
                let decided = member.and_then(|child| self.places[child].value.as_ref());
                place.is_open()
                    && !place.lacking.contains(name)
                    && decided.is_none_or(|decided| decided == value)
                    && place.given.get(name).is_none_or(|given| given == value)
                    && self.fits(index, rest, goal)
            }
            RouteStep::Dependent { name, edge } => {
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
        rest: &[(RouteStep, NodeId)],
        goal: &Goal,
    ) -> Option<&'n String> {
        let child = |name: &String| place.members.get(name).copied().flatten();
        let is_shared =
            |name: &&String| child(name).is_some_and(|child| self.fits(child, rest, goal));
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
        rest: &[(RouteStep, NodeId)],
        goal: &Goal,
    ) -> Option<usize> {
        let limit = place.size.and_then(|size| usize::try_from(size).ok()).unwrap_or(usize::MAX);
        let to = to.min(from.saturating_add(MOST_ITEMS)).min(limit);
        let known = place.items.range(from..to.max(from));
        let shared = known.clone().find(|(_, child)| self.fits(**child, rest, goal));
        shared
            .map(|(position, _)| *position)
            .or_else(|| (from..to).find(|position| !place.items.contains_key(position)))
    }

    /// Adds the rest of a route below `index`; the place that it leads to.
    fn build(&mut self, index: usize, moves: &[(RouteStep, NodeId)], goal: &Goal) -> usize {
        let Some(((step, node), rest)) = moves.split_first() else {
            grant(&mut self.places[index], goal);
            return index;
        };
        let child = match step {
            RouteStep::Member(name) => self.member(index, name.clone(), *node),
            RouteStep::Entry(names) => {
                let name = self.entry(&self.places[index], names, rest, goal);
                let name = name.expect("the route was found to fit").clone();
                self.member(index, name, *node)
            }
            RouteStep::Item { from, to } => {
                let place = &self.places[index];
                let position = self.position(place, *from, *to, rest, goal);
                let position = position.expect("the route was found to fit");
                let (known, at) = (place.items.get(&position).copied(), place.at.index(position));
                let child = known.unwrap_or_else(|| self.push(*node, at));
                self.places[index].items.insert(position, child);
                child
            }
            RouteStep::Along { edge } => self.along(index, *edge, *node),
            RouteStep::Branch { keyword, edge } => {
                let known = self.places[index].branches.get(keyword).map(|(_, child)| *child);
                let child = known.unwrap_or_else(|| self.beside(index, *node));
                self.places[index].branches.insert(keyword, (*edge, child));
                child
            }
            RouteStep::Condition { condition, holds, edge } => {
                self.places[index].conditions.insert(*condition, *holds);
                self.along(index, *edge, *node)
            }
            RouteStep::PropertyEquals { name, value, .. } => {
                self.places[index].members.entry(name.clone()).or_insert(None);
                self.places[index].given.insert(name.clone(), value.clone());
                index
            }
            RouteStep::Dependent { name, edge } => {
                self.places[index].members.entry(name.clone()).or_insert(None);
                self.along(index, *edge, *node)
            }
        };
        self.build(child, rest, goal)
    }

    fn member(&mut self, index: usize, name: String, node: NodeId) -> usize {
        let known = self.places[index].members.get(&name).copied().flatten();
        let at = self.places[index].at.key(&name);
        let child = known.unwrap_or_else(|| self.push(node, at));
        self.places[index].members.insert(name, Some(child));
        child
    }

    fn along(&mut self, index: usize, edge: usize, node: NodeId) -> usize {
        let known = self.places[index].along.get(&edge).copied();
        let child = known.unwrap_or_else(|| self.beside(index, node));
        self.places[index].along.insert(edge, child);
        child
    }

    /// A place for another schema of the same value.
    fn beside(&mut self, index: usize, node: NodeId) -> usize {
        let at = self.places[index].at.clone();
        self.push(node, at)
    }

    fn push(&mut self, node: NodeId, at: Pointer) -> usize {
        self.places.push(Place::new(node, at));
        self.places.len() - 1
    }
}
