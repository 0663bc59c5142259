//! From a violation to edits that may repair it, the least intrusive first.

use foolproof_contract::{Operands, Pointer, Violation};
use serde_json::{Value, json};

use super::{
    array,
    edit::Edit,
    object,
    observed::ObservedViolations,
    satisfy,
    search::Search,
    variants::{smallest, variants, with_member},
};
use crate::Source;

/// What an edit for a violation may change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EditScope {
    /// The violating value, towards what the keyword requires; as a last resort by omitting a part.
    Targeted,
    /// Anything at the instance path of the violation or above it.
    Surrounding,
}

impl<S: Source> Search<'_, S> {
    /// Edits of `root` that may repair `violation`, based on the observed violations.
    pub(super) fn proposals(
        &mut self,
        root: &Value,
        violation: &Violation,
        observed: &ObservedViolations,
        scope: EditScope,
    ) -> Vec<Edit> {
        let path = violation.instance();
        let Some(current) = path.resolve(root) else {
            return Vec::new();
        };
        let mut edits = Vec::new();
        if violation.keyword() == "falseSchema" && !path.is_root() {
            edits.push(Edit::remove(path.clone()));
        }
        let values = match scope {
            EditScope::Targeted => self.targeted_values(current, violation, observed),
            EditScope::Surrounding => self.surrounding_values(current, violation),
        };
        edits.extend(values.into_iter().map(|value| Edit::set(path.clone(), value)));
        // Nothing else can be done about `false`.
        if scope == EditScope::Surrounding || violation.keyword() == "falseSchema" {
            edits.extend(self.condition_edits(root, violation));
        }
        if scope == EditScope::Surrounding {
            edits.extend(enclosing_edits(path));
        }
        edits
    }

    /// The edit that removes the violating part, for when no edit that keeps it was found.
    pub(super) fn omission(root: &Value, violation: &Violation) -> Option<Edit> {
        let path = violation.instance();
        let value = match (path.resolve(root)?, violation.keyword(), violation.operands()) {
            (Value::Array(items), "uniqueItems", _) => array::without_repeated(items),
            (Value::Object(members), "propertyNames", Operands::Name { name, .. }) => {
                object::without(members, &[name])
            }
            _ => return None,
        };
        Some(Edit::set(path.clone(), value))
    }

    /// Replacements for `current` that satisfy the violated keyword.
    fn targeted_values(
        &mut self,
        current: &Value,
        violation: &Violation,
        observed: &ObservedViolations,
    ) -> Vec<Value> {
        match current {
            Value::Array(items) => {
                if let Some(values) = self.array_values(items, violation, observed) {
                    return values;
                }
            }
            Value::Object(_) => {
                if let Some(values) = self.object_values(current, violation, observed) {
                    return values;
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
        match violation.keyword() {
            "falseSchema" => with_fewer_members(current),
            "type" | "const" | "enum" | "minimum" | "maximum" | "exclusiveMinimum"
            | "exclusiveMaximum" | "multipleOf" | "minLength" | "maxLength" | "pattern"
            | "format" | "contentEncoding" | "contentMediaType" => {
                self.satisfying_values(current, violation, observed)
            }
            // `not`, several branches of `oneOf`, and unknown keywords.
            _ => {
                let mut found = self.nearby(current, violation);
                for schema in to_refute(violation) {
                    found.extend(self.refuting(&schema, current));
                }
                found
            }
        }
    }

    /// Values that satisfy all requirements observed here at once; then those that satisfy this
    /// violation alone, since a requirement observed in another trial may not apply to every value.
    fn satisfying_values(
        &mut self,
        current: &Value,
        violation: &Violation,
        observed: &ObservedViolations,
    ) -> Vec<Value> {
        let path = violation.instance();
        let mut alone = ObservedViolations::default();
        alone.add(&[violation]);
        let mut found = satisfy::values(Some(current), &observed.at(path), self.source);
        found.extend(satisfy::values(Some(current), &alone.at(path), self.source));
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

    /// Arrays that repair a violation of an array keyword; `None` for another keyword.
    fn array_values(
        &mut self,
        items: &[Value],
        violation: &Violation,
        observed: &ObservedViolations,
    ) -> Option<Vec<Value>> {
        let requirements = observed.at(violation.instance());
        Some(match violation.keyword() {
            "minItems" => array::grown(items, requirements.counts("minItems").max()?),
            "maxItems" => array::cut(items, requirements.counts("maxItems").min()?),
            "additionalItems" => array::cut(items, requirements.counts("additionalItems").min()?),
            "uniqueItems" => array::distinct(violation, items, observed, self.source),
            "unevaluatedItems" => {
                array::without_unexpected(items, &requirements.names("unevaluatedItems"))
            }
            "contains" => self.containing(items, violation),
            _ => return None,
        })
    }

    /// Objects that repair a violation of an object keyword; `None` for another keyword.
    fn object_values(
        &mut self,
        current: &Value,
        violation: &Violation,
        observed: &ObservedViolations,
    ) -> Option<Vec<Value>> {
        let members = current.as_object()?;
        let path = violation.instance();
        let requirements = observed.at(path);
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
                .flat_map(|name| object::with_member(path, members, name, observed, self.source))
                .collect(),
            "additionalProperties" | "unevaluatedProperties" => {
                vec![object::without(members, &names)]
            }
            "propertyNames" => names
                .into_iter()
                .flat_map(|name| object::renamed(members, name, &requirements, self.source))
                .collect(),
            "minProperties" => {
                let least = requirements.counts("minProperties").max()?;
                let hints = (observed, self.contract);
                object::grown(violation, members, least, hints, self.source)
            }
            "maxProperties" => {
                object::cut(members, requirements.counts("maxProperties").min()?, &requirements)
            }
            _ => return None,
        })
    }

    /// Other replacements for `current`, whatever the keyword requires.
    fn surrounding_values(&self, current: &Value, violation: &Violation) -> Vec<Value> {
        let mut found = self.nearby(current, violation);
        found.extend(smallest());
        found
    }
}

/// The schemas that the value satisfies and should not.
fn to_refute(violation: &Violation) -> Vec<Pointer> {
    match (violation.keyword(), violation.operands()) {
        ("not", _) => vec![violation.schema().clone()],
        ("oneOf", Operands::Branches(branches)) => {
            let holding = branches.iter().enumerate().filter(|(_, branch)| branch.is_empty());
            holding.map(|(branch, _)| violation.schema().index(branch)).collect()
        }
        _ => Vec::new(),
    }
}

/// The value without one of its members, then without any: `false` may apply to values that have a
/// certain member.
fn with_fewer_members(current: &Value) -> Vec<Value> {
    match current {
        Value::Array(items) => array::without_one(items).into_iter().chain([json!([])]).collect(),
        Value::Object(members) => {
            let fewer = members.keys().map(|name| object::without(members, &[name]));
            fewer.chain([json!({})]).collect()
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Vec::new(),
    }
}

/// Removes the value at `path`, then each value that encloses it; the root is replaced by a small
/// value.
fn enclosing_edits(path: &Pointer) -> Vec<Edit> {
    let mut edits = Vec::new();
    let mut at = path.clone();
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
