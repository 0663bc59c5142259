//! The way from the root to each target.
//!
//! A breadth-first walk of the graph gives every node the shortest way to it, and with it every
//! target a route. Each route also has an *anchor*: the last node on it that can be reached in other
//! ways, or through a name or a position that was chosen among others. From there on the route is the
//! only one, so if nothing gets from the anchor to the target, nothing gets there at all.

use std::collections::VecDeque;

use foolproof_contract::{
    Applicator, Canonicalizer, Document, Edge, InPlaceApplicator, ItemApplicator, MemberApplicator,
    NodeId,
};

use super::{
    route::{Route, RouteStep},
    value_condition::value_condition,
};
use crate::{TargetIndex, Universe};

mod targets;

/// The longest route. What lies deeper costs more than it is worth: every node has a route of its own.
const FARTHEST: usize = 200;

/// Why there is no route.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NoRoute {
    /// The value would be too large to be of use.
    TooLarge,
    /// No name was found for a property on the way.
    NoName,
    /// No value gets there.
    Unreached,
}

/// The routes of a universe.
#[derive(Debug)]
pub(crate) struct Routes {
    /// For each target its route, and how many of its moves lead to the anchor, if it has one: a name
    /// is one among others.
    routes: Vec<Result<(Route, Option<usize>), NoRoute>>,
    root: Option<NodeId>,
}

impl Routes {
    pub(crate) fn of(universe: &Universe, document: &Document, forms: &mut Canonicalizer) -> Self {
        let mut finder = Finder { universe, document, forms, ways: Vec::new() };
        finder.walk();
        let count = universe.targets().len();
        let root = universe.graph().entries().first().map(foolproof_contract::Entry::node);
        let mut routes = Self { routes: vec![Err(NoRoute::Unreached); count], root };
        for index in 0..universe.graph().nodes().len() {
            finder.targets(index, &mut routes);
        }
        routes
    }

    pub(crate) fn route(&self, target: TargetIndex) -> Result<&Route, NoRoute> {
        self.routes[target.index()].as_ref().map(|(route, _)| route).map_err(|reason| *reason)
    }

    /// The anchor of a target, and the route from there.
    pub(crate) fn anchored(&self, target: TargetIndex) -> Option<(NodeId, Route)> {
        let (Route { moves, goal }, anchor) = self.routes[target.index()].as_ref().ok()?;
        let anchor = anchor.as_ref()?;
        let start = match anchor.checked_sub(1) {
            Some(last) => moves[last].1,
            None => self.root?,
        };
        // A value that is given is one way among others, unless it is the only one.
        let is_needed = |step: &RouteStep| match step {
            RouteStep::PropertyEquals { is_forced, .. } => *is_forced,
            RouteStep::Member(_)
            | RouteStep::Entry(_)
            | RouteStep::Item { .. }
            | RouteStep::Along { .. }
            | RouteStep::Branch { .. }
            | RouteStep::Condition { .. }
            | RouteStep::Dependent { .. } => true,
        };
        let rest = moves[*anchor..].iter().filter(|(step, _)| is_needed(step));
        Some((start, Route { moves: rest.cloned().collect(), goal: goal.clone() }))
    }
}

/// The way to a node.
#[derive(Clone, Debug)]
struct Way {
    moves: Result<Vec<(RouteStep, NodeId)>, NoRoute>,
    /// How many of the moves lead to the anchor.
    anchor: usize,
    /// The object that the node says something about the names of, if it is about names: what the
    /// moves lead to.
    naming: Option<NodeId>,
}

pub(super) struct Finder<'a> {
    pub(super) universe: &'a Universe,
    document: &'a Document,
    pub(super) forms: &'a mut Canonicalizer,
    ways: Vec<Option<Way>>,
}

impl Finder<'_> {
    fn walk(&mut self) {
        let graph = self.universe.graph();
        self.ways = vec![None; graph.nodes().len()];
        let mut uses = vec![0_usize; graph.nodes().len()];
        for node in graph.nodes() {
            for edge in node.edges() {
                uses[edge.target().index()] += 1;
            }
        }
        let Some(entry) = graph.entries().first() else { return };
        self.ways[entry.node().index()] =
            Some(Way { moves: Ok(Vec::new()), anchor: 0, naming: None });
        let mut queue = VecDeque::from([entry.node()]);
        while let Some(id) = queue.pop_front() {
            let here = self.ways[id.index()].clone().expect("it was given one when it was queued");
            for (number, edge) in graph[id].edges().iter().enumerate() {
                let target = edge.target();
                if edge.applicator() == &Applicator::Not || self.ways[target.index()].is_some() {
                    continue;
                }
                let mut way = here.clone();
                if way.naming.is_some() || edge.applicator() == &Applicator::PropertyNames {
                    way.naming = way.naming.or(Some(id));
                    way.anchor = way.moves.as_ref().map_or(0, Vec::len);
                    self.ways[target.index()] = Some(way);
                    queue.push_back(target);
                    continue;
                }
                if way.moves.as_ref().is_ok_and(|moves| moves.len() >= FARTHEST) {
                    way.moves = Err(NoRoute::TooLarge);
                }
                match (&mut way.moves, self.step(id, number, edge)) {
                    (Ok(moves), Ok(step)) => {
                        if matches!(step, RouteStep::Condition { holds: true, .. }) {
                            self.give(id, moves, &mut way.anchor);
                        }
                        moves.push((step, target));
                    }
                    (Err(_), _) => {}
                    (_, Err(reason)) => way.moves = Err(reason),
                }
                let is_forced = uses[target.index()] == 1 && !is_chosen(edge.applicator());
                if !is_forced {
                    way.anchor = way.moves.as_ref().map_or(0, Vec::len);
                }
                self.ways[target.index()] = Some(way);
                queue.push_back(target);
            }
        }
    }

    /// Says in `moves`, which lead to `id`, that the condition there holds, in the words of the value
    /// as a whole: that a property has a value.
    fn give(&self, id: NodeId, moves: &mut Vec<(RouteStep, NodeId)>, anchor: &mut usize) {
        let graph = self.universe.graph();
        let Some(condition) = value_condition(self.document, graph, id) else { return };
        let along =
            moves.iter().rev().take_while(|(step, _)| matches!(step, RouteStep::Along { .. }));
        let at = moves.len() - along.count();
        let node = match at.checked_sub(1) {
            Some(last) => moves[last].1,
            None => graph.entries()[0].node(),
        };
        let step = RouteStep::PropertyEquals {
            name: condition.property.to_owned(),
            value: condition.values[0].clone(),
            // What is no object satisfies `properties` and `required` alike.
            is_forced: condition.requires_object
                && condition.requires_property
                && condition.values.len() == 1,
        };
        moves.insert(at, (step, node));
        *anchor += usize::from(at < *anchor);
    }

    /// The move along an edge.
    fn step(&mut self, id: NodeId, number: usize, edge: &Edge) -> Result<RouteStep, NoRoute> {
        let graph = self.universe.graph();
        let condition = || {
            let edges = graph[id].edges().iter();
            edges
                .enumerate()
                .find(|(_, edge)| edge.applicator() == &Applicator::IF)
                .map(|(number, _)| number)
        };
        Ok(match edge.applicator() {
            Applicator::Member(MemberApplicator::Property(name)) => RouteStep::Member(name.clone()),
            Applicator::Member(MemberApplicator::Pattern(pattern)) => {
                RouteStep::Entry(self.matching(id, pattern)?)
            }
            Applicator::Member(MemberApplicator::Additional | MemberApplicator::Unevaluated) => {
                RouteStep::Entry(self.additional(id)?)
            }
            // A name is no value of its own: see `naming`.
            Applicator::PropertyNames | Applicator::Not => return Err(NoRoute::NoName),
            Applicator::Item(ItemApplicator::Prefix(index)) => {
                RouteStep::Item { from: *index, to: index + 1 }
            }
            Applicator::Item(ItemApplicator::Rest { from }) => {
                RouteStep::Item { from: *from, to: usize::MAX }
            }
            Applicator::Item(ItemApplicator::Unevaluated | ItemApplicator::Contains) => {
                let prefix = graph[id].edges().iter().filter_map(|edge| {
                    if let Applicator::Item(ItemApplicator::Prefix(index)) = edge.applicator() {
                        Some(index + 1)
                    } else {
                        None
                    }
                });
                RouteStep::Item { from: prefix.max().unwrap_or(0), to: usize::MAX }
            }
            Applicator::InPlace(InPlaceApplicator::AllOf(_) | InPlaceApplicator::Reference) => {
                RouteStep::Along { edge: number }
            }
            Applicator::InPlace(InPlaceApplicator::AnyOf(_)) => {
                RouteStep::Branch { keyword: "anyOf", edge: number }
            }
            Applicator::InPlace(InPlaceApplicator::OneOf(_)) => {
                RouteStep::Branch { keyword: "oneOf", edge: number }
            }
            Applicator::InPlace(InPlaceApplicator::If) => {
                RouteStep::Condition { condition: number, holds: true, edge: number }
            }
            Applicator::InPlace(InPlaceApplicator::Then | InPlaceApplicator::Else) => {
                match condition() {
                    Some(condition) => {
                        let holds = edge.applicator() == &Applicator::THEN;
                        RouteStep::Condition { condition, holds, edge: number }
                    }
                    None => return Err(NoRoute::Unreached),
                }
            }
            Applicator::InPlace(InPlaceApplicator::DependentSchema(name)) => {
                RouteStep::Dependent { name: name.clone(), edge: number }
            }
        })
    }
}

/// Whether the move along such an edge is one of several that would do.
fn is_chosen(step: &Applicator) -> bool {
    match step {
        Applicator::Member(
            MemberApplicator::Pattern(_)
            | MemberApplicator::Additional
            | MemberApplicator::Unevaluated,
        )
        | Applicator::PropertyNames
        | Applicator::Item(
            ItemApplicator::Rest { .. } | ItemApplicator::Unevaluated | ItemApplicator::Contains,
        ) => true,
        Applicator::Member(MemberApplicator::Property(_))
        | Applicator::Item(ItemApplicator::Prefix(_))
        | Applicator::InPlace(_)
        | Applicator::Not => false,
    }
}
