//! An instance to order: one that follows a list of hints as far as it can.
//!
//! The same machinery that planning uses, for one unit. Hints are taken in the order of their
//! precedence; one that contradicts those before it is left out, and so is one that the contract does
//! not allow. What is left out or not satisfied is told, with the reason.

use foolproof_contract::Canonicalizer;
use foolproof_generate::Generated;

use super::{AppliedHint, PlanInput, planner::Planner, routes::Routes, settle::Settled};
use crate::{Hint, ReasonCode, Status, TargetIndex, UnsatisfiedHint};

/// What came of following hints.
///
/// ```
/// use std::sync::Arc;
/// use foolproof_contract::{Canonicalizer, Document, FormatPolicy};
/// use foolproof_coverage::{
///     PlanInput, Dimensions, HintOutcome, Hint, Observer, Profile, Universe,
/// };
/// use foolproof_generate::{Generator, Meter, Seed};
/// use serde_json::json;
///
/// let document = Document::from_value(json!({
///     "type": "object", "required": ["size"],
///     "properties": { "size": { "enum": ["S", "M", "L"] }, "note": { "type": "string" } }
/// }))?;
/// let (generator, mut forms) =
///     Generator::with_forms(&document, FormatPolicy::Assert, &mut Meter::counting())?;
/// let universe = Arc::new(Universe::of(&document, &mut forms, Dimensions::default()));
/// let observer = Observer::new(&universe, &document, FormatPolicy::Assert);
/// let (seed, profile) = (Seed::from_number(1), Profile::default());
/// let input = PlanInput { observer: &observer, generator: &generator, seed, units: 1, profile };
///
/// let size = |index| Hint::CoverEnumValue { location: "#/properties/size".to_owned(), index };
/// let note = Hint::EnsurePropertyPresence {
///     location: "#".to_owned(), property: "note".to_owned(), present: true,
/// };
/// let followed = HintOutcome::of(&input, &mut forms, &[note, size(2), size(0)]);
/// let value = followed.generated().unwrap().instance().value();
/// assert!(value["size"] == "L" && value.get("note").is_some());
/// // One instance has one size, and the first that was asked for wins.
/// assert_eq!(followed.unsatisfied()[0].params, Some(size(0).params()));
/// # Ok::<(), foolproof_contract::Error>(())
/// ```
#[derive(Debug)]
pub struct HintOutcome {
    made: Option<Generated>,
    applied: Vec<AppliedHint>,
    unsatisfied: Vec<UnsatisfiedHint>,
}

impl HintOutcome {
    /// An instance that follows `hints`.
    #[must_use]
    pub fn of(input: &PlanInput<'_>, forms: &mut Canonicalizer, hints: &[Hint]) -> Self {
        let observer = input.observer;
        let routes = Routes::of(observer.universe(), observer.document(), forms);
        let planner = Planner::new(input, forms, &routes);
        let mut order = Order { planner, refused: Vec::new() };
        let targets = order.aim(hints);
        let made = order.make(&targets);
        let (made, applied) = made.unzip();
        Self { made, applied: applied.unwrap_or_default(), unsatisfied: order.refused }
    }

    /// The instance, if there is one.
    #[must_use]
    pub fn generated(&self) -> Option<&Generated> {
        self.made.as_ref()
    }

    /// The hints that it satisfies, by precedence, and where.
    #[must_use]
    pub fn applied(&self) -> &[AppliedHint] {
        &self.applied
    }

    /// The hints that it does not satisfy, and why.
    #[must_use]
    pub fn unsatisfied(&self) -> &[UnsatisfiedHint] {
        &self.unsatisfied
    }
}

struct Order<'a> {
    planner: Planner<'a>,
    refused: Vec<UnsatisfiedHint>,
}

impl Order<'_> {
    /// The targets that hints aim at, by precedence.
    fn aim(&mut self, hints: &[Hint]) -> Vec<TargetIndex> {
        let mut hints: Vec<&Hint> = hints.iter().collect();
        hints.sort_by(|left, right| left.by_precedence(right));
        let mut targets = Vec::new();
        for hint in hints {
            match self.target(hint) {
                Ok(target) if !targets.contains(&target) => targets.push(target),
                Ok(_) => {}
                Err((code, detail)) => self.refuse(hint, code, detail),
            }
        }
        targets
    }

    fn target(&self, hint: &Hint) -> Result<TargetIndex, (ReasonCode, &'static str)> {
        if matches!(hint, Hint::EnsurePropertyPresence { present: false, .. }) {
            return Err((ReasonCode::Unknown, "asking for absence is not possible yet"));
        }
        let universe = self.planner.input.observer.universe();
        let mut all = universe.targets().iter();
        let Some(location) = all.position(|target| Hint::of(target).as_ref() == Some(hint)) else {
            let detail = "the contract has nothing of the kind at this location";
            return Err((ReasonCode::ConflictingConstraints, detail));
        };
        match (universe.targets()[location].status(), hint) {
            (Status::Unreachable, Hint::PreferBranch { .. }) => {
                Err((ReasonCode::UnreachableBranch, "no valid value takes this branch"))
            }
            (Status::Unreachable, _) => {
                Err((ReasonCode::ConflictingConstraints, "no valid value satisfies it"))
            }
            (Status::Active | Status::Deprecated, _) => Ok(universe.index_of(location)),
        }
    }

    /// The instance that was asked for, and what was applied to it.
    fn make(&mut self, targets: &[TargetIndex]) -> Option<(Generated, Vec<AppliedHint>)> {
        const OVERRULED: &str = "it contradicts hints that go first";
        let together = self.planner.together(targets);
        let is_left = |target: &&TargetIndex| {
            !together.as_ref().is_some_and(|unit| unit.targets.contains(target))
        };
        let left: Vec<TargetIndex> = targets.iter().filter(is_left).copied().collect();
        self.refuse_all(&left, ReasonCode::ConflictingConstraints, OVERRULED);
        let Settled { mut drafts, hopeless, back, later } = self.planner.settle_one(together?);
        let detail = "with the hints that go first it is too complicated to analyse";
        self.refuse_all(&later, ReasonCode::Unknown, detail);
        self.refuse_all(&back, ReasonCode::ConflictingConstraints, OVERRULED);
        let detail = "what leads to it contradicts itself";
        self.refuse_all(&hopeless, ReasonCode::ConflictingConstraints, detail);
        let draft = drafts.pop()?;
        let requests = draft.unit.requests;
        let generated = self.planner.maker.make(0, &draft.form, requests.clone());
        let (mut applied, mut missed) = (Vec::new(), Vec::new());
        for (target, path) in requests {
            if self.planner.maker.is_hit(target) {
                applied.extend(self.hint(target).map(|hint| AppliedHint { hint, instance: path }));
            } else {
                missed.push(target);
            }
        }
        let (undone, lost): (Vec<TargetIndex>, Vec<TargetIndex>) =
            missed.into_iter().partition(|target| self.planner.maker.is_undone(*target));
        let detail = "repair had to change its location";
        self.refuse_all(&undone, ReasonCode::RepairModifiedValue, detail);
        self.refuse_all(&lost, ReasonCode::Unknown, "no valid instance came of it");
        generated.map(|candidate| (candidate.generated, applied))
    }

    fn hint(&self, target: TargetIndex) -> Option<Hint> {
        Hint::of(&self.planner.input.observer.universe()[target])
    }

    fn refuse_all(&mut self, targets: &[TargetIndex], code: ReasonCode, detail: &str) {
        for target in targets {
            if let Some(hint) = self.hint(*target) {
                self.refuse(&hint, code, detail);
            }
        }
    }

    fn refuse(&mut self, hint: &Hint, code: ReasonCode, detail: &str) {
        self.refused.push(hint.unsatisfied(code, detail));
    }
}
