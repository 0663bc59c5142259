//! A blueprint: what is required of one instance so that it hits many targets at once.
//!
//! It is a tree of nodes. Each node is a schema that applies to a value, and says which members and
//! items the value has, which branches it takes, which conditions hold, or which value it equals.
//! Targets are added along their routes as long as they do not contradict the nodes that exist
//! already. As a schema, intersected with the contract, a blueprint is a demand: the set of the root
//! values that hit all of its targets.

use foolproof_contract::{NodeId, Pointer, json_equal};
use foolproof_generate::BranchChoice;

use super::{
    blueprint_node::BlueprintNode,
    route::{Goal, Route, RouteStep, is_met_by},
};

/// The fewest and the most nodes that a blueprint may have. An instance need not be larger, and what the algebra takes
/// for a demand grows faster than the demand; but a large contract would need too many small ones.
const FEW_NODES: usize = 250;
const MAX_NODES: usize = 1_500;

/// The most nodes of the blueprint of a part: there is room for the rest in other parts.
const PART_NODES: usize = 120;

/// How many locations of a contract there are for each node that its blueprints may have.
const LOCATIONS_PER_NODE: usize = 12;

/// The most items of one array.
const MAX_ITEMS: usize = 24;

/// What is required of one instance. The first node is the root.
#[derive(Clone, Debug)]
pub(crate) struct Blueprint {
    nodes: Vec<BlueprintNode>,
    /// The most nodes that it may have.
    most: usize,
}

impl Blueprint {
    /// An empty blueprint for values of the schema at `root`, in a contract with so many locations.
    pub(crate) fn new(root: NodeId, locations: usize) -> Self {
        let most = (locations / LOCATIONS_PER_NODE).clamp(FEW_NODES, MAX_NODES);
        Self { nodes: vec![BlueprintNode::new(root, Pointer::root())], most }
    }

    /// The same for a part of an instance.
    pub(crate) fn of_part(root: NodeId) -> Self {
        Self { most: PART_NODES, ..Self::new(root, 0) }
    }

    /// A blueprint of the same contract that requires nothing yet.
    pub(crate) fn emptied(&self) -> Self {
        let root = BlueprintNode::new(self.nodes[0].schema, Pointer::root());
        Self { nodes: vec![root], most: self.most }
    }

    pub(crate) fn nodes(&self) -> &[BlueprintNode] {
        &self.nodes
    }

    pub(crate) fn node(&self, index: usize) -> &BlueprintNode {
        &self.nodes[index]
    }

    /// The branches of `oneOf` that are taken, each after those that it is inside of.
    pub(crate) fn one_of_choices(&self) -> Vec<BranchChoice> {
        let choice = |node: &BlueprintNode| {
            let (edge, _) = *node.branches.get("oneOf")?;
            Some(BranchChoice { path: node.path.clone(), schema: node.schema, edge })
        };
        self.nodes.iter().filter_map(choice).collect()
    }

    /// Adds a route and returns its path in the instance. If the route contradicts the blueprint or
    /// exceeds its size, the blueprint does not change and there is no path.
    pub(crate) fn add(&mut self, route: &Route) -> Option<Pointer> {
        self.add_steps(&route.steps, &route.goal)
    }

    /// The same for a part of a route, which starts at the schema of the blueprint.
    pub(crate) fn add_steps(
        &mut self,
        steps: &[(RouteStep, NodeId)],
        goal: &Goal,
    ) -> Option<Pointer> {
        if self.nodes.len() + steps.len() > self.most || !self.fits(0, steps, goal) {
            return None;
        }
        let end = self.build(0, steps, goal);
        let end = &self.nodes[end].path;
        Some(match goal {
            Goal::HasProperty(name) | Goal::LacksProperty(name) => end.key(name),
            Goal::Exists
            | Goal::Equals(_)
            | Goal::Length(_)
            | Goal::Size(_)
            | Goal::Condition { .. } => end.clone(),
        })
    }

    /// Whether the rest of a route can be added below the node `index`.
    fn fits(&self, index: usize, steps: &[(RouteStep, NodeId)], goal: &Goal) -> bool {
        let node = &self.nodes[index];
        let Some(((step, _), rest)) = steps.split_first() else { return node.can_meet(goal) };
        let onward = |child: Option<usize>| child.is_none_or(|child| self.fits(child, rest, goal));
        match step {
            RouteStep::Member(name) => {
                node.may_have_children()
                    && node.size.is_none()
                    && !node.absent.contains(name)
                    && node
                        .property_values
                        .get(name)
                        .is_none_or(|value| is_met_by(value, rest, goal))
                    && onward(node.members.get(name).copied().flatten())
            }
            RouteStep::Entry(names) => {
                node.may_have_children()
                    && node.size.is_none()
                    && self.entry(node, names, rest, goal).is_some()
            }
            RouteStep::Item { from, to } => {
                node.may_have_children()
                    && node.members.is_empty()
                    && self.item_index(node, *from, *to, rest, goal).is_some()
            }
            RouteStep::InPlace { edge } => onward(node.in_place.get(edge).copied()),
            RouteStep::Branch { keyword, edge } => match node.branches.get(keyword) {
                Some((taken, child)) => taken == edge && self.fits(*child, rest, goal),
                None => true,
            },
            RouteStep::Condition { condition, holds, edge } => {
                node.conditions.get(condition).is_none_or(|decided| decided == holds)
                    && onward(node.in_place.get(edge).copied())
            }
            RouteStep::PropertyEquals { name, value, .. } => {
                let member = node.members.get(name).copied().flatten();
                let decided = member.and_then(|child| self.nodes[child].value.as_ref());
                node.may_have_children()
                    && !node.absent.contains(name)
                    && decided.is_none_or(|decided| json_equal(decided, value))
                    && node.property_values.get(name).is_none_or(|fixed| json_equal(fixed, value))
                    && self.fits(index, rest, goal)
            }
            RouteStep::Dependent { name, edge } => {
                node.may_have_children()
                    && !node.absent.contains(name)
                    && onward(node.in_place.get(edge).copied())
            }
        }
    }

    /// The name of an entry that the rest of a route can lead into: that of an existing entry that
    /// fits, or one that is free.
    fn entry<'n>(
        &self,
        node: &BlueprintNode,
        names: &'n [String],
        rest: &[(RouteStep, NodeId)],
        goal: &Goal,
    ) -> Option<&'n String> {
        let child = |name: &String| node.members.get(name).copied().flatten();
        let is_shared =
            |name: &&String| child(name).is_some_and(|child| self.fits(child, rest, goal));
        let is_free = |name: &&String| {
            !node.members.contains_key(*name)
                && !node.absent.contains(*name)
                && !node.property_values.contains_key(*name)
        };
        names.iter().find(is_shared).or_else(|| names.iter().find(is_free))
    }

    /// The index of an item that the rest of a route can lead into: that of an existing item that
    /// fits, or one that is free.
    fn item_index(
        &self,
        node: &BlueprintNode,
        from: usize,
        to: usize,
        rest: &[(RouteStep, NodeId)],
        goal: &Goal,
    ) -> Option<usize> {
        let limit = node.size.and_then(|size| usize::try_from(size).ok()).unwrap_or(usize::MAX);
        let to = to.min(from.saturating_add(MAX_ITEMS)).min(limit);
        let known = node.items.range(from..to.max(from));
        let shared = known.clone().find(|(_, child)| self.fits(**child, rest, goal));
        shared
            .map(|(index, _)| *index)
            .or_else(|| (from..to).find(|index| !node.items.contains_key(index)))
    }

    /// Adds the rest of a route below the node `index`, and returns the node that it leads to.
    fn build(&mut self, index: usize, steps: &[(RouteStep, NodeId)], goal: &Goal) -> usize {
        let Some(((step, schema), rest)) = steps.split_first() else {
            self.nodes[index].require(goal);
            return index;
        };
        let child = match step {
            RouteStep::Member(name) => self.member(index, name.clone(), *schema),
            RouteStep::Entry(names) => {
                let name = self.entry(&self.nodes[index], names, rest, goal);
                let name = name.expect("the route was found to fit").clone();
                self.member(index, name, *schema)
            }
            RouteStep::Item { from, to } => {
                let node = &self.nodes[index];
                let item = self.item_index(node, *from, *to, rest, goal);
                let item = item.expect("the route was found to fit");
                let (known, path) = (node.items.get(&item).copied(), node.path.index(item));
                let child = known.unwrap_or_else(|| self.push(*schema, path));
                self.nodes[index].items.insert(item, child);
                child
            }
            RouteStep::InPlace { edge } => self.in_place(index, *edge, *schema),
            RouteStep::Branch { keyword, edge } => {
                let known = self.nodes[index].branches.get(keyword).map(|(_, child)| *child);
                let child = known.unwrap_or_else(|| self.push_same_value(index, *schema));
                self.nodes[index].branches.insert(keyword, (*edge, child));
                child
            }
            RouteStep::Condition { condition, holds, edge } => {
                self.nodes[index].conditions.insert(*condition, *holds);
                self.in_place(index, *edge, *schema)
            }
            RouteStep::PropertyEquals { name, value, .. } => {
                self.nodes[index].members.entry(name.clone()).or_insert(None);
                self.nodes[index].property_values.insert(name.clone(), value.clone());
                index
            }
            RouteStep::Dependent { name, edge } => {
                self.nodes[index].members.entry(name.clone()).or_insert(None);
                self.in_place(index, *edge, *schema)
            }
        };
        self.build(child, rest, goal)
    }

    fn member(&mut self, index: usize, name: String, schema: NodeId) -> usize {
        let known = self.nodes[index].members.get(&name).copied().flatten();
        let path = self.nodes[index].path.key(&name);
        let child = known.unwrap_or_else(|| self.push(schema, path));
        self.nodes[index].members.insert(name, Some(child));
        child
    }

    fn in_place(&mut self, index: usize, edge: usize, schema: NodeId) -> usize {
        let known = self.nodes[index].in_place.get(&edge).copied();
        let child = known.unwrap_or_else(|| self.push_same_value(index, schema));
        self.nodes[index].in_place.insert(edge, child);
        child
    }

    /// Adds a node for another schema that applies to the value of the node `index`.
    fn push_same_value(&mut self, index: usize, schema: NodeId) -> usize {
        let path = self.nodes[index].path.clone();
        self.push(schema, path)
    }

    fn push(&mut self, schema: NodeId, path: Pointer) -> usize {
        self.nodes.push(BlueprintNode::new(schema, path));
        self.nodes.len() - 1
    }
}
