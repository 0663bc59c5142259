//! Random sequences, one after the other or several at the same time, and what they found.

use std::{
    collections::BTreeMap,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::Instant,
};

use crate::{
    Config, StepRecord,
    execution::{Execution, Job, SequenceOutcome},
    executor::Executor,
    feedback::{Feedback, Prefix, ROUND},
    machine::StepText,
    statistics::{Counts, Statistics},
};

/// The outcome of all random sequences: those that failed, by their numbers, and statistics.
pub(crate) struct Exploration<T> {
    pub(crate) failures: Vec<(u64, Execution<T>)>,
    pub(crate) statistics: Statistics,
}

/// Hands out the numbers of sequences, and collects their outcomes. Statistics count the sequences up to
/// the first that fails, as if they had run one after the other.
pub(crate) struct Explorer<'a, T> {
    config: &'a Config,
    next: AtomicU64,
    /// The number of the first sequence that failed, unless the run keeps going.
    failing: AtomicU64,
    end: Option<Instant>,
    findings: Mutex<Findings<T>>,
    /// What earlier sequences led to, if that is wanted.
    feedback: Option<Mutex<Feedback<T>>>,
    /// The number after the last sequence of this round.
    round_end: AtomicU64,
}

struct Findings<T> {
    statistics: Statistics,
    /// How many sequences are in the statistics: all that come before this one.
    counted: u64,
    /// The counts of later ones.
    pending: BTreeMap<u64, Counts>,
    /// The first sequence with each distinct failure.
    failures: BTreeMap<String, (u64, Execution<T>)>,
}

impl<'a, T: StepRecord> Explorer<'a, T> {
    pub(crate) fn new(machine: &dyn StepText<T>, config: &'a Config) -> Self {
        let statistics = Statistics::of(machine.commands());
        let (pending, failures) = (BTreeMap::new(), BTreeMap::new());
        Self {
            config,
            next: AtomicU64::new(0),
            failing: AtomicU64::new(u64::MAX),
            end: config.max_time.and_then(|time| Instant::now().checked_add(time)),
            findings: Mutex::new(Findings { statistics, counted: 0, pending, failures }),
            feedback: config.feedback.then(|| Mutex::new(Feedback::new())),
            round_end: AtomicU64::new(if config.feedback { ROUND } else { u64::MAX }),
        }
    }

    pub(crate) fn config(&self) -> &'a Config {
        self.config
    }

    /// The number of the next sequence, if there is one.
    fn next(&self) -> Option<u64> {
        if self.is_over() {
            return None;
        }
        let run = self.next.fetch_add(1, Ordering::Relaxed);
        let end = self.config.num_runs.min(self.round_end.load(Ordering::Relaxed));
        (run < end && run <= self.failing.load(Ordering::Relaxed)).then_some(run)
    }

    fn is_over(&self) -> bool {
        self.config.stop.ends_exploring() || self.end.is_some_and(|end| Instant::now() >= end)
    }

    /// The steps with which sequence number `run` begins.
    fn prefix(&self, run: u64) -> Prefix<T> {
        let Some(feedback) = &self.feedback else { return Prefix::default() };
        let feedback = feedback.lock().unwrap_or_else(PoisonError::into_inner);
        feedback.prefix(self.config.chosen_seed(), run)
    }

    /// Begins another round, once all sequences of this one ended. Returns whether there is one.
    pub(crate) fn begin_round(&self) -> bool {
        let Some(feedback) = &self.feedback else { return false };
        let start = self.round_end.fetch_add(ROUND, Ordering::Relaxed);
        self.next.store(start, Ordering::Relaxed);
        feedback.lock().unwrap_or_else(PoisonError::into_inner).end_round();
        let is_over = self.is_over() || self.failing.load(Ordering::Relaxed) < start;
        start < self.config.num_runs && !is_over
    }

    fn record(&self, run: u64, mut execution: Execution<T>) {
        let counts = std::mem::take(&mut execution.counts);
        let keep_going = self.config.keep_going;
        if execution.outcome.is_failure() && !keep_going {
            self.failing.fetch_min(run, Ordering::Relaxed);
        }
        let mut findings = self.findings.lock().unwrap_or_else(PoisonError::into_inner);
        findings.count(run, counts, self.failing.load(Ordering::Relaxed));
        for (length, fault) in std::mem::take(&mut execution.survived) {
            let mut until = execution.clone();
            until.steps.truncate(length);
            until.results.truncate(length);
            until.outcome = SequenceOutcome::Failed(fault);
            findings.keep(run, until, keep_going);
        }
        if execution.outcome.is_failure() {
            findings.keep(run, execution, keep_going);
        } else if let Some(feedback) = &self.feedback {
            let prefix = Prefix { steps: execution.steps, next_id: execution.next_id };
            let mut feedback = feedback.lock().unwrap_or_else(PoisonError::into_inner);
            feedback.record(run, prefix, execution.fingerprints);
        }
    }

    pub(crate) fn finish(self) -> Exploration<T> {
        let findings = self.findings.into_inner().unwrap_or_else(PoisonError::into_inner);
        let Findings { mut statistics, pending, failures, .. } = findings;
        let failing = self.failing.into_inner();
        // If the time ran out, sequences in between may be missing.
        for (_, counts) in pending.iter().filter(|(run, _)| **run <= failing) {
            statistics.add(counts);
        }
        let mut failures: Vec<_> =
            failures.into_values().filter(|(run, _)| *run <= failing).collect();
        failures.sort_by_key(|(run, execution)| (*run, execution.steps.len()));
        Exploration { failures, statistics }
    }
}

impl<T: StepRecord> Findings<T> {
    /// Adds the counts of a sequence, once all before it are counted: until then, an earlier one may still
    /// fail, and this one never have run. Nothing is counted after the first that failed.
    fn count(&mut self, run: u64, counts: Counts, failing: u64) {
        self.pending.insert(run, counts);
        while self.counted <= failing
            && let Some(counts) = self.pending.remove(&self.counted)
        {
            self.statistics.add(&counts);
            self.counted += 1;
        }
    }

    fn keep(&mut self, run: u64, execution: Execution<T>, keep_going: bool) {
        let key = if keep_going { failure_key(&execution) } else { String::new() };
        let known = self.failures.get(&key).is_some_and(|(known, _)| *known <= run);
        if !known {
            self.failures.insert(key, (run, execution));
        }
    }
}

/// What tells a failure from others.
fn failure_key<T: StepRecord>(execution: &Execution<T>) -> String {
    match &execution.outcome {
        SequenceOutcome::Failed(fault) => {
            let command = execution.steps.last().filter(|_| fault.belongs_to_command());
            let command = command.map(StepRecord::command);
            format!("{command:?} {:?} {:?} {:?}", fault.kind(), fault.location(), fault.identity())
        }
        SequenceOutcome::StartFailed(fault) => format!("start {:?}", fault.location()),
        SequenceOutcome::ProposalFailed(fault) => format!("proposal {:?}", fault.location()),
        SequenceOutcome::TooShort => "too short".to_owned(),
        SequenceOutcome::Passed | SequenceOutcome::Blocked | SequenceOutcome::Exhausted => {
            String::new()
        }
    }
}

/// Runs sequences as long as there are any.
pub(crate) async fn explore_sequences<T: StepRecord, E: Executor<T>>(
    executor: &E,
    explorer: &Explorer<'_, T>,
) {
    while let Some(run) = explorer.next() {
        let execution = executor.execute(Job::Explore { run, prefix: explorer.prefix(run) }).await;
        explorer.record(run, execution);
    }
}
