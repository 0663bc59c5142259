//! One edit of a value.

use foolproof_contract::Pointer;
use serde_json::Value;

/// The value to set at an instance path; `None` to remove the value there.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Edit {
    pub(super) path: Pointer,
    pub(super) value: Option<Value>,
}

impl Edit {
    pub(super) fn set(path: Pointer, value: Value) -> Self {
        Self { path, value: Some(value) }
    }

    pub(super) fn remove(path: Pointer) -> Self {
        Self { path, value: None }
    }

    /// The edited value; `None` if the path does not exist or nothing would change.
    pub(super) fn apply(&self, root: &Value) -> Option<Value> {
        if self.path.resolve(root) == self.value.as_ref() {
            return None;
        }
        let Some(parent) = self.path.parent() else {
            return self.value.clone();
        };
        let name = self.path.segments().last()?.into_owned();
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
