//! Drawing: one value from a plan, every open choice put to a source.
//!
//! An instance has a budget of values, which an object or an array shares out among its members, so
//! that none of them starves another; where the budget or the depth runs out, only what is required
//! is drawn. Some instances are full, some sparse, most in between. The first of a run follow the
//! tour of the plan, so that even a short run meets every part. A draw may fail (a filter that
//! nothing passed): then there is no value, and the caller tries again.

use std::cell::Cell;

use foolproof_contract::{JsonType, json_equal};
use serde_json::{Map, Value};

use crate::{
    Source,
    plan::{ArrayPlan, Filter, Node, NodeId, ObjectPlan, Plan, Stop},
};

mod free;
mod separated;

/// How often a filtered or a repeated value is drawn again.
const TRIES: usize = 24;

/// The number of values in one draw, the discarded ones included, after which nothing is drawn again.
const PATIENCE: usize = 50_000;

/// The number of draws inside one another after which a draw fails. The least depths keep draws far
/// below it; this is for what they cannot promise, so that no plan exhausts the stack.
const NESTING: usize = 20_000;

/// The nesting from which on only the cheapest values are drawn, beyond what the root needs.
const DEPTH: u32 = 12;

/// The number of values in one instance, less for small plans: an instance needs not be larger than
/// a few times what there is to reach.
const SIZE: usize = 3_000;

/// The number of values in a part that the tour passes by.
const ASIDE: usize = 8;

/// One of so many of the first instances leaves the tour out, so that not all of them are full.
const REST: u64 = 8;

/// How many items more than the fewest a long array has, the room allowing.
const LONG: [usize; 6] = [8, 8, 16, 16, 32, 64];

/// The largest number of items or properties that is drawn at all.
const MOST: usize = 100_000;

impl Plan {
    /// Draws one value, or none if the source's choices lead to none.
    #[must_use]
    pub fn draw(&self, source: &mut impl Source) -> Option<Value> {
        let style = Style::of(source.below(STYLES));
        self.draw_with(style, Overlap::Redraw, source)
    }

    fn draw_with(&self, style: Style, overlap: Overlap, source: &mut impl Source) -> Option<Value> {
        let budget = SIZE.min(100 + 3 * self.nodes.len());
        self.draw_in(source, style, overlap, Room { depth: 0, budget, turn: None })
    }

    /// Draws the value of the place `index` in a run. The first values of a run visit the parts of
    /// the plan in turn, as far as the source's other choices let them; the others are as
    /// [`draw`](Self::draw) has them.
    #[must_use]
    pub fn draw_at(&self, index: u64, source: &mut impl Source) -> Option<Value> {
        self.draw_at_with(Some(index), Overlap::Redraw, source)
    }

    /// The same, with a choice of what happens to values that several branches of `oneOf` admit. Without an
    /// index it is as [`draw`](Self::draw).
    pub(crate) fn draw_at_with(
        &self,
        index: Option<u64>,
        overlap: Overlap,
        source: &mut impl Source,
    ) -> Option<Value> {
        let Some(turn) = index.and_then(|index| self.turn_of(index)) else {
            let style = index.and_then(Style::at);
            let style = style.unwrap_or_else(|| Style::of(source.below(STYLES)));
            return self.draw_with(style, overlap, source);
        };
        self.draw_in(
            source,
            Style::Mixed,
            overlap,
            Room { depth: 0, budget: ASIDE, turn: Some(turn) },
        )
    }

    /// Whether the tour decides the value of the place `index` in a run.
    pub(crate) fn is_on_tour(&self, index: u64) -> bool {
        self.turn_of(index).is_some()
    }

    fn turn_of(&self, index: u64) -> Option<u32> {
        let turn = u32::try_from(index - index / REST).unwrap_or(u32::MAX);
        (index % REST != REST - 1 && turn < self.tour().turns(self.root)).then_some(turn)
    }

    fn draw_in(
        &self,
        source: &mut impl Source,
        style: Style,
        overlap: Overlap,
        room: Room,
    ) -> Option<Value> {
        let least = self.depths[self.root.index()]?;
        let deepest = least.saturating_add(DEPTH);
        let mut draw = Draw { overlap, ..Draw::new(self, source, style, deepest) };
        let value = draw.value(self.root, room);
        CHOSEN.set(draw.chosen);
        value
    }
}

/// What happens to values that several branches of `oneOf` admit.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Overlap {
    /// They are drawn again.
    Redraw,
    /// Where drawing again does not help, they are changed until one branch admits them.
    Separate,
}

/// How much of what is optional an instance has.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Style {
    Sparse,
    Mixed,
    Full,
}

/// The number of choices of a style.
const STYLES: u64 = 8;

impl Style {
    /// The style of a choice. Zero, which a replay without choices answers, is the sparse one.
    fn of(choice: u64) -> Self {
        match choice {
            0 => Self::Sparse,
            1 | 2 => Self::Full,
            _ => Self::Mixed,
        }
    }

    /// The style of the place `index` in a run, if it is not left to chance: few of the first instances are sparse, since
    /// those are often alike.
    fn at(index: u64) -> Option<Self> {
        (index < FIRST).then(|| Self::of(STYLES - 1 - index % STYLES))
    }
}

/// The number of instances of a run whose style is not left to chance.
pub(crate) const FIRST: u64 = 16;

/// Whether the value of the place `index` in a run should be sparse, unless the tour decides it.
pub(crate) fn is_sparse(index: u64) -> bool {
    Style::at(index) == Some(Style::Sparse)
}

/// What is left for a value: how deep it stands, how many values it may have inside, and which turn
/// of the tour it is, if it is on tour. Turns have their own measure of size.
#[derive(Clone, Copy)]
struct Room {
    depth: u32,
    budget: usize,
    turn: Option<u32>,
}

impl Room {
    /// The room of one of `members` equal parts.
    fn inside(self, members: usize) -> Self {
        let budget = self.budget.saturating_sub(members) / members.max(1);
        Self { depth: self.depth + 1, budget, turn: None }
    }

    /// The room of a part that the tour passes by.
    fn aside(self) -> Self {
        Self { budget: ASIDE, turn: None, ..self }
    }

    /// The room of the child in `slot` of `stop`, in that child's `turn`.
    fn toward(self, stop: &Stop, slot: usize, turn: u32) -> Self {
        if stop.is_home(slot) { Self { turn: Some(turn), ..self } } else { self.aside() }
    }

    /// The same room for a part that the tour leaves open.
    fn aside_of(self) -> Self {
        if self.turn.is_some() { self.aside() } else { self }
    }

    fn deeper(self) -> Self {
        Self { depth: self.depth + 1, ..self }
    }
}

struct Draw<'p, S> {
    plan: &'p Plan,
    source: &'p mut S,
    style: Style,
    deepest: u32,
    /// How many values were drawn, the discarded ones included.
    drawn: usize,
    /// How many draws the present one is inside of.
    nested: usize,
    overlap: Overlap,
    /// The properties that the present object and those around it have although they need not, by their slot
    /// behind the required ones. Those of the present object are the last.
    chosen: Vec<usize>,
}

thread_local! {
    /// The list of chosen properties of the last draw on this thread: the next one needs as much room.
    static CHOSEN: Cell<Vec<usize>> = const { Cell::new(Vec::new()) };
}

impl<'p, S: Source> Draw<'p, S> {
    fn new(plan: &'p Plan, source: &'p mut S, style: Style, deepest: u32) -> Self {
        let chosen = CHOSEN.take();
        let overlap = Overlap::Redraw;
        Self { plan, source, style, deepest, drawn: 0, nested: 0, overlap, chosen }
    }

    fn value(&mut self, id: NodeId, room: Room) -> Option<Value> {
        self.drawn += 1;
        // What has no finite value would be drawn without end.
        self.least_depth(id)?;
        if self.nested >= NESTING {
            return None;
        }
        self.nested += 1;
        let value = self.value_inside(id, room);
        self.nested -= 1;
        value
    }

    fn value_inside(&mut self, id: NodeId, room: Room) -> Option<Value> {
        let plan = self.plan;
        let room = match room.turn {
            Some(turn) if turn >= plan.tour().turns(id) => room.aside(),
            Some(_) | None => room,
        };
        match &*plan.nodes[id.index()] {
            Node::Never => None,
            Node::Values(values) if values.is_empty() => None,
            Node::Values(values) => {
                self.source.note_spread(values.len().ilog2());
                Some(self.source.pick(values).clone())
            }
            Node::Types(types) => self.of_type(types, room),
            Node::String(strings) => strings.draw(self.source).map(Value::String),
            Node::Integer(integers) => integers.draw(self.source).map(Value::Number),
            Node::Number(numbers) => numbers.draw(self.source).map(Value::Number),
            Node::Array(array) => {
                let items = match room.turn {
                    Some(turn) => self.array_on_tour(array, plan.tour().stop(id), turn, room),
                    None => self.array(array, room),
                };
                items.map(Value::Array)
            }
            Node::Object(object) => {
                let members = match room.turn {
                    Some(turn) => self.object_on_tour(object, plan.tour().stop(id), turn, room),
                    None => self.object(object, room),
                };
                members.map(Value::Object)
            }
            Node::Union(options) => {
                self.scheduled(id, options, room).or_else(|| self.option(options, room.aside_of()))
            }
            Node::Filtered { bases, filter } => self
                .filtered(id, bases, filter, room)
                .or_else(|| self.separated(id, bases, filter, room)),
        }
    }

    /// A value of one of `bases` that the filter admits.
    // Apart from the usual draws, which stay small without it.
    #[inline(never)]
    fn filtered(
        &mut self,
        id: NodeId,
        bases: &[NodeId],
        filter: &Filter,
        room: Room,
    ) -> Option<Value> {
        (0..TRIES).find_map(|attempt| {
            // Filters inside filters would multiply their attempts.
            if attempt > 0 && self.drawn > PATIENCE {
                return None;
            }
            let is_early = attempt < TRIES / 2;
            let drawn = is_early.then(|| self.scheduled(id, bases, room)).flatten();
            drawn
                .or_else(|| self.option(bases, room.aside_of()))
                .filter(|value| filter.admits(value))
        })
    }

    /// A value of the alternative that the tour takes in this turn.
    fn scheduled(&mut self, id: NodeId, options: &[NodeId], room: Room) -> Option<Value> {
        let stop = self.plan.tour().stop(id);
        let (slot, turn) = stop.choice(room.turn?)?;
        self.value(options[slot], room.toward(stop, slot, turn))
    }

    /// Whether only what is required may still be drawn.
    fn is_thin(&self, room: Room) -> bool {
        room.depth >= self.deepest || room.budget == 0
    }

    fn least_depth(&self, id: NodeId) -> Option<u32> {
        self.plan.depths[id.index()]
    }

    /// A value of one of `options` that has any: of all of them alike, or of the cheapest.
    fn option(&mut self, options: &[NodeId], room: Room) -> Option<Value> {
        match options {
            [] => return None,
            [only] => return self.value(*only, room),
            _ => {}
        }
        if self.is_thin(room) {
            let finite = options.iter().filter_map(|id| Some((self.least_depth(*id)?, *id)));
            let (_, cheapest) = finite.min()?;
            return self.value(cheapest, room);
        }
        for attempt in 0..TRIES {
            // Choices inside choices would multiply their attempts.
            if attempt > 0 && self.drawn > PATIENCE {
                return None;
            }
            let option = *self.source.pick(options);
            self.source.note_spread(options.len().ilog2());
            if self.least_depth(option).is_some()
                && let Some(value) = self.value(option, room)
            {
                return Some(value);
            }
        }
        options.iter().find_map(|option| {
            self.least_depth(*option)?;
            self.value(*option, room)
        })
    }

    /// A value of one of `types`, about which nothing else is said.
    // Apart from the usual draws, which stay small without it.
    #[inline(never)]
    fn of_type(&mut self, types: &[JsonType], room: Room) -> Option<Value> {
        if types.is_empty() {
            return None;
        }
        let may_nest = !self.is_thin(room) && self.style != Style::Sparse;
        let kind = *self.source.pick(types);
        Some(match kind {
            JsonType::Array if may_nest => free::array(room.budget, self.source),
            JsonType::Object if may_nest => free::object(room.budget, self.source),
            JsonType::Array => Value::Array(Vec::new()),
            JsonType::Object => Value::Object(Map::new()),
            JsonType::Null
            | JsonType::Boolean
            | JsonType::Integer
            | JsonType::Number
            | JsonType::String => free::scalar(kind, self.source),
        })
    }

    fn array(&mut self, plan: &ArrayPlan, room: Room) -> Option<Vec<Value>> {
        let contained = plan.contained();
        let least = plan.min.max(contained);
        let most = plan.max.unwrap_or(usize::MAX);
        if least > most.min(MOST) {
            return None;
        }
        let length = if self.is_thin(room) { least } else { self.length(plan, least, most, room) };
        let inside = room.inside(length);
        let mut items: Vec<Value> = Vec::with_capacity(length);
        let mut contained = plan.contained_nodes();
        while items.len() < length {
            let node = plan.item_node(items.len(), &mut contained);
            let Some(item) = self.item(plan, node, &items, inside) else {
                return (items.len() >= least).then_some(items);
            };
            items.push(item);
        }
        Some(items)
    }

    fn item(
        &mut self,
        plan: &ArrayPlan,
        node: Option<NodeId>,
        before: &[Value],
        room: Room,
    ) -> Option<Value> {
        for _ in 0..TRIES {
            let item = match node {
                Some(node) => self.value(node, room)?,
                None => self.of_type(&SCALARS, room)?,
            };
            if !plan.distinct || !before.iter().any(|other| json_equal(other, &item)) {
                return Some(item);
            }
        }
        None
    }

    /// An array with the items that show what the turn is for, and those it must have.
    // Apart from the usual draws, which stay small without it.
    #[inline(never)]
    fn array_on_tour(
        &mut self,
        plan: &ArrayPlan,
        stop: &Stop,
        turn: u32,
        room: Room,
    ) -> Option<Vec<Value>> {
        let room = room.deeper();
        let contained = plan.contained();
        let least = plan.min.max(contained);
        let most = plan.max.unwrap_or(usize::MAX).min(MOST);
        let after_items = plan.prefix.len() + usize::from(plan.items.is_some());
        let mut items: Vec<Value> = Vec::new();
        for slot in 0..plan.prefix.len().min(most) {
            let inside = room.toward(stop, slot, turn);
            match self.item(plan, Some(plan.prefix[slot]), &items, inside) {
                Some(item) => items.push(item),
                None => return (items.len() >= least).then_some(items),
            }
        }
        for (index, contains) in plan.contains.iter().enumerate() {
            let inside = room.toward(stop, after_items + index, turn);
            for _ in 0..contains.min.min(MOST) {
                items.push(self.item(plan, Some(contains.node), &items, inside)?);
            }
        }
        let shown = u32::try_from(stop.items).unwrap_or(u32::MAX);
        for number in 0.. {
            if items.len() >= most || (number >= shown && items.len() >= least) {
                break;
            }
            let turn = turn.saturating_mul(shown).saturating_add(number);
            let inside = if number < shown {
                room.toward(stop, plan.prefix.len(), turn)
            } else {
                room.aside()
            };
            match self.item(plan, plan.items, &items, inside) {
                Some(item) => items.push(item),
                None if number < shown => {}
                None => break,
            }
        }
        (least..=most).contains(&items.len()).then_some(items)
    }

    /// A number of items: the ends of the window have a fixed share, and a full instance has some.
    fn length(&mut self, plan: &ArrayPlan, least: usize, most: usize, room: Room) -> usize {
        let usual = most.min(least.saturating_add(3).max(plan.prefix.len()));
        match (self.style, self.source.below(24)) {
            (Style::Sparse, _) | (Style::Mixed, 0 | 1) => least,
            (Style::Full, _) => usual,
            (Style::Mixed, 2) => {
                let more = self.source.pick(&LONG).min(&room.budget);
                most.min(least.saturating_add(*more))
            }
            (Style::Mixed, 3) => most.min(least.saturating_add(LONG[0])),
            (Style::Mixed, _) => least + self.source.index(usual - least + 1),
        }
    }

    fn object(&mut self, plan: &ObjectPlan, room: Room) -> Option<Map<String, Value>> {
        let most = plan.max.unwrap_or(usize::MAX);
        if plan.required.len().max(plan.min) > most.min(MOST) {
            return None;
        }
        let start = self.chosen.len();
        self.choose(plan, room, most);
        let inside = room.inside(plan.required.len() + self.chosen.len() - start);
        let members = self.members(plan, start, inside);
        self.chosen.truncate(start);
        self.fill(plan, members?, inside)
    }

    /// The required members, and those chosen from `start` on.
    fn members(
        &mut self,
        plan: &ObjectPlan,
        start: usize,
        room: Room,
    ) -> Option<Map<String, Value>> {
        let mut members = Map::new();
        for (name, node) in &plan.required {
            members.insert(name.clone(), self.value(*node, room)?);
        }
        for place in start..self.chosen.len() {
            let slot = self.chosen[place];
            let (name, node) = plan.member(plan.required.len() + slot);
            // Only the names of undeclared properties may repeat.
            let is_there = slot >= plan.optional.len() && members.contains_key(name);
            if !is_there
                && self.least_depth(*node).is_some()
                && let Some(value) = self.value(*node, room)
            {
                members.insert(name.clone(), value);
            }
        }
        Some(members)
    }

    /// An object with the members that the turn is for.
    // Apart from the usual draws, which stay small without it.
    #[inline(never)]
    fn object_on_tour(
        &mut self,
        plan: &ObjectPlan,
        stop: &Stop,
        turn: u32,
        room: Room,
    ) -> Option<Map<String, Value>> {
        let room = room.deeper();
        let most = plan.max.unwrap_or(usize::MAX);
        if plan.required.len().max(plan.min) > most.min(MOST) {
            return None;
        }
        let mut members = Map::new();
        for (slot, (name, node)) in plan.required.iter().enumerate() {
            let inside = room.toward(stop, slot, turn);
            let value = self.value(*node, inside).or_else(|| self.value(*node, room.aside()))?;
            members.insert(name.clone(), value);
        }
        let (shown, turn) = stop.members(turn).unwrap_or((&[], turn));
        for member in shown {
            let is_due = turn < member.turns;
            if members.len() + member.slots.len() > most || !(is_due || self.source.chance(1, 2)) {
                continue;
            }
            let entries = u32::try_from(member.slots.len()).unwrap_or(u32::MAX);
            for (number, slot) in (0..).zip(&member.slots) {
                // Entries that are alike share the home of the first.
                let turn = turn.saturating_mul(entries).saturating_add(number);
                let inside =
                    if is_due { room.toward(stop, member.slots[0], turn) } else { room.aside() };
                let (name, node) = plan.member(*slot);
                self.insert(&mut members, name, *node, inside);
            }
        }
        self.fill(plan, members, room.aside())
    }

    /// Adds members until the object has as many as it must.
    fn fill(
        &mut self,
        plan: &ObjectPlan,
        mut members: Map<String, Value>,
        room: Room,
    ) -> Option<Map<String, Value>> {
        if members.len() >= plan.min {
            return Some(members);
        }
        let mut others: Vec<&(String, NodeId)> = plan.optional.iter().chain(&plan.extra).collect();
        if self.is_thin(room) {
            // The first may hold an object of this kind again, and so on without end.
            others.sort_by_key(|(_, node)| self.least_depth(*node).unwrap_or(u32::MAX));
        }
        for (name, node) in others {
            if members.len() >= plan.min {
                break;
            }
            self.insert(&mut members, name, *node, room);
        }
        (members.len() >= plan.min).then_some(members)
    }

    /// The optional properties that this object has. How many is decided for the object as a whole, so
    /// that sparse and full objects both occur.
    fn choose(&mut self, plan: &ObjectPlan, room: Room, most: usize) {
        let free = most.saturating_sub(plan.required.len()).min(room.budget);
        if self.style == Style::Sparse || self.is_thin(room) || free == 0 {
            return;
        }
        let share = match self.style {
            Style::Full => 16,
            Style::Mixed | Style::Sparse => *self.source.pick(&[0, 4, 8, 10, 12, 16]),
        };
        let start = self.chosen.len();
        match share {
            0 => {}
            16 => self.chosen.extend(0..plan.optional.len()),
            _ => {
                for slot in 0..plan.optional.len() {
                    if self.source.chance(share, 16) {
                        self.chosen.push(slot);
                    }
                }
                // Which of them are there is nearly one choice of two for each.
                self.source.note_spread(u32::try_from(plan.optional.len() * 3 / 4).unwrap_or(0));
            }
        }
        let entries = match (plan.is_map, self.style) {
            (true, Style::Full) => 2,
            (true, _) => self.source.index(4),
            (false, _) => usize::from(share > 0 && self.source.chance(1, 8)),
        };
        if !plan.extra.is_empty() {
            for _ in 0..entries {
                let slot = plan.optional.len() + self.source.index(plan.extra.len());
                self.chosen.push(slot);
            }
        }
        while self.chosen.len() - start > free {
            let index = self.source.index(self.chosen.len() - start);
            self.chosen.swap_remove(start + index);
        }
    }

    /// Adds a property unless it has one already, or no value: an optional one never fails its object.
    fn insert(&mut self, members: &mut Map<String, Value>, name: &str, node: NodeId, room: Room) {
        if self.least_depth(node).is_some()
            && !members.contains_key(name)
            && let Some(value) = self.value(node, room)
        {
            members.insert(name.to_owned(), value);
        }
    }
}

/// The types of items about which nothing is said.
const SCALARS: [JsonType; 4] =
    [JsonType::Null, JsonType::Boolean, JsonType::Number, JsonType::String];
