//! The loop: batches in order, until they end, somebody ends them, or everything is covered.

use std::{num::NonZeroUsize, ops::ControlFlow, thread};

use foolproof_coverage::{HitLog, Report};
use foolproof_generate::{PhaseMetrics, Pipeline};

use super::{Batch, Job, Progress, Summary, Tally, Target, Writer};
use crate::{args::GenerateArgs, failure::Failure};

/// What a run has come to.
pub(super) struct Work<'a> {
    args: &'a GenerateArgs,
    job: &'a Job<'a>,
    pub(super) summary: Summary<'a>,
    /// What was hit, unless coverage is off.
    hit_log: Option<HitLog>,
    pub(super) metrics: PhaseMetrics,
}

/// How far a run came.
pub(super) enum End {
    Complete,
    Interrupted,
}

/// Why a run ends before its last instance.
enum Stop {
    Covered,
    Interrupted,
    Failed(Failure),
}

impl<'a> Work<'a> {
    pub(super) fn new(args: &'a GenerateArgs, job: &'a Job<'a>, metrics: PhaseMetrics) -> Self {
        let summary = Summary::start(args, job.engine.generator());
        let hit_log = job.engine.compiled().map(|compiled| HitLog::new(compiled.observer()));
        Self { args, job, summary, hit_log, metrics }
    }

    /// Makes and writes the instances.
    pub(super) fn write(&mut self, target: &mut Target<'_>) -> Result<End, Failure> {
        let (args, job) = (self.args, self.job);
        let mut indices = args.shard.range(args.n());
        if job.engine.generator().plan().is_empty() {
            self.summary.tally = Tally::none_of(&indices);
            indices.end = indices.start;
        }
        let mut progress = Progress::new(args, &indices);
        let mut writer = Writer::new(args.format, target);
        let threads = args.threads.or_else(|| thread::available_parallelism().ok());
        let mut put = |batch: Batch| self.put(batch, &mut writer, &mut progress);
        let outcome = Pipeline::new(threads.unwrap_or(NonZeroUsize::MIN)).run(
            indices,
            |indices| job.batch(indices),
            |batch| match batch.map_err(Failure::from).and_then(&mut put) {
                Ok(None) => ControlFlow::Continue(()),
                Ok(Some(stop)) => ControlFlow::Break(stop),
                Err(failure) => ControlFlow::Break(Stop::Failed(failure)),
            },
        );
        progress.clear();
        let end = match outcome {
            ControlFlow::Continue(()) | ControlFlow::Break(Stop::Covered) => End::Complete,
            ControlFlow::Break(Stop::Interrupted) => End::Interrupted,
            ControlFlow::Break(Stop::Failed(failure)) => return Err(failure),
        };
        writer.end()?;
        Ok(end)
    }

    /// Takes in the next batch; says whether it is the last.
    fn put(
        &mut self,
        mut batch: Batch,
        writer: &mut Writer<'_, '_>,
        progress: &mut Progress,
    ) -> Result<Option<Stop>, Failure> {
        let is_covered = self.take(&mut batch);
        writer.put(&batch.text)?;
        progress.advance(&batch.tally);
        let is_over = batch.is_cut || self.job.interrupt.is_set();
        self.metrics.add(&batch.metrics);
        self.summary.tally.add(batch.tally);
        Ok(if is_covered { Some(Stop::Covered) } else { is_over.then_some(Stop::Interrupted) })
    }

    /// Enters what was seen into the hit_log. If that is all there is to see and the run is to end
    /// there, the batch is cut behind it, so that how it was made does not show.
    fn take(&mut self, batch: &mut Batch) -> bool {
        let (Some(hit_log), Some(compiled)) = (&mut self.hit_log, self.job.engine.compiled())
        else {
            return false;
        };
        for mut sighting in std::mem::take(&mut batch.sightings) {
            sighting.example.take().into_iter().for_each(|example| hit_log.add(example));
            if compiled.stops_early() && hit_log.is_complete() {
                batch.cut(sighting);
                return true;
            }
        }
        false
    }

    /// The report on coverage, unless it is off.
    pub(super) fn report(&self) -> Option<Report> {
        let compiled = self.job.engine.compiled()?;
        Some(compiled.report(self.hit_log.as_ref()?, self.summary.tally.made))
    }
}
