//! Intersections while compiling, and limits of their cost.

use std::collections::BTreeSet;

use foolproof_contract::{Canonical, Shape};

/// The largest product of the sizes of two forms that are intersected. The library needs seconds for
/// larger ones, and mostly finds no form.
const LARGEST: usize = 40_000;

/// The total cost of the intersections for one plan, counted in the sizes of the forms: the library
/// reads them again each time.
const ALLOWANCE: usize = 20_000;

/// The largest form that draws are filtered by.
const LARGEST_FILTER: usize = 1_000;

/// How much of the algebra compiling may use.
#[derive(Clone, Debug)]
pub(super) enum Algebra {
    /// Without limit: one contract, compiled once.
    Unbounded,
    /// Only cheap operations: many parts of one contract. What is too large to intersect is drawn from
    /// one of its parts; the oracle of the whole checks the result.
    Sparing {
        /// The cost that is left for the present plan.
        left: usize,
    },
}

impl Algebra {
    pub(super) fn sparing() -> Self {
        Self::Sparing { left: ALLOWANCE }
    }

    /// Resets the limit for a new plan.
    pub(super) fn renew(&mut self) {
        match self {
            Self::Unbounded => {}
            Self::Sparing { left } => *left = ALLOWANCE,
        }
    }

    /// The intersection of both forms; `None` where that has no form, or costs too much.
    pub(super) fn meet(&mut self, one: &Canonical, other: &Canonical) -> Option<Canonical> {
        if self.affords(one, other) { one.intersect(other).ok() } else { None }
    }

    fn affords(&mut self, one: &Canonical, other: &Canonical) -> bool {
        let left = match self {
            Self::Unbounded => return true,
            Self::Sparing { left: 0 } => return false,
            Self::Sparing { left } => left,
        };
        let first = size(one, *left);
        let second = size(other, *left);
        *left = left.saturating_sub(first + second);
        first.saturating_mul(second) <= LARGEST
    }

    /// Whether a filter by `form` may be compiled, which needs an oracle of the whole form.
    pub(super) fn affords_filter(&mut self, form: &Canonical) -> bool {
        match self {
            Self::Unbounded => true,
            Self::Sparing { left } => {
                let size = size(form, LARGEST_FILTER);
                let is_cheap = size < LARGEST_FILTER.min(*left);
                *left = left.saturating_sub(size);
                is_cheap
            }
        }
    }

    /// The intersection of `parts` with every reference among them resolved once.
    pub(super) fn meet_resolved(&mut self, parts: &[Canonical]) -> Option<Canonical> {
        let mut resolved = parts.iter().map(|part| {
            let target =
                if let Shape::Reference(key) = part.shape() { part.definition(&key) } else { None };
            target.unwrap_or_else(|| part.clone())
        });
        let first = resolved.next()?;
        resolved.try_fold(first, |common, part| self.meet(&common, &part))
    }
}

/// The number of forms inside `form`, including those it refers to; no more than `most` are counted.
fn size(form: &Canonical, most: usize) -> usize {
    let (mut count, mut seen) = (0, BTreeSet::new());
    let mut pending = vec![form.clone()];
    while let Some(form) = pending.pop().filter(|_| count < most) {
        count += 1;
        match form.shape() {
            Shape::Reference(key) => {
                if !seen.contains(&key) {
                    pending.extend(form.definition(&key));
                    seen.insert(key);
                }
            }
            Shape::AnyOf(parts) | Shape::OneOf(parts) | Shape::AllOf(parts) => {
                pending.extend(parts);
            }
            Shape::Not(part) | Shape::Typed(_, part) => pending.push(*part),
            Shape::Array(array) => {
                pending.extend(array.prefix.into_iter().chain(array.items));
                pending.extend(array.contains.into_iter().map(|counted| counted.schema));
            }
            Shape::Object(object) => {
                pending.extend(object.properties.into_values());
                pending.extend(object.pattern_properties.into_values());
                pending.extend(object.additional_properties);
            }
            Shape::Any
            | Shape::Never
            | Shape::Types(_)
            | Shape::String(_)
            | Shape::Integer(_)
            | Shape::Number(_)
            | Shape::Const(_)
            | Shape::Enum(_) => {}
        }
    }
    count.max(1)
}
