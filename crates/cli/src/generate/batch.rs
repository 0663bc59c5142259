//! Batches: some instances, serialised, with what it took to make them.

use std::ops::Range;

use foolproof_contract::{AjvError, AjvOracle};
use foolproof_generate::{Generator, Made, Missing, SecondOpinion, Seed};

use super::Interrupt;
use crate::args::FormatArg;

/// What every batch is made from. Shared between threads.
pub(super) struct Job<'a> {
    pub(super) generator: &'a Generator,
    pub(super) second: Option<&'a AjvOracle>,
    pub(super) seed: Seed,
    pub(super) format: FormatArg,
    pub(super) interrupt: &'a Interrupt,
}

/// Instances as they are written.
#[derive(Default)]
pub(super) struct Batch {
    pub(super) text: Vec<u8>,
    pub(super) tally: Tally,
    /// Whether an interruption ended it early: what follows it must not be written.
    pub(super) is_cut: bool,
}

/// What was made, and what was not.
#[derive(Default)]
pub(super) struct Tally {
    pub(super) made: u64,
    pub(super) repaired: u64,
    pub(super) rejected: u64,
    pub(super) missing: u64,
    /// The first index without an instance, with what stood in the way if it was tried.
    pub(super) first_missing: Option<(u64, Option<Missing>)>,
}

impl Job<'_> {
    /// Makes the instances `indices`.
    pub(super) fn batch(&self, indices: Range<u64>) -> Result<Batch, AjvError> {
        let mut batch = Batch::default();
        if let Some(ajv) = self.second {
            if self.interrupt.is_set() {
                return Ok(Batch { is_cut: true, ..batch });
            }
            let made = SecondOpinion::new(self.generator, ajv).make(self.seed, indices.clone());
            // Ctrl-C reaches the process of AJV as well.
            if made.is_err() && self.interrupt.is_set() {
                return Ok(Batch { is_cut: true, ..batch });
            }
            for (index, made) in indices.zip(made?) {
                batch.add(index, made, self.format);
            }
            return Ok(batch);
        }
        for index in indices {
            if self.interrupt.is_set() {
                batch.is_cut = true;
                break;
            }
            batch.add(index, self.generator.make(self.seed, index), self.format);
        }
        Ok(batch)
    }
}

impl Batch {
    fn add(&mut self, index: u64, made: Result<Made, Missing>, format: FormatArg) {
        match made {
            Ok(made) => {
                if format == FormatArg::Json && self.tally.made > 0 {
                    self.text.extend_from_slice(b",\n");
                }
                serde_json::to_writer(&mut self.text, made.instance().value())
                    .expect("a value is serialised into memory");
                if format == FormatArg::Jsonl {
                    self.text.push(b'\n');
                }
                self.tally.made += 1;
                self.tally.repaired += u64::from(made.is_repaired());
                self.tally.rejected += u64::from(made.rejected());
            }
            Err(missing) => {
                self.tally.missing += 1;
                self.tally.rejected += u64::from(missing.rejected());
                self.tally.first_missing.get_or_insert((index, Some(missing)));
            }
        }
    }
}

impl Tally {
    /// Nothing was tried, since nothing can be made.
    pub(super) fn none_of(indices: &Range<u64>) -> Self {
        let first_missing = (!indices.is_empty()).then_some((indices.start, None));
        Self { missing: indices.end - indices.start, first_missing, ..Self::default() }
    }

    /// Adds what comes after this.
    pub(super) fn add(&mut self, next: Self) {
        self.made += next.made;
        self.repaired += next.repaired;
        self.rejected += next.rejected;
        self.missing += next.missing;
        self.first_missing = self.first_missing.take().or(next.first_missing);
    }
}
