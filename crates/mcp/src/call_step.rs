//! A call as a record, from which it can be made again, and which can be shrunk.
//!
//! The places that can be shrunk are found once, from the arguments as they were drawn, so that their order stays the
//! same while they are shrunk: references to the corpus, values that the schema gave, and members that may be left
//! out.

use std::cell::OnceCell;

use foolproof_contract::{Oracle, Pointer};
use foolproof_stateful::{ShrinkStep, StepRecord};
use proptest::{
    num::{f64, i64, usize},
    strategy::ValueTree,
};
use serde_json::{Number, Value};

use crate::{arguments::Arguments, corpus::Origin};

/// How often a value is simplified on the way to its simplest value.
const MAX_SIMPLIFY_CALLS: usize = 200;

/// A call.
#[derive(Clone, Debug)]
pub(crate) struct CallStep {
    /// Its number in the sequence that it was drawn for.
    pub(crate) id: u32,
    /// The index of its tool.
    pub(crate) tool: usize,
    pub(crate) arguments: Arguments,
    /// The oracle of the arguments.
    pub(crate) oracle: Oracle,
    places: OnceCell<Vec<ShrinkPlace>>,
}

/// A part of the arguments that can be shrunk.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ShrinkPlace {
    pub(crate) pointer: Pointer,
    pub(crate) kind: PlaceKind,
    /// The shrink steps so far.
    pub(crate) steps: Vec<ShrinkStep>,
    /// Whether the last of them was not applied yet.
    pub(crate) has_new_step: bool,
}

/// What a place that can be shrunk holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PlaceKind {
    /// A reference to the corpus, which may become one to an earlier entry.
    Reference,
    /// A value that the schema gave.
    Free,
    /// A member or an item that may be left out.
    Optional,
}

impl ShrinkPlace {
    fn is_left_out(&self) -> bool {
        self.kind == PlaceKind::Optional && self.steps == [ShrinkStep::Simplest]
    }

    /// Whether its last shrink step changes nothing: what is optional is there or not.
    pub(crate) fn is_exhausted(&self) -> bool {
        self.kind == PlaceKind::Optional && self.steps == [ShrinkStep::Complicate]
    }
}

impl CallStep {
    pub(crate) fn new(id: u32, tool: usize, arguments: Arguments, oracle: &Oracle) -> Self {
        Self { id, tool, arguments, oracle: oracle.clone(), places: OnceCell::new() }
    }

    pub(crate) fn places(&self) -> &[ShrinkPlace] {
        self.places.get_or_init(|| self.find_places())
    }

    fn find_places(&self) -> Vec<ShrinkPlace> {
        let place = |pointer: &Pointer, kind| ShrinkPlace {
            pointer: pointer.clone(),
            kind,
            steps: Vec::new(),
            has_new_step: false,
        };
        let optional = self.optional();
        let mut places: Vec<ShrinkPlace> =
            optional.iter().map(|pointer| place(pointer, PlaceKind::Optional)).collect();
        let references = self.arguments.references.keys();
        places.extend(references.map(|pointer| place(pointer, PlaceKind::Reference)));
        places.extend(self.arguments.free.iter().map(|pointer| place(pointer, PlaceKind::Free)));
        places
    }

    /// The members and items without which the arguments are still valid, the outer ones first.
    fn optional(&self) -> Vec<Pointer> {
        let mut found = Vec::new();
        let mut pending = vec![(Pointer::root(), &self.arguments.value)];
        while let Some((pointer, value)) = pending.pop() {
            let parts: Vec<(Pointer, &Value)> = match value {
                Value::Object(members) => {
                    members.iter().map(|(name, value)| (pointer.key(name), value)).collect()
                }
                Value::Array(items) => {
                    let items = items.iter().enumerate();
                    items.map(|(index, value)| (pointer.index(index), value)).collect()
                }
                Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Vec::new(),
            };
            for (pointer, value) in parts.into_iter().rev() {
                let mut without = self.arguments.value.clone();
                if remove(&mut without, &pointer) && self.oracle.is_valid(&without) {
                    found.push(pointer.clone());
                }
                pending.push((pointer, value));
            }
        }
        found.reverse();
        found
    }

    pub(crate) fn place_mut(&mut self, index: usize) -> Option<&mut ShrinkPlace> {
        self.places();
        self.places.get_mut()?.get_mut(index)
    }

    /// The places that are left out.
    fn left_out(&self) -> impl Iterator<Item = &Pointer> {
        let places = self.places.get().map_or(&[][..], Vec::as_slice).iter();
        let left_out = places.filter(|place| place.is_left_out());
        left_out.map(|place| &place.pointer)
    }

    /// Whether `pointer` is in a part that is left out.
    pub(crate) fn is_left_out(&self, pointer: &Pointer) -> bool {
        self.left_out().any(|outer| pointer.is_within(outer))
    }

    /// The numbers of the calls whose answers it refers to.
    pub(crate) fn producers(&self) -> Vec<u32> {
        let references = self.arguments.references.iter();
        let references = references.filter(|(pointer, _)| !self.is_left_out(pointer));
        let steps = references.filter_map(|(_, origin)| match origin {
            Origin::Answer { step, .. } => Some(*step),
            Origin::Seed(_) => None,
        });
        steps.collect()
    }

    /// Takes the parts out of `value` that are left out, the last first, so that indices stay right.
    pub(crate) fn leave_out(&self, value: &mut Value) {
        let mut pointers: Vec<&Pointer> = self.left_out().collect();
        pointers.sort_by_key(|pointer| {
            let key = |segment: &str| segment.parse::<usize>().unwrap_or(usize::MAX);
            std::cmp::Reverse(pointer.segments().map(|segment| key(&segment)).collect::<Vec<_>>())
        });
        for pointer in pointers {
            remove(value, pointer);
        }
    }

    fn with_place(&self, index: usize, change: impl FnOnce(&mut ShrinkPlace)) -> Self {
        let mut step = self.clone();
        if let Some(place) = step.place_mut(index) {
            change(place);
        }
        step
    }
}

/// Removes a member or an item. Returns whether it was there.
fn remove(value: &mut Value, pointer: &Pointer) -> bool {
    let Some(last) = pointer.segments().last().map(std::borrow::Cow::into_owned) else {
        return false;
    };
    let parent = pointer.parent().and_then(|parent| value.pointer_mut(parent.as_str()));
    match parent {
        Some(Value::Object(members)) => members.remove(&last).is_some(),
        Some(Value::Array(items)) => {
            let index = last.parse::<usize>().ok().filter(|index| *index < items.len());
            index.map(|index| items.remove(index)).is_some()
        }
        Some(Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_)) | None => false,
    }
}

impl StepRecord for CallStep {
    fn command(&self) -> usize {
        self.tool
    }

    fn dependencies(&self) -> Option<(u32, Vec<u32>)> {
        Some((self.id, self.producers()))
    }

    fn argument_count(&self) -> usize {
        self.places().len()
    }

    fn is_simplest(&self, argument: usize) -> bool {
        let Some(place) = self.places().get(argument) else { return true };
        place.steps == [ShrinkStep::Simplest] || self.is_left_out(&place.pointer)
    }

    fn shrink_argument(&self, argument: usize, shrink_step: ShrinkStep) -> Self {
        let place = self.places().get(argument);
        if place.is_none_or(|place| !place.is_left_out() && self.is_left_out(&place.pointer)) {
            // What is inside a part that is left out cannot become simpler.
            return self.clone();
        }
        self.with_place(argument, |place| {
            match (place.kind, shrink_step) {
                (PlaceKind::Optional, ShrinkStep::Complicate) => {
                    place.steps = vec![ShrinkStep::Complicate];
                }
                (PlaceKind::Optional, _) | (_, ShrinkStep::Simplest) => {
                    place.steps = vec![ShrinkStep::Simplest];
                }
                (PlaceKind::Reference | PlaceKind::Free, _) => place.steps.push(shrink_step),
            }
            place.has_new_step = true;
        })
    }

    fn reset_argument(&self, argument: usize) -> Self {
        self.with_place(argument, |place| {
            place.steps.clear();
            place.has_new_step = false;
        })
    }
}

/// A value that the schema gave, after these shrink steps; `None` if the last of them changed nothing.
pub(crate) fn shrink_free(original: &Value, place: &ShrinkPlace) -> Option<Value> {
    if place.steps.is_empty() {
        // Not through a float, which cannot hold every number.
        return (!place.has_new_step).then(|| original.clone());
    }
    match original {
        Value::Number(number) => shrink_number(number, place).map(Value::Number),
        Value::String(text) => {
            let length = text.chars().count();
            let length = apply(usize::BinarySearch::new(length), place)?;
            Some(Value::String(text.chars().take(length).collect()))
        }
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    }
}

fn shrink_number(number: &Number, place: &ShrinkPlace) -> Option<Number> {
    if let Some(integer) = number.as_i64() {
        return apply(i64::BinarySearch::new(integer), place).map(Number::from);
    }
    let float = number.as_f64().filter(|float| float.is_finite())?;
    let shrunk = apply(f64::BinarySearch::new(float), place)?;
    // An integer too large for 64 bits stays an integer.
    let is_integral = number.as_str().bytes().all(|byte| byte.is_ascii_digit() || byte == b'-');
    if is_integral { format!("{shrunk:.0}").parse().ok() } else { Number::from_f64(shrunk) }
}

/// The value of `tree` after the shrink steps of `place`; `None` if the last of them changed nothing.
pub(crate) fn apply<T: ValueTree>(mut tree: T, place: &ShrinkPlace) -> Option<T::Value> {
    let mut moved = true;
    for step in &place.steps {
        moved = match step {
            ShrinkStep::Simplify => tree.simplify(),
            ShrinkStep::Complicate => tree.complicate(),
            ShrinkStep::Simplest => {
                (0..MAX_SIMPLIFY_CALLS).take_while(|_| tree.simplify()).count();
                true
            }
        };
    }
    (moved || !place.has_new_step).then(|| tree.current())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn free(steps: Vec<ShrinkStep>) -> ShrinkPlace {
        let pointer = Pointer::root();
        ShrinkPlace { pointer, kind: PlaceKind::Free, steps, has_new_step: false }
    }

    #[test]
    fn a_value_that_was_not_shrunk_keeps_all_of_its_digits() {
        for text in
            ["123456789012345678901234567890", "0.1000000000000000055511151231257827", "1e400"]
        {
            let value: Value = text.parse().unwrap();
            assert_eq!(shrink_free(&value, &free(Vec::new())), Some(value));
        }
        let simplest = shrink_free(&Value::from(1.5), &free(vec![ShrinkStep::Simplest]));
        assert_ne!(simplest, Some(Value::from(1.5)));
    }
}
