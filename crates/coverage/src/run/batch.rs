//! Batches: instances of a chunk of indices, serialized and observed on the thread that generates
//! them.

use std::{
    ops::Range,
    sync::atomic::{AtomicUsize, Ordering},
};

use foolproof_contract::{AcceptedView, AjvError};
use foolproof_generate::{DrawMemory, Exhausted, Meter, Phase, PhaseMetrics};

use super::compiled::{CompiledRun, Produced};
use crate::{Example, RunContext, TrackerPool, entry_set::RunTracker};

/// The bytes of a small instance.
const USUAL_BYTES: usize = 128;

/// The most bytes of an instance that room is made for in advance.
const MOST_BYTES: usize = 16 << 10;

/// What every batch is generated from. Shared between threads.
pub(super) struct Job<'a> {
    pub(super) compiled: &'a CompiledRun,
    pub(super) trackers: Option<TrackerPool>,
    pub(super) context: &'a RunContext<'a>,
    /// Has the clock, if phases are timed.
    pub(super) meter: Meter,
    /// How many bytes an instance of the last batch had: how much room the next one needs. No result depends on it.
    pub(super) instance_bytes: AtomicUsize,
}

/// The instances of a chunk of indices.
pub(super) struct Batch {
    bytes: Vec<u8>,
    items: Vec<(Item, Range<usize>)>,
    pub(super) metrics: PhaseMetrics,
    /// Whether the run was cancelled before the batch was complete: what follows must not be reported.
    pub(super) is_cut: bool,
}

/// The outcome at one index.
pub(super) struct Item {
    pub(super) index: u64,
    pub(super) outcome: Result<Cost, Box<Exhausted>>,
    /// The instance with the targets that were new to its tracker, if there are any.
    pub(super) example: Option<Example>,
    /// Why the instance that was planned for the index was rejected, if it was.
    pub(super) rejection: Option<String>,
}

/// What an instance cost beyond its last draw.
#[derive(Clone, Copy)]
pub(super) struct Cost {
    pub(super) is_repaired: bool,
    pub(super) is_only_asserted: bool,
    pub(super) rejected: u32,
}

impl Job<'_> {
    /// Generates the instances `indices`.
    pub(super) fn batch(&self, indices: Range<u64>) -> Result<Batch, AjvError> {
        match &self.trackers {
            None => self.fill(indices, None),
            Some(trackers) => {
                trackers.lend(&indices.clone(), |tracker| self.fill(indices, Some(tracker)))
            }
        }
    }

    fn fill(
        &self,
        indices: Range<u64>,
        mut tracker: Option<&mut RunTracker>,
    ) -> Result<Batch, AjvError> {
        let mut meter = self.meter.another();
        let mut batch = Batch::of(&indices, self.instance_bytes.load(Ordering::Relaxed));
        match self.context.second_oracles {
            None => {
                let mut memory = DrawMemory::new();
                for index in indices {
                    if self.context.is_cancelled() {
                        batch.is_cut = true;
                        break;
                    }
                    let produced = self.compiled.produce(index, &mut memory, &mut meter);
                    batch.add(self.context, index, &produced, tracker.as_deref_mut(), &mut meter);
                }
            }
            Some(_) if self.context.is_cancelled() => batch.is_cut = true,
            Some(ajv) => match self.compiled.produce_with(ajv, indices.clone(), &mut meter) {
                Ok(all) => {
                    for (index, produced) in indices.zip(all) {
                        let tracker = tracker.as_deref_mut();
                        batch.add(self.context, index, &produced, tracker, &mut meter);
                    }
                }
                // Ctrl-C reaches the process of AJV as well.
                Err(_) if self.context.is_cancelled() => batch.is_cut = true,
                Err(error) => return Err(error),
            },
        }
        batch.metrics = meter.metrics().clone();
        let instance_bytes = batch.bytes.len().div_ceil(batch.items.len().max(1));
        self.instance_bytes.store(instance_bytes.min(MOST_BYTES), Ordering::Relaxed);
        Ok(batch)
    }
}

impl Batch {
    /// An empty batch with room for the instances `indices`, so that it is not moved while it grows.
    fn of(indices: &Range<u64>, instance_bytes: usize) -> Self {
        let count = usize::try_from(indices.end - indices.start).unwrap_or(0);
        // A quarter more, since batches differ.
        let room = instance_bytes.max(USUAL_BYTES) * 5 / 4;
        let (bytes, items) = (Vec::with_capacity(count * room), Vec::with_capacity(count));
        Self { bytes, items, metrics: PhaseMetrics::default(), is_cut: false }
    }

    fn add(
        &mut self,
        context: &RunContext<'_>,
        index: u64,
        produced: &Produced<'_>,
        tracker: Option<&mut RunTracker>,
        meter: &mut Meter,
    ) {
        let start = self.bytes.len();
        if let Ok(generated) = &produced.generated {
            (context.encode)(generated.view(), &mut self.bytes);
        }
        let item = Item::new(index, produced, tracker, meter);
        self.items.push((item, start..self.bytes.len()));
    }

    /// The items in order, each with its serialized instance.
    pub(super) fn into_items(self) -> (Vec<u8>, Vec<(Item, Range<usize>)>) {
        (self.bytes, self.items)
    }
}

impl Item {
    /// The outcome at `index`, with the instance observed by `tracker`.
    pub(super) fn new(
        index: u64,
        produced: &Produced<'_>,
        tracker: Option<&mut RunTracker>,
        meter: &mut Meter,
    ) -> Self {
        let rejection = produced.rejection.clone();
        match &produced.generated {
            Ok(generated) => {
                let cost = Cost {
                    is_repaired: generated.is_repaired(),
                    is_only_asserted: generated.is_only_asserted(),
                    rejected: generated.rejected(),
                };
                let instance = generated.view();
                let observe = |tracker| observe(index, instance, produced, tracker, meter);
                let example = tracker.and_then(observe);
                Self { index, outcome: Ok(cost), example, rejection }
            }
            Err(exhausted) => {
                let outcome = Err(Box::new(exhausted.clone()));
                Self { index, outcome, example: None, rejection }
            }
        }
    }
}

/// The instance as an example of the targets that are new to `tracker`.
fn observe(
    index: u64,
    instance: AcceptedView<'_>,
    produced: &Produced<'_>,
    tracker: &mut RunTracker,
    meter: &mut Meter,
) -> Option<Example> {
    let entry = produced.entry;
    let fresh = match produced.hits {
        // Planning has observed it, and counted that.
        Some(hits) => meter.time(Phase::Observe, || tracker.record(entry, hits)),
        None => meter.operation(Phase::Observe, || tracker.observe(entry, instance)),
    };
    let value = || instance.value().to_value();
    let example = || Example::observed(index, &value(), fresh, produced.long_examples);
    (!fresh.is_empty()).then(example)
}
