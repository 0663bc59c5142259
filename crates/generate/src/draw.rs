//! Drawing: one value from a plan, every open choice put to a source.
//!
//! An instance has a budget of values, which an object or an array shares out among its members, so
//! that none of them starves another; where the budget or the depth runs out, only what is required
//! is drawn. What an instance may take at all is a limit of its own: what every value needs at least is set aside before
//! anything is drawn, and whatever a choice adds to that is paid for. Some instances are full, some sparse, most in between. The first of a run follow the
//! tour of the plan, so that even a short run meets every part. A draw may fail (a filter that
//! nothing passed): then there is no value, and the caller tries again.

use foolproof_contract::{ArenaValue, JsonType};
use serde_json::{Map, Value};

use crate::{
    Source, ValueSize,
    plan::{ArrayPlan, Filter, Least, Node, NodeId, ObjectPlan, Plan, Stop},
    value_size::Slack,
};

mod distinct;
mod free;
mod memory;
mod separated;

use distinct::DistinctItems;
pub use memory::DrawMemory;

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
pub(crate) const REST: u64 = 8;

/// How many items more than the fewest a long array has, the room allowing.
const LONG: [usize; 6] = [8, 8, 16, 16, 32, 64];

impl Plan {
    /// Draws one value, or none if the source's choices lead to none.
    #[must_use]
    pub fn draw(&self, source: &mut impl Source) -> Option<Value> {
        let mut memory = DrawMemory::new();
        let drawn = self.draw_in(&mut memory, source);
        drawn.map(|value| memory.to_value(value))
    }

    /// The same, in memory that is reused.
    pub(crate) fn draw_in<'p>(
        &'p self,
        memory: &mut DrawMemory<'p>,
        source: &mut impl Source,
    ) -> Option<ArenaValue<'p>> {
        self.draw_at_with(None, Overlap::Redraw, memory, source)
    }

    /// Draws the value of the place `index` in a run. The first values of a run visit the parts of
    /// the plan in turn, as far as the source's other choices let them; the others are as
    /// [`draw`](Self::draw) has them.
    #[must_use]
    pub fn draw_at(&self, index: u64, source: &mut impl Source) -> Option<Value> {
        let mut memory = DrawMemory::new();
        let drawn = self.draw_at_with(Some(index), Overlap::Redraw, &mut memory, source);
        drawn.map(|value| memory.to_value(value))
    }

    /// The same, with a choice of what happens to values that several branches of `oneOf` admit. Without an
    /// index it is as [`draw`](Self::draw).
    pub(crate) fn draw_at_with<'p>(
        &'p self,
        index: Option<u64>,
        overlap: Overlap,
        memory: &mut DrawMemory<'p>,
        source: &mut impl Source,
    ) -> Option<ArenaValue<'p>> {
        let least = self.least[self.root.index()]?;
        let slack = Slack::of(self.limit, least.size)?;
        let turn = index.and_then(|index| self.turn_of(index));
        let (style, budget) = if turn.is_some() {
            (Style::Mixed, ASIDE)
        } else {
            let style = index.and_then(Style::at);
            let style = style.unwrap_or_else(|| Style::of(source.below(STYLES)));
            (style, SIZE.min(100 + 3 * self.nodes.len()))
        };
        let room = Room { depth: 0, budget, turn };
        let deepest = least.depth.saturating_add(DEPTH);
        let draw = Draw::new(self, memory, source, style, deepest, slack);
        let mut draw = Draw { overlap, ..draw };
        let value = draw.value(self.root, room);
        let drawn = draw.drawn;
        memory.add_drawn(drawn);
        value
    }

    /// Whether the tour decides the value of the place `index` in a run.
    pub(crate) fn is_on_tour(&self, index: u64) -> bool {
        self.turn_of(index).is_some()
    }

    fn turn_of(&self, index: u64) -> Option<u32> {
        let turn = u32::try_from(index - index / REST).unwrap_or(u32::MAX);
        (index % REST != REST - 1 && turn < self.tour().turns(self.root)).then_some(turn)
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

struct Draw<'p, 'm, S> {
    plan: &'p Plan,
    memory: &'m mut DrawMemory<'p>,
    source: &'m mut S,
    style: Style,
    deepest: u32,
    /// How many values were drawn, the discarded ones included.
    drawn: usize,
    /// How many draws the present one is inside of.
    nested: usize,
    overlap: Overlap,
    /// What may be drawn beyond the least values of what is being drawn.
    slack: Slack,
}

impl<'p, 'm, S: Source> Draw<'p, 'm, S> {
    fn new(
        plan: &'p Plan,
        memory: &'m mut DrawMemory<'p>,
        source: &'m mut S,
        style: Style,
        deepest: u32,
        slack: Slack,
    ) -> Self {
        let overlap = Overlap::Redraw;
        Self { plan, memory, source, style, deepest, drawn: 0, nested: 0, overlap, slack }
    }

    /// A value of the node `id`, whose least size is accounted for.
    fn value(&mut self, id: NodeId, room: Room) -> Option<ArenaValue<'p>> {
        self.drawn += 1;
        // What has no finite value would be drawn without end.
        self.least(id)?;
        if self.nested >= NESTING {
            return None;
        }
        self.nested += 1;
        let (mark, slack) = (self.memory.mark(), self.slack);
        let value = self.value_inside(id, room);
        if value.is_none() {
            self.memory.release(mark);
            self.slack = slack;
        }
        self.nested -= 1;
        value
    }

    /// A value of the node `id`, of which nothing is accounted for, behind `name`; none if there is no room for it.
    fn extra(&mut self, id: NodeId, name: &str, room: Room) -> Option<ArenaValue<'p>> {
        let slack = self.slack;
        let cost = self.least(id)?.size.named(name).item();
        let value = self.slack.spend(cost, ValueSize::NOTHING).then(|| self.value(id, room));
        let value = value.flatten();
        if value.is_none() {
            self.slack = slack;
        }
        value
    }

    /// A value of `option`, one of the alternatives that the node `id` has; none if there is no room for it.
    fn instead(&mut self, id: NodeId, option: NodeId, room: Room) -> Option<ArenaValue<'p>> {
        let slack = self.slack;
        let (cost, counted) = (self.least(option)?.size, self.least(id)?.size);
        let value = self.slack.spend(cost, counted).then(|| self.value(option, room)).flatten();
        if value.is_none() {
            self.slack = slack;
        }
        value
    }

    fn value_inside(&mut self, id: NodeId, room: Room) -> Option<ArenaValue<'p>> {
        let plan = self.plan;
        let room = match room.turn.map(|turn| plan.tour().turn(id, turn)) {
            Some(None) => room.aside(),
            Some(turn) => Room { turn, ..room },
            None => room,
        };
        match &*plan.nodes[id.index()] {
            Node::Never => None,
            Node::Values(values) if values.is_empty() => None,
            Node::Values(values) => {
                if let Some(turn) = room.turn.filter(|_| plan.tour().turns(id) > 1) {
                    return values.get(turn as usize).and_then(|value| self.listed(id, value));
                }
                self.source.note_spread(values.len().ilog2());
                let value = self.source.pick(values);
                self.listed(id, value)
            }
            Node::Types(types) => self.of_type(id, types, room),
            Node::String(strings) => {
                let (text, length) = self.memory.string(strings, self.source)?;
                let counted = ValueSize::text(strings.least_length());
                self.slack.spend(ValueSize::text(length), counted).then_some(text)
            }
            Node::Integer(integers) => {
                let drawn = integers.draw_unwritten(self.source)?;
                self.memory.number(drawn)
            }
            Node::Number(numbers) => {
                let drawn = numbers.draw_unwritten(self.source)?;
                self.memory.number(drawn)
            }
            Node::Array(array) => match room.turn {
                Some(turn) => self.array_on_tour(array, plan.tour().stop(id), turn, room),
                None => self.array(array, room),
            },
            Node::Object(object) => match room.turn {
                Some(turn) => self.object_on_tour(object, id, turn, room),
                None => self.object(object, room),
            },
            Node::Union(options) => self
                .scheduled(id, options, room)
                .or_else(|| self.option(id, options, room.aside_of())),
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
        bases: &'p [NodeId],
        filter: &'p Filter,
        room: Room,
    ) -> Option<ArenaValue<'p>> {
        let (mark, slack) = (self.memory.mark(), self.slack);
        (0..TRIES).find_map(|attempt| {
            // Filters inside filters would multiply their attempts.
            if attempt > 0 && self.drawn > PATIENCE {
                return None;
            }
            self.memory.release(mark);
            self.slack = slack;
            let is_early = attempt < TRIES / 2;
            let drawn = is_early.then(|| self.scheduled(id, bases, room)).flatten();
            drawn
                .or_else(|| self.option(id, bases, room.aside_of()))
                .filter(|value| self.memory.read(*value, |value| filter.admits(value)))
        })
    }

    /// A value of the alternative that the tour takes in this turn.
    fn scheduled(
        &mut self,
        id: NodeId,
        options: &'p [NodeId],
        room: Room,
    ) -> Option<ArenaValue<'p>> {
        let stop = self.plan.tour().stop(id);
        let (slot, turn) = stop.choice(room.turn?)?;
        self.instead(id, options[slot], room.toward(stop, slot, turn))
    }

    /// Whether only what is required may still be drawn.
    fn is_thin(&self, room: Room) -> bool {
        room.depth >= self.deepest || room.budget == 0 || self.slack.is_low()
    }

    fn least(&self, id: NodeId) -> Option<Least> {
        self.plan.least[id.index()]
    }

    /// A value of one of `options`, the alternatives of the node `id`: of all of them alike, or of the cheapest.
    fn option(&mut self, id: NodeId, options: &'p [NodeId], room: Room) -> Option<ArenaValue<'p>> {
        match options {
            [] => return None,
            [only] => return self.instead(id, *only, room),
            _ => {}
        }
        if self.is_thin(room) {
            return self.cheapest(id, options, room);
        }
        for attempt in 0..TRIES {
            // Choices inside choices would multiply their attempts.
            if attempt > 0 && self.drawn > PATIENCE {
                return None;
            }
            let option = *self.source.pick(options);
            self.source.note_spread(options.len().ilog2());
            if let Some(value) = self.instead(id, option, room) {
                return Some(value);
            }
        }
        options.iter().find_map(|option| self.instead(id, *option, room))
    }

    /// A value of the option that nests least, or of the smallest if that is too large.
    fn cheapest(
        &mut self,
        id: NodeId,
        options: &'p [NodeId],
        room: Room,
    ) -> Option<ArenaValue<'p>> {
        let finite = || options.iter().filter_map(|id| Some((self.least(*id)?, *id)));
        let (_, flattest) = finite().map(|(least, id)| (least.depth, id)).min()?;
        // Of what weighs as much, what nests least: sizes beyond counting are equal.
        let weight = |(least, id): (Least, NodeId)| (least.size.weight(), least.depth, id);
        let (.., smallest) = finite().map(weight).min()?;
        let flattest = (!self.slack.is_low()).then(|| self.instead(id, flattest, room)).flatten();
        flattest.or_else(|| self.instead(id, smallest, room))
    }

    /// One of the values that a contract lists.
    fn listed(&mut self, id: NodeId, value: &'p Value) -> Option<ArenaValue<'p>> {
        let is_small = match value {
            Value::Null | Value::Bool(_) | Value::Number(_) => true,
            Value::String(text) => text.len() < SMALL_TEXT,
            Value::Array(_) | Value::Object(_) => false,
        };
        let counted = self.least(id)?.size;
        let fits = is_small || self.slack.spend(ValueSize::of(value), counted);
        fits.then(|| ArenaValue::listed(value))
    }

    /// A value of one of `types`, about which nothing else is said.
    // Apart from the usual draws, which stay small without it.
    #[inline(never)]
    fn of_type(&mut self, id: NodeId, types: &[JsonType], room: Room) -> Option<ArenaValue<'p>> {
        if types.is_empty() {
            return None;
        }
        let may_nest = !self.is_thin(room) && self.style != Style::Sparse;
        let kind = *self.source.pick(types);
        let value = match kind {
            JsonType::Array if may_nest => free::array(room.budget, self.source),
            JsonType::Object if may_nest => free::object(room.budget, self.source),
            JsonType::Array => Value::Array(Vec::new()),
            JsonType::Object => Value::Object(Map::new()),
            JsonType::Null
            | JsonType::Boolean
            | JsonType::Integer
            | JsonType::Number
            | JsonType::String => free::scalar(kind, self.source),
        };
        let counted = self.least(id)?.size;
        let fits = self.slack.spend(ValueSize::of(&value), counted);
        fits.then(|| self.memory.own(value)).flatten()
    }

    fn array(&mut self, plan: &'p ArrayPlan, room: Room) -> Option<ArenaValue<'p>> {
        let contained = plan.contained();
        let least = plan.min.max(contained);
        let most = plan.max.unwrap_or(usize::MAX);
        if least > most {
            return None;
        }
        let length = if self.is_thin(room) { least } else { self.length(plan, least, most, room) };
        let inside = room.inside(length);
        let start = self.memory.items.len();
        let mut contained = plan.contained_nodes();
        let mut distinct = DistinctItems::default();
        let mut count = 0;
        while count < length {
            let node = plan.item_node(count, &mut contained);
            let Some(item) = self.item(plan, node, (start, least), &mut distinct, inside) else {
                break;
            };
            self.memory.items.push(item);
            count += 1;
        }
        self.memory.end_array(start, count >= least)
    }

    /// An item of the array whose items are those from `start` on, and which must have `least` items.
    fn item(
        &mut self,
        plan: &'p ArrayPlan,
        node: Option<NodeId>,
        (start, least): (usize, usize),
        distinct: &mut DistinctItems,
        room: Room,
    ) -> Option<ArenaValue<'p>> {
        let is_accounted = self.memory.items.len() - start < least;
        let (mark, slack) = (self.memory.mark(), self.slack);
        for _ in 0..TRIES {
            self.memory.release(mark);
            self.slack = slack;
            let item = match node {
                Some(node) if is_accounted => self.value(node, room)?,
                Some(node) => self.extra(node, "", room)?,
                None => self.scalar(is_accounted)?,
            };
            if !plan.distinct || !distinct.contains(self.memory, start, item) {
                return Some(item);
            }
        }
        if !is_accounted {
            return None;
        }
        self.memory.release(mark);
        self.slack = slack;
        self.unused_item(node, start, least, distinct, room)
    }

    /// An item about which nothing is said.
    fn scalar(&mut self, is_accounted: bool) -> Option<ArenaValue<'p>> {
        let kind = *self.source.pick(&SCALARS);
        let value = free::scalar(kind, self.source);
        let counted = if is_accounted { ValueSize::SCALAR } else { ValueSize::NOTHING };
        let fits = self.slack.spend(ValueSize::of(&value), counted);
        fits.then(|| self.memory.own(value)).flatten()
    }

    /// An array with the items that show what the turn is for, and those it must have.
    // Apart from the usual draws, which stay small without it.
    #[inline(never)]
    fn array_on_tour(
        &mut self,
        plan: &'p ArrayPlan,
        stop: &'p Stop,
        turn: u32,
        room: Room,
    ) -> Option<ArenaValue<'p>> {
        let start = self.memory.items.len();
        let is_complete = self.items_on_tour(plan, stop, turn, room.deeper(), start);
        self.memory.end_array(start, is_complete)
    }

    /// Adds the items of such an array; `false` if it lacks some that it must have.
    fn items_on_tour(
        &mut self,
        plan: &'p ArrayPlan,
        stop: &'p Stop,
        turn: u32,
        room: Room,
        start: usize,
    ) -> bool {
        let contained = plan.contained();
        let least = plan.min.max(contained);
        let most = plan.max.unwrap_or(usize::MAX);
        let after_items = plan.prefix.len() + usize::from(plan.items.is_some());
        let mut distinct = DistinctItems::default();
        let mut count = 0;
        for slot in 0..plan.prefix.len().min(most) {
            let inside = room.toward(stop, slot, turn);
            match self.item(plan, Some(plan.prefix[slot]), (start, least), &mut distinct, inside) {
                Some(item) => self.memory.items.push(item),
                None => return count >= least,
            }
            count += 1;
        }
        for (index, contains) in plan.contains.iter().enumerate() {
            let inside = room.toward(stop, after_items + index, turn);
            for _ in 0..contains.min {
                match self.item(plan, Some(contains.node), (start, least), &mut distinct, inside) {
                    Some(item) => self.memory.items.push(item),
                    None => return false,
                }
                count += 1;
            }
        }
        let shown = u32::try_from(stop.items).unwrap_or(u32::MAX);
        for number in 0.. {
            if count >= most || (number >= shown && count >= least) {
                break;
            }
            let turn = turn.saturating_mul(shown).saturating_add(number);
            let inside = if number < shown {
                room.toward(stop, plan.prefix.len(), turn)
            } else {
                room.aside()
            };
            match self.item(plan, plan.items, (start, least), &mut distinct, inside) {
                Some(item) => {
                    self.memory.items.push(item);
                    count += 1;
                }
                None if number < shown => {}
                None => break,
            }
        }
        (least..=most).contains(&count)
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

    fn object(&mut self, plan: &'p ObjectPlan, room: Room) -> Option<ArenaValue<'p>> {
        let most = plan.max.unwrap_or(usize::MAX);
        if plan.required.len().max(plan.min) > most {
            return None;
        }
        let (start, chosen) = (self.memory.members.len(), self.memory.chosen.len());
        self.choose(plan, room, most);
        let inside = room.inside(plan.required.len() + self.memory.chosen.len() - chosen);
        let has_required = self.members(plan, start, chosen, inside);
        self.memory.chosen.truncate(chosen);
        let is_complete = has_required && self.fill(plan, start, inside);
        self.memory.end_object(plan, start, is_complete)
    }

    /// Adds the required members, and those chosen from `chosen` on; `false` if a required one has no value.
    fn members(&mut self, plan: &'p ObjectPlan, start: usize, chosen: usize, room: Room) -> bool {
        for (slot, (_, node)) in plan.required.iter().enumerate() {
            let Some(value) = self.value(*node, room) else { return false };
            self.memory.add_member(plan, slot, value);
        }
        for place in chosen..self.memory.chosen.len() {
            let slot = plan.required.len() + self.memory.chosen[place];
            let (name, node) = plan.member(slot);
            // Only the names of undeclared properties may repeat.
            let is_declared = slot < plan.required.len() + plan.optional.len();
            if (is_declared || !self.memory.has_member(plan, slot, start))
                && let Some(value) = self.extra(*node, name, room)
            {
                self.memory.add_member(plan, slot, value);
            }
        }
        true
    }

    /// An object with the members that the turn is for.
    // Apart from the usual draws, which stay small without it.
    #[inline(never)]
    fn object_on_tour(
        &mut self,
        plan: &'p ObjectPlan,
        id: NodeId,
        turn: u32,
        room: Room,
    ) -> Option<ArenaValue<'p>> {
        let start = self.memory.members.len();
        let is_complete = self.members_on_tour(plan, id, turn, room.deeper(), start);
        self.memory.end_object(plan, start, is_complete)
    }

    /// Adds the members of such an object; `false` if it lacks some that it must have.
    fn members_on_tour(
        &mut self,
        plan: &'p ObjectPlan,
        id: NodeId,
        turn: u32,
        room: Room,
        start: usize,
    ) -> bool {
        let tour = self.plan.tour();
        let stop = tour.stop(id);
        let most = plan.max.unwrap_or(usize::MAX);
        if plan.required.len().max(plan.min) > most {
            return false;
        }
        for (slot, (_, node)) in plan.required.iter().enumerate() {
            let inside = room.toward(stop, slot, turn);
            let value = self.value(*node, inside).or_else(|| self.value(*node, room.aside()));
            let Some(value) = value else { return false };
            self.memory.add_member(plan, slot, value);
        }
        let (shown, turn) = tour.members(id, turn).unwrap_or((&[], turn));
        for member in shown {
            let is_due = tour.is_due(member, turn);
            let count = self.memory.members.len() - start;
            if count + member.slots.len() > most || !(is_due || self.source.chance(1, 2)) {
                continue;
            }
            let entries = u32::try_from(member.slots.len()).unwrap_or(u32::MAX);
            for (number, slot) in (0..).zip(&member.slots) {
                // Entries that are alike share the home of the first.
                let turn = turn.saturating_mul(entries).saturating_add(number);
                let inside =
                    if is_due { room.toward(stop, member.slots[0], turn) } else { room.aside() };
                if *slot < plan.required.len() + plan.optional.len() {
                    // It is there only once, which need not be looked up among thousands.
                    self.add_optional(plan, *slot, inside);
                } else {
                    self.insert(plan, *slot, start, inside);
                }
            }
        }
        self.fill(plan, start, room.aside())
    }

    /// Adds members until the object has as many as it must; `false` if there are not so many.
    fn fill(&mut self, plan: &'p ObjectPlan, start: usize, room: Room) -> bool {
        if self.memory.members.len() - start >= plan.min {
            return true;
        }
        let mut others: Vec<usize> = plan.slots().skip(plan.required.len()).collect();
        let least = |slot: &usize| self.least(plan.member(*slot).1);
        if self.slack.is_low() {
            others.sort_by_key(|slot| least(slot).map_or(u64::MAX, |it| it.size.weight()));
        } else if self.is_thin(room) {
            // The first may hold an object of this kind again, and so on without end.
            others.sort_by_key(|slot| least(slot).map_or(u32::MAX, |it| it.depth));
        }
        // From here on they are paid for one by one.
        self.slack.refund(plan.fill_size(&self.plan.least));
        for slot in others {
            if self.memory.members.len() - start >= plan.min {
                break;
            }
            self.insert(plan, slot, start, room);
        }
        self.memory.members.len() - start >= plan.min
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
        let start = self.memory.chosen.len();
        match share {
            0 => {}
            16 => self.memory.chosen.extend(0..plan.optional.len()),
            _ => {
                for slot in 0..plan.optional.len() {
                    if self.source.chance(share, 16) {
                        self.memory.chosen.push(slot);
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
                self.memory.chosen.push(slot);
            }
        }
        while self.memory.chosen.len() - start > free {
            let index = self.source.index(self.memory.chosen.len() - start);
            self.memory.chosen.swap_remove(start + index);
        }
    }

    /// Adds the property in `slot` unless the object, whose members are those from `start` on, has it already, or it has no
    /// value: an optional one never fails its object.
    fn insert(&mut self, plan: &'p ObjectPlan, slot: usize, start: usize, room: Room) {
        if !self.memory.has_member(plan, slot, start) {
            self.add_optional(plan, slot, room);
        }
    }

    /// Adds the property in `slot`, which the object does not have yet, unless it has no value.
    fn add_optional(&mut self, plan: &'p ObjectPlan, slot: usize, room: Room) {
        let (name, node) = plan.member(slot);
        if let Some(value) = self.extra(*node, name, room) {
            self.memory.add_member(plan, slot, value);
        }
    }
}

/// Strings of a contract that are shorter are not paid for: they are about as long as any.
const SMALL_TEXT: usize = 256;

/// The types of items about which nothing is said.
const SCALARS: [JsonType; 4] =
    [JsonType::Null, JsonType::Boolean, JsonType::Number, JsonType::String];
