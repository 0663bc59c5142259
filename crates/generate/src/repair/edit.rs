//! One change to a value.

use foolproof_contract::Pointer;
use serde_json::Value;

/// What should stand at a place; nothing, if it should go.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Edit {
    pub(super) place: Pointer,
    pub(super) value: Option<Value>,
}

impl Edit {
    pub(super) fn set(place: Pointer, value: Value) -> Self {
        Self { place, value: Some(value) }
    }

    pub(super) fn remove(place: Pointer) -> Self {
        Self { place, value: None }
    }

    /// The changed value; nothing if the place is not there or nothing would change.
    pub(super) fn apply(&self, root: &Value) -> Option<Value> {
        if self.place.resolve(root) == self.value.as_ref() {
            return None;
        }
        let Some(parent) = self.place.parent() else {
            return self.value.clone();
        };
        let name = self.place.segments().last()?.into_owned();
        parent.resolve(root)?;
        let mut changed = root.clone();
        match (changed.pointer_mut(parent.as_str())?, &self.value) {
            (Value::Object(members), Some(value)) => {
                members.insert(name, value.clone());
            }
            (Value::Object(members), None) => {
                members.remove(&name)?;
            }
            (Value::Array(items), value) => change_item(items, name.parse().ok()?, value.as_ref())?,
            (Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_), _) => return None,
        }
        Some(changed)
    }
}

fn change_item(items: &mut Vec<Value>, index: usize, value: Option<&Value>) -> Option<()> {
    match value {
        Some(value) if index == items.len() => items.push(value.clone()),
        Some(value) => items.get_mut(index)?.clone_from(value),
        None if index < items.len() => {
            items.remove(index);
        }
        None => return None,
    }
    Some(())
}
