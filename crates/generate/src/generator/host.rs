//! A host: a valid instance in which one value is replaced by what is drawn.
//!
//! A part is drawn from the form of its own schema, which is small. The rest of the instance is known to be
//! valid, so whether the part fits is left to the oracle.

use foolproof_contract::{Accepted, Pointer};
use serde_json::Value;

/// A valid instance, and the path of the value in it that draws replace.
#[derive(Clone, Debug)]
pub struct Host {
    instance: Value,
    path: Pointer,
}

impl Host {
    /// The value at `path` of `instance`; nothing if there is none.
    #[must_use]
    pub fn new(instance: &Accepted, path: &Pointer) -> Option<Self> {
        path.resolve(instance.value())?;
        Some(Self { instance: instance.value().clone(), path: path.clone() })
    }

    /// The path of the value that is replaced.
    #[must_use]
    pub fn path(&self) -> &Pointer {
        &self.path
    }

    /// The value that is replaced.
    #[must_use]
    pub fn part(&self) -> &Value {
        self.part_of(&self.instance).unwrap_or(&Value::Null)
    }

    /// The instance with `part` in the place of the value.
    #[must_use]
    pub fn with(&self, part: Value) -> Value {
        let mut whole = self.instance.clone();
        if let Some(place) = whole.pointer_mut(self.path.as_str()) {
            *place = part;
        }
        whole
    }

    /// The value at the same path of another instance.
    pub(super) fn part_of<'v>(&self, whole: &'v Value) -> Option<&'v Value> {
        self.path.resolve(whole)
    }
}
