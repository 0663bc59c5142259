//! Memory in which a value is built from its parts, and which is reused for the next one.
//!
//! The parts of a container are next to each other in one list, and all text is in one string, so that building a value
//! allocates nothing once the arena has grown, and dropping it frees nothing. Names and listed values are borrowed from
//! the plan that the value is drawn from.

use serde_json::{Number, Value};

use super::{JsonView, compact::write_string};

/// Where values are built. `'k` is how long what they borrow lives.
///
/// ```
/// use foolproof_contract::{ArenaValue, JsonArena, JsonName};
/// use serde_json::json;
///
/// let names = [JsonName::new("age"), JsonName::new("name")];
/// let mut arena = JsonArena::new();
/// let name = arena.text("Ada").unwrap();
/// let person = arena.object([(&names[0], ArenaValue::integer(36)), (&names[1], name)]).unwrap();
/// assert_eq!(*arena.view(person).to_value(), json!({ "age": 36, "name": "Ada" }));
/// ```
#[derive(Debug)]
pub struct JsonArena<'k> {
    slots: Vec<Slot<'k>>,
    text: String,
    owned: Vec<Value>,
}

/// The parts and the text of most small values, so that they are not moved while they are built.
const USUAL_SLOTS: usize = 32;
const USUAL_TEXT: usize = 512;

impl Default for JsonArena<'_> {
    fn default() -> Self {
        Self::new()
    }
}

/// A value in its container, with its name if that is an object.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slot<'k> {
    name: Option<&'k JsonName>,
    pub(super) value: Node<'k>,
}

impl<'k> Slot<'k> {
    #[inline]
    pub(super) fn name(&self) -> &'k str {
        self.name.map_or("", |name| &name.name)
    }

    /// What is written before the value.
    #[inline]
    pub(super) fn written_name(&self) -> &'k [u8] {
        self.name.map_or(b"", |name| &name.written)
    }
}

/// The name of a property of many objects, written once.
#[derive(Clone, Debug)]
pub struct JsonName {
    name: Box<str>,
    /// With a comma before it and a colon behind it.
    written: Box<[u8]>,
}

impl JsonName {
    /// Prepares `name`.
    #[must_use]
    pub fn new(name: &str) -> Self {
        let mut written = Vec::with_capacity(name.len() + 4);
        written.push(b',');
        write_string(name, &mut written);
        written.push(b':');
        Self { name: name.into(), written: written.into() }
    }
}

/// A value in an arena: of use only with the arena that made it, until that is cleared.
#[derive(Clone, Copy, Debug)]
pub struct ArenaValue<'k>(Node<'k>);

#[derive(Clone, Copy, Debug)]
pub(super) enum Node<'k> {
    Null,
    Bool(bool),
    Integer(i64),
    Number(&'k Number),
    Digits(Span),
    Text(Span),
    Listed(&'k Value),
    Owned(u32),
    Array(Span),
    Object(Span),
}

/// A part of the slots or of the text.
#[derive(Clone, Copy, Debug)]
pub(super) struct Span {
    start: u32,
    length: u32,
}

impl Span {
    /// Nothing if it is out of reach: no value is that large.
    fn of(start: usize, end: usize) -> Option<Self> {
        Some(Self { start: u32::try_from(start).ok()?, length: u32::try_from(end - start).ok()? })
    }

    fn range(self) -> std::ops::Range<usize> {
        let start = self.start as usize;
        start..start + self.length as usize
    }
}

/// How far an arena was filled, to give back what was added since.
#[derive(Clone, Copy, Debug)]
pub struct ArenaMark {
    slots: usize,
    text: usize,
    owned: usize,
}

impl<'k> ArenaValue<'k> {
    /// `null`.
    pub const NULL: Self = Self(Node::Null);

    /// `true` or `false`.
    #[must_use]
    pub fn bool(is: bool) -> Self {
        Self(Node::Bool(is))
    }

    /// An integer.
    #[must_use]
    pub fn integer(integer: i64) -> Self {
        Self(Node::Integer(integer))
    }

    /// A number that is written already.
    #[must_use]
    pub fn number(number: &'k Number) -> Self {
        Self(Node::Number(number))
    }

    /// A value that exists already.
    #[must_use]
    pub fn listed(value: &'k Value) -> Self {
        Self(Node::Listed(value))
    }
}

impl<'k> JsonArena<'k> {
    /// An empty arena, with memory for a small value.
    #[must_use]
    pub fn new() -> Self {
        Self {
            slots: Vec::with_capacity(USUAL_SLOTS),
            text: String::with_capacity(USUAL_TEXT),
            owned: Vec::new(),
        }
    }

    /// Removes all values, and keeps the memory.
    pub fn clear(&mut self) {
        self.slots.clear();
        self.text.clear();
        self.owned.clear();
    }

    /// How far it is filled.
    #[must_use]
    pub fn mark(&self) -> ArenaMark {
        ArenaMark { slots: self.slots.len(), text: self.text.len(), owned: self.owned.len() }
    }

    /// Removes the values that were added since `mark`.
    pub fn release(&mut self, mark: ArenaMark) {
        self.slots.truncate(mark.slots);
        self.text.truncate(mark.text);
        self.owned.truncate(mark.owned);
    }

    /// A string.
    pub fn text(&mut self, text: &str) -> Option<ArenaValue<'k>> {
        self.push(text).map(|span| ArenaValue(Node::Text(span)))
    }

    /// A number, as it is written: `digits` is a number of JSON.
    pub fn digits(&mut self, digits: &str) -> Option<ArenaValue<'k>> {
        self.push(digits).map(|span| ArenaValue(Node::Digits(span)))
    }

    fn push(&mut self, text: &str) -> Option<Span> {
        let start = self.text.len();
        self.text.push_str(text);
        Span::of(start, self.text.len())
    }

    /// A value that was built elsewhere.
    pub fn own(&mut self, value: Value) -> Option<ArenaValue<'k>> {
        let number = u32::try_from(self.owned.len()).ok()?;
        self.owned.push(value);
        Some(ArenaValue(Node::Owned(number)))
    }

    /// An array.
    pub fn array(
        &mut self,
        items: impl IntoIterator<Item = ArenaValue<'k>>,
    ) -> Option<ArenaValue<'k>> {
        let slots = items.into_iter().map(|item| Slot { name: None, value: item.0 });
        self.fill(slots).map(|span| ArenaValue(Node::Array(span)))
    }

    /// An object. The names must be in order, each once.
    pub fn object(
        &mut self,
        members: impl IntoIterator<Item = (&'k JsonName, ArenaValue<'k>)>,
    ) -> Option<ArenaValue<'k>> {
        let slots = members.into_iter().map(|(name, it)| Slot { name: Some(name), value: it.0 });
        self.fill(slots).map(|span| ArenaValue(Node::Object(span)))
    }

    fn fill(&mut self, slots: impl Iterator<Item = Slot<'k>>) -> Option<Span> {
        let start = self.slots.len();
        self.slots.extend(slots);
        let span = Span::of(start, self.slots.len())?;
        debug_assert!(
            self.slots[start..]
                .is_sorted_by(|it, next| it.name.is_none() || it.name() < next.name()),
            "names are in order"
        );
        Some(span)
    }

    /// Reads `value`, which this arena made, for a moment.
    pub fn read<T>(&self, value: ArenaValue<'k>, read: impl FnOnce(JsonView<'_>) -> T) -> T {
        let slot = Slot { name: None, value: value.0 };
        read(JsonView::of_slot(self, &slot))
    }

    /// Whether both are the same value ([`JsonView::equals`]).
    #[must_use]
    pub fn are_equal(&self, left: ArenaValue<'k>, right: ArenaValue<'k>) -> bool {
        self.read(left, |left| self.read(right, |right| left.equals(right)))
    }

    /// Reads `value`, which this arena made.
    #[must_use]
    pub fn view(&mut self, value: ArenaValue<'k>) -> JsonView<'_> {
        // A value needs a place of its own to be told from others.
        let place = self.slots.len();
        self.slots.push(Slot { name: None, value: value.0 });
        let arena: &JsonArena<'_> = self;
        JsonView::of_slot(arena, &arena.slots[place])
    }

    #[inline]
    pub(super) fn slots(&self, span: Span) -> &[Slot<'k>] {
        &self.slots[span.range()]
    }

    #[inline]
    pub(super) fn text_at(&self, span: Span) -> &str {
        &self.text[span.range()]
    }

    #[inline]
    pub(super) fn owned(&self, number: u32) -> &Value {
        &self.owned[number as usize]
    }
}
