//! A run on several threads as a stream of events in the order of the indices.

use std::{ops::ControlFlow, sync::atomic::AtomicUsize};

use foolproof_generate::{Meter, Pipeline};

use super::{
    batch::{Batch, Job},
    compiled::CompiledRun,
    event::{Event, Finished, RunEnd, RunTotals, Stopped},
    state::{Kept, RunState},
};
use crate::{HitLog, RunContext, Timing, TrackerPool};

impl CompiledRun {
    /// Generates the instances of the run and reports every event to `reader`, in the order of the
    /// indices. The events do not depend on the number of threads, nor on the size of batches, except
    /// for how often [`Event::Progress`] comes. A bounded number of batches is in memory, however slow
    /// the reader is. `meter` has what compiling cost.
    ///
    /// ```
    /// use std::ops::ControlFlow;
    /// use foolproof_contract::Document;
    /// use foolproof_coverage::{CompiledRun, Event, Profile, RunContext, Settings};
    /// use foolproof_generate::Meter;
    /// use serde_json::json;
    ///
    /// let document = Document::from_value(json!({ "enum": ["S", "M", "L"] }))?;
    /// let mut meter = Meter::counting();
    /// let run = CompiledRun::new(&document, Settings::guided(Profile::Balanced), &mut meter)?;
    /// let mut lines = Vec::new();
    /// let finished = run.stream(&RunContext::default(), &meter, |event| {
    ///     if let Event::Instance { bytes, .. } = event {
    ///         lines.push(String::from_utf8_lossy(bytes).into_owned());
    ///     }
    ///     ControlFlow::<()>::Continue(())
    /// });
    /// let finished = finished.expect("nobody stops it");
    /// lines.sort();
    /// assert_eq!(lines, [r#""L""#, r#""M""#, r#""S""#]);
    /// assert_eq!(finished.report.unwrap().metrics.overall, 1.0);
    /// # Ok::<(), foolproof_contract::Error>(())
    /// ```
    pub fn stream<B>(
        &self,
        context: &RunContext<'_>,
        meter: &Meter,
        mut reader: impl FnMut(Event<'_>) -> ControlFlow<B>,
    ) -> Result<Finished, Stopped<B>> {
        let mut state = RunState::new(self, meter.metrics().clone());
        let mut indices = self.settings().indices();
        let planned = Event::Planned { indices: indices.clone(), units: self.planned() };
        report(reader(planned))?;
        if self.is_empty() {
            state.totals = RunTotals::none_of(&indices);
            indices.end = indices.start;
        }
        let end = indices.end;
        let job = Job {
            compiled: self,
            trackers: self.entry_set().map(TrackerPool::new),
            context,
            meter: meter.another(),
            instance_bytes: AtomicUsize::new(0),
        };
        let outcome = Pipeline::new(context.threads).run(
            indices,
            |indices| job.batch(indices),
            |batch| match batch {
                Ok(batch) => read(batch, &mut state, end, context, &mut reader),
                Err(error) => ControlFlow::Break(Stop::Stopped(Stopped::Oracle(error))),
            },
        );
        let end = match outcome {
            ControlFlow::Continue(()) => RunEnd::Complete,
            ControlFlow::Break(Stop::End(end)) => end,
            ControlFlow::Break(Stop::Stopped(stopped)) => return Err(stopped),
        };
        let finished = self.finish(state, end, context, meter);
        report(reader(Event::Finished(&finished)))?;
        Ok(finished)
    }

    fn finish(
        &self,
        state: RunState,
        end: RunEnd,
        context: &RunContext<'_>,
        meter: &Meter,
    ) -> Finished {
        let RunState { totals, hit_log, mut metrics, rejections, .. } = state;
        let hit_log = hit_log.filter(|_| end != RunEnd::Cancelled);
        let mut meter = context.timing.map_or_else(|| meter.another(), Timing::meter);
        let report = |hits: HitLog| self.report(&hits, &totals, &rejections, context, &mut meter);
        let report = hit_log.and_then(report);
        metrics.add(meter.metrics());
        Finished { end, totals, metrics, report }
    }
}

/// Why a run ends before its last index.
enum Stop<B> {
    End(RunEnd),
    Stopped(Stopped<B>),
}

/// Records a batch and reports it, up to the item that the run ends with.
fn read<B>(
    batch: Batch,
    state: &mut RunState,
    end: u64,
    context: &RunContext<'_>,
    reader: &mut impl FnMut(Event<'_>) -> ControlFlow<B>,
) -> ControlFlow<Stop<B>> {
    let mut emit = |event: Event<'_>| match reader(event) {
        ControlFlow::Continue(()) => ControlFlow::Continue(()),
        ControlFlow::Break(stop) => ControlFlow::Break(Stop::Stopped(Stopped::Reader(stop))),
    };
    state.metrics.add(&batch.metrics);
    let is_cut = batch.is_cut;
    let (bytes, items) = batch.into_items();
    for (item, range) in items {
        let index = item.index;
        let missing = item.outcome.as_ref().err().cloned();
        let kept = state.record(item);
        match missing {
            Some(exhausted) => emit(Event::Missing { index, exhausted: &exhausted })?,
            None if kept == Kept::Yes => emit(Event::Instance { index, bytes: &bytes[range] })?,
            None => {}
        }
        if state.is_covered() {
            emit(Event::Progress(&state.totals))?;
            return ControlFlow::Break(Stop::End(RunEnd::Covered));
        }
        if state.gives_up(index + 1..end) {
            emit(Event::Progress(&state.totals))?;
            return ControlFlow::Break(Stop::End(RunEnd::Complete));
        }
    }
    emit(Event::Progress(&state.totals))?;
    if is_cut || context.is_cancelled() {
        return ControlFlow::Break(Stop::End(RunEnd::Cancelled));
    }
    ControlFlow::Continue(())
}

fn report<B>(answer: ControlFlow<B>) -> Result<(), Stopped<B>> {
    match answer {
        ControlFlow::Continue(()) => Ok(()),
        ControlFlow::Break(stop) => Err(Stopped::Reader(stop)),
    }
}
