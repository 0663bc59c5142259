//! Which keywords contradict each other where the algebra has proven that no value hits a target.
//!
//! A keyword on the route to the target is part of the contradiction if the demand without it is not empty. Where
//! several contradictions exclude the same values, none of their keywords is. These questions are asked once all proofs
//! are made, so they change no status.

use serde_json::Value;

use super::{super::demand::Omission, Prover};
use crate::{TargetIndex, Unreachable, plan::BATCH};

/// The most targets of a contract for which keywords are searched, and the most keywords of each. Those near the
/// target come first.
const MAX_TARGETS: usize = 64;
const MAX_KEYWORDS: usize = 16;

/// The size of all these questions about one contract together, in bytes of the demands.
const MAX_SIZE: usize = 400_000;

/// A question about a target: whether its demand is empty without one keyword.
struct Question {
    target: TargetIndex,
    /// The pointer of the keyword.
    pointer: String,
    demand: Value,
}

impl Prover<'_> {
    /// Finds the keywords that the proofs by an empty demand need.
    pub(super) fn find_conflicts(&mut self) {
        let mut questions = Vec::new();
        let (mut complete, mut size) = (Vec::new(), 0);
        for target in self.by_demand.iter().copied().take(MAX_TARGETS) {
            let Some(blueprint) = self.demands.blueprint_after_anchor(&self.routes, target) else {
                continue;
            };
            let omissions = self.demands.omissions(&blueprint);
            if omissions.len() <= MAX_KEYWORDS {
                complete.push(target);
            }
            let graph = self.observer.universe().graph();
            let own = omissions.into_iter().take(MAX_KEYWORDS).map(|omission| {
                let demand = self.demands.without(&blueprint, &omission);
                let Omission { schema, pointer } = omission;
                let pointer = format!("{}{pointer}", graph[schema].location());
                Question { target, pointer, demand }
            });
            let own: Vec<Question> = own.collect();
            size += own.iter().map(|question| question.demand.to_string().len()).sum::<usize>();
            if size > MAX_SIZE {
                break;
            }
            questions.extend(own);
        }
        for batch in questions.chunks(BATCH) {
            let demands: Vec<Value> = batch.iter().map(|it| it.demand.clone()).collect();
            let answers = self.forms.forms_of(&demands);
            for (Question { target, pointer, .. }, answer) in batch.iter().zip(answers) {
                if answer.is_ok_and(|form| !form.is_proven_empty()) {
                    self.add_conflict(*target, pointer, complete.contains(target));
                }
            }
        }
    }

    /// Adds a keyword that the proof about `target` needs. If all keywords were asked about, those that are needed
    /// replace the location that the proof starts from.
    fn add_conflict(&mut self, target: TargetIndex, pointer: &str, is_complete: bool) {
        let anchor = self.anchor(target);
        if let Some(why) = self.proofs.unreachable.get_mut(&target) {
            let known = Unreachable::clone(why);
            let known = if is_complete { known.not_at(&anchor) } else { known };
            *why = known.at([pointer.to_owned()]);
        }
    }
}
