//! The edits of a repair: where the repaired value differs from the rejected one, and for which keyword.
//!
//! The edits are the difference of the two values, not a log: what was changed and changed back is not
//! among them, and what moved because an item before it was removed is. So the value at a path that is
//! not at, below or above the path of an edit is unchanged.

use foolproof_contract::Pointer;
use serde_json::Value;

use super::search::AppliedEdit;

/// One change that repair made to a value.
#[derive(Clone, Debug, PartialEq)]
pub struct RepairEdit {
    instance: Pointer,
    keyword: String,
    change: EditKind,
}

/// The kind of a change, with the value before it.
#[derive(Clone, Debug, PartialEq)]
pub enum EditKind {
    /// There was no value before.
    Added,
    /// The value was removed.
    Removed(Value),
    /// The value was replaced.
    Replaced(Value),
}

impl RepairEdit {
    /// The instance path that was changed.
    #[must_use]
    pub fn instance(&self) -> &Pointer {
        &self.instance
    }

    /// The keyword whose violation led to the change.
    #[must_use]
    pub fn keyword(&self) -> &str {
        &self.keyword
    }

    /// The kind of the change.
    #[must_use]
    pub fn kind(&self) -> &EditKind {
        &self.change
    }
}

/// Every path at which `after` differs from `before`, as deep as the two have the same structure.
pub(super) fn differences(before: &Value, after: &Value, steps: &[AppliedEdit]) -> Vec<RepairEdit> {
    let mut found = Vec::new();
    compare(Pointer::root(), before, after, &mut found);
    found.into_iter().map(|(instance, change)| attribute(instance, change, steps)).collect()
}

/// The paths at which `after` differs from `before`, all of them at or below `at`.
pub(super) fn changed_paths(at: &Pointer, before: &Value, after: &Value) -> Vec<Pointer> {
    let mut found = Vec::new();
    compare_optional(at.clone(), at.resolve(before), at.resolve(after), &mut found);
    // Where an item is removed, those after it move up: the difference may show in any of them.
    let mut paths: Vec<Pointer> = found.into_iter().map(|(path, _)| path).collect();
    if let Some(parent) = at.parent().filter(|it| it.resolve(before).is_some_and(Value::is_array)) {
        paths.push(parent);
    }
    paths
}

/// The edit at `instance` with the keyword of the last step that changed its value.
fn attribute(instance: Pointer, change: EditKind, steps: &[AppliedEdit]) -> RepairEdit {
    let concerns = |step: &&AppliedEdit| {
        step.paths.iter().any(|path| instance.is_within(path) || path.is_within(&instance))
    };
    let step = steps.iter().rev().find(concerns).or(steps.last());
    let keyword = step.map_or_else(String::new, |step| step.keyword.clone());
    RepairEdit { instance, keyword, change }
}

fn compare(at: Pointer, before: &Value, after: &Value, found: &mut Vec<(Pointer, EditKind)>) {
    match (before, after) {
        (Value::Object(old), Value::Object(new)) => {
            for (name, value) in old {
                let path = at.key(name);
                compare_optional(path, Some(value), new.get(name), found);
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
