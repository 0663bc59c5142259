//! The thread that canonicalises.
//!
//! The library may need more stack than a thread has and more time than anyone waits, and it
//! remembers between questions about one document. So a worker owns the prepared document, answers
//! one question after the other, and is abandoned when it does not answer in time or panics.

use std::{
    collections::BTreeMap,
    sync::{
        Arc,
        mpsc::{self, Receiver, RecvTimeoutError, Sender},
    },
    time::Duration,
};

use jsonschema::canonical::{
    CanonicalSchema, CanonicalizationError, PreparedDocument, UnsatisfiableReason, options,
};
use serde_json::Value;

use crate::{Document, FormatPolicy, Pointer, stack};

/// What a worker works on: the document, and its value as relaxed so far.
#[derive(Clone)]
pub(super) struct Material {
    pub(super) document: Document,
    pub(super) value: Arc<Value>,
    pub(super) formats: FormatPolicy,
}

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum NoAnswer {
    /// The library refuses the document.
    Refused(String),
    /// The worker did not answer in time.
    TimedOut,
    /// The worker panicked, or there was no thread for it.
    Panicked,
}

enum Question {
    Form(Pointer, Sender<Result<CanonicalSchema, NoAnswer>>),
    Unsatisfiable(Sender<Result<BTreeMap<String, UnsatisfiableReason>, NoAnswer>>),
}

pub(super) struct Worker {
    questions: Sender<Question>,
    limit: Duration,
}

impl Worker {
    pub(super) fn start(material: Material, limit: Duration) -> Self {
        let (questions, inbox) = mpsc::channel();
        stack::spawn_large(Box::new(move || answer_all(&material, &inbox)));
        Self { questions, limit }
    }

    /// The canonical form of the schema at `pointer`.
    pub(super) fn form(&self, pointer: &Pointer) -> Result<CanonicalSchema, NoAnswer> {
        self.ask(|reply| Question::Form(pointer.clone(), reply))
    }

    /// The locations that admit no value.
    pub(super) fn unsatisfiable(&self) -> Result<BTreeMap<String, UnsatisfiableReason>, NoAnswer> {
        self.ask(Question::Unsatisfiable)
    }

    fn ask<T>(
        &self,
        question: impl FnOnce(Sender<Result<T, NoAnswer>>) -> Question,
    ) -> Result<T, NoAnswer> {
        let (reply, answer) = mpsc::channel();
        self.questions.send(question(reply)).map_err(|_| NoAnswer::Panicked)?;
        match answer.recv_timeout(self.limit) {
            Ok(answer) => answer,
            Err(RecvTimeoutError::Timeout) => Err(NoAnswer::TimedOut),
            Err(RecvTimeoutError::Disconnected) => Err(NoAnswer::Panicked),
        }
    }
}

fn answer_all(material: &Material, inbox: &Receiver<Question>) {
    let Ok(registry) = material.document.other_resources() else { return };
    let mut settings = options()
        .with_draft(material.document.draft().to_referencing())
        .with_registry(&registry)
        .should_validate_formats(material.formats == FormatPolicy::Assert)
        .offline();
    if let Some(base) = material.document.base() {
        settings = settings.with_base_uri(base);
    }
    let prepared = settings.prepare(&material.value).map_err(|error| refused(&error));
    // The asker may be gone: it stopped waiting, or has what it needs.
    while let Ok(question) = inbox.recv() {
        match question {
            Question::Form(pointer, reply) => {
                let _ = reply
                    .send(with(&prepared, |document| document.canonicalize_at(pointer.as_str())));
            }
            Question::Unsatisfiable(reply) => {
                let _ = reply.send(with(&prepared, PreparedDocument::unsatisfiable));
            }
        }
    }
}

fn with<'d, T>(
    prepared: &Result<PreparedDocument<'d>, NoAnswer>,
    ask: impl FnOnce(&PreparedDocument<'d>) -> Result<T, CanonicalizationError>,
) -> Result<T, NoAnswer> {
    match prepared {
        Ok(document) => ask(document).map_err(|error| refused(&error)),
        Err(error) => Err(error.clone()),
    }
}

fn refused(error: &CanonicalizationError) -> NoAnswer {
    NoAnswer::Refused(error.to_string())
}
