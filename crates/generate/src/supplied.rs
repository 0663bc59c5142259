//! Drawing with strings and numbers that somebody supplies.
//!
//! A test of a live system must use values that the system knows: identifiers that it returned, names that
//! the user gave. A [`ValueSource`] is asked for the string or number of every place in a value. Everything
//! else comes from the schema: booleans, null, `enum` and `const`, the values that a schema leaves no choice
//! about, and the structure of objects and arrays. Nothing is invented: no word, no name of an undeclared
//! property. An optional member that cannot be filled is left out.
//!
//! What a union offers is asked for at once, whatever branches it has: a value that fits two branches is no
//! more likely than one that fits one.

use foolproof_contract::{Pointer, json_equal};
use serde_json::{Map, Number, Value};

use crate::{
    Source,
    plan::{ArrayPlan, NodeId, ObjectPlan, Plan},
};

mod alternatives;
mod missing;

use alternatives::{Alternatives, NumberSet, Other, StringSet};
pub use missing::{AtHand, Missing, MissingKind};

/// How often a value is drawn again that a filter rejected or that an array has already.
const TRIES: usize = 24;

/// The number of values in one draw, the discarded ones included, after which nothing is drawn again.
const PATIENCE: usize = 20_000;

/// The nesting from which on only what is required is drawn, beyond what the root needs.
const DEPTH: u32 = 8;

/// The most items of an array beyond those that it must have.
const MORE_ITEMS: usize = 3;

/// The largest number of items that is drawn at all.
const MOST: usize = 10_000;

/// A place in a value that is drawn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The pointer from the root of the value.
    pub pointer: Pointer,
    /// The name of the innermost property that it is in; items have that of their array.
    pub property: Option<String>,
}

impl Place {
    /// The whole value.
    #[must_use]
    pub fn root() -> Self {
        Self { pointer: Pointer::root(), property: None }
    }

    fn member(&self, name: &str) -> Self {
        Self { pointer: self.pointer.key(name), property: Some(name.to_owned()) }
    }

    fn item(&self, index: usize) -> Self {
        Self { pointer: self.pointer.index(index), property: self.property.clone() }
    }
}

/// What a source has for a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Supplied<T> {
    /// This value, which fits.
    Value(T),
    /// Nothing that fits.
    Nothing,
    /// Nothing of its own: the schema decides.
    Generated,
}

/// Supplies the strings and numbers of a draw.
pub trait ValueSource: Source {
    /// A string for `place` that `fits`.
    fn string(&mut self, place: &Place, fits: &dyn Fn(&str) -> bool) -> Supplied<String>;

    /// A number for `place` that `fits`.
    fn number(
        &mut self,
        place: &Place,
        kind: NumberKind,
        fits: &dyn Fn(&Number) -> bool,
    ) -> Supplied<Number>;
}

/// Which numbers are asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NumberKind {
    /// Integers alone.
    Integer,
    /// Numbers, the integers among them.
    Any,
}

impl Plan {
    /// Draws one value whose strings and numbers `source` supplies, or none if they are not enough, or the
    /// source's choices lead to none.
    ///
    /// ```
    /// use foolproof_generate::{
    ///     Generator, NumberKind, Place, Random, Seed, Source, Supplied, ValueSource,
    /// };
    /// use serde_json::{Number, json};
    ///
    /// /// Knows one identifier and no number.
    /// struct One(Random);
    /// impl Source for One {
    ///     fn below(&mut self, limit: u64) -> u64 {
    ///         self.0.below(limit)
    ///     }
    /// }
    /// impl ValueSource for One {
    ///     fn string(&mut self, _: &Place, fits: &dyn Fn(&str) -> bool) -> Supplied<String> {
    ///         if fits("task-7") { Supplied::Value("task-7".to_owned()) } else { Supplied::Nothing }
    ///     }
    ///     fn number(
    ///         &mut self,
    ///         _: &Place,
    ///         _: NumberKind,
    ///         _: &dyn Fn(&Number) -> bool,
    ///     ) -> Supplied<Number> {
    ///         Supplied::Nothing
    ///     }
    /// }
    ///
    /// let generator = Generator::of(json!({
    ///     "type": "object",
    ///     "properties": { "id": { "type": "string" }, "limit": { "type": "integer" } },
    ///     "required": ["id"],
    /// }))?;
    /// let mut source = One(Seed::from_number(1).random());
    /// assert_eq!(generator.plan().draw_supplied(&mut source), Some(json!({ "id": "task-7" })));
    /// # Ok::<(), foolproof_contract::Error>(())
    /// ```
    #[must_use]
    pub fn draw_supplied(&self, source: &mut impl ValueSource) -> Option<Value> {
        let least = self.least[self.root.index()].filter(|least| least.size.fits(self.limit))?;
        let deepest = least.depth.saturating_add(DEPTH);
        let mut draw = SuppliedDraw { plan: self, source, deepest, drawn: 0 };
        draw.value(self.root, &Place::root(), 0)
    }
}

struct SuppliedDraw<'p, S> {
    plan: &'p Plan,
    source: &'p mut S,
    deepest: u32,
    /// How many values were drawn, the discarded ones included.
    drawn: usize,
}

impl<S: ValueSource> SuppliedDraw<'_, S> {
    fn value(&mut self, id: NodeId, place: &Place, depth: u32) -> Option<Value> {
        self.drawn += 1;
        let least = self.plan.least[id.index()]?;
        // What was discarded counts too, so this is a bound on the value and on the time.
        if !least.size.fits(self.plan.limit) || self.drawn as u64 > self.plan.limit.values {
            return None;
        }
        let alternatives = Alternatives::of(self.plan, id);
        let mut groups: Vec<Group> = (0..alternatives.others.len()).map(Group::Other).collect();
        if !alternatives.strings.is_empty() {
            groups.push(Group::String);
        }
        if !alternatives.numbers.is_empty() {
            groups.push(Group::Number);
        }
        if depth >= self.deepest {
            // Only the cheapest still ends.
            groups.sort_by_key(|group| alternatives.depth(self.plan, *group));
        }
        while !groups.is_empty() && self.drawn < PATIENCE {
            let index = if depth >= self.deepest { 0 } else { self.source.index(groups.len()) };
            let group = groups.remove(index);
            let drawn = match group {
                Group::String => self.string(&alternatives, place),
                Group::Number => self.number(&alternatives, place),
                Group::Other(other) => self.other(&alternatives, other, place, depth),
            };
            if drawn.is_some() {
                return drawn;
            }
        }
        None
    }

    fn string(&mut self, alternatives: &Alternatives<'_>, place: &Place) -> Option<Value> {
        let fits = |text: &str| alternatives.admits_string(text);
        match self.source.string(place, &fits) {
            Supplied::Value(text) => Some(Value::String(text)),
            Supplied::Nothing => None,
            Supplied::Generated => (0..TRIES).find_map(|_| {
                let set = &alternatives.strings[self.source.index(alternatives.strings.len())];
                let drawn = set.set.draw(self.source)?;
                set.passes(&Value::String(drawn.clone())).then_some(Value::String(drawn))
            }),
        }
    }

    fn number(&mut self, alternatives: &Alternatives<'_>, place: &Place) -> Option<Value> {
        let fits = |number: &Number| alternatives.admits_number(number);
        match self.source.number(place, alternatives.number_kind(), &fits) {
            Supplied::Value(number) => Some(Value::Number(number)),
            Supplied::Nothing => None,
            Supplied::Generated => (0..TRIES).find_map(|_| {
                let set = &alternatives.numbers[self.source.index(alternatives.numbers.len())];
                let drawn = Value::Number(set.set.draw(self.source)?);
                set.passes(&drawn).then_some(drawn)
            }),
        }
    }

    fn other(
        &mut self,
        alternatives: &Alternatives<'_>,
        index: usize,
        place: &Place,
        depth: u32,
    ) -> Option<Value> {
        let other = &alternatives.others[index];
        let tries = if other.is_filtered() { TRIES } else { 1 };
        (0..tries).find_map(|_| {
            if self.drawn >= PATIENCE {
                return None;
            }
            let value = match other.set {
                Other::Null => Value::Null,
                Other::Boolean => Value::Bool(self.source.chance(1, 2)),
                Other::AnyArray => Value::Array(Vec::new()),
                Other::AnyObject => Value::Object(Map::new()),
                Other::Values(values) => self.source.pick(values).clone(),
                Other::Array(array) => Value::Array(self.array(array, place, depth)?),
                Other::Object(object) => Value::Object(self.object(object, place, depth)?),
            };
            other.passes(&value).then_some(value)
        })
    }

    fn array(&mut self, plan: &ArrayPlan, place: &Place, depth: u32) -> Option<Vec<Value>> {
        let least = plan.min.max(plan.contained());
        let most = plan.max.unwrap_or(usize::MAX);
        if least > most.min(MOST) {
            return None;
        }
        let more = if depth >= self.deepest { 0 } else { MORE_ITEMS.min(most - least) };
        let length = least + self.source.index(more + 1);
        let mut contained = plan.contained_nodes();
        let mut items: Vec<Value> = Vec::new();
        while items.len() < length {
            let node = plan.item_node(items.len(), &mut contained);
            let place = place.item(items.len());
            match self.item(plan, node, &items, (&place, depth + 1)) {
                Some(item) => items.push(item),
                None => return (items.len() >= least).then_some(items),
            }
        }
        Some(items)
    }

    fn item(
        &mut self,
        plan: &ArrayPlan,
        node: Option<NodeId>,
        before: &[Value],
        (place, depth): (&Place, u32),
    ) -> Option<Value> {
        for _ in 0..TRIES {
            let item = match node {
                Some(node) => self.value(node, place, depth)?,
                None => self.free_value(place)?,
            };
            if !plan.distinct || !before.iter().any(|other| json_equal(other, &item)) {
                return Some(item);
            }
        }
        None
    }

    /// A value that nothing constrains.
    fn free_value(&mut self, place: &Place) -> Option<Value> {
        let string = |_: &str| true;
        let number = |_: &Number| true;
        let supplied = match self.source.below(4) {
            0 => return Some(Value::Null),
            1 => return Some(Value::Bool(self.source.chance(1, 2))),
            2 => match self.source.string(place, &string) {
                Supplied::Value(text) => Some(Value::String(text)),
                Supplied::Generated => StringSet::Any.draw(self.source).map(Value::String),
                Supplied::Nothing => None,
            },
            _ => match self.source.number(place, NumberKind::Any, &number) {
                Supplied::Value(number) => Some(Value::Number(number)),
                Supplied::Generated => NumberSet::Any.draw(self.source).map(Value::Number),
                Supplied::Nothing => None,
            },
        };
        supplied.or(Some(Value::Null))
    }

    fn object(
        &mut self,
        plan: &ObjectPlan,
        place: &Place,
        depth: u32,
    ) -> Option<Map<String, Value>> {
        let most = plan.max.unwrap_or(usize::MAX);
        if plan.required.len().max(plan.min) > most.min(MOST) {
            return None;
        }
        let mut members = Map::new();
        for (name, node) in &plan.required {
            members.insert(name.clone(), self.value(*node, &place.member(name), depth + 1)?);
        }
        // How much of what is optional there is varies by object, so that empty and full ones occur.
        let share = if depth >= self.deepest { 0 } else { self.source.below(5) };
        let mut skipped = Vec::new();
        for (name, node) in &plan.optional {
            let is_wanted = members.len() < most && self.source.chance(share, 4);
            let value = if is_wanted {
                self.value(*node, &place.member(name), depth + 1)
            } else {
                skipped.push((name, node));
                None
            };
            if let Some(value) = value {
                members.insert(name.clone(), value);
            }
        }
        for (name, node) in skipped {
            if members.len() >= plan.min {
                break;
            }
            if let Some(value) = self.value(*node, &place.member(name), depth + 1) {
                members.insert(name.clone(), value);
            }
        }
        (members.len() >= plan.min).then_some(members)
    }
}

/// What a node offers, by how it is filled.
#[derive(Clone, Copy)]
enum Group {
    String,
    Number,
    /// The alternative with this index.
    Other(usize),
}
