//! What was found out about many schemas of the corpus.

use std::time::{Duration, Instant};

use foolproof_contract::Document;
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

impl<T> Findings<T> {
    /// Looks at the chosen schemas.
    pub(crate) fn of(
        contracts: &Contracts,
        choice: Choice<'_>,
        look: impl Fn(&Document) -> Result<Outcome<T>, String>,
    ) -> Self {
        let entries = match choice {
            Choice::Named(part) => {
                let is_chosen = |entry: &Entry| entry.name.contains(part);
                contracts.schemas().into_iter().filter(is_chosen).collect()
            }
            Choice::Every(stride) => contracts.schemas_every(stride),
        };
        let find = |entry: Entry| {
            let start = Instant::now();
            let outcome = entry.read().and_then(|document| look(&document));
            let outcome = outcome.unwrap_or_else(Outcome::Failed);
            Finding { name: entry.name, time: start.elapsed(), outcome }
        };
        Self(entries.into_iter().map(find).collect())
    }

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
