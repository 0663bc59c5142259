//! What was found out about many schemas of the corpus, on as many threads as there are processors.

use std::{
    num::NonZeroUsize,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::Duration,
};

use foolproof_contract::{CpuTimer, Document, with_large_stack};
use foolproof_corpus::{Contracts, Entry};

/// Which schemas are looked at.
#[derive(Clone, Copy, Debug)]
pub enum Choice<'a> {
    /// Those whose names contain this.
    Named(&'a str),
    /// One in so many of the corpus, all of our own.
    Every(usize),
}

#[derive(Debug)]
pub(crate) struct Findings<T>(Vec<Finding<T>>);

#[derive(Debug)]
pub(crate) struct Finding<T> {
    pub(crate) name: String,
    /// Processor time, since the clock depends on what the other threads do.
    pub(crate) time: Duration,
    pub(crate) outcome: Outcome<T>,
}

#[derive(Debug)]
pub(crate) enum Outcome<T> {
    /// The schema could not be read or compiled.
    Failed(String),
    /// There is no value, so there is nothing to find.
    Empty,
    /// What was found.
    Found(T),
}

impl<T: Send> Findings<T> {
    /// Inspects the chosen schemas. The findings are in the order of the corpus.
    pub(crate) fn of(
        contracts: &Contracts,
        choice: Choice<'_>,
        inspect: impl Fn(&Document) -> Result<Outcome<T>, String> + Sync,
    ) -> Self {
        let entries = match choice {
            Choice::Named(part) => {
                let is_chosen = |entry: &Entry| entry.name.contains(part);
                contracts.schemas().into_iter().filter(is_chosen).collect()
            }
            Choice::Every(stride) => contracts.schemas_every(stride),
        };
        let find = |entry: &Entry| {
            let timer = CpuTimer::start();
            let outcome = entry.read().and_then(|document| inspect(&document));
            let outcome = outcome.unwrap_or_else(Outcome::Failed);
            Finding { name: entry.name.clone(), time: timer.elapsed(), outcome }
        };
        Self(in_order(&entries, find))
    }
}

/// The results of `find` for all `entries`, in their order.
fn in_order<T: Send>(entries: &[Entry], find: impl Fn(&Entry) -> T + Sync) -> Vec<T> {
    let next = AtomicUsize::new(0);
    let found: Mutex<Vec<(usize, T)>> = Mutex::default();
    let take = || {
        let index = next.fetch_add(1, Ordering::Relaxed);
        Some((index, entries.get(index)?))
    };
    let work = || {
        while let Some((index, entry)) = take() {
            let result = find(entry);
            found.lock().unwrap_or_else(PoisonError::into_inner).push((index, result));
        }
    };
    let threads = thread::available_parallelism().map_or(1, NonZeroUsize::get);
    thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| with_large_stack(work));
        }
    });
    let mut found = found.into_inner().unwrap_or_else(PoisonError::into_inner);
    found.sort_unstable_by_key(|(index, _)| *index);
    found.into_iter().map(|(_, result)| result).collect()
}

impl<T> Findings<T> {
    pub(crate) fn all(&self) -> &[Finding<T>] {
        &self.0
    }

    /// What was found where there was something to find.
    pub(crate) fn found(&self) -> impl Iterator<Item = &T> {
        self.0.iter().filter_map(Finding::found)
    }

    /// The mean of a share over what was found.
    pub(crate) fn mean(&self, of: impl Fn(&T) -> f64) -> f64 {
        self.found().map(of).sum::<f64>() / self.found().count().max(1) as f64
    }

    /// What could not be read or compiled.
    pub(crate) fn failures(&self) -> impl Iterator<Item = String> {
        self.0.iter().filter_map(|finding| match &finding.outcome {
            Outcome::Failed(error) => Some(format!("{}: {error}", finding.name)),
            Outcome::Empty | Outcome::Found(_) => None,
        })
    }
}

impl<T> Finding<T> {
    pub(crate) fn found(&self) -> Option<&T> {
        match &self.outcome {
            Outcome::Found(found) => Some(found),
            Outcome::Failed(_) | Outcome::Empty => None,
        }
    }
}

/// A part of a whole; all of nothing is all.
pub(crate) fn share(part: usize, whole: usize) -> f64 {
    if whole == 0 { 1.0 } else { part as f64 / whole as f64 }
}
