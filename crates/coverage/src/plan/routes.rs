//! The route from the root to each target.
//!
//! A breadth-first walk of the graph finds the shortest route to every node, and with it a route to
//! every target. Each route also has an *anchor*: the last node on it that other routes lead to as
//! well, or that is reached by a name or an index chosen among several. From the anchor on, the route
//! is the only one. So if no value leads from the anchor to the target, the target is unreachable.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use foolproof_contract::{
    Applicator, Canonicalizer, Document, Edge, Graph, InPlaceApplicator, ItemApplicator,
    MemberApplicator, NodeId,
};

use super::{
    route::{Route, RouteStep},
    value_condition::value_condition,
};
use crate::{TargetIndex, Universe};

mod targets;

/// The most steps of a route. Every node stores a route of its own, so deeper targets cost more than
/// they are worth.
const MAX_STEPS: usize = 200;

/// The most uses of an anchor that a proof distinguishes.
const MAX_USES: usize = 16;

/// Why there is no route.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NoRoute {
    /// The value would be too large.
    TooLarge,
    /// No name was found for a property on the route.
    NoName,
    /// No edges lead there.
    Unreached,
}

/// The routes of a universe.
#[derive(Debug)]
pub(crate) struct Routes {
    /// For each target its route, and the number of its steps that lead to the anchor. A target of
    /// property names has no anchor, since its name was chosen among several.
    by_target: Vec<Result<(Route, Option<usize>), NoRoute>>,
    /// For targets of property names: the schema of names that a proof about them starts from, and the route from
    /// there, whose value is the name.
    of_names: BTreeMap<TargetIndex, (NodeId, Route)>,
    /// For each target the edge that leads to its anchor, if the anchor is not the root.
    shared: Vec<Option<EdgeKey>>,
    /// The edges that no route takes.
    avoided: BTreeSet<EdgeKey>,
    root: NodeId,
}

/// An edge, by its start and its number there.
pub(crate) type EdgeKey = (NodeId, usize);

impl Routes {
    pub(crate) fn of(universe: &Universe, document: &Document, forms: &mut Canonicalizer) -> Self {
        Self::without(BTreeSet::new(), universe, document, forms)
    }

    /// Other routes, which avoid the edges that lead to the anchors of `targets` in these routes and those before
    /// them. Nothing if there is no such edge.
    pub(crate) fn avoiding(
        &self,
        targets: &[TargetIndex],
        universe: &Universe,
        document: &Document,
        forms: &mut Canonicalizer,
    ) -> Option<Self> {
        let shared = targets.iter().filter_map(|target| self.shared[target.index()]);
        let avoided: BTreeSet<EdgeKey> = self.avoided.iter().copied().chain(shared).collect();
        let is_new = avoided.len() > self.avoided.len();
        is_new.then(|| Self::without(avoided, universe, document, forms))
    }

    fn without(
        avoided: BTreeSet<EdgeKey>,
        universe: &Universe,
        document: &Document,
        forms: &mut Canonicalizer,
    ) -> Self {
        let mut finder = RouteFinder { universe, document, forms, node_routes: Vec::new() };
        finder.walk(&avoided);
        let count = universe.targets().len();
        let mut routes = Self {
            by_target: vec![Err(NoRoute::Unreached); count],
            of_names: BTreeMap::new(),
            shared: vec![None; count],
            avoided,
            root: universe.graph().root(),
        };
        finder.covered(&mut routes);
        for index in 0..universe.graph().nodes().len() {
            finder.targets(index, &mut routes);
        }
        routes
    }

    pub(crate) fn route(&self, target: TargetIndex) -> Result<&Route, NoRoute> {
        self.by_target[target.index()].as_ref().map(|(route, _)| route).map_err(|reason| *reason)
    }

    /// The anchor of a target, and the route from the anchor to the target.
    pub(crate) fn after_anchor(&self, target: TargetIndex) -> Option<(NodeId, Route)> {
        if let Some(of_name) = self.of_names.get(&target) {
            return Some(of_name.clone());
        }
        let (Route { steps, goal }, anchor) = self.by_target[target.index()].as_ref().ok()?;
        let anchor = anchor.as_ref()?;
        let start = match anchor.checked_sub(1) {
            Some(last) => steps[last].1,
            None => self.root,
        };
        // A value of a property that was chosen among several proves nothing.
        let is_needed = |step: &RouteStep| match step {
            RouteStep::PropertyEquals { is_forced, .. } => *is_forced,
            RouteStep::Member(_)
            | RouteStep::Entry(_)
            | RouteStep::Item { .. }
            | RouteStep::InPlace { .. }
            | RouteStep::Branch { .. }
            | RouteStep::Condition { .. }
            | RouteStep::Dependent { .. } => true,
        };
        let rest = steps[*anchor..].iter().filter(|(step, _)| is_needed(step));
        Some((start, Route { steps: rest.cloned().collect(), goal: goal.clone() }))
    }
}

/// The routes to a target from every schema that uses its anchor, if they are few and each follows from the edge
/// alone. If none of them is possible, the target is unreachable.
pub(crate) fn through_uses(
    routes: &Routes,
    target: TargetIndex,
    graph: &Graph,
    uses: &[Vec<EdgeKey>],
) -> Option<Vec<(NodeId, Route)>> {
    let (anchor, rest) = routes.after_anchor(target)?;
    let uses = &uses[anchor.index()];
    if anchor == graph.root() || uses.len() > MAX_USES || routes.of_names.contains_key(&target) {
        return None;
    }
    let from_use = |(from, number): &EdgeKey| {
        let step = match graph[*from].edges()[*number].applicator() {
            Applicator::Member(MemberApplicator::Property(name)) => RouteStep::Member(name.clone()),
            Applicator::InPlace(InPlaceApplicator::AllOf(_) | InPlaceApplicator::Reference) => {
                RouteStep::InPlace { edge: *number }
            }
            Applicator::InPlace(InPlaceApplicator::AnyOf(_)) => {
                RouteStep::Branch { keyword: "anyOf", edge: *number }
            }
            Applicator::InPlace(InPlaceApplicator::OneOf(_)) => {
                RouteStep::Branch { keyword: "oneOf", edge: *number }
            }
            Applicator::Member(_)
            | Applicator::PropertyNames
            | Applicator::Item(_)
            | Applicator::InPlace(
                InPlaceApplicator::If
                | InPlaceApplicator::Then
                | InPlaceApplicator::Else
                | InPlaceApplicator::DependentSchema(_),
            )
            | Applicator::Not => return None,
        };
        let steps = std::iter::once((step, anchor)).chain(rest.steps.iter().cloned()).collect();
        Some((*from, Route { steps, goal: rest.goal.clone() }))
    };
    uses.iter().map(from_use).collect()
}

/// The route to a node.
#[derive(Clone, Debug)]
struct NodeRoute {
    steps: Result<Vec<(RouteStep, NodeId)>, NoRoute>,
    /// The number of steps that lead to the anchor.
    anchor: usize,
    /// The edge that leads to the anchor.
    shared: Option<EdgeKey>,
    /// If the node is a schema of property names: the object that has the properties. The steps lead
    /// to that object.
    named_object: Option<NodeId>,
    /// Then also the schema of names that a proof starts from, and the steps from there.
    name_steps: Option<(NodeId, Vec<(RouteStep, NodeId)>)>,
}

pub(super) struct RouteFinder<'a> {
    pub(super) universe: &'a Universe,
    document: &'a Document,
    pub(super) forms: &'a mut Canonicalizer,
    node_routes: Vec<Option<NodeRoute>>,
}

impl RouteFinder<'_> {
    fn walk(&mut self, avoided: &BTreeSet<EdgeKey>) {
        let graph = self.universe.graph();
        self.node_routes = vec![None; graph.nodes().len()];
        let mut uses = vec![0_usize; graph.nodes().len()];
        for node in graph.nodes() {
            for edge in node.edges() {
                uses[edge.target().index()] += 1;
            }
        }
        self.node_routes[graph.root().index()] = Some(NodeRoute {
            steps: Ok(Vec::new()),
            anchor: 0,
            shared: None,
            named_object: None,
            name_steps: None,
        });
        let mut queue = VecDeque::from([graph.root()]);
        while let Some(id) = queue.pop_front() {
            let parent = self.node_routes[id.index()].clone().expect("a queued node has a route");
            for (number, edge) in graph[id].edges().iter().enumerate() {
                let target = edge.target();
                if edge.applicator() == &Applicator::Not
                    || self.node_routes[target.index()].is_some()
                    || avoided.contains(&(id, number))
                {
                    continue;
                }
                let mut route = parent.clone();
                if route.named_object.is_some() || edge.applicator() == &Applicator::PropertyNames {
                    let is_start = route.named_object.is_none() || uses[target.index()] > 1;
                    route.name_steps = if is_start {
                        Some((target, Vec::new()))
                    } else {
                        let step = self.step(id, number, edge).ok();
                        route.name_steps.zip(step).map(|((start, mut steps), step)| {
                            steps.push((step, target));
                            (start, steps)
                        })
                    };
                    route.named_object = route.named_object.or(Some(id));
                    route.anchor = route.steps.as_ref().map_or(0, Vec::len);
                    self.node_routes[target.index()] = Some(route);
                    queue.push_back(target);
                    continue;
                }
                if route.steps.as_ref().is_ok_and(|steps| steps.len() >= MAX_STEPS) {
                    route.steps = Err(NoRoute::TooLarge);
                }
                match (&mut route.steps, self.step(id, number, edge)) {
                    (Ok(steps), Ok(step)) => {
                        if matches!(step, RouteStep::Condition { holds: true, .. }) {
                            self.add_property_value(id, steps, &mut route.anchor);
                        }
                        steps.push((step, target));
                    }
                    (Err(_), _) => {}
                    (_, Err(reason)) => route.steps = Err(reason),
                }
                let is_forced = uses[target.index()] == 1 && !is_one_of_several(edge.applicator());
                if !is_forced {
                    route.anchor = route.steps.as_ref().map_or(0, Vec::len);
                    route.shared = Some((id, number));
                }
                self.node_routes[target.index()] = Some(route);
                queue.push_back(target);
            }
        }
    }

    /// Adds to `steps`, which lead to `id`, that a property has the value for which the condition at
    /// `id` holds, if the condition has that form. The step comes before those that lead to other
    /// schemas of the same value, so that it applies to all of them.
    fn add_property_value(
        &self,
        id: NodeId,
        steps: &mut Vec<(RouteStep, NodeId)>,
        anchor: &mut usize,
    ) {
        let graph = self.universe.graph();
        let Some(condition) = value_condition(self.document, graph, id) else { return };
        let in_place =
            steps.iter().rev().take_while(|(step, _)| matches!(step, RouteStep::InPlace { .. }));
        let position = steps.len() - in_place.count();
        let node = match position.checked_sub(1) {
            Some(last) => steps[last].1,
            None => graph.root(),
        };
        let step = RouteStep::PropertyEquals {
            name: condition.property.to_owned(),
            value: condition.values[0].clone(),
            // What is no object satisfies `properties` and `required` alike.
            is_forced: condition.requires_object
                && condition.requires_property
                && condition.values.len() == 1,
        };
        steps.insert(position, (step, node));
        *anchor += usize::from(position < *anchor);
    }

    /// The step along an edge.
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
            // A property name is not a value of the instance: see `NodeRoute::named_object`.
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
                RouteStep::InPlace { edge: number }
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

/// Whether the step along such an edge is one of several possible ones: another name, another index.
fn is_one_of_several(applicator: &Applicator) -> bool {
    match applicator {
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
