//! How many names a condition admits.

use super::{
    Limit,
    condition::Length,
    product::{Product, StateId},
    walk::{Goal, Walk},
};
use crate::Verdict;

/// The names of a condition, counted by what automata know of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Census {
    Infinite,
    /// Counts beyond `u128` stay at its maximum.
    Finite {
        certain: u128,
        undecided: u128,
    },
}

/// Counts, or says which limit left the count open.
pub(super) fn count(product: &Product) -> Result<Census, Limit> {
    product.complete()?;
    let mut walk = Walk::new(product, Goal::Possible);
    let mut layer = walk.first();
    let (mut certain, mut undecided) = (0_u128, 0_u128);
    let mut known_to_end = false;
    while !layer.ends.is_empty() {
        for (&state, &names) in &layer.ends {
            match product.verdict(state, walk.length()) {
                Verdict::Yes => certain = certain.saturating_add(names),
                Verdict::Unknown => undecided = undecided.saturating_add(names),
                Verdict::No => {}
            }
        }
        if walk.is_beyond_bounds() && !known_to_end {
            let ends: Vec<StateId> = layer.ends.keys().copied().collect();
            if runs_forever(product, &ends, |verdict| verdict == Verdict::Yes) {
                return Ok(Census::Infinite);
            }
            if runs_forever(product, &ends, |verdict| verdict != Verdict::No) {
                return Err(product.undecided_reason());
            }
            known_to_end = true;
        }
        layer = walk.next(&mut layer)?;
    }
    Ok(Census::Finite { certain, undecided })
}

/// Whether names with such a verdict can be made longer and longer from `starts`: whether a circle
/// lies on the way to the end of one.
fn runs_forever(product: &Product, starts: &[StateId], is_goal: fn(Verdict) -> bool) -> bool {
    let useful = product.reaching(|state| is_goal(product.verdict(state, Length::Beyond)));
    let targets = |state: StateId| {
        let edges = product.edges(state).unwrap_or_default();
        edges.iter().map(|edge| edge.target).filter(|target| useful[*target])
    };
    let mut entries = vec![0_usize; product.len()];
    let mut reached = vec![false; product.len()];
    let mut queue: Vec<_> = starts.iter().copied().filter(|start| useful[*start]).collect();
    for start in &queue {
        reached[*start] = true;
    }
    let mut remaining = queue.len();
    while let Some(state) = queue.pop() {
        for target in targets(state) {
            entries[target] += 1;
            if !std::mem::replace(&mut reached[target], true) {
                remaining += 1;
                queue.push(target);
            }
        }
    }
    // States are taken away once nothing leads to them; only circles stay.
    let mut free: Vec<_> =
        (0..product.len()).filter(|state| reached[*state] && entries[*state] == 0).collect();
    while let Some(state) = free.pop() {
        remaining -= 1;
        for target in targets(state) {
            entries[target] -= 1;
            if entries[target] == 0 {
                free.push(target);
            }
        }
    }
    remaining > 0
}
