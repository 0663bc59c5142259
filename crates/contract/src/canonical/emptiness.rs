//! Whether a form is proven to be empty, by more than the library decides.
//!
//! The library does not look into patterns, and leaves a conjunction with a reference into a cycle as it is. So here
//! the strings of a form are decided by automata ([`texts`]), in what an object or an array must contain too,
//! references in a conjunction are unfolded, and branches of `oneOf` are compared that are equal only behind their references.
//! Every answer is a proof; where a limit is reached, nothing is proven.

use super::{ArrayShape, Canonical, DiagnosticCode, ObjectShape, Shape, texts};
use crate::count;

/// The most forms that are looked at for one answer.
const MAX_FORMS: usize = 400;

/// The most references that are unfolded inside one another.
const MAX_UNFOLDINGS: usize = 3;

/// Whether no value belongs to `form`.
pub(super) fn is_proven_empty(form: &Canonical) -> bool {
    Search { forms_left: MAX_FORMS }.is_empty(form, MAX_UNFOLDINGS)
}

/// Why no value belongs to `form`, as far as that is proven here.
pub(super) fn why_empty(form: &Canonical) -> Option<DiagnosticCode> {
    is_proven_empty(form).then(|| {
        let named = unfold(form, form.clone(), MAX_UNFOLDINGS).unwrap_or_else(|| form.clone());
        match named.shape() {
            Shape::OneOf(_) => DiagnosticCode::OneOf,
            Shape::AnyOf(_) => DiagnosticCode::AnyOf,
            Shape::String(_) => DiagnosticCode::StringConstraints,
            Shape::Object(_) => DiagnosticCode::ObjectConstraints,
            Shape::Array(_) => DiagnosticCode::ArrayBounds,
            Shape::Never
            | Shape::Any
            | Shape::Types(_)
            | Shape::Integer(_)
            | Shape::Number(_)
            | Shape::Const(_)
            | Shape::Enum(_)
            | Shape::Typed(..)
            | Shape::AllOf(_)
            | Shape::Not(_)
            | Shape::Reference(_) => DiagnosticCode::Conflict,
        }
    })
}

/// What `part` of `form` is behind its references; nothing if there are more than `unfoldings`.
fn unfold(form: &Canonical, part: Canonical, unfoldings: usize) -> Option<Canonical> {
    let Shape::Reference(key) = part.shape() else { return Some(part) };
    unfold(form, form.definition(&key)?, unfoldings.checked_sub(1)?)
}

struct Search {
    forms_left: usize,
}

impl Search {
    fn is_empty(&mut self, form: &Canonical, unfoldings: usize) -> bool {
        if self.forms_left == 0 {
            return false;
        }
        self.forms_left -= 1;
        match form.shape() {
            Shape::Never => true,
            Shape::String(strings) => texts::has_none(&strings),
            Shape::Typed(_, body) => self.is_empty(&body, unfoldings),
            Shape::Object(object) => self.has_impossible_member(&object, unfoldings),
            Shape::Array(array) => self.has_impossible_item(&array, unfoldings),
            Shape::AnyOf(parts) => parts.iter().all(|part| self.is_empty(part, unfoldings)),
            Shape::AllOf(parts) => {
                parts.iter().any(|part| self.is_empty(part, unfoldings))
                    || self.is_conjunction_empty(form, &parts, unfoldings)
            }
            Shape::OneOf(parts) => self.has_no_branch_alone(form, parts, unfoldings),
            Shape::Reference(key) => unfoldings.checked_sub(1).is_some_and(|unfoldings| {
                form.definition(&key).is_some_and(|it| self.is_empty(&it, unfoldings))
            }),
            Shape::Any
            | Shape::Types(_)
            | Shape::Integer(_)
            | Shape::Number(_)
            | Shape::Const(_)
            | Shape::Enum(_)
            | Shape::Not(_) => false,
        }
    }

    /// Whether every branch of a `oneOf` is empty, or admits the same values as another one.
    fn has_no_branch_alone(
        &mut self,
        form: &Canonical,
        parts: Vec<Canonical>,
        unfoldings: usize,
    ) -> bool {
        let unfolded = |part: Canonical| unfold(form, part.clone(), unfoldings).unwrap_or(part);
        let parts: Vec<Canonical> = parts.into_iter().map(unfolded).collect();
        let is_alone = |part: &Canonical| parts.iter().filter(|other| *other == part).count() == 1;
        parts.iter().all(|part| !is_alone(part) || self.is_empty(part, unfoldings))
    }

    /// Whether a property that must be present has no value.
    fn has_impossible_member(&mut self, object: &ObjectShape, unfoldings: usize) -> bool {
        let required = object.required.iter();
        let forms = required.filter_map(|name| {
            object.properties.get(name).or(object.additional_properties.as_ref().filter(|_| {
                // A name that a pattern may match is not an additional one.
                object.pattern_properties.is_empty()
            }))
        });
        forms.into_iter().any(|form| self.is_empty(form, unfoldings))
    }

    /// Whether an item that must be present has no value.
    fn has_impossible_item(&mut self, array: &ArrayShape, unfoldings: usize) -> bool {
        let least = array.min_items.as_ref().and_then(count).unwrap_or(0);
        let least = usize::try_from(least).unwrap_or(usize::MAX);
        let prefix = array.prefix.iter().take(least);
        let rest = array.items.iter().filter(|_| least > array.prefix.len());
        prefix.chain(rest).any(|form| self.is_empty(form, unfoldings))
    }

    /// Whether the values in all of `parts` are none once references among them are replaced by what they refer to.
    fn is_conjunction_empty(
        &mut self,
        form: &Canonical,
        parts: &[Canonical],
        unfoldings: usize,
    ) -> bool {
        let Some(unfoldings) = unfoldings.checked_sub(1) else { return false };
        let mut has_reference = false;
        let mut all: Option<Canonical> = None;
        for part in parts {
            let unfolded = if let Shape::Reference(key) = part.shape() {
                has_reference = true;
                let Some(definition) = form.definition(&key) else { return false };
                definition
            } else {
                part.clone()
            };
            all = match all {
                None => Some(unfolded),
                Some(before) => match before.intersect(&unfolded) {
                    Ok(both) => Some(both),
                    Err(_) => return false,
                },
            };
        }
        let Some(all) = all.filter(|_| has_reference) else { return false };
        all.satisfiable() == super::Verdict::No || self.is_empty(&all, unfoldings)
    }
}
