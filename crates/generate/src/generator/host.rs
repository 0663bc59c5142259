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

#[cfg(test)]
mod tests {
    use foolproof_contract::{Document, FormatPolicy, Oracle, Pointer};
    use serde_json::json;

    use super::Host;
    use crate::{Generator, Meter, Plan, Seed};

    #[test]
    fn parts_are_drawn_from_their_own_form_and_checked_as_a_whole() {
        let document = Document::from_value(json!({
            "properties": { "size": { "type": "integer" }, "name": { "type": "string" } },
            "if": { "properties": { "name": { "const": "small" } } },
            "then": { "properties": { "size": { "maximum": 10 } } }
        }))
        .unwrap();
        let oracle = Oracle::new(&document, FormatPolicy::Assert).unwrap();
        let known = oracle.accept(json!({ "size": 1, "name": "small" })).unwrap();
        let path: Pointer = "/size".parse().unwrap();
        let (generator, mut forms) =
            Generator::with_forms(&document, FormatPolicy::Assert, &mut Meter::counting()).unwrap();
        let form = forms.at(&"/properties/size".parse().unwrap());
        let part = generator.within(Plan::of(&form, &document, forms.graph()));
        let part = part.inside(Host::new(&known, &path).unwrap());
        for index in 0..20 {
            let whole = part.instance(Seed::from_number(1), index).unwrap().into_value();
            assert_eq!(whole["name"], "small");
            assert!(whole["size"].as_i64() <= Some(10), "{whole}");
        }
        assert!(Host::new(&known, &"/color".parse().unwrap()).is_none());
    }
}
