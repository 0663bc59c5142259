//! The memory of draws: the value that is being drawn, and what is known of its unfinished parts.
//!
//! It is reused, so that a draw allocates nothing once it has grown.

use foolproof_contract::{ArenaMark, ArenaValue, JsonArena, JsonView};
use serde_json::Value;

use crate::{Source, number::DrawnNumber, plan::ObjectPlan, string::Strings};

/// The unfinished properties and the longest text of most small values.
const USUAL_MEMBERS: usize = 16;
const USUAL_TEXT: usize = 64;

/// Memory in which instances of a [`Generator`](crate::Generator) are drawn, one at a time.
#[derive(Debug)]
pub struct DrawMemory<'p> {
    arena: JsonArena<'p>,
    /// The items of the arrays that are being drawn. Those of the innermost are the last.
    pub(super) items: Vec<ArenaValue<'p>>,
    /// The same of objects.
    pub(super) members: Vec<Member<'p>>,
    /// The properties that the present object and those around it have although they need not, by their slot
    /// behind the required ones. Those of the present object are the last.
    pub(super) chosen: Vec<usize>,
    /// A string that is being drawn.
    text: String,
    /// How many values were drawn in it so far, the discarded ones included.
    drawn: usize,
}

impl Default for DrawMemory<'_> {
    fn default() -> Self {
        Self::new()
    }
}

/// A property of an object that is being drawn.
#[derive(Clone, Copy, Debug)]
pub(super) struct Member<'p> {
    slot: usize,
    rank: u32,
    value: ArenaValue<'p>,
}

impl<'p> DrawMemory<'p> {
    /// Memory that nothing was drawn in yet.
    #[must_use]
    pub fn new() -> Self {
        let (items, members) = (Vec::new(), Vec::with_capacity(USUAL_MEMBERS));
        let (chosen, text) = (Vec::new(), String::with_capacity(USUAL_TEXT));
        Self { arena: JsonArena::new(), items, members, chosen, text, drawn: 0 }
    }

    /// How many values were drawn in it so far, the discarded ones included.
    pub(crate) fn drawn(&self) -> usize {
        self.drawn
    }

    pub(super) fn add_drawn(&mut self, values: usize) {
        self.drawn = self.drawn.saturating_add(values);
    }

    /// Forgets what was drawn.
    pub(crate) fn clear(&mut self) {
        self.arena.clear();
        self.items.clear();
        self.members.clear();
        self.chosen.clear();
    }

    pub(super) fn mark(&self) -> ArenaMark {
        self.arena.mark()
    }

    /// Forgets the values that were drawn since `mark`.
    pub(super) fn release(&mut self, mark: ArenaMark) {
        self.arena.release(mark);
    }

    /// Reads a value that was drawn.
    pub(crate) fn read<T>(&self, value: ArenaValue<'p>, read: impl FnOnce(JsonView<'_>) -> T) -> T {
        self.arena.read(value, read)
    }

    /// A copy of a value that was drawn.
    pub(crate) fn to_value(&self, value: ArenaValue<'p>) -> Value {
        self.read(value, |value| value.to_value().into_owned())
    }

    /// The value that was drawn, to be read for as long as nothing else is drawn.
    pub(crate) fn view(&mut self, value: ArenaValue<'p>) -> JsonView<'_> {
        self.arena.view(value)
    }

    /// A value that was made elsewhere.
    pub(super) fn own(&mut self, value: Value) -> Option<ArenaValue<'p>> {
        match value {
            Value::Null => Some(ArenaValue::NULL),
            Value::Bool(is) => Some(ArenaValue::bool(is)),
            Value::Number(number) => self.arena.digits(number.as_str()),
            Value::String(text) => self.arena.text(&text),
            Value::Array(_) | Value::Object(_) => self.arena.own(value),
        }
    }

    /// A string, and its length in bytes.
    pub(super) fn string(
        &mut self,
        strings: &Strings,
        source: &mut impl Source,
    ) -> Option<(ArenaValue<'p>, usize)> {
        let is_drawn = strings.draw_to(&mut self.text, source);
        let text = is_drawn.then(|| self.arena.text(&self.text)).flatten()?;
        Some((text, self.text.len()))
    }

    pub(super) fn number(&mut self, drawn: DrawnNumber<'p>) -> Option<ArenaValue<'p>> {
        match drawn {
            DrawnNumber::Listed(number) => Some(ArenaValue::number(number)),
            DrawnNumber::Integer(integer) => Some(ArenaValue::integer(integer)),
            DrawnNumber::Decimal(decimal) => self.arena.digits(decimal.as_str()),
            DrawnNumber::Long(number) => self.arena.digits(number.as_str()),
        }
    }

    /// Whether the array, whose items are those from `start` on, has an item that is equal.
    pub(super) fn has_item(&self, start: usize, item: ArenaValue<'p>) -> bool {
        self.items[start..].iter().any(|other| self.arena.are_equal(*other, item))
    }

    /// Whether both are the same value.
    pub(super) fn are_equal(&self, left: ArenaValue<'p>, right: ArenaValue<'p>) -> bool {
        self.arena.are_equal(left, right)
    }

    /// The array of the items from `start` on, if it is complete. They are removed.
    pub(super) fn end_array(&mut self, start: usize, is_complete: bool) -> Option<ArenaValue<'p>> {
        let items = self.items[start..].iter().copied();
        let array = if is_complete { self.arena.array(items) } else { None };
        self.items.truncate(start);
        array
    }

    /// Whether the object, whose members are those from `start` on, has the property in `slot`, by its name.
    pub(super) fn has_member(&self, plan: &ObjectPlan, slot: usize, start: usize) -> bool {
        self.members[start..].iter().any(|member| member.rank == plan.names[slot].rank)
    }

    pub(super) fn add_member(&mut self, plan: &ObjectPlan, slot: usize, value: ArenaValue<'p>) {
        self.members.push(Member { slot, rank: plan.names[slot].rank, value });
    }

    /// The object of the members from `start` on, if it is complete. They are removed.
    pub(super) fn end_object(
        &mut self,
        plan: &'p ObjectPlan,
        start: usize,
        is_complete: bool,
    ) -> Option<ArenaValue<'p>> {
        let members = &mut self.members[start..];
        members.sort_unstable_by_key(|member| member.rank);
        let named = members.iter().map(|it| (&plan.names[it.slot].name, it.value));
        let object = if is_complete { self.arena.object(named) } else { None };
        self.members.truncate(start);
        object
    }
}
