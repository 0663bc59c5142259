//! Batches: some instances, serialised, with what it took to make them and what they were seen to hit.

use std::ops::Range;

use foolproof_contract::{Accepted, AjvError, AjvOracle};
use foolproof_coverage::{Example, HitTracker};
use foolproof_generate::{Exhausted, Generated, Meter, Phase, PhaseMetrics};

use super::{Engine, Interrupt};
use crate::args::FormatArg;

/// What every batch is made from. Shared between threads.
pub(super) struct Job<'a> {
    pub(super) engine: &'a Engine,
    pub(super) second: Option<&'a AjvOracle>,
    pub(super) format: FormatArg,
    pub(super) interrupt: &'a Interrupt,
    /// Has the clock, if there is one.
    pub(super) meter: &'a Meter,
}

/// Instances as they are written.
#[derive(Default)]
pub(super) struct Batch {
    pub(super) text: Vec<u8>,
    pub(super) tally: Tally,
    /// Where something was seen for the first time, in the order of the indices.
    pub(super) sightings: Vec<Sighting>,
    pub(super) metrics: PhaseMetrics,
    /// Whether an interruption ended it early: what follows it must not be written.
    pub(super) is_cut: bool,
}

/// An instance after which a guided run may end.
pub(super) struct Sighting {
    pub(super) example: Option<Example>,
    /// Where its text ends in the batch.
    end: usize,
    /// What was made up to here.
    tally: Tally,
}

/// What was made, and what was not.
#[derive(Clone, Default)]
pub(super) struct Tally {
    pub(super) made: u64,
    pub(super) repaired: u64,
    pub(super) rejected: u64,
    pub(super) missing: u64,
    /// The first index without an instance, with what stood in the way if it was tried.
    pub(super) first_missing: Option<(u64, Option<Exhausted>)>,
}

impl Job<'_> {
    /// Makes the instances `indices`.
    pub(super) fn batch(&self, indices: Range<u64>) -> Result<Batch, AjvError> {
        self.engine.watching(&indices.clone(), |tracker| {
            let (batch, meter) = (Batch::default(), self.meter.another());
            let mut filling = Filling { batch, format: self.format, meter, tracker };
            match self.second {
                Some(ajv) => self.fill_with(ajv, indices, &mut filling)?,
                None => self.fill(indices, &mut filling),
            }
            let metrics = filling.meter.metrics().clone();
            Ok(Batch { metrics, ..filling.batch })
        })
    }

    fn fill(&self, indices: Range<u64>, filling: &mut Filling<'_>) {
        for index in indices {
            if self.interrupt.is_set() {
                filling.batch.is_cut = true;
                break;
            }
            let made = self.engine.generate(index, &mut filling.meter);
            filling.add(index, made);
        }
    }

    fn fill_with(
        &self,
        ajv: &AjvOracle,
        indices: Range<u64>,
        filling: &mut Filling<'_>,
    ) -> Result<(), AjvError> {
        if !self.interrupt.is_set() {
            match self.engine.generate_with(ajv, indices.clone(), &mut filling.meter) {
                Ok(made) => {
                    indices.zip(made).for_each(|(index, made)| filling.add(index, made));
                    return Ok(());
                }
                Err(error) if !self.interrupt.is_set() => return Err(error),
                // Ctrl-C reaches the process of AJV as well.
                Err(_) => {}
            }
        }
        filling.batch.is_cut = true;
        Ok(())
    }
}

/// A batch that is being filled.
struct Filling<'a> {
    batch: Batch,
    format: FormatArg,
    meter: Meter,
    tracker: Option<&'a mut HitTracker>,
}

impl Filling<'_> {
    /// Takes in what became of instance `index`.
    fn add(&mut self, index: u64, made: Result<Generated, Exhausted>) {
        let tally = &mut self.batch.tally;
        match made {
            Ok(made) => {
                tally.made += 1;
                tally.repaired += u64::from(made.is_repaired());
                tally.rejected += u64::from(made.rejected());
                self.write(made.instance());
                self.look(index, made.instance());
            }
            Err(missing) => {
                tally.missing += 1;
                tally.rejected += u64::from(missing.rejected());
                tally.first_missing.get_or_insert((index, Some(missing)));
            }
        }
    }

    fn write(&mut self, instance: &Accepted) {
        let text = &mut self.batch.text;
        if self.format == FormatArg::Json && !text.is_empty() {
            text.extend_from_slice(b",\n");
        }
        serde_json::to_writer(&mut *text, instance.value())
            .expect("a value is serialised into memory");
        if self.format == FormatArg::Jsonl {
            text.push(b'\n');
        }
    }

    fn look(&mut self, index: u64, instance: &Accepted) {
        let Some(tracker) = &mut self.tracker else { return };
        let fresh = self.meter.operation(Phase::Observe, || tracker.observe(instance));
        let example = (!fresh.is_empty()).then(|| Example::new(index, instance.value(), fresh));
        // A contract without targets is covered by any instance, so the first counts in any case.
        if example.is_some() || self.batch.tally.made == 1 {
            let (end, tally) = (self.batch.text.len(), self.batch.tally.clone());
            self.batch.sightings.push(Sighting { example, end, tally });
        }
    }
}

impl Batch {
    /// Forgets what comes after a sighting.
    pub(super) fn cut(&mut self, last: Sighting) {
        self.text.truncate(last.end);
        self.tally = last.tally;
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
