//! The draws for one instance, one after the other, until one is accepted or the limit is reached.

use foolproof_contract::{Accepted, Violation};

use super::{Exhausted, Generated, Generator};
use crate::{Meter, RepairEdit, Seed};

/// How often one instance is drawn by default before the generator gives up.
pub(super) const LIMIT: u32 = 32;

/// How many draws may be made to find an instance that is valid however `format` is read. The first eight follow the
/// tour, so that they may all take the same branch.
const DRAWS_FOR_BOTH_READINGS: u32 = 24;

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
        Self { generator, seed, index, next: 0, rejected: 0, last: None, only_asserted: None }
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
            let attempt = self.next;
            self.next += 1;
            match self.generator.attempt(self.seed, self.index, attempt, meter) {
                Attempt::Accepted { instance, edits } => {
                    let holds = self.generator.holds_for_both_readings(&instance);
                    let generated = Generated::new(instance, self.rejected, edits);
                    if holds {
                        return Some(generated);
                    }
                    self.only_asserted.get_or_insert_with(|| generated.only_asserted());
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
        self.only_asserted.take()
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
