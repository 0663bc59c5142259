//! The trace: where a repaired value differs from what came in, and which keyword asked for it.
//!
//! The trace is the difference of the two values, not a log: what was changed and changed back is not
//! in it, and what moved because an item before it was removed is. So a place that is not at, below or
//! above a touched one holds what it held.

use foolproof_contract::Pointer;
use serde_json::Value;

use super::search::AppliedEdit;

/// One place that repair changed.
#[derive(Clone, Debug, PartialEq)]
pub struct RepairEdit {
    instance: Pointer,
    keyword: String,
    change: EditKind,
}

/// What happened to a place, with the value that stood there before.
#[derive(Clone, Debug, PartialEq)]
pub enum EditKind {
    /// There was nothing.
    Added,
    /// There is nothing now.
    Removed(Value),
    /// There is another value now.
    Replaced(Value),
}

impl RepairEdit {
    /// The place.
    #[must_use]
    pub fn instance(&self) -> &Pointer {
        &self.instance
    }

    /// The keyword whose violation led to the change.
    #[must_use]
    pub fn keyword(&self) -> &str {
        &self.keyword
    }

    /// What happened there.
    #[must_use]
    pub fn kind(&self) -> &EditKind {
        &self.change
    }
}

/// Every place where `after` differs from `before`, as deep as the two have the same structure.
pub(super) fn differences(before: &Value, after: &Value, steps: &[AppliedEdit]) -> Vec<RepairEdit> {
    let mut found = Vec::new();
    compare(Pointer::root(), before, after, &mut found);
    found.into_iter().map(|(instance, change)| touch(instance, change, steps)).collect()
}

/// The places where `after` differs from `before`, all of them at or below `at`.
pub(super) fn places(at: &Pointer, before: &Value, after: &Value) -> Vec<Pointer> {
    let mut found = Vec::new();
    compare_optional(at.clone(), at.resolve(before), at.resolve(after), &mut found);
    // Where an item goes, those behind it move up: the place may be the last to tell.
    let mut places: Vec<Pointer> = found.into_iter().map(|(place, _)| place).collect();
    if let Some(parent) = at.parent().filter(|it| it.resolve(before).is_some_and(Value::is_array)) {
        places.push(parent);
    }
    places
}

/// The last step that reached the place is the one it owes its value to.
fn touch(instance: Pointer, change: EditKind, steps: &[AppliedEdit]) -> RepairEdit {
    let concerns = |step: &&AppliedEdit| {
        step.places.iter().any(|place| instance.is_within(place) || place.is_within(&instance))
    };
    let step = steps.iter().rev().find(concerns).or(steps.last());
    let keyword = step.map_or_else(String::new, |step| step.keyword.clone());
    RepairEdit { instance, keyword, change }
}

fn compare(at: Pointer, before: &Value, after: &Value, found: &mut Vec<(Pointer, EditKind)>) {
    match (before, after) {
        (Value::Object(old), Value::Object(new)) => {
            for (name, value) in old {
                let place = at.key(name);
                compare_optional(place, Some(value), new.get(name), found);
            }
            for (name, value) in new.iter().filter(|(name, _)| !old.contains_key(*name)) {
                compare_optional(at.key(name), None, Some(value), found);
            }
        }
        (Value::Array(old), Value::Array(new)) => {
            for index in 0..old.len().max(new.len()) {
                compare_optional(at.index(index), old.get(index), new.get(index), found);
            }
        }
        _ if before == after => {}
        _ => found.push((at, EditKind::Replaced(before.clone()))),
    }
}

fn compare_optional(
    at: Pointer,
    before: Option<&Value>,
    after: Option<&Value>,
    found: &mut Vec<(Pointer, EditKind)>,
) {
    match (before, after) {
        (Some(before), Some(after)) => compare(at, before, after, found),
        (Some(before), None) => found.push((at, EditKind::Removed(before.clone()))),
        (None, Some(_)) => found.push((at, EditKind::Added)),
        (None, None) => {}
    }
}
