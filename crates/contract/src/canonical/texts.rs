//! Whether any text is in a set of strings, by the automata of its patterns.
//!
//! Each pattern is read as a regular language that is at least as wide, an excluded one only if it is read
//! exactly. Of formats only what is certain is used: the validator accepts more than their specifications
//! (`.026-01-31` is a date to it). So if the automaton of all of them accepts nothing of an admitted length, no text is
//! in the set.

use super::StringShape;
use crate::{
    count,
    language::{Automaton, Condition, LookAroundPolicy, PatternConditions},
};

/// The most steps of the search for a text of an admitted length.
const MAX_STEPS: usize = 5_000_000;

/// Whether it is proven that no text is in the set.
pub(super) fn has_none(strings: &StringShape) -> bool {
    let read = |pattern: &str| PatternConditions::of(pattern, LookAroundPolicy::Drop);
    if strings.patterns.is_empty() {
        return false;
    }
    let formats = strings.formats.iter().filter_map(|format| start_of(format));
    let wanted = strings.patterns.iter().map(String::as_str).chain(formats);
    let wanted = wanted.filter_map(read).flat_map(|read| read.conditions);
    let excluded = strings.excluded_patterns.iter().filter_map(|pattern| read(pattern)?.negate());
    let conditions: Vec<Condition> = wanted.chain(excluded).collect();
    let least = strings.min_length.as_ref().map_or(Some(0), count);
    let most = strings.max_length.as_ref().map_or(Some(u64::MAX), count);
    let (Some(least), Some(most)) = (least, most) else { return false };
    Automaton::explore(&conditions).is_ok_and(|automaton| has_no_length(&automaton, least, most))
}

/// A pattern that every string of a format matches, for formats that begin with something of their own. RFC 3986
/// §3.1: a URI begins with its scheme.
fn start_of(format: &str) -> Option<&'static str> {
    matches!(format, "uri" | "iri").then_some("^[A-Za-z][A-Za-z0-9+.\\-]*:")
}

/// Whether no text that the automaton accepts has a length from `least` to `most`. Not proven if the search would
/// take too long.
fn has_no_length(automaton: &Automaton, least: u64, most: u64) -> bool {
    if automaton.states.is_empty() {
        return true;
    }
    // Which states texts of the present length end in; every state leads to an accepted text, so the search ends.
    let mut reached = vec![false; automaton.states.len()];
    reached[0] = true;
    let (mut length, mut steps) = (0, 0);
    loop {
        let accepts =
            |(state, is_reached): (usize, &bool)| *is_reached && automaton.states[state].accepting;
        if length >= least && reached.iter().enumerate().any(accepts) {
            return false;
        }
        let mut next = vec![false; reached.len()];
        for (state, _) in reached.iter().enumerate().filter(|(_, is_reached)| **is_reached) {
            for edge in &automaton.states[state].edges {
                next[edge.target] = true;
                steps += 1;
            }
        }
        if !next.contains(&true) || length == most {
            return true;
        }
        steps += next.len();
        if steps > MAX_STEPS {
            return false;
        }
        reached = next;
        length += 1;
    }
}
