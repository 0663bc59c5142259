//! One instance that satisfies as many as possible of a list of hints.
//!
//! It is planned and generated like a unit of a plan. Hints are added in the order of their
//! precedence; one that contradicts those before it is left out, and so is one that the contract does
//! not allow. Every hint that is left out or not satisfied is reported with the reason.

use foolproof_contract::Canonicalizer;
use foolproof_generate::Generated;

use super::{AppliedHint, PlanInput, planner::Planner, routes::Routes, unit_check::CheckedUnits};
use crate::{Hint, ReasonCode, Status, TargetIndex, UnsatisfiedHint};

/// The instance that was generated for a list of hints, and which of them it satisfies.
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
/// let outcome = HintOutcome::of(&input, &mut forms, &[note, size(2), size(0)]);
/// let value = outcome.generated().unwrap().instance().value();
/// assert!(value["size"] == "L" && value.get("note").is_some());
/// // One instance has one size: that of the first hint.
/// assert_eq!(outcome.unsatisfied()[0].params, Some(size(0).params()));
/// # Ok::<(), foolproof_contract::Error>(())
/// ```
#[derive(Debug)]
pub struct HintOutcome {
    generated: Option<Generated>,
    applied: Vec<AppliedHint>,
    unsatisfied: Vec<UnsatisfiedHint>,
}

impl HintOutcome {
    /// Generates an instance for `hints`.
    #[must_use]
    pub fn of(input: &PlanInput<'_>, forms: &mut Canonicalizer, hints: &[Hint]) -> Self {
        let observer = input.observer;
        let routes = Routes::of(observer.universe(), observer.document(), forms);
        let planner = Planner::new(input, forms, routes);
        let mut request = HintRequest { planner, unsatisfied: Vec::new() };
        let targets = request.targets_of(hints);
        let (generated, applied) = request.generate(&targets).unzip();
        let (applied, unsatisfied) = (applied.unwrap_or_default(), request.unsatisfied);
        Self { generated, applied, unsatisfied }
    }

    /// The instance, if there is one.
    #[must_use]
    pub fn generated(&self) -> Option<&Generated> {
        self.generated.as_ref()
    }

    /// The hints that it satisfies, by precedence, each with its path in the instance.
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

struct HintRequest<'a> {
    planner: Planner<'a>,
    unsatisfied: Vec<UnsatisfiedHint>,
}

impl HintRequest<'_> {
    /// The targets of hints, by precedence.
    fn targets_of(&mut self, hints: &[Hint]) -> Vec<TargetIndex> {
        let mut hints: Vec<&Hint> = hints.iter().collect();
        hints.sort_by(|left, right| left.by_precedence(right));
        let mut targets = Vec::new();
        for hint in hints {
            match self.target(hint) {
                Ok(target) if !targets.contains(&target) => targets.push(target),
                Ok(_) => {}
                Err((code, detail)) => self.add_unsatisfied(hint, code, detail),
            }
        }
        targets
    }

    fn target(&self, hint: &Hint) -> Result<TargetIndex, (ReasonCode, &'static str)> {
        if matches!(hint, Hint::EnsurePropertyPresence { present: false, .. }) {
            return Err((ReasonCode::Unknown, "a hint for absence is not supported yet"));
        }
        let universe = self.planner.input.observer.universe();
        let mut all = universe.targets().iter();
        let Some(location) = all.position(|target| Hint::of(target).as_ref() == Some(hint)) else {
            let detail = "the contract has no such branch, member or property at this location";
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

    /// The instance for `targets`, and the hints that it satisfies.
    fn generate(&mut self, targets: &[TargetIndex]) -> Option<(Generated, Vec<AppliedHint>)> {
        const CONFLICT: &str = "it contradicts hints that take precedence";
        let unit = self.planner.pack_one(targets);
        let is_left_out = |target: &&TargetIndex| {
            !unit.as_ref().is_some_and(|unit| unit.targets.contains(target))
        };
        let left_out: Vec<TargetIndex> = targets.iter().filter(is_left_out).copied().collect();
        self.add_all_unsatisfied(&left_out, ReasonCode::ConflictingConstraints, CONFLICT);
        let CheckedUnits { mut drafts, infeasible, incompatible, unanalysed } =
            self.planner.check_unit(unit?);
        let detail = "together with the hints that take precedence it is too complex to analyse";
        self.add_all_unsatisfied(&unanalysed, ReasonCode::Unknown, detail);
        self.add_all_unsatisfied(&incompatible, ReasonCode::ConflictingConstraints, CONFLICT);
        let detail = "the route to it contradicts itself";
        let infeasible: Vec<TargetIndex> = infeasible.into_iter().map(|(it, _)| it).collect();
        self.add_all_unsatisfied(&infeasible, ReasonCode::ConflictingConstraints, detail);
        let draft = drafts.pop()?;
        let requests = draft.unit.requests.clone();
        let candidate = self.planner.unit_generator.generate(0, draft);
        let (mut applied, mut missed) = (Vec::new(), Vec::new());
        for (target, path) in requests {
            if self.planner.unit_generator.is_hit(target) {
                applied.extend(self.hint(target).map(|hint| AppliedHint { hint, instance: path }));
            } else {
                missed.push(target);
            }
        }
        let (undone, missed): (Vec<TargetIndex>, Vec<TargetIndex>) = missed
            .into_iter()
            .partition(|target| self.planner.unit_generator.is_undone_by_repair(*target));
        let detail = "repair had to change the value that satisfied it";
        self.add_all_unsatisfied(&undone, ReasonCode::RepairModifiedValue, detail);
        let detail = "no valid instance that satisfies it was generated";
        self.add_all_unsatisfied(&missed, ReasonCode::Unknown, detail);
        candidate.map(|candidate| (candidate.generated, applied))
    }

    fn hint(&self, target: TargetIndex) -> Option<Hint> {
        Hint::of(&self.planner.input.observer.universe()[target])
    }

    fn add_all_unsatisfied(&mut self, targets: &[TargetIndex], code: ReasonCode, detail: &str) {
        for target in targets {
            if let Some(hint) = self.hint(*target) {
                self.add_unsatisfied(&hint, code, detail);
            }
        }
    }

    fn add_unsatisfied(&mut self, hint: &Hint, code: ReasonCode, detail: &str) {
        self.unsatisfied.push(hint.unsatisfied(code, detail));
    }
}
