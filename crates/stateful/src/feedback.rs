//! Feedback: sequences that led to states of the model which were not seen before are continued by later
//! ones, so that states which are hard to reach are reached from near.
//!
//! Sequences run in rounds. What a round learned is used from the next round on, in the order of the
//! numbers of the sequences; so the result is the same for any number of threads.

use std::collections::{BTreeMap, BTreeSet};

use crate::rng::{self, Rng};

/// How many sequences a round has.
pub(crate) const ROUND: u64 = 32;

/// The most prefixes that are kept; the oldest are forgotten.
const MAX_PREFIXES: usize = 256;

/// The steps with which a sequence begins.
#[derive(Clone, Debug)]
pub(crate) struct Prefix<T> {
    pub(crate) steps: Vec<T>,
    /// A number that none of the steps has, and no larger one.
    pub(crate) next_id: u32,
}

impl<T> Default for Prefix<T> {
    fn default() -> Self {
        Self { steps: Vec::new(), next_id: 0 }
    }
}

/// What is known of the states of the model.
#[derive(Debug)]
pub(crate) struct Feedback<T> {
    /// The states that were seen, as hashes.
    seen: BTreeSet<u64>,
    /// Steps that led to a new state.
    prefixes: Vec<Prefix<T>>,
    /// The sequences of this round: their steps, and the state after each.
    round: BTreeMap<u64, (Prefix<T>, Vec<u64>)>,
}

impl<T: Clone> Feedback<T> {
    pub(crate) fn new() -> Self {
        Self { seen: BTreeSet::new(), prefixes: Vec::new(), round: BTreeMap::new() }
    }

    /// The steps with which sequence number `run` begins: none for every second sequence.
    pub(crate) fn prefix(&self, seed: u64, run: u64) -> Prefix<T> {
        let mut rng = Rng::new(rng::child(rng::child(seed, run), 1));
        if self.prefixes.is_empty() || rng.below(2) == 0 {
            return Prefix::default();
        }
        // The latest ones led farthest.
        let count = self.prefixes.len();
        let age = rng.below(count).min(rng.below(count));
        self.prefixes[count - 1 - age].clone()
    }

    /// Records the steps of a sequence, and the state after each.
    pub(crate) fn record(&mut self, run: u64, steps: Prefix<T>, states: Vec<u64>) {
        self.round.insert(run, (steps, states));
    }

    /// Learns from the sequences of this round.
    pub(crate) fn end_round(&mut self) {
        for (mut prefix, states) in std::mem::take(&mut self.round).into_values() {
            let new = states.iter().enumerate().filter(|(_, state)| self.seen.insert(**state));
            if let Some((last, _)) = new.last() {
                prefix.steps.truncate(last + 1);
                self.prefixes.push(prefix);
            }
        }
        let excess = self.prefixes.len().saturating_sub(MAX_PREFIXES);
        self.prefixes.drain(..excess);
    }
}

/// The hash of the text of a state.
pub(crate) fn fingerprint(text: &str) -> u64 {
    rng::hash(text.as_bytes())
}
