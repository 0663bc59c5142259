//! Which of the targets of a unit go together, as the algebra sees it.
//!
//! A unit grows: what is known to go together, and the next chunk of its targets. A chunk that makes
//! it empty is halved, down to the single target that contradicts the others; that one goes back, to
//! be asked for elsewhere. One that is empty all alone is hopeless along its route.

use foolproof_contract::{Canonical, Verdict};
use serde_json::{Value, json};

use super::{
    Unplanned,
    blueprint::Blueprint,
    demand::{self, Others},
    planner::{BATCH, PackedUnit, Planner, UnitDraft},
    routes::Routes,
};
use crate::TargetIndex;

/// How many questions one counts for that the algebra has no answer to.
const FORMLESS: usize = 8;

/// How often one unit is asked about before what is left of it goes back.
const QUESTIONS: usize = 24;

/// What became of units.
#[derive(Default)]
pub(super) struct Settled {
    pub(super) drafts: Vec<UnitDraft>,
    /// Targets that are empty even alone.
    pub(super) hopeless: Vec<TargetIndex>,
    /// Targets that go elsewhere.
    pub(super) back: Vec<TargetIndex>,
    /// Targets that are too much for the algebra in company.
    pub(super) later: Vec<TargetIndex>,
}

/// What the algebra says about a unit.
enum Answer {
    Possible(Canonical),
    Empty,
    /// It has no form for it.
    None,
}

impl From<Option<Canonical>> for Answer {
    fn from(form: Option<Canonical>) -> Self {
        match form {
            Some(form) if is_possible(&form) => Self::Possible(form),
            Some(_) => Self::Empty,
            None => Self::None,
        }
    }
}

/// A unit of which some is known to go together.
struct Growing {
    good: PackedUnit,
    form: Option<Canonical>,
    /// What is good and the next chunk: what is asked about.
    asked: PackedUnit,
    /// What is to be added, the next chunk last.
    chunks: Vec<Vec<TargetIndex>>,
    questions: usize,
}

impl Growing {
    fn new(unit: PackedUnit) -> Self {
        let good = PackedUnit::new(unit.blueprint.root());
        let chunks = vec![unit.targets.clone()];
        Self { good, form: None, asked: unit, chunks, questions: 0 }
    }

    /// Prepares the next question.
    fn prepare(&mut self, routes: &Routes) {
        if let Some(chunk) = self.chunks.last() {
            self.asked = self.good.clone();
            self.asked.extend(chunk, routes);
        }
    }

    fn is_done(&self) -> bool {
        self.chunks.is_empty() || (self.questions >= QUESTIONS && !self.good.targets.is_empty())
    }

    /// Takes in the answer about the last chunk.
    fn answer(&mut self, answer: Answer, routes: &Routes, settled: &mut Settled) {
        self.questions += 1;
        let Some(chunk) = self.chunks.pop() else { return };
        match answer {
            Answer::Possible(form) => {
                self.good = self.asked.clone();
                self.form = Some(form);
            }
            Answer::Empty | Answer::None if chunk.len() > 1 => {
                let (left, right) = chunk.split_at(chunk.len() / 2);
                self.chunks.extend([right.to_vec(), left.to_vec()]);
            }
            Answer::Empty | Answer::None if self.good.targets.is_empty() => {
                settled.hopeless.extend(chunk);
            }
            Answer::Empty => settled.back.extend(chunk),
            Answer::None => settled.later.extend(chunk),
        }
        self.prepare(routes);
    }

    fn finish(self, settled: &mut Settled) {
        settled.back.extend(self.chunks.into_iter().rev().flatten());
        let unit = self.good;
        settled.drafts.extend(self.form.map(|form| UnitDraft { unit, form }));
    }
}

impl Planner<'_> {
    /// Asks for the form of one unit, and takes out of it what makes it empty.
    pub(super) fn settle_one(&mut self, unit: PackedUnit) -> Settled {
        self.settle(vec![unit], Others::Ignored)
    }

    /// Asks for the form of every unit, and takes out of it what makes it empty: of targets that
    /// contradict each other, the later ones.
    pub(super) fn settle(&mut self, units: Vec<PackedUnit>, others: Others) -> Settled {
        let mut settled = Settled::default();
        let mut growing: Vec<Growing> = units.into_iter().map(Growing::new).collect();
        while !growing.is_empty() {
            if self.spend(growing.len() * others.cost()) {
                self.ask(&mut growing, others, &mut settled);
            } else {
                for unit in &mut growing {
                    let left: Vec<_> = unit.chunks.drain(..).flatten().collect();
                    self.set_unplanned(&left, Unplanned::Effort);
                }
            }
            let (done, open): (Vec<_>, Vec<_>) = growing.into_iter().partition(Growing::is_done);
            for unit in done {
                unit.finish(&mut settled);
            }
            growing = open;
        }
        settled
    }

    /// Asks one question about each unit.
    fn ask(&mut self, growing: &mut [Growing], others: Others, settled: &mut Settled) {
        let asked: Vec<_> = growing.iter().map(|unit| &unit.asked.blueprint).collect();
        let forms = self.forms(&asked, others);
        // What has no form takes the algebra longest to find out about.
        let formless = forms.iter().filter(|form| form.is_none()).count();
        self.effort = self.effort.saturating_sub(self.cost(FORMLESS * formless));
        for (unit, form) in growing.iter_mut().zip(forms) {
            unit.answer(form.into(), self.routes, settled);
        }
    }

    /// Those of `targets` that are empty all alone.
    pub(super) fn impossible(&self, targets: &[TargetIndex]) -> Vec<TargetIndex> {
        let mut found = Vec::new();
        for batch in targets.chunks(BATCH) {
            let blueprints: Vec<Blueprint> = batch.iter().map(|it| self.alone(*it)).collect();
            let forms = self.forms(&blueprints.iter().collect::<Vec<_>>(), Others::Ignored);
            let is_empty =
                |form: &Option<Canonical>| form.as_ref().is_some_and(|form| !is_possible(form));
            let empty = batch.iter().zip(forms).filter(|(_, form)| is_empty(form));
            found.extend(empty.map(|(target, _)| *target));
        }
        found
    }

    /// The forms of units; where that of a narrow demand is empty or missing, that of a wider one.
    fn forms(&self, units: &[&Blueprint], others: Others) -> Vec<Option<Canonical>> {
        let ask = |others, wanted: &dyn Fn(usize) -> bool| {
            let wanted = units.iter().enumerate().filter(|(number, _)| wanted(*number));
            let demands: Vec<_> =
                wanted.map(|(_, blueprint)| self.write(blueprint, others)).collect();
            self.forms.forms_of(&demands)
        };
        let mut forms = ask(others, &|_| true);
        let is_open: Vec<bool> =
            forms.iter().map(|form| !form.as_ref().is_some_and(is_possible)).collect();
        if others == Others::Excluded && is_open.contains(&true) {
            let wider = ask(Others::Ignored, &|number| is_open[number]);
            let narrow = forms.iter_mut().zip(&is_open).filter(|(_, is_open)| **is_open);
            for ((form, _), wider) in narrow.zip(wider) {
                *form = wider;
            }
        }
        forms
    }

    /// Whether so many questions are still to be had.
    fn spend(&mut self, questions: usize) -> bool {
        let cost = self.cost(questions);
        let is_affordable = cost <= self.effort;
        self.effort -= if is_affordable { cost } else { 0 };
        is_affordable
    }

    fn cost(&self, questions: usize) -> usize {
        self.input.observer.universe().graph().nodes().len().max(1) * questions
    }

    /// Tells targets that are out of reach from those that were not reached along one route.
    pub(super) fn prove(&mut self, hopeless: &[TargetIndex]) {
        for batch in hopeless.chunks(BATCH) {
            let is_affordable = self.spend(batch.len());
            let demands: Vec<_> = batch.iter().map(|target| self.last_part(*target)).collect();
            let forms = if is_affordable { self.forms.forms_of(&demands) } else { Vec::new() };
            let mut forms = forms.into_iter();
            for target in batch {
                match forms.next().flatten().map(|form| form.satisfiable()) {
                    Some(Verdict::No) => self.plan.unreachable.push(*target),
                    Some(Verdict::Yes | Verdict::Unknown) => {
                        self.set_unplanned(&[*target], Unplanned::Contradiction);
                    }
                    None => self.set_unplanned(&[*target], Unplanned::NoForm),
                }
            }
        }
    }

    /// The demand for the part of a route that is the only one.
    fn last_part(&self, target: TargetIndex) -> Value {
        let Some((anchor, route)) = self.routes.anchored(target) else {
            // Nothing is proven by it.
            return json!({});
        };
        let mut blueprint = Blueprint::new(anchor);
        blueprint.add(&route);
        self.write(&blueprint, Others::Ignored)
    }

    /// What an instance is to look like that hits `target` and need not hit anything else.
    fn alone(&self, target: TargetIndex) -> Blueprint {
        let graph = self.input.observer.universe().graph();
        let mut blueprint = Blueprint::new(graph.entries()[0].node());
        if let Ok(route) = self.routes.route(target) {
            blueprint.add(route);
        }
        blueprint
    }

    fn write(&self, blueprint: &Blueprint, others: Others) -> Value {
        let (document, universe) = (self.input.observer.document(), self.input.observer.universe());
        demand::demand(blueprint, others, document, universe.graph(), self.has_resources)
    }
}

fn is_possible(form: &Canonical) -> bool {
    form.satisfiable() != Verdict::No
}
