//! Wide instances: many targets at once, without a question to the algebra.
//!
//! What is in different members of an object, or in different items, is independent by construction. So of a large
//! contract a few instances are drawn that show as much at once as they can, alternatives in turn; and then as many of
//! their values as targets ask for are replaced in one go. The oracle decides whether the whole is valid, and the
//! observer what it hits: what an instance is the first to hit is all that counts. Where the oracle refuses, the
//! replacements that it names are taken back. The cost is that of a few instances, however many targets there are; what
//! depends on more than one place is left to the algebra.

use std::collections::{BTreeMap, BTreeSet};

use foolproof_contract::{Accepted, Pointer};
use foolproof_generate::Generator;
use serde_json::Value;

use super::{
    planner::Planner,
    splice::edited,
    unit_generator::{Candidate, Requests},
};
use crate::TargetIndex;

/// With fewer open targets, the algebra finds fewer and smaller instances in little time.
const MIN_OPEN: usize = 1_500;

/// The values that the objects of such an instance have below them: as many as possible, but not more than there are open
/// targets; less if the oracle accepts no such instance.
const WIDTHS: [usize; 3] = [64_000, 16_000, 4_000];

/// The most draws for one instance. None of them is repaired: it takes longer to repair one than to ask the algebra.
const DRAWS: u32 = 4;

/// A candidate has to be the first to hit one of so many open targets: others have room for more.
const LEAST_SHARE: usize = 64;

/// How many instances in a row may hit too little before no more are drawn.
const WITHOUT_HIT: usize = 4;

/// The most checks of one instance, and how often one target is tried in all of them.
const CHECKS: usize = 16;
const TRIES: usize = 3;

/// One value of an instance to be replaced.
struct Edit {
    target: TargetIndex,
    path: Pointer,
    value: Value,
}

/// The paths of an instance at which values are replaced.
#[derive(Default)]
struct Paths(BTreeSet<String>);

impl Paths {
    /// Whether something is replaced at `path` or inside.
    fn has_within(&self, path: &Pointer) -> bool {
        let inside = format!("{path}/");
        let mut next = self.0.range(inside.clone()..);
        self.0.contains(path.as_str()) || next.next().is_some_and(|it| it.starts_with(&inside))
    }

    /// Whether something is replaced at `path`, inside, or around it.
    fn has_near(&self, path: &Pointer) -> bool {
        let mut around = std::iter::successors(path.parent(), Pointer::parent);
        self.has_within(path) || around.any(|around| self.0.contains(around.as_str()))
    }

    fn insert(&mut self, path: &Pointer) {
        self.0.insert(path.as_str().to_owned());
    }
}

/// What was tried so far, by target.
type Tries = BTreeMap<TargetIndex, usize>;

impl Planner<'_> {
    /// Hits with a few instances whatever is independent, if many targets are open. Returns those that are still open.
    pub(super) fn add_wide(&mut self, mut open: Vec<TargetIndex>) -> Vec<TargetIndex> {
        if open.len() < MIN_OPEN {
            return open;
        }
        let least = open.len() / LEAST_SHARE;
        let plan = self.input.generator.plan();
        // A value that shows nothing costs time all the same.
        let most = open.len();
        for width in WIDTHS.map(|width| width.min(most)) {
            let plan = plan.showing(width);
            let turns = plan.first_draws();
            let generator = self.input.generator.within(plan).draws(DRAWS);
            let before = self.candidates.len();
            let is_drawn = self.draw_wide(&generator, turns, least, &mut open);
            if is_drawn {
                self.replace_values(before, least, &mut open);
                break;
            }
        }
        open
    }

    /// Draws the first instances of `generator`. Returns whether the first has a value.
    fn draw_wide(
        &mut self,
        generator: &Generator,
        turns: u64,
        least: usize,
        open: &mut Vec<TargetIndex>,
    ) -> bool {
        let (mut without_hit, mut tries) = (0, Tries::new());
        for index in 0..turns {
            if without_hit >= WITHOUT_HIT || !self.has_room_for_wide() {
                break;
            }
            let Some(drawn) = self.unit_generator.plain_of(generator, index) else {
                if index == 0 {
                    return false;
                }
                without_hit += 1;
                continue;
            };
            let edits = self.edits(drawn.generated.instance(), open, &mut tries);
            let changed = self.replaced(drawn.generated.instance(), edits);
            let better = changed.filter(|changed| fresh(changed) > fresh(&drawn));
            let is_kept = self.keep_wide(better.unwrap_or(drawn), least, open);
            without_hit = if is_kept { 0 } else { without_hit + 1 };
        }
        true
    }

    /// Replaces values of the candidates from `first` on, as long as that hits more.
    fn replace_values(&mut self, first: usize, least: usize, open: &mut Vec<TargetIndex>) {
        let mut tries = Tries::new();
        for host in first..self.candidates.len() {
            while self.has_room_for_wide() {
                let instance = self.candidates[host].generated.instance().clone();
                let edits = self.edits(&instance, open, &mut tries);
                let changed = self.replaced(&instance, edits);
                if !changed.is_some_and(|changed| self.keep_wide(changed, least, open)) {
                    break;
                }
            }
        }
    }

    /// Half of the candidates and of the work are for what follows.
    fn has_room_for_wide(&self) -> bool {
        self.candidates.len() < self.most_candidates() / 2
            && self.unit_generator.has_half_of_work_left()
    }

    /// Keeps a candidate if it is the first to hit at least so many targets.
    fn keep_wide(
        &mut self,
        candidate: Candidate,
        least: usize,
        open: &mut Vec<TargetIndex>,
    ) -> bool {
        let is_kept = fresh(&candidate) >= least.max(1);
        if is_kept {
            if let Some(hits) = &candidate.all_hits {
                self.unit_generator.record(hits);
            }
            self.candidates.push(candidate);
            open.retain(|target| !self.unit_generator.is_hit(*target));
        }
        is_kept
    }

    /// Values of `instance` to replace so that it hits some of the `open` targets, none inside another.
    fn edits(&self, instance: &Accepted, open: &[TargetIndex], tries: &mut Tries) -> Vec<Edit> {
        let places = self.input.observer.places(instance);
        let (mut edits, mut taken) = (Vec::new(), Paths::default());
        for target in open {
            let Ok(route) = self.routes.route(*target) else { continue };
            let last = route.steps.iter().rfind(|(step, _)| step.leads_to_child());
            let Some(known) = last.and_then(|(_, part)| places.get(part)) else { continue };
            let tried = tries.entry(*target).or_default();
            if *tried >= TRIES || self.unit_generator.is_hit(*target) {
                continue;
            }
            let free = known.iter().map(|place| &place.path).filter(|path| !taken.has_near(path));
            let mut found = free.filter_map(|path| {
                let value = edited(path.resolve(instance.value())?, &route.goal)?;
                Some(Edit { target: *target, path: path.clone(), value })
            });
            if let Some(edit) = found.next() {
                *tried += 1;
                taken.insert(&edit.path);
                edits.push(edit);
            }
        }
        edits
    }

    /// `instance` with as many of `edits` as the oracle lets there be at once.
    fn replaced(&mut self, instance: &Accepted, edits: Vec<Edit>) -> Option<Candidate> {
        let (mut best, mut kept, mut chunks) = (None, Requests::new(), vec![edits]);
        let mut checks = 0;
        while let Some(chunk) = chunks.pop().filter(|_| checks < CHECKS) {
            if chunk.is_empty() {
                continue;
            }
            checks += 1;
            let before =
                best.as_ref().map_or(instance, |best: &Candidate| best.generated.instance());
            let mut whole = before.value().clone();
            for edit in &chunk {
                if let Some(place) = whole.pointer_mut(edit.path.as_str()) {
                    *place = edit.value.clone();
                }
            }
            let new = chunk.iter().map(|edit| (edit.target, edit.path.clone()));
            let requests: Requests = kept.iter().cloned().chain(new).collect();
            match self.unit_generator.judge(whole, requests.clone()) {
                Ok(candidate) => (best, kept) = (Some(candidate), requests),
                Err(violated) => chunks.extend(parted(chunk, &violated)),
            }
        }
        self.tried.extend(best.iter().flat_map(|best| &best.requests).map(|(target, _)| *target));
        best
    }
}

/// How many targets a candidate is the first to hit.
fn fresh(candidate: &Candidate) -> usize {
    candidate.requests.len() + candidate.adopted.len()
}

/// What is left to try of edits that are not valid together: all but those whose own values are refused, or else either
/// half.
fn parted(mut edits: Vec<Edit>, violated: &[Pointer]) -> Vec<Vec<Edit>> {
    let mut paths = Paths::default();
    for path in violated {
        paths.insert(path);
    }
    let count = edits.len();
    edits.retain(|edit| !paths.has_within(&edit.path));
    if edits.len() < count {
        return vec![edits];
    }
    let second = edits.split_off(count / 2);
    if edits.is_empty() { Vec::new() } else { vec![second, edits] }
}
