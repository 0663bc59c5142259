//! Shrinking: from a value that fails a test to the simplest that still does.
//!
//! The [`PASSES`] are tried one after the other, each at every part of the value, wholes before their
//! parts; a candidate that still fails is kept, and the round is repeated until none does. A candidate
//! is tested only if it is strictly simpler ([`order`](super::order)), new, and accepted by the oracle.
//! Candidates are computed on demand.

use std::{collections::BTreeSet, io, sync::Arc};

use serde_json::Value;

use super::{
    Contract,
    order::is_simpler,
    passes::{PASSES, Pass, Scope, Site},
    path::{self, PathSegment},
    tasks::Task,
};

/// Values that one pass may visit in one search for a candidate before the next pass starts. Only
/// large values that admit almost no change come near it.
const WORK_PER_PASS: usize = 2_000_000;
/// Values that one search may visit in total; then shrinking ends.
const WORK: usize = 8_000_000;

/// A value that fails, and the search for a simpler one.
#[derive(Debug)]
pub(super) struct Shrinker {
    contract: Arc<Contract>,
    /// The simplest value known to fail.
    best: Value,
    /// The candidate that is being tried.
    candidate: Option<Value>,
    stage: Stage,
    path: Vec<PathSegment>,
    job: Option<Job>,
    /// Whether anything worked in this round.
    progress: bool,
    /// Fingerprints of every value that was considered. A collision costs one candidate, no more.
    tried: BTreeSet<u64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Fresh,
    /// At this index of [`PASSES`].
    Pass(usize),
    Done,
}

/// A task at work on one part of the value.
#[derive(Debug)]
struct Job {
    task: Box<dyn Task>,
    /// The value that the task simplifies, if it simplifies all equal parts.
    subject: Option<Value>,
    /// The last proposal of the task.
    proposal: Option<Value>,
}

impl Job {
    fn record(&mut self, worked: bool) {
        self.task.record(worked);
        let proposal = self.proposal.take();
        if worked && self.subject.is_some() {
            self.subject = proposal;
        }
    }
}

impl Shrinker {
    pub(super) fn new(contract: Arc<Contract>, value: Value) -> Self {
        Self {
            contract,
            best: value,
            candidate: None,
            stage: Stage::Fresh,
            path: Vec::new(),
            job: None,
            progress: false,
            tried: BTreeSet::new(),
        }
    }

    /// The present candidate, or else the simplest value that failed.
    pub(super) fn current(&self) -> &Value {
        self.candidate.as_ref().unwrap_or(&self.best)
    }

    /// The present value failed: searches for a simpler one. `false` if there is none.
    pub(super) fn simplify(&mut self) -> bool {
        if let Some(candidate) = self.candidate.take() {
            self.best = candidate;
            self.progress = true;
            self.record(true);
        }
        self.candidate = self.search_on_enough_stack();
        self.candidate.is_some()
    }

    /// The present candidate did not fail: searches for another, or returns to the value that failed,
    /// which is a change too. `false` if there was no candidate.
    pub(super) fn complicate(&mut self) -> bool {
        if self.candidate.take().is_none() {
            return false;
        }
        self.record(false);
        self.candidate = self.search_on_enough_stack();
        true
    }

    fn record(&mut self, worked: bool) {
        if let Some(job) = &mut self.job {
            job.record(worked);
        }
    }

    /// Only deep values need a large stack: its thread costs more than most searches.
    fn search_on_enough_stack(&mut self) -> Option<Value> {
        if path::is_deep(&self.best) {
            return foolproof_contract::with_large_stack(|| self.search());
        }
        self.search()
    }

    fn search(&mut self) -> Option<Value> {
        if self.stage == Stage::Fresh {
            self.tried.insert(fingerprint(&self.best));
            self.begin(0);
        }
        let (mut work, mut work_before) = (0, 0);
        while let Stage::Pass(pass) = self.stage {
            if work > WORK {
                self.stage = Stage::Done;
            } else if work - work_before > WORK_PER_PASS {
                self.begin(pass + 1);
            } else if let Some(candidate) = self.propose(pass, &mut work) {
                return Some(candidate);
            }
            if self.stage != Stage::Pass(pass) {
                work_before = work;
            }
        }
        None
    }

    /// One step of the search: a candidate, if it is found at once.
    fn propose(&mut self, pass: usize, work: &mut usize) -> Option<Value> {
        let next = match (&mut self.job, path::part(&self.best, &self.path)) {
            (Some(job), Some(part)) => {
                let next = job.task.next(job.subject.as_ref().unwrap_or(part));
                job.proposal.clone_from(&next);
                next
            }
            (None, Some(part)) => {
                let site =
                    Site { contract: &self.contract, whole: &self.best, path: &self.path, part };
                self.job = start(site, pass, work);
                if self.job.is_some() {
                    return None;
                }
                None
            }
            (_, None) => None,
        };
        let Some(proposal) = next else {
            self.advance(pass);
            return None;
        };
        let candidate = self.candidate_with(&proposal, work);
        if candidate.is_none() {
            self.record(false);
        }
        candidate
    }

    /// The whole value with `proposal` in it, if it is simpler, new and valid.
    fn candidate_with(&mut self, proposal: &Value, work: &mut usize) -> Option<Value> {
        let hints = &self.contract.hints;
        let part = path::part(&self.best, &self.path)?;
        *work += path::count(proposal);
        let candidate = match self.job.as_ref()?.subject.as_ref() {
            Some(subject) => {
                let candidate = with_all(&self.best, subject, proposal);
                if !is_simpler(hints, &hints.root(), &candidate, &self.best) {
                    return None;
                }
                candidate
            }
            None if is_simpler(hints, &hints.at(&self.path), proposal, part) => {
                path::with_part(&self.best, &self.path, proposal.clone())
            }
            None => return None,
        };
        *work += path::count(&candidate);
        let is_new = self.tried.insert(fingerprint(&candidate));
        (is_new && self.contract.oracle.is_valid(&candidate)).then_some(candidate)
    }

    /// Goes to the next part of the value, or to the next pass.
    fn advance(&mut self, pass: usize) {
        self.job = None;
        let is_whole = PASSES[pass].1 == Pass::Whole;
        if is_whole || !path::advance(&self.best, &mut self.path) {
            self.begin(pass + 1);
        }
    }

    fn begin(&mut self, pass: usize) {
        self.path.clear();
        self.job = None;
        self.stage = match (pass < PASSES.len(), self.progress) {
            (true, _) => Stage::Pass(pass),
            (false, true) => Stage::Pass(0),
            (false, false) => Stage::Done,
        };
        self.progress &= pass < PASSES.len();
    }
}

fn start(site: Site<'_>, index: usize, work: &mut usize) -> Option<Job> {
    let (scope, pass) = PASSES[index];
    *work += 1;
    let subject = match scope {
        Scope::OnePart => None,
        Scope::EqualParts => {
            *work += path::count(site.whole);
            Some(repeated(site)?.clone())
        }
    };
    // These passes check a value for every member or character before they start.
    *work += path::count(site.whole)
        * match (pass, site.part) {
            (Pass::Prune, Value::Object(members)) => members.len(),
            (Pass::CutText, Value::String(text)) => text.len(),
            _ => 0,
        };
    Some(Job { task: pass.start(site)?, subject, proposal: None })
}

/// The part, if it is a scalar and the value has it more than once.
fn repeated(site: Site<'_>) -> Option<&Value> {
    let is_scalar = !site.part.is_array() && !site.part.is_object();
    let mut equal = path::parts(site.whole).filter(|(_, part)| *part == site.part);
    (is_scalar && equal.nth(1).is_some()).then_some(site.part)
}

/// `value` with `new` wherever it has `old`.
fn with_all(value: &Value, old: &Value, new: &Value) -> Value {
    match value {
        _ if value == old => new.clone(),
        Value::Array(items) => items.iter().map(|item| with_all(item, old, new)).collect(),
        Value::Object(members) => {
            let replace =
                |(name, member): (&String, &Value)| (name.clone(), with_all(member, old, new));
            Value::Object(members.iter().map(replace).collect())
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value.clone(),
    }
}

/// FNV-1a over the text.
fn fingerprint(value: &Value) -> u64 {
    let mut hash = Fingerprint(0xcbf2_9ce4_8422_2325);
    // Neither the value nor the sink can fail.
    let _ = serde_json::to_writer(&mut hash, value);
    hash.0
}

struct Fingerprint(u64);

impl io::Write for Fingerprint {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
