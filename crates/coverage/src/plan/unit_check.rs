//! Checks with the algebra which targets of a unit are compatible.
//!
//! A unit grows by chunks: the targets that are known to be compatible, together with the next chunk,
//! are a question to the algebra. A chunk that makes the demand empty is halved, down to the single
//! target that contradicts the others, which is then packed into another unit. A target whose demand
//! is empty without any other target is infeasible along its route.

use foolproof_contract::{Canonical, NoForm, Verdict};

use super::{
    Unplanned,
    blueprint::Blueprint,
    demand::OtherBranches,
    packed_unit::{PackedUnit, UnitDraft},
    planner::{BATCH, Planner},
    routes::Routes,
};
use crate::TargetIndex;

/// How many questions one that the algebra has no form for counts as, in addition.
const NO_FORM_COST: usize = 8;

/// The most questions about one unit. The targets that are left then are packed into other units.
const MAX_QUESTIONS: usize = 24;

/// The same for a part of an instance: there is room for other parts, and for single targets in the end.
const MAX_QUESTIONS_ABOUT_PART: usize = 4;

/// The outcome of checking units.
#[derive(Default)]
pub(super) struct CheckedUnits {
    /// Units of compatible targets.
    pub(super) drafts: Vec<UnitDraft>,
    /// Targets whose demand is empty, or has no form, without any other target, and which of the two.
    pub(super) infeasible: Vec<(TargetIndex, Unplanned)>,
    /// Targets that need another unit: they contradict the rest of theirs, or were not checked.
    pub(super) incompatible: Vec<TargetIndex>,
    /// Targets whose demand has no form together with the rest of the unit.
    pub(super) unanalysed: Vec<TargetIndex>,
}

/// The answer of the algebra about a unit.
enum Answer {
    Possible(Canonical),
    Empty,
    NoForm,
}

impl From<Result<Canonical, NoForm>> for Answer {
    fn from(form: Result<Canonical, NoForm>) -> Self {
        match form {
            Ok(form) if is_possible(&form) => Self::Possible(form),
            Ok(_) => Self::Empty,
            Err(NoForm::Declined | NoForm::OutOfTime) => Self::NoForm,
        }
    }
}

/// A unit while it is checked.
struct UnitCheck {
    /// The targets that are known to be compatible.
    compatible: PackedUnit,
    /// The form of their demand.
    form: Option<Canonical>,
    /// The compatible targets and the next chunk: the next question.
    question: PackedUnit,
    /// The chunks that are not checked yet, the next one last.
    chunks: Vec<Vec<TargetIndex>>,
    question_count: usize,
}

impl UnitCheck {
    fn new(unit: PackedUnit) -> Self {
        let compatible = unit.emptied();
        let chunks = vec![unit.targets.clone()];
        Self { compatible, form: None, question: unit, chunks, question_count: 0 }
    }

    fn prepare_question(&mut self, routes: &Routes) {
        if let Some(chunk) = self.chunks.last() {
            self.question = self.compatible.clone();
            self.question.extend(chunk, routes);
        }
    }

    fn is_done(&self) -> bool {
        self.chunks.is_empty()
            || (self.question_count >= self.most_questions() && !self.compatible.targets.is_empty())
    }

    fn most_questions(&self) -> usize {
        if self.question.part.is_some() { MAX_QUESTIONS_ABOUT_PART } else { MAX_QUESTIONS }
    }

    /// Records the answer about the last chunk.
    fn record(&mut self, answer: Answer, routes: &Routes, checked: &mut CheckedUnits) {
        self.question_count += 1;
        let Some(chunk) = self.chunks.pop() else { return };
        match answer {
            Answer::Possible(form) => {
                self.compatible = self.question.clone();
                self.form = Some(form);
            }
            Answer::Empty | Answer::NoForm if chunk.len() > 1 => {
                let (left, right) = chunk.split_at(chunk.len() / 2);
                self.chunks.extend([right.to_vec(), left.to_vec()]);
            }
            Answer::Empty if self.compatible.targets.is_empty() => {
                let found = chunk.into_iter().map(|target| (target, Unplanned::Contradiction));
                checked.infeasible.extend(found);
            }
            Answer::NoForm if self.compatible.targets.is_empty() => {
                let found = chunk.into_iter().map(|target| (target, Unplanned::NoForm));
                checked.infeasible.extend(found);
            }
            Answer::Empty => checked.incompatible.extend(chunk),
            Answer::NoForm => checked.unanalysed.extend(chunk),
        }
        self.prepare_question(routes);
    }

    fn finish(self, checked: &mut CheckedUnits) {
        checked.incompatible.extend(self.chunks.into_iter().rev().flatten());
        let unit = self.compatible;
        checked.drafts.extend(self.form.map(|form| UnitDraft { unit, form }));
    }
}

impl Planner<'_> {
    /// Asks for the form of one unit, and removes the targets that make it empty.
    pub(super) fn check_unit(&mut self, unit: PackedUnit) -> CheckedUnits {
        self.check_units(vec![unit], OtherBranches::Ignored)
    }

    /// Asks for the form of every unit, and removes the targets that make it empty: of targets that
    /// contradict each other, the later ones.
    pub(super) fn check_units(
        &mut self,
        units: Vec<PackedUnit>,
        others: OtherBranches,
    ) -> CheckedUnits {
        let mut checked = CheckedUnits::default();
        let mut checks: Vec<UnitCheck> = units.into_iter().map(UnitCheck::new).collect();
        while !checks.is_empty() {
            let questions = checks.iter().map(|check| &check.question.blueprint);
            let cost = self.cost(questions) * others.cost();
            if self.try_spend(cost) {
                self.ask(&mut checks, others, &mut checked);
            } else {
                for check in &mut checks {
                    let left: Vec<_> = check.chunks.drain(..).flatten().collect();
                    self.set_unplanned(&left, Unplanned::Effort);
                }
            }
            let (done, open): (Vec<_>, Vec<_>) = checks.into_iter().partition(UnitCheck::is_done);
            for check in done {
                check.finish(&mut checked);
            }
            checks = open;
        }
        checked
    }

    /// Asks one question about each unit.
    fn ask(&mut self, checks: &mut [UnitCheck], others: OtherBranches, checked: &mut CheckedUnits) {
        let questions: Vec<_> = checks.iter().map(|check| &check.question.blueprint).collect();
        let forms = self.forms(&questions, others);
        // The algebra takes longest for a demand that turns out to have no form.
        let without_form = forms.iter().filter(|form| form.is_err()).count();
        let locations = self.input.observer.universe().graph().nodes().len();
        let cost = NO_FORM_COST * locations * without_form;
        self.effort = self.effort.saturating_sub(cost);
        for (check, form) in checks.iter_mut().zip(forms) {
            check.record(form.into(), &self.routes, checked);
        }
    }

    /// Those of `targets` whose demand is empty without any other target.
    pub(super) fn infeasible(&mut self, targets: &[TargetIndex]) -> Vec<TargetIndex> {
        let mut found = Vec::new();
        for batch in targets.chunks(BATCH) {
            let blueprints: Vec<Blueprint> =
                batch.iter().map(|target| self.blueprint_of(*target)).collect();
            let forms = self.forms(&blueprints.iter().collect::<Vec<_>>(), OtherBranches::Ignored);
            let is_empty = |form: &Result<Canonical, NoForm>| {
                form.as_ref().is_ok_and(|form| !is_possible(form))
            };
            let empty = batch.iter().zip(forms).filter(|(_, form)| is_empty(form));
            found.extend(empty.map(|(target, _)| *target));
        }
        found
    }

    /// The forms of blueprints. Where the demand that excludes other branches is empty or has no
    /// form, the form is that of the wider demand, which ignores them.
    fn forms(
        &mut self,
        units: &[&Blueprint],
        others: OtherBranches,
    ) -> Vec<Result<Canonical, NoForm>> {
        let mut forms: Vec<Option<Result<Canonical, NoForm>>> = vec![None; units.len()];
        if others == OtherBranches::Excluded {
            let is_expressible = |number: &usize| {
                let choices = units[*number].one_of_choices();
                !choices.iter().any(|it| self.inexpressible.contains(&(it.schema, it.edge)))
            };
            let asked: Vec<usize> = (0..units.len()).filter(is_expressible).collect();
            let answers = self.ask_about(units, &asked, OtherBranches::Excluded);
            for (number, answer) in asked.into_iter().zip(answers) {
                if answer.is_err() {
                    // A complement that has no form takes the algebra longest, and would have none again.
                    let choices = units[number].one_of_choices();
                    self.inexpressible.extend(choices.iter().map(|it| (it.schema, it.edge)));
                }
                forms[number] = Some(answer).filter(|it| it.as_ref().is_ok_and(is_possible));
            }
        }
        let open: Vec<usize> = (0..units.len()).filter(|it| forms[*it].is_none()).collect();
        let answers = self.ask_about(units, &open, OtherBranches::Ignored);
        for (number, answer) in open.into_iter().zip(answers) {
            forms[number] = Some(answer);
        }
        forms.into_iter().map(|form| form.unwrap_or(Err(NoForm::Declined))).collect()
    }

    /// The forms of the demands of those of `units` with these numbers.
    fn ask_about(
        &self,
        units: &[&Blueprint],
        numbers: &[usize],
        others: OtherBranches,
    ) -> Vec<Result<Canonical, NoForm>> {
        if numbers.is_empty() {
            return Vec::new();
        }
        let demand = |number: &usize| self.demands.demand(units[*number], others);
        self.forms.forms_of(&numbers.iter().map(demand).collect::<Vec<_>>())
    }

    /// Spends some effort, if as much is left; returns whether it was.
    fn try_spend(&mut self, cost: usize) -> bool {
        let is_affordable = cost <= self.effort;
        self.effort -= if is_affordable { cost } else { 0 };
        is_affordable
    }

    /// The effort of questions: the size of each, and its share in preparing the document.
    fn cost<'b>(&self, questions: impl Iterator<Item = &'b Blueprint>) -> usize {
        let locations = self.input.observer.universe().graph().nodes().len();
        let size = |question| (self.demands.size(question) + locations / BATCH).min(locations);
        questions.map(size).sum::<usize>().max(1)
    }

    /// The blueprint of an instance that hits `target` and need not hit any other.
    fn blueprint_of(&self, target: TargetIndex) -> Blueprint {
        let graph = self.input.observer.universe().graph();
        let mut blueprint = Blueprint::new(graph.root(), graph.nodes().len());
        if let Ok(route) = self.routes.route(target) {
            blueprint.add(route);
        }
        blueprint
    }
}

fn is_possible(form: &Canonical) -> bool {
    form.satisfiable() != Verdict::No
}
