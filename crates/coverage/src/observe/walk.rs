//! The walk of one value along the graph.
//!
//! All schemas that apply to one value are visited together, each once, and then those of its
//! children. So a schema that refers to itself, or that several edges lead to, is visited only once
//! for each value, and nothing recurses.

use foolproof_contract::{
    Applicator, ArrayView, Edge, ItemApplicator, JsonKind, JsonView, MemberApplicator, NodeId,
    ObjectView,
};

use super::{Observer, evaluated, places::Entered, saturation::Saturation};
use crate::{Hits, TargetIndex};

mod in_place;

/// Memory that is reused for every value.
#[derive(Debug)]
pub(super) struct Buffers {
    /// The schemas that apply to the current value.
    applied: Vec<NodeId>,
    /// For each schema, the number of the last value that it was applied to.
    applied_at: Vec<u64>,
    /// The number of the current value.
    values: u64,
    /// The schemas that apply to the names of the value's properties.
    names: Vec<NodeId>,
}

impl Buffers {
    pub(super) fn of(nodes: usize) -> Self {
        Self { applied: Vec::new(), applied_at: vec![0; nodes], values: 0, names: Vec::new() }
    }
}

/// The values that are still to be visited, each with a schema that it satisfies.
type Pending<'v> = Vec<(JsonView<'v>, NodeId)>;

/// A walk, with what earlier walks observed.
pub(super) struct Walk<'w> {
    pub(super) observer: &'w Observer,
    pub(super) hits: &'w mut Hits,
    /// The targets that this walk is the first to hit.
    pub(super) fresh: &'w mut Vec<TargetIndex>,
    pub(super) saturation: &'w Saturation,
    pub(super) buffers: &'w mut Buffers,
    /// Records which schemas are entered at which values, if that is asked for.
    pub(super) entered: Option<&'w mut Entered>,
}

impl<'w> Walk<'w> {
    /// Marks the targets that `value`, which satisfies the schema at `start`, hits there and below.
    pub(super) fn run(mut self, start: NodeId, value: JsonView<'_>) {
        let mut pending = Vec::new();
        // Most values of a long run have nothing left to hit below the first.
        let mut first = Some((value, start));
        while let Some((value, node)) = first.take().or_else(|| pending.pop()) {
            self.begin_value();
            self.enter_at(value, node);
            let address = value.address();
            while let Some((_, node)) = pending.pop_if(|(next, _)| next.address() == address) {
                self.enter_at(value, node);
            }
            let known = pending.len();
            self.visit_all(value, &mut pending);
            // The order of addresses does not matter: sorting only groups the schemas of one value.
            pending[known..].sort_unstable_by_key(|(value, node)| (value.address(), *node));
            self.visit_names(value);
        }
    }

    fn mark(&mut self, target: Option<TargetIndex>) {
        if let Some(target) = target
            && self.hits.insert(target)
        {
            self.fresh.push(target);
        }
    }

    /// Whether `target` is hit already, or there is none.
    fn is_marked(&self, target: Option<TargetIndex>) -> bool {
        target.is_none_or(|target| self.hits.contains(target))
    }

    fn begin_value(&mut self) {
        self.buffers.applied.clear();
        self.buffers.values += 1;
    }

    /// Applies the schema at `node`, which an edge from the value's parent leads to, to `value`.
    fn enter_at(&mut self, value: JsonView<'_>, node: NodeId) {
        if let Some(entered) = &mut self.entered {
            entered.add(value, node);
        }
        self.apply(node);
    }

    /// Records that the schema at `node` applies to the current value.
    fn apply(&mut self, node: NodeId) {
        let applied_at = &mut self.buffers.applied_at[node.index()];
        if *applied_at != self.buffers.values && !self.saturation.is_saturated(node) {
            *applied_at = self.buffers.values;
            self.buffers.applied.push(node);
        }
    }

    /// Visits all schemas that apply to `value`, including those that they lead to in place.
    fn visit_all<'v>(&mut self, value: JsonView<'v>, pending: &mut Pending<'v>) {
        let mut next = 0;
        while let Some(&node) = self.buffers.applied.get(next) {
            self.visit(node, value, pending);
            next += 1;
        }
    }

    /// Visits the schemas of property names with the names of the properties of `value`.
    fn visit_names(&mut self, value: JsonView<'_>) {
        let nodes = std::mem::take(&mut self.buffers.names);
        if let (JsonKind::Object(members), false) = (value.kind(), nodes.is_empty()) {
            for name in members.keys() {
                self.begin_value();
                for node in &nodes {
                    self.apply(*node);
                }
                self.visit_all(JsonView::from(name), &mut Vec::new());
            }
        }
        self.buffers.names = nodes;
        self.buffers.names.clear();
    }

    fn visit<'v>(&mut self, id: NodeId, value: JsonView<'v>, pending: &mut Pending<'v>) {
        let targets = self.observer.universe.node_targets(id);
        self.mark(targets.node);
        self.mark(targets.reused);
        if let Some(members) = &targets.members {
            let fresh = self.fresh.len();
            self.fresh.extend(members.hit_by(value, self.hits));
            for target in &self.fresh[fresh..] {
                self.hits.insert(*target);
            }
        }
        for bound in &targets.bounds {
            if !self.hits.contains(bound.target) && bound.is_hit_by(value) {
                self.mark(Some(bound.target));
            }
        }
        match value.kind() {
            JsonKind::Object(members) => self.members(id, value, members, pending),
            JsonKind::Array(items) => self.items(id, value, items, pending),
            JsonKind::Null | JsonKind::Bool(_) | JsonKind::Number(_) | JsonKind::String(_) => {}
        }
        self.in_place(id, value);
    }

    /// The edges of `id` at which, or below which, something may be left to hit, with their numbers.
    fn open_edges(&self, id: NodeId) -> impl Iterator<Item = (usize, &'w Edge)> + use<'w> {
        let edges = self.observer.graph()[id].edges();
        let open = self.saturation.open_edges(id);
        (0..open.map_or(edges.len(), <[u32]>::len)).map(move |place| {
            let number = open.map_or(place, |open| open[place] as usize);
            (number, &edges[number])
        })
    }

    /// Adds the properties of an object to `pending`.
    fn members<'v>(
        &mut self,
        id: NodeId,
        whole: JsonView<'v>,
        members: ObjectView<'v>,
        pending: &mut Pending<'v>,
    ) {
        let universe = self.observer.universe();
        let targets = universe.node_targets(id);
        for (name, target) in &targets.names {
            if !self.hits.contains(*target) && members.contains_key(name) {
                self.mark(Some(*target));
            }
        }
        for (number, edge) in self.open_edges(id) {
            let edge_targets = &targets.edges[number];
            if self.is_marked(edge_targets.taken) && self.saturation.is_saturated(edge.target()) {
                continue;
            }
            match edge.applicator() {
                Applicator::Member(MemberApplicator::Property(name)) => {
                    if let Some(value) = members.get(name) {
                        self.mark(edge_targets.taken);
                        self.enter(id, number, value, pending);
                    }
                }
                Applicator::PropertyNames => self.buffers.names.push(edge.target()),
                Applicator::Member(MemberApplicator::Pattern(_)) => {
                    let Some(pattern) = &edge_targets.pattern else { continue };
                    for (_, value) in members.iter().filter(|(name, _)| pattern.matches(name)) {
                        self.enter(id, number, value, pending);
                    }
                }
                Applicator::Member(MemberApplicator::Additional) => {
                    for (_, value) in members.iter().filter(|(name, _)| targets.is_additional(name))
                    {
                        self.enter(id, number, value, pending);
                    }
                }
                Applicator::Member(MemberApplicator::Unevaluated) => {
                    let known = evaluated::names(self.observer, id, whole);
                    let rest = members.iter().filter(|(name, _)| !known.contains(name));
                    for (_, value) in rest {
                        self.enter(id, number, value, pending);
                    }
                }
                Applicator::Item(_) | Applicator::InPlace(_) | Applicator::Not => {}
            }
        }
    }

    /// Adds the items of an array to `pending`.
    fn items<'v>(
        &mut self,
        id: NodeId,
        whole: JsonView<'v>,
        items: ArrayView<'v>,
        pending: &mut Pending<'v>,
    ) {
        let observer = self.observer;
        for (number, edge) in self.open_edges(id) {
            if self.saturation.is_saturated(edge.target()) {
                continue;
            }
            match edge.applicator() {
                Applicator::Item(ItemApplicator::Prefix(index)) => {
                    if let Some(item) = items.get(*index) {
                        self.enter(id, number, item, pending);
                    }
                }
                Applicator::Item(ItemApplicator::Rest { from }) => {
                    for item in items.iter().skip(*from) {
                        self.enter(id, number, item, pending);
                    }
                }
                Applicator::Item(ItemApplicator::Unevaluated) => {
                    let known = evaluated::items(observer, id, whole);
                    let unknown = items.iter().zip(known).filter(|(_, is_known)| !is_known);
                    // A validator that counts more items as evaluated admits what others would refuse.
                    let is_admitted =
                        |item: &JsonView<'_>| observer.branches.admits(id, number, *item);
                    for item in unknown.map(|(item, _)| item).filter(is_admitted) {
                        self.enter(id, number, item, pending);
                    }
                }
                Applicator::Item(ItemApplicator::Contains) => {
                    let counts = |item: &JsonView<'_>| observer.branches.admits(id, number, *item);
                    for item in items.iter().filter(counts) {
                        self.enter(id, number, item, pending);
                    }
                }
                Applicator::Member(_)
                | Applicator::PropertyNames
                | Applicator::InPlace(_)
                | Applicator::Not => {}
            }
        }
    }

    /// Adds `value`, a child of the current value, with the schema that edge `number` of `id` leads to.
    fn enter<'v>(&self, id: NodeId, number: usize, value: JsonView<'v>, pending: &mut Pending<'v>) {
        let target = self.observer.graph()[id].edges()[number].target();
        if !self.saturation.is_saturated(target) && self.is_certain(id, number, value) {
            pending.push((value, target));
        }
    }

    /// Whether `value` certainly takes edge `number` of `id`. If a dynamic reference has several edges,
    /// it is one whose schema the value satisfies.
    fn is_certain(&self, id: NodeId, number: usize, value: JsonView<'_>) -> bool {
        let observer = self.observer;
        let edge_targets = &observer.universe.node_targets(id).edges[number];
        !edge_targets.is_ambiguous || observer.branches.admits(id, number, value)
    }
}
