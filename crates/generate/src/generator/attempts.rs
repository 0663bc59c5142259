//! The draws for one instance, one after the other, until one is accepted or the limit is reached.
//!
//! Most draws that are rejected are repaired, which takes longest where it is in vain. So all repairs for one instance
//! share a budget of checks: a first one, and a larger one where the contract is known to have values. What is known
//! ([`known`](super::known)) is also the last resort.

use foolproof_contract::{Accepted, Violation};

use super::{Exhausted, Generated, Generator};
use crate::{Meter, RepairEdit, Seed};

/// How often one instance is drawn by default before the generator gives up.
pub(super) const LIMIT: u32 = 32;

/// How many draws may be made to find an instance that is valid however `format` is read. The first eight follow the
/// tour, so that they may all take the same branch.
const DRAWS_FOR_BOTH_READINGS: u32 = 24;

/// The checks of all repairs for one instance: at first, and in addition where instances are known to exist.
const CHECKS: usize = 500;
const MORE_CHECKS: usize = 16_000;

/// The outcome of one draw.
pub(super) enum Attempt {
    /// The oracle accepts it, as drawn or once repaired.
    Accepted { instance: Accepted, edits: Vec<RepairEdit> },
    /// The oracle rejects it.
    Rejected,
    /// The choices of the source give no value.
    NoValue,
}

impl Attempt {
    pub(super) fn as_drawn(instance: Accepted) -> Self {
        Self::Accepted { instance, edits: Vec::new() }
    }
}

/// The draws for one instance that the oracle accepts, in their order. The first is the instance; if the
/// second oracle rejects it, the next.
pub(super) struct Attempts<'a> {
    generator: &'a Generator,
    seed: Seed,
    index: u64,
    next: u32,
    rejected: u32,
    last: Option<Rejection>,
    /// The first draw that is valid only if formats are asserted.
    only_asserted: Option<Generated>,
    /// The checks that are left for repairs.
    checks: usize,
    /// What else there is, besides draws.
    resort: Resort,
}

/// What is done once the checks for repairs are used up, and after the last draw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Resort {
    /// The known instances are asked for: whether there are any, and then for one of them.
    Known,
    /// There are some, so more checks were given.
    KnownToExist,
    /// Nothing.
    None,
}

/// Which oracle rejected a draw.
enum Rejection {
    /// The oracle; its violations are computed on demand.
    Oracle { attempt: u32 },
    /// The second oracle, with these violations.
    Second(Vec<Violation>),
}

impl<'a> Attempts<'a> {
    pub(super) fn new(generator: &'a Generator, seed: Seed, index: u64) -> Self {
        let (checks, resort) = if generator.has_known() {
            (CHECKS, Resort::Known)
        } else {
            (CHECKS + MORE_CHECKS, Resort::None)
        };
        Self {
            generator,
            seed,
            index,
            next: 0,
            rejected: 0,
            last: None,
            only_asserted: None,
            checks,
            resort,
        }
    }

    /// The same with so many checks for all repairs, and draws alone.
    pub(super) fn of_draws(
        generator: &'a Generator,
        seed: Seed,
        index: u64,
        checks: usize,
    ) -> Self {
        Self { checks, resort: Resort::None, ..Self::new(generator, seed, index) }
    }

    /// How many checks are left for repairs.
    pub(super) fn checks(&self) -> usize {
        self.checks
    }

    /// Leaves out the first draw, which was made already: the oracle rejects it, if it gave a value.
    pub(super) fn skip_first(&mut self, is_rejected: bool) {
        self.next = 1;
        if is_rejected {
            self.reject(Rejection::Oracle { attempt: 0 });
        }
    }

    /// The next draw that the oracle accepts.
    pub(super) fn next(&mut self, meter: &mut Meter) -> Option<Generated> {
        if !self.generator.has_instances() {
            return None;
        }
        while self.next < self.generator.draws {
            self.give_checks(meter);
            let attempt = self.next;
            self.next += 1;
            let checks = &mut self.checks;
            match self.generator.attempt(self.seed, self.index, attempt, checks, meter) {
                Attempt::Accepted { instance, edits } => {
                    if let Some(generated) = self.accepted(instance, edits) {
                        return Some(generated);
                    }
                    if self.next >= DRAWS_FOR_BOTH_READINGS
                        || !self.generator.may_hold_for_both_readings()
                    {
                        break;
                    }
                }
                Attempt::Rejected => self.reject(Rejection::Oracle { attempt }),
                Attempt::NoValue => {}
            }
        }
        self.only_asserted.take().or_else(|| self.known(meter))
    }

    /// An instance that holds however `format` is read; any other is kept.
    fn accepted(&mut self, instance: Accepted, edits: Vec<RepairEdit>) -> Option<Generated> {
        let holds = self.generator.holds_for_both_readings(&instance);
        let generated = Generated::new(instance, self.rejected, edits);
        if holds {
            return Some(generated);
        }
        self.only_asserted.get_or_insert_with(|| generated.only_asserted());
        None
    }

    /// Gives more checks for repairs once the first are used up, unless they would be in vain as far as is known. Draws
    /// go on without.
    fn give_checks(&mut self, meter: &mut Meter) {
        if self.checks > 0 || self.resort != Resort::Known {
            return;
        }
        if self.generator.is_known_to_have(meter) {
            self.checks = MORE_CHECKS;
            self.resort = Resort::KnownToExist;
        } else {
            self.resort = Resort::None;
        }
    }

    /// An instance like a known one, in place of the draws, all of which were rejected.
    fn known(&mut self, meter: &mut Meter) -> Option<Generated> {
        // Of what the second oracle rejects, there is more where the draws came from.
        let is_second = matches!(self.last, Some(Rejection::Second(_)));
        if self.resort == Resort::None || is_second {
            return None;
        }
        self.resort = Resort::None;
        let instance = self.generator.like_known(self.seed, self.index, meter)?;
        let edits = match self.last {
            Some(Rejection::Oracle { attempt }) => {
                self.generator.edits_to(self.seed, self.index, attempt, &instance)
            }
            Some(Rejection::Second(_)) | None => Vec::new(),
        };
        let generated = self.accepted(instance, edits);
        generated.or_else(|| self.only_asserted.take())
    }

    /// Records that the second oracle rejects what [`next`](Self::next) gave last.
    pub(super) fn reject_last(&mut self, violations: Vec<Violation>) {
        self.reject(Rejection::Second(violations));
    }

    fn reject(&mut self, rejection: Rejection) {
        self.rejected += 1;
        self.last = Some(rejection);
    }

    /// The error after all draws, with the violations of the last that was rejected.
    pub(super) fn into_exhausted(self) -> Exhausted {
        let violations = match self.last {
            None => Vec::new(),
            Some(Rejection::Oracle { attempt }) => {
                self.generator.violations(self.seed, self.index, attempt)
            }
            Some(Rejection::Second(violations)) => violations,
        };
        Exhausted::new(self.next, self.rejected, violations)
    }
}
