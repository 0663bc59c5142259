//! Instances that are known to be valid: what a generator falls back to where it finds none for an index.
//!
//! Where nearly all draws are invalid, and repair needs luck, some indices would be without an instance although the
//! contract has values. So a few instances are searched for once, when the first index needs them; which they are
//! depends on the contract alone. If there are none, further repairs would be in vain as well, and are not tried.

use std::sync::OnceLock;

use foolproof_contract::Accepted;

use super::{Generator, attempts::Attempts};
use crate::{
    Meter, Phase, RepairEdit, Seed, Source,
    repair::{changes, replacing},
};

/// How many are searched for, at how many indices, and how many are enough.
const INDICES: u64 = 24;
const ENOUGH: usize = 8;

/// The checks of all repairs of the search, and of those at one index.
const CHECKS: usize = 32_000;
const CHECKS_AT_INDEX: usize = 8_000;

/// How many changes lead from a known instance to one like it, and how many are tried for each.
const CHANGES: usize = 3;
const TRIES: usize = 16;

/// The known instances, once they were searched for.
#[derive(Clone, Debug, Default)]
pub(super) struct KnownInstances(OnceLock<Vec<Accepted>>);

impl Generator {
    /// Whether known instances may be asked for.
    pub(super) fn has_known(&self) -> bool {
        self.known.is_some()
    }

    /// Whether some instance is known.
    pub(super) fn is_known_to_have(&self, meter: &mut Meter) -> bool {
        !self.known(meter).is_empty()
    }

    fn known(&self, meter: &mut Meter) -> &[Accepted] {
        let Some(KnownInstances(known)) = &self.known else { return &[] };
        known.get_or_init(|| self.search_known(&mut meter.another()))
    }

    fn search_known(&self, meter: &mut Meter) -> Vec<Accepted> {
        let seed = Seed::from_number(0).child("known", 0);
        let (mut found, mut left): (Vec<Accepted>, usize) = (Vec::new(), CHECKS);
        for index in 0..INDICES {
            if left == 0 || found.len() == ENOUGH {
                break;
            }
            let checks = left.min(CHECKS_AT_INDEX);
            let mut attempts = Attempts::of_draws(self, seed, index, checks);
            let generated = attempts.next(meter);
            left -= checks - attempts.checks();
            let instance = generated.map(super::Generated::into_instance);
            found.extend(instance.filter(|instance| !found.contains(instance)));
        }
        found
    }

    /// An instance like one of those that are known, chosen for `index`.
    pub(super) fn like_known(&self, seed: Seed, index: u64, meter: &mut Meter) -> Option<Accepted> {
        let known = self.known(meter);
        if known.is_empty() {
            return None;
        }
        let mut source = seed.child("known", index).random();
        let mut instance = source.pick(known).clone();
        for _ in 0..CHANGES {
            let mut changes = changes(instance.value());
            for _ in 0..TRIES.min(changes.len()) {
                let change = changes.swap_remove(source.index(changes.len()));
                let accepted = meter.operation(Phase::Validate, || self.oracle.accept(change));
                if let Some(accepted) = accepted {
                    instance = accepted;
                    break;
                }
            }
        }
        Some(instance)
    }

    /// The edits that lead from a draw that was rejected to `instance`.
    pub(super) fn edits_to(
        &self,
        seed: Seed,
        index: u64,
        attempt: u32,
        instance: &Accepted,
    ) -> Vec<RepairEdit> {
        let (Some(drawn), _) = self.draw(seed, index, attempt) else { return Vec::new() };
        let violations = self.oracle.violations(&drawn);
        let keyword = violations.first().map_or("", |violation| violation.keyword());
        replacing(&drawn, instance.value(), keyword)
    }
}
