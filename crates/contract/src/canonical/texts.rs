//! Whether any text has all the patterns of a set of strings, and none of those it excludes.
//!
//! Each pattern is read as a regular language that is at least as wide, an excluded one only if it is read
//! exactly; lengths and formats are ignored. So if the automaton of all of them accepts nothing, no text is in
//! the set. Formats stay out because the validator accepts more than their specifications: `.026-01-31` is a
//! date to it.

use super::StringShape;
use crate::language::{Automaton, Condition, LookAroundPolicy, PatternConditions};

/// Whether it is proven that no text is in the set.
pub(super) fn has_none(strings: &StringShape) -> bool {
    let read = |pattern: &String| PatternConditions::of(pattern, LookAroundPolicy::Drop);
    let wanted = strings.patterns.iter().filter_map(read).flat_map(|read| read.conditions);
    let excluded = strings.excluded_patterns.iter().filter_map(|pattern| read(pattern)?.negate());
    let conditions: Vec<Condition> = wanted.chain(excluded).collect();
    !conditions.is_empty()
        && Automaton::explore(&conditions).is_ok_and(|automaton| automaton.states.is_empty())
}
