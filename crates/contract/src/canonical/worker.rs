//! The thread that canonicalises.
//!
//! The library may need more stack than an ordinary thread has and more time than the deadline
//! allows, and it caches between queries of one document. So a worker owns the prepared document,
//! answers one query after the other, and is abandoned when it exceeds the deadline or panics.

use std::{
    collections::BTreeMap,
    sync::{
        Arc,
        mpsc::{self, Receiver, RecvTimeoutError, Sender},
    },
    time::Duration,
};

use cpu_time::ThreadTime;
use jsonschema::canonical::{
    CanonicalSchema, CanonicalizationError, PreparedDocument, UnsatisfiableReason, options,
};
use serde_json::Value;

use super::worker_clock::WorkerClock;
use crate::{CpuTimer, Document, FormatPolicy, Pointer, stack};

/// The input of a worker: the document, and its value as relaxed so far.
#[derive(Clone)]
pub(super) struct WorkerInput {
    pub(super) document: Document,
    pub(super) value: Arc<Value>,
    pub(super) formats: FormatPolicy,
}

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum NoAnswer {
    /// The library rejects the document.
    Refused(String),
    /// The worker did not answer in time.
    TimedOut,
    /// The worker panicked, or there was no thread for it.
    Panicked,
}

/// An answer, and the processor time that it took. Unlike time on the clock, that does not depend on what
/// else the machine does.
pub(super) struct Answer<T> {
    pub(super) result: Result<T, NoAnswer>,
    pub(super) time: Duration,
    /// What was spent since the last answer, on the document too.
    total: Duration,
}

enum Query {
    Form(Pointer, Sender<Answer<CanonicalSchema>>),
    Unsatisfiable(Sender<Answer<BTreeMap<String, UnsatisfiableReason>>>),
}

pub(super) struct Worker {
    queries: Sender<Query>,
    limit: Duration,
    clock: Arc<WorkerClock>,
}

impl Worker {
    pub(super) fn start(input: WorkerInput, limit: Duration) -> Self {
        let (queries, inbox) = mpsc::channel();
        let clock = Arc::new(WorkerClock::default());
        let of_worker = Arc::clone(&clock);
        stack::spawn_large(Box::new(move || {
            of_worker.bind();
            answer_all(&input, &inbox);
        }));
        Self { queries, limit, clock }
    }

    /// The canonical form of the schema at `pointer`.
    pub(super) fn form(&self, pointer: &Pointer) -> Answer<CanonicalSchema> {
        self.ask(|reply| Query::Form(pointer.clone(), reply))
    }

    /// The locations that admit no value.
    pub(super) fn unsatisfiable(&self) -> Result<BTreeMap<String, UnsatisfiableReason>, NoAnswer> {
        self.ask(Query::Unsatisfiable).result
    }

    /// An answer that does not come has taken the limit.
    fn ask<T>(&self, query_of: impl FnOnce(Sender<Answer<T>>) -> Query) -> Answer<T> {
        let none = |reason| Answer { result: Err(reason), time: self.limit, total: self.limit };
        let (reply, answer) = mpsc::channel();
        if self.queries.send(query_of(reply)).is_err() {
            return none(NoAnswer::Panicked);
        }
        let answer = match self.clock.wait(&answer, self.limit) {
            Ok(answer) => answer,
            Err(RecvTimeoutError::Timeout) => none(NoAnswer::TimedOut),
            Err(RecvTimeoutError::Disconnected) => none(NoAnswer::Panicked),
        };
        CpuTimer::add(answer.total);
        answer
    }
}

fn answer_all(input: &WorkerInput, inbox: &Receiver<Query>) {
    let mut last = ThreadTime::now();
    let Ok(registry) = input.document.other_resources() else { return };
    let mut settings = options()
        .with_draft(input.document.draft().to_referencing())
        .with_registry(&registry)
        .should_validate_formats(input.formats == FormatPolicy::Assert)
        .offline();
    if let Some(base) = input.document.base() {
        settings = settings.with_base_uri(base);
    }
    let prepared = settings.prepare(&input.value).map_err(|error| refused(&error));
    // Sending fails if the caller stopped waiting, which is no error here.
    while let Ok(query) = inbox.recv() {
        match query {
            Query::Form(pointer, reply) => {
                let ask =
                    |document: &PreparedDocument<'_>| document.canonicalize_at(pointer.as_str());
                let _ = reply.send(answer(&prepared, &mut last, ask));
            }
            Query::Unsatisfiable(reply) => {
                let _ = reply.send(answer(&prepared, &mut last, PreparedDocument::unsatisfiable));
            }
        }
    }
}

fn answer<'d, T>(
    prepared: &Result<PreparedDocument<'d>, NoAnswer>,
    last: &mut ThreadTime,
    ask: impl FnOnce(&PreparedDocument<'d>) -> Result<T, CanonicalizationError>,
) -> Answer<T> {
    let start = ThreadTime::now();
    let result = match prepared {
        Ok(document) => ask(document).map_err(|error| refused(&error)),
        Err(error) => Err(error.clone()),
    };
    let total = last.elapsed();
    *last = ThreadTime::now();
    Answer { result, time: start.elapsed(), total }
}

fn refused(error: &CanonicalizationError) -> NoAnswer {
    NoAnswer::Refused(error.to_string())
}
