//! The draws for one instance, one after the other, until one is good or they run out.

use foolproof_contract::{Accepted, Violation};

use super::{Exhausted, Generated, Generator};
use crate::{Meter, RepairEdit, Seed};

/// How often one instance is drawn before it is given up.
pub(super) const LIMIT: u32 = 32;

/// What became of one draw.
pub(super) enum Attempt {
    /// The oracle accepts it, as drawn or once repaired.
    Accepted { instance: Accepted, edits: Vec<RepairEdit> },
    /// The oracle refuses it.
    Refused,
    /// The source's choices led to no value.
    Fruitless,
}

impl Attempt {
    pub(super) fn as_drawn(instance: Accepted) -> Self {
        Self::Accepted { instance, edits: Vec::new() }
    }
}

/// What the oracle accepts among the draws for one instance, in their order. The first is the
/// instance; a second opinion may ask for more.
pub(super) struct Attempts<'a> {
    generator: &'a Generator,
    seed: Seed,
    index: u64,
    next: u32,
    rejected: u32,
    last: Option<Refusal>,
}

/// Who refused a draw.
enum Refusal {
    /// The oracle; what it says is asked for when somebody wants to know.
    Oracle { attempt: u32 },
    /// The second opinion, for these reasons.
    Second(Vec<Violation>),
}

impl<'a> Attempts<'a> {
    pub(super) fn new(generator: &'a Generator, seed: Seed, index: u64) -> Self {
        Self { generator, seed, index, next: 0, rejected: 0, last: None }
    }

    /// The next draw that the oracle accepts.
    pub(super) fn next(&mut self, meter: &mut Meter) -> Option<Generated> {
        if self.generator.plan.is_empty() {
            return None;
        }
        while self.next < self.generator.draws {
            let attempt = self.next;
            self.next += 1;
            match self.generator.attempt(self.seed, self.index, attempt, meter) {
                Attempt::Accepted { instance, edits } => {
                    return Some(Generated::new(instance, self.rejected, edits));
                }
                Attempt::Refused => self.refuse(Refusal::Oracle { attempt }),
                Attempt::Fruitless => {}
            }
        }
        None
    }

    /// Somebody else refuses what [`next`](Self::next) gave last.
    pub(super) fn refuse_last(&mut self, violations: Vec<Violation>) {
        self.refuse(Refusal::Second(violations));
    }

    fn refuse(&mut self, refusal: Refusal) {
        self.rejected += 1;
        self.last = Some(refusal);
    }

    /// What stood in the way of every draw.
    pub(super) fn into_exhausted(self) -> Exhausted {
        let violations = match self.last {
            None => Vec::new(),
            Some(Refusal::Oracle { attempt }) => {
                self.generator.violations(self.seed, self.index, attempt)
            }
            Some(Refusal::Second(violations)) => violations,
        };
        Exhausted::new(self.next, self.rejected, violations)
    }
}
