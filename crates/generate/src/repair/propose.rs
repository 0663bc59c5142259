//! From a violation to changes that may put it right, the least intrusive first.

use foolproof_contract::{Operands, Pointer, Violation};
use serde_json::{Value, json};

use super::{
    answers, array,
    edit::Edit,
    known::Known,
    object,
    search::Search,
    variants::{smallest, variants, with_member},
};
use crate::Source;

/// How far from what a violation names a change may reach.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reach {
    /// What the keyword asks for; in the last place by leaving something out.
    Fitting,
    /// Anything at the place or around it.
    Around,
}

impl<S: Source> Search<'_, S> {
    /// Changes to `root` that may put `violation` right, by what is known.
    pub(super) fn proposals(
        &mut self,
        root: &Value,
        violation: &Violation,
        known: &Known,
        reach: Reach,
    ) -> Vec<Edit> {
        let place = violation.instance();
        let Some(current) = place.resolve(root) else {
            return Vec::new();
        };
        let mut edits = Vec::new();
        if violation.keyword() == "falseSchema" && !place.is_root() {
            edits.push(Edit::remove(place.clone()));
        }
        let values = match reach {
            Reach::Fitting => self.fitting(current, violation, known),
            Reach::Around => self.around(current, violation),
        };
        edits.extend(values.into_iter().map(|value| Edit::set(place.clone(), value)));
        if reach == Reach::Around {
            edits.extend(outward(place));
        }
        edits
    }

    /// The change that does without what is wrong, for when nothing that keeps it was found.
    pub(super) fn omission(root: &Value, violation: &Violation) -> Option<Edit> {
        let place = violation.instance();
        let value = match (place.resolve(root)?, violation.keyword(), violation.operands()) {
            (Value::Array(items), "uniqueItems", _) => array::without_repeated(items),
            (Value::Object(members), "propertyNames", Operands::Name { name, .. }) => {
                object::without(members, &[name])
            }
            _ => return None,
        };
        Some(Edit::set(place.clone(), value))
    }

    /// Values for the place that are what the keyword asks for.
    fn fitting(&mut self, current: &Value, violation: &Violation, known: &Known) -> Vec<Value> {
        match current {
            Value::Array(items) => {
                if let Some(values) = self.fitting_items(items, violation, known) {
                    return values;
                }
            }
            Value::Object(_) => {
                if let Some(values) = self.fitting_members(current, violation, known) {
                    return values;
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
        match violation.keyword() {
            "falseSchema" => thinned(current),
            "type" | "const" | "enum" | "minimum" | "maximum" | "exclusiveMinimum"
            | "exclusiveMaximum" | "multipleOf" | "minLength" | "maxLength" | "pattern"
            | "format" | "contentEncoding" | "contentMediaType" => {
                self.answers(current, violation, known)
            }
            // `not`, several branches of `oneOf`, and what we have never heard of.
            _ => self.nearby(current, violation),
        }
    }

    /// All that is known to be asked here, met at once; then this violation alone, since what was
    /// learned from other trials may not be asked of every value.
    fn answers(&mut self, current: &Value, violation: &Violation, known: &Known) -> Vec<Value> {
        let place = violation.instance();
        let mut alone = Known::default();
        alone.learn(&[violation]);
        let mut found = answers::answers(Some(current), &known.at(place), self.source);
        found.extend(answers::answers(Some(current), &alone.at(place), self.source));
        found
    }

    fn nearby(&self, current: &Value, violation: &Violation) -> Vec<Value> {
        let mut found = variants(current);
        if let Some(contract) = self.contract {
            let names = contract.declared(violation);
            found.extend(names.iter().flat_map(|name| with_member(current, name)));
            found.extend(contract.literals(violation));
        }
        found
    }

    /// What an array can do about a violation of its own; nothing if it is not one.
    fn fitting_items(
        &mut self,
        items: &[Value],
        violation: &Violation,
        known: &Known,
    ) -> Option<Vec<Value>> {
        let demands = known.at(violation.instance());
        Some(match violation.keyword() {
            "minItems" => array::grown(items, demands.counts("minItems").max()?),
            "maxItems" => array::cut(items, demands.counts("maxItems").min()?),
            "additionalItems" => array::cut(items, demands.counts("additionalItems").min()?),
            "uniqueItems" => array::distinct(violation, items, known, self.source),
            "unevaluatedItems" => {
                array::without_unexpected(items, &demands.names("unevaluatedItems"))
            }
            "contains" => self.containing(items, violation),
            _ => return None,
        })
    }

    /// What an object can do about a violation of its own; nothing if it is not one.
    fn fitting_members(
        &mut self,
        current: &Value,
        violation: &Violation,
        known: &Known,
    ) -> Option<Vec<Value>> {
        let members = current.as_object()?;
        let place = violation.instance();
        let demands = known.at(place);
        let names: Vec<&str> = if let Operands::Names(names) = violation.operands() {
            names.iter().map(String::as_str).collect()
        } else if let Operands::Name { name, .. } = violation.operands() {
            vec![name]
        } else {
            Vec::new()
        };
        Some(match violation.keyword() {
            "required" | "dependencies" | "dependentRequired" => names
                .into_iter()
                .flat_map(|name| object::with_member(place, members, name, known, self.source))
                .collect(),
            "additionalProperties" | "unevaluatedProperties" => {
                vec![object::without(members, &names)]
            }
            "propertyNames" => names
                .into_iter()
                .flat_map(|name| object::renamed(members, name, &demands, self.source))
                .collect(),
            "minProperties" => {
                let least = demands.counts("minProperties").max()?;
                let hints = (known, self.contract);
                object::grown(violation, members, least, hints, self.source)
            }
            "maxProperties" => {
                object::cut(members, demands.counts("maxProperties").min()?, &demands)
            }
            _ => return None,
        })
    }

    /// Other values for the place, whatever the keyword asks for.
    fn around(&self, current: &Value, violation: &Violation) -> Vec<Value> {
        let mut found = self.nearby(current, violation);
        found.extend(smallest());
        found
    }
}

/// The value with a member less, and then with none: `false` may be asked of what holds a certain
/// one.
fn thinned(current: &Value) -> Vec<Value> {
    match current {
        Value::Array(items) => array::without_one(items).into_iter().chain([json!([])]).collect(),
        Value::Object(members) => {
            let fewer = members.keys().map(|name| object::without(members, &[name]));
            fewer.chain([json!({})]).collect()
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Vec::new(),
    }
}

/// Without the place, or with something small instead of it; then the same for what encloses it.
fn outward(place: &Pointer) -> Vec<Edit> {
    let mut edits = Vec::new();
    let mut at = place.clone();
    loop {
        if at.is_root() {
            edits.extend(smallest().map(|value| Edit::set(at.clone(), value)));
        } else {
            edits.push(Edit::remove(at.clone()));
        }
        match at.parent() {
            Some(parent) => at = parent,
            None => return edits,
        }
    }
}
