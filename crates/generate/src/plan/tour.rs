//! The tour: how the first instances of a run visit every part of a plan.
//!
//! Independent draws reach a wide union or a deep member late. So the plan numbers *turns*: turn 0
//! of the root draws every member once, and where only one of several can be drawn, further turns
//! draw the others, those that show the most new parts first. Every node has one *home*, the slot in
//! which a breadth-first walk visits it first; what is below it is toured there and nowhere else, which
//! keeps the turns of a recursive plan finite, and the size of an instance near that of the plan.

use std::{
    collections::{BTreeSet, VecDeque},
    sync::Arc,
};

use super::{ArrayPlan, Least, Node, NodeId, ObjectPlan};

/// The number of turns that are planned; what is left after them is reached by random draws.
const MAX_TURNS: usize = 1_024;

/// The number of values that an object on tour may usually have below it. What does not fit is drawn
/// in a later turn.
const LARGEST: usize = 2_000;

/// The size up to which a part is at home in every slot of a wide tour, in nodes.
const SMALL_PART: usize = 48;

/// The most members of an enumeration that a wide tour draws in turn.
const FEW_VALUES: usize = 16;

/// The most items of an array, or entries of a map, that are drawn to show alternatives.
const MAX_ITEMS: usize = 12;

/// The nesting below which nothing is toured.
const DEEPEST: u32 = 64;

/// The size that is assumed for a part that is toured elsewhere.
const SMALL: usize = 3;

/// How much a tour shows at once.
#[derive(Clone, Copy, Debug)]
pub(super) enum Extent {
    /// As much as people look at.
    Usual,
    /// Objects of as many values, and small parts wherever they are used.
    Wide(usize),
}

impl Extent {
    /// The number of values that an object may have below it.
    fn largest(self) -> usize {
        match self {
            Self::Usual => LARGEST,
            Self::Wide(values) => values,
        }
    }

    /// The most nodes of a part that is at home in every slot.
    fn small_part(self) -> usize {
        match self {
            Self::Usual => 0,
            Self::Wide(_) => SMALL_PART,
        }
    }
}

/// The turns of each node of a plan.
#[derive(Clone, Debug)]
pub(crate) struct Tour {
    stops: Vec<Stop>,
    /// Whether a node starts again after its last turn, so that every draw shows as much as it can. Otherwise it is
    /// passed by from then on.
    starts_again: bool,
}

/// The turns of one node.
#[derive(Clone, Debug, Default)]
pub(crate) struct Stop {
    /// For each turn how many parts it shows for the first time. Never empty once planned.
    gains: Vec<u32>,
    /// The number of values of a turn.
    size: usize,
    /// For each slot of the node whether the child has its home there.
    homes: Vec<bool>,
    /// Where something must be chosen: for each turn the choice, and the turn of what is chosen.
    schedule: Vec<(usize, u32)>,
    /// For objects: the members that appear together.
    groups: Vec<Vec<Member>>,
    /// For arrays: the number of items after the prefix.
    pub(crate) items: usize,
}

/// One optional member of an object, or several entries of a map that are alike.
#[derive(Clone, Debug)]
pub(crate) struct Member {
    /// The slots, counted through the required, optional and extra properties.
    pub(crate) slots: Vec<usize>,
    /// In how many of the object's turns it shows new parts.
    turns: u32,
    gains: Vec<u32>,
    size: usize,
}

impl Tour {
    /// Plans the turns of `nodes`, of which those with a depth have values.
    pub(super) fn of(
        nodes: &[Arc<Node>],
        least: &[Option<Least>],
        root: NodeId,
        extent: Extent,
    ) -> Self {
        let mut planner = Planner {
            nodes,
            least,
            largest: extent.largest(),
            small: small_parts(nodes, extent.small_part()),
            stops: nodes.iter().map(|_| Stop::default()).collect(),
            credited: BTreeSet::new(),
        };
        let order = planner.assign_homes(root);
        let credits: Vec<Vec<bool>> = order.iter().map(|id| planner.credits(*id)).collect();
        // A child that has its home at a node comes after it in the order, and a small one is smaller.
        let mut places: Vec<usize> = (0..order.len()).rev().collect();
        places.sort_by_key(|place| planner.small[order[*place].index()].unwrap_or(usize::MAX));
        for place in places {
            planner.plan(order[place], &credits[place]);
        }
        let starts_again = matches!(extent, Extent::Wide(_));
        Self { stops: planner.stops, starts_again }
    }

    /// The number of turns after which every part below `id` was drawn.
    pub(crate) fn turns(&self, id: NodeId) -> u32 {
        self.stops[id.index()].turns()
    }

    /// The turn of `id` that `turn` stands for; none once it is passed by.
    pub(crate) fn turn(&self, id: NodeId, turn: u32) -> Option<u32> {
        let turns = self.turns(id);
        if self.starts_again {
            turn.checked_rem(turns)
        } else {
            Some(turn).filter(|it| *it < turns)
        }
    }

    /// The members that an object at `id` shows in `turn`, and which turn it is for them.
    pub(crate) fn members(&self, id: NodeId, turn: u32) -> Option<(&[Member], u32)> {
        let stop = self.stop(id);
        let planned = u32::try_from(stop.schedule.len()).unwrap_or(u32::MAX);
        stop.members(if self.starts_again { turn.checked_rem(planned)? } else { turn })
    }

    /// Whether `member` has something to show in `turn`.
    pub(crate) fn is_due(&self, member: &Member, turn: u32) -> bool {
        self.starts_again || turn < member.turns
    }

    pub(crate) fn stop(&self, id: NodeId) -> &Stop {
        &self.stops[id.index()]
    }
}

impl Stop {
    fn turns(&self) -> u32 {
        u32::try_from(self.gains.len()).unwrap_or(u32::MAX)
    }

    /// Whether the child in `slot` is toured here.
    pub(crate) fn is_home(&self, slot: usize) -> bool {
        self.homes.get(slot).copied().unwrap_or(false)
    }

    /// The alternative that `turn` draws, and which turn it is for that alternative.
    pub(crate) fn choice(&self, turn: u32) -> Option<(usize, u32)> {
        self.schedule.get(turn as usize).copied()
    }

    /// The members that `turn` shows, and which turn it is for them.
    fn members(&self, turn: u32) -> Option<(&[Member], u32)> {
        let (group, turn) = self.choice(turn)?;
        Some((&self.groups[group], turn))
    }
}

struct Planner<'p> {
    nodes: &'p [Arc<Node>],
    least: &'p [Option<Least>],
    /// The number of values that an object may have below it.
    largest: usize,
    /// The sizes of the parts that are at home in every slot, in nodes.
    small: Vec<Option<usize>>,
    stops: Vec<Stop>,
    /// The property names that count as new parts, each where the walk visits it first.
    credited: BTreeSet<(&'p str, NodeId)>,
}

impl<'p> Planner<'p> {
    /// Gives every node its home, and lists the nodes in the order of the walk.
    fn assign_homes(&mut self, root: NodeId) -> Vec<NodeId> {
        let mut is_visited = vec![false; self.nodes.len()];
        is_visited[root.index()] = true;
        let mut order = Vec::new();
        let mut queue = VecDeque::from([(root, 0)]);
        while let Some((id, depth)) = queue.pop_front() {
            order.push(id);
            let mut homes = Vec::new();
            for child in children(&self.nodes[id.index()]) {
                let may_be_home = depth < DEEPEST && self.least[child.index()].is_some();
                let is_first =
                    may_be_home && !std::mem::replace(&mut is_visited[child.index()], true);
                homes.push(is_first || may_be_home && self.small[child.index()].is_some());
                if is_first {
                    queue.push_back((child, depth + 1));
                }
            }
            self.stops[id.index()].homes = homes;
        }
        order
    }

    /// For each declared property of an object whether the walk visits it here first.
    fn credits(&mut self, id: NodeId) -> Vec<bool> {
        let Node::Object(object) = &*self.nodes[id.index()] else { return Vec::new() };
        let declared = object.required.iter().chain(&object.optional);
        declared.map(|(name, node)| self.credited.insert((name.as_str(), *node))).collect()
    }

    fn plan(&mut self, id: NodeId, credits: &[bool]) {
        let homes = std::mem::take(&mut self.stops[id.index()].homes);
        let mut stop = match &*self.nodes[id.index()] {
            Node::Union(options) | Node::Filtered { bases: options, .. } => {
                self.union(options, &homes)
            }
            Node::Array(array) => self.array(array, &homes),
            Node::Object(object) => self.object(object, &homes, credits),
            Node::Values(values) if self.small[id.index()].is_some() => Self::values(values.len()),
            Node::Never
            | Node::Types(_)
            | Node::Values(_)
            | Node::String(_)
            | Node::Integer(_)
            | Node::Number(_) => Stop { size: 1, ..Stop::default() },
        };
        if stop.gains.is_empty() {
            stop.gains.push(0);
        }
        stop.gains.truncate(MAX_TURNS);
        stop.homes = homes;
        self.stops[id.index()] = stop;
    }

    /// What the turns of a child show: all of it at its home, nothing new elsewhere.
    fn gains(&self, child: NodeId, is_home: bool) -> &[u32] {
        if is_home { &self.stops[child.index()].gains } else { &[] }
    }

    fn size(&self, child: NodeId, is_home: bool) -> usize {
        match &*self.nodes[child.index()] {
            Node::Never
            | Node::Types(_)
            | Node::Values(_)
            | Node::String(_)
            | Node::Integer(_)
            | Node::Number(_) => 1,
            Node::Array(_) | Node::Object(_) | Node::Union(_) | Node::Filtered { .. } => {
                if is_home { self.stops[child.index()].size } else { SMALL }
            }
        }
    }

    /// Each of a few values is worth a turn.
    fn values(count: usize) -> Stop {
        let turns = if count <= FEW_VALUES { count } else { 1 };
        Stop { gains: vec![1; turns], size: 1, ..Stop::default() }
    }

    fn union(&self, options: &[NodeId], homes: &[bool]) -> Stop {
        let mut sequences = Vec::new();
        let mut size = 0;
        for (option, is_home) in options.iter().zip(homes) {
            let mut gains = self.gains(*option, *is_home).to_vec();
            if self.least[option.index()].is_some() {
                // Drawing an alternative at all is worth a turn.
                add(&mut gains, 0, 1);
            }
            sequences.push(gains);
            size = size.max(self.size(*option, *is_home));
        }
        let (schedule, gains) = interleave(&sequences);
        Stop { gains, size, schedule, ..Stop::default() }
    }

    fn array(&self, array: &ArrayPlan, homes: &[bool]) -> Stop {
        let mut stop = Stop { size: 1, gains: vec![0], ..Stop::default() };
        let contained = array.contains.iter().map(|contains| contains.node);
        let rest = array.prefix.len() + usize::from(array.items.is_some());
        let single = array.prefix.iter().copied().zip(homes);
        for (child, is_home) in single.chain(contained.zip(homes.iter().skip(rest))) {
            stop.size += self.size(child, *is_home);
            sum(&mut stop.gains, self.gains(child, *is_home), 1);
        }
        let capacity = array.max.unwrap_or(usize::MAX).saturating_sub(array.prefix.len());
        if let Some(items) = array.items {
            let is_home = homes.get(array.prefix.len()).copied().unwrap_or(false);
            let gains = self.gains(items, is_home);
            let size = self.size(items, is_home);
            stop.items = share(gains.len(), capacity, size);
            stop.size += stop.items * size;
            sum(&mut stop.gains, gains, stop.items);
        }
        stop
    }

    fn object(&self, object: &'p ObjectPlan, homes: &[bool], credits: &[bool]) -> Stop {
        let mut stop = Stop { size: 1, gains: vec![0], ..Stop::default() };
        for (slot, (_, node)) in object.required.iter().enumerate() {
            stop.size += self.size(*node, homes[slot]);
            sum(&mut stop.gains, self.gains(*node, homes[slot]), 1);
            stop.gains[0] += u32::from(credits[slot]);
        }
        let free = object.max.unwrap_or(usize::MAX).saturating_sub(object.required.len());
        let members = self.members(object, homes, credits, free);
        stop.groups = group(members, free, self.largest.saturating_sub(stop.size));
        let sequences: Vec<Vec<u32>> = stop.groups.iter().map(|group| together(group)).collect();
        let (schedule, gains) = interleave(&sequences);
        let sizes =
            stop.groups.iter().map(|group| group.iter().map(|member| member.size).sum::<usize>());
        stop.size += sizes.max().unwrap_or(0);
        sum(&mut stop.gains, &gains, 1);
        stop.schedule = schedule;
        stop
    }

    /// The optional properties; and for a map, the entries that show what it holds.
    fn members(
        &self,
        object: &ObjectPlan,
        homes: &[bool],
        credits: &[bool],
        free: usize,
    ) -> Vec<Member> {
        let mut members = Vec::new();
        let mut slot = object.required.len();
        for (_, node) in &object.optional {
            let mut gains = self.gains(*node, homes[slot]).to_vec();
            add(&mut gains, 0, u32::from(credits[slot]));
            if self.least[node.index()].is_some() {
                members.push(Member::new(vec![slot], gains, self.size(*node, homes[slot])));
            }
            slot += 1;
        }
        let extra = if object.is_map { object.extra.as_slice() } else { &[] };
        for (index, (_, node)) in extra.iter().enumerate().filter(|(index, _)| homes[slot + index])
        {
            let alike: Vec<usize> = (index..extra.len())
                .filter(|other| extra[*other].1 == *node)
                .map(|other| slot + other)
                .collect();
            let (own, size) = (self.gains(*node, true), self.size(*node, true));
            let entries = share(own.len(), free.min(alike.len()), size);
            let mut gains = vec![1];
            sum(&mut gains, own, entries);
            members.push(Member::new(alike[..entries].to_vec(), gains, size * entries));
        }
        members
    }
}

impl Member {
    fn new(slots: Vec<usize>, gains: Vec<u32>, size: usize) -> Self {
        let turns = u32::try_from(gains.len()).unwrap_or(u32::MAX);
        Self { slots, turns, gains, size }
    }
}

/// For each node whose part of the plan has at most `most` nodes, how many those are, each counted as often as it is
/// used; none for what is recursive.
fn small_parts(nodes: &[Arc<Node>], most: usize) -> Vec<Option<usize>> {
    let mut sizes = vec![None; nodes.len()];
    if most == 0 {
        return sizes;
    }
    let mut parents: Vec<Vec<usize>> = vec![Vec::new(); nodes.len()];
    let mut unknown = vec![0_usize; nodes.len()];
    for (index, node) in nodes.iter().enumerate() {
        let children = children(node);
        unknown[index] = children.len();
        for child in children {
            parents[child.index()].push(index);
        }
    }
    // What has a part that is recursive or too large is never known.
    let mut known: Vec<usize> = (0..nodes.len()).filter(|index| unknown[*index] == 0).collect();
    while let Some(index) = known.pop() {
        let parts = children(&nodes[index]).into_iter().filter_map(|child| sizes[child.index()]);
        let size = 1 + parts.sum::<usize>();
        if size > most {
            continue;
        }
        sizes[index] = Some(size);
        for parent in &parents[index] {
            unknown[*parent] -= 1;
            if unknown[*parent] == 0 {
                known.push(*parent);
            }
        }
    }
    sizes
}

/// How many items or entries with this many turns are drawn side by side.
fn share(turns: usize, capacity: usize, size: usize) -> usize {
    turns.clamp(1, MAX_ITEMS).min(capacity).min((LARGEST / size.max(1)).max(1))
}

/// Members in groups that fit an object.
fn group(members: Vec<Member>, free: usize, largest: usize) -> Vec<Vec<Member>> {
    let mut groups: Vec<Vec<Member>> = Vec::new();
    let (mut count, mut size) = (0, 0);
    for member in members.into_iter().filter(|member| member.slots.len() <= free) {
        let fits = count + member.slots.len() <= free && size + member.size <= largest;
        if groups.is_empty() || !fits {
            groups.push(Vec::new());
            (count, size) = (0, 0);
        }
        count += member.slots.len();
        size += member.size;
        groups.last_mut().expect("there is one").push(member);
    }
    groups
}

/// What members that appear together show.
fn together(members: &[Member]) -> Vec<u32> {
    let mut gains = vec![0];
    for member in members {
        sum(&mut gains, &member.gains, 1);
    }
    gains
}

/// Interleaves sequences: each turn continues the one that shows the most next. Returns the sequence
/// and its turn for each turn, and what each turn shows.
fn interleave(sequences: &[Vec<u32>]) -> (Vec<(usize, u32)>, Vec<u32>) {
    let mut next = vec![0_usize; sequences.len()];
    let (mut schedule, mut gains) = (Vec::new(), Vec::new());
    while schedule.len() < MAX_TURNS {
        let unfinished =
            (0..sequences.len()).filter(|index| next[*index] < sequences[*index].len());
        let best =
            unfinished.max_by_key(|index| (sequences[*index][next[*index]], usize::MAX - index));
        let Some(best) = best else { break };
        schedule.push((best, u32::try_from(next[best]).unwrap_or(u32::MAX)));
        gains.push(sequences[best][next[best]]);
        next[best] += 1;
    }
    (schedule, gains)
}

/// Adds what `part` shows to `whole`, `at_once` of its turns in each turn of the whole.
fn sum(whole: &mut Vec<u32>, part: &[u32], at_once: usize) {
    for (turn, gain) in part.iter().enumerate() {
        add(whole, turn / at_once.max(1), *gain);
    }
}

fn add(gains: &mut Vec<u32>, turn: usize, gain: u32) {
    if gains.len() <= turn {
        gains.resize(turn + 1, 0);
    }
    gains[turn] = gains[turn].saturating_add(gain);
}

/// The nodes below a node, slot by slot.
fn children(node: &Node) -> Vec<NodeId> {
    match node {
        Node::Union(options) | Node::Filtered { bases: options, .. } => options.clone(),
        Node::Array(array) => {
            let contained = array.contains.iter().map(|contains| contains.node);
            array.prefix.iter().copied().chain(array.items).chain(contained).collect()
        }
        Node::Object(object) => {
            let members = object.required.iter().chain(&object.optional).chain(&object.extra);
            members.map(|(_, node)| *node).collect()
        }
        Node::Never
        | Node::Types(_)
        | Node::Values(_)
        | Node::String(_)
        | Node::Integer(_)
        | Node::Number(_) => Vec::new(),
    }
}
