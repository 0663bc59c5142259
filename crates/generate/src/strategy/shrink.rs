//! Shrinking: from a value that fails a test to the simplest that still does.
//!
//! The kinds of simplification in [`MOVES`] are tried in turn, each at every part of the value,
//! wholes before their parts; what works is kept, and the round is repeated until nothing works any
//! more. A candidate is offered only if it is strictly simpler ([`order`](super::order)), new, and
//! valid by the oracle. Nothing is computed before it is asked for.

use std::{collections::BTreeSet, io, sync::Arc};

use serde_json::Value;

use super::{
    Contract,
    moves::{MOVES, Move, Reach, Site},
    order::is_simpler,
    path::{self, PathSegment},
    tasks::Task,
};

/// Values that one kind of simplification may go through before the next has its turn, in one
/// search for a candidate. Only large values that admit almost no change come near it.
const WORK_A_MOVE: usize = 2_000_000;
/// Values that one search may go through in all; then shrinking ends.
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
    /// Fingerprints of every value that was looked at. A clash costs one candidate, no more.
    tried: BTreeSet<u64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Fresh,
    /// At this place in [`MOVES`].
    Turn(usize),
    Done,
}

/// A task at work on one part of the value.
#[derive(Debug)]
struct Job {
    task: Box<dyn Task>,
    /// What the task works on, if it works on all parts that are equal to it.
    subject: Option<Value>,
    /// What the task proposed last.
    proposal: Option<Value>,
}

impl Job {
    fn hear(&mut self, worked: bool) {
        self.task.heard(worked);
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

    /// The candidate at hand, or else the simplest value that failed.
    pub(super) fn current(&self) -> &Value {
        self.candidate.as_ref().unwrap_or(&self.best)
    }

    /// The value at hand failed: goes on to a simpler one. `false` if there is none.
    pub(super) fn simplify(&mut self) -> bool {
        if let Some(candidate) = self.candidate.take() {
            self.best = candidate;
            self.progress = true;
            self.hear(true);
        }
        self.candidate = self.search_with_room();
        self.candidate.is_some()
    }

    /// The candidate at hand did not fail: goes on to another, or back to the value that did, which
    /// is a change as well. `false` if there was no candidate.
    pub(super) fn complicate(&mut self) -> bool {
        if self.candidate.take().is_none() {
            return false;
        }
        self.hear(false);
        self.candidate = self.search_with_room();
        true
    }

    fn hear(&mut self, worked: bool) {
        if let Some(job) = &mut self.job {
            job.hear(worked);
        }
    }

    /// The stack at hand does for values of ordinary depth; a thread costs more than most searches.
    fn search_with_room(&mut self) -> Option<Value> {
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
        while let Stage::Turn(turn) = self.stage {
            if work > WORK {
                self.stage = Stage::Done;
            } else if work - work_before > WORK_A_MOVE {
                self.begin(turn + 1);
            } else if let Some(candidate) = self.propose(turn, &mut work) {
                return Some(candidate);
            }
            if self.stage != Stage::Turn(turn) {
                work_before = work;
            }
        }
        None
    }

    /// One step of the search: a candidate, if it is found at once.
    fn propose(&mut self, turn: usize, work: &mut usize) -> Option<Value> {
        let next = match (&mut self.job, path::part(&self.best, &self.path)) {
            (Some(job), Some(part)) => {
                let next = job.task.next(job.subject.as_ref().unwrap_or(part));
                job.proposal.clone_from(&next);
                next
            }
            (None, Some(part)) => {
                let site =
                    Site { contract: &self.contract, whole: &self.best, path: &self.path, part };
                self.job = open(site, turn, work);
                if self.job.is_some() {
                    return None;
                }
                None
            }
            (_, None) => None,
        };
        let Some(proposal) = next else {
            self.advance(turn);
            return None;
        };
        let candidate = self.admit(&proposal, work);
        if candidate.is_none() {
            self.hear(false);
        }
        candidate
    }

    /// The whole value with `proposal` in it, if that may be offered.
    fn admit(&mut self, proposal: &Value, work: &mut usize) -> Option<Value> {
        let places = &self.contract.places;
        let part = path::part(&self.best, &self.path)?;
        *work += path::count(proposal);
        let candidate = match self.job.as_ref()?.subject.as_ref() {
            Some(subject) => {
                let candidate = with_all(&self.best, subject, proposal);
                if !is_simpler(places, &places.root(), &candidate, &self.best) {
                    return None;
                }
                candidate
            }
            None if is_simpler(places, &places.at(&self.path), proposal, part) => {
                path::with_part(&self.best, &self.path, proposal.clone())
            }
            None => return None,
        };
        *work += path::count(&candidate);
        let is_new = self.tried.insert(fingerprint(&candidate));
        (is_new && self.contract.oracle.is_valid(&candidate)).then_some(candidate)
    }

    /// Goes to the next part of the value, or to the next kind of simplification.
    fn advance(&mut self, turn: usize) {
        self.job = None;
        let is_whole = MOVES[turn].1 == Move::Whole;
        if is_whole || !path::advance(&self.best, &mut self.path) {
            self.begin(turn + 1);
        }
    }

    fn begin(&mut self, turn: usize) {
        self.path.clear();
        self.job = None;
        self.stage = match (turn < MOVES.len(), self.progress) {
            (true, _) => Stage::Turn(turn),
            (false, true) => Stage::Turn(0),
            (false, false) => Stage::Done,
        };
        self.progress &= turn < MOVES.len();
    }
}

fn open(site: Site<'_>, turn: usize, work: &mut usize) -> Option<Job> {
    let (reach, kind) = MOVES[turn];
    *work += 1;
    let subject = match reach {
        Reach::Part => None,
        Reach::Equals => {
            *work += path::count(site.whole);
            Some(repeated(site)?.clone())
        }
    };
    // These ask the oracle about every member or character before they start.
    *work += path::count(site.whole)
        * match (kind, site.part) {
            (Move::Prune, Value::Object(members)) => members.len(),
            (Move::CutText, Value::String(text)) => text.len(),
            _ => 0,
        };
    Some(Job { task: kind.open(site)?, subject, proposal: None })
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
            let exchange =
                |(name, member): (&String, &Value)| (name.clone(), with_all(member, old, new));
            Value::Object(members.iter().map(exchange).collect())
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
