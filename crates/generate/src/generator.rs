//! From a contract to instances: draw, check, and draw again.
//!
//! Instance `i` is a pure function of the plan, the seed and `i`, so any part of a run can be generated
//! alone, in any order and on any thread. The oracle accepts every instance; where it accepts no draw,
//! [`Exhausted`] has the violations.

use std::borrow::Cow;

use foolproof_contract::{
    Accepted, ArenaValue, Canonical, Canonicalizer, Diagnostic, Document, Error, FormatPolicy,
    Graph, Location, Oracle, Rejected, Violation, formats_may_decide, openapi::ApiEntry,
};
use serde_json::{Map, Value};

use crate::{
    BranchChoice, BranchSeparator, DrawMemory, Meter, Phase, Plan, Random, Repair, Seed, ValueSize,
    branch_choice::ChosenBranches, draw::Overlap,
};

mod attempts;
mod generated;
mod host;
mod known;
mod second_oracle;
mod variety;

use attempts::{Attempt, Attempts, LIMIT};
pub use generated::{Exhausted, Generated, Instance};
pub use host::Host;
use known::KnownInstances;
pub use second_oracle::SecondOracle;
use variety::Variety;

/// How many of the first attempts are not repaired but drawn again. The same holds for parts that several
/// branches of `oneOf` admit.
const UNREPAIRED: u32 = 4;

/// How many of the first attempts follow the tour.
const ON_TOUR: u32 = 8;

/// The most checks of a repair that gives up branches.
const CHECKS_FOR_BRANCHES: usize = 100;

/// The draws that decide whether instances can be valid however `format` is read.
const PROBES: u64 = 32;

/// Generates instances of a schema.
///
/// ```
/// use foolproof_generate::{Generator, Seed};
/// use serde_json::json;
///
/// let generator = Generator::of(json!({ "enum": ["on", "off"] }))?;
/// for instance in generator.instances(Seed::from_number(42), 10) {
///     assert!([json!("on"), json!("off")].contains(instance.value()));
/// }
/// # Ok::<(), foolproof_contract::Error>(())
/// ```
#[derive(Debug)]
pub struct Generator {
    plan: Plan,
    oracle: Oracle,
    repair: Repair,
    /// The branches that instances take, if they are planned.
    chosen: Option<ChosenBranches>,
    /// What draws become a part of, if the plan is of a part of an instance.
    host: Option<Host>,
    /// What the API admits, if that is more than what is generated.
    admitted: Option<Document>,
    /// The other reading of formats, if a value may be valid only if they are asserted.
    annotated: Option<Annotated>,
    /// Whether likely draws are repeated.
    variety: Variety,
    /// Valid instances, for when draws give none; nothing for a part of the contract.
    known: Option<KnownInstances>,
    /// How often one instance is drawn before the generator gives up.
    draws: u32,
    diagnostics: Vec<Diagnostic>,
    self_references: Vec<Location>,
}

/// The schema with `format` read as an annotation.
#[derive(Clone, Debug)]
struct Annotated {
    oracle: Oracle,
    /// Whether some of a few draws are valid under both readings.
    has_instances: bool,
}

impl Generator {
    /// Compiles everything that generating instances of `schema` needs, with formats asserted.
    ///
    /// [`Generator::new`] has a document, which has a file name, a draft and references.
    pub fn of(schema: Value) -> Result<Self, Error> {
        Self::new(&Document::from_value(schema)?, FormatPolicy::Assert)
    }

    /// Compiles everything that generating instances of `document` needs.
    pub fn new(document: &Document, formats: FormatPolicy) -> Result<Self, Error> {
        Ok(Self::with_forms(document, formats, &mut Meter::counting())?.0)
    }

    /// The same, with the forms that the generator was compiled from, for further use. `meter` records
    /// the cost.
    pub fn with_forms(
        document: &Document,
        formats: FormatPolicy,
        meter: &mut Meter,
    ) -> Result<(Self, Canonicalizer), Error> {
        Self::compile(document, formats, meter, || Oracle::new(document, formats))
    }

    fn compile(
        document: &Document,
        formats: FormatPolicy,
        meter: &mut Meter,
        oracle: impl FnOnce() -> Result<Oracle, Error>,
    ) -> Result<(Self, Canonicalizer), Error> {
        // The graph first: it has the best errors for references.
        let graph = meter.time(Phase::Normalise, || Graph::of(document))?;
        meter.count(Phase::Normalise, graph.nodes().len() as u64);
        let (generator, forms) = meter.time(Phase::Compose, || {
            let oracle = oracle()?;
            let mut forms = Canonicalizer::with_graph(document, graph, formats);
            Ok::<_, Error>((Self::of_forms(&mut forms, oracle), forms))
        })?;
        meter.count(Phase::Compose, generator.plan.size() as u64);
        Ok((generator, forms))
    }

    /// The same for an entry of an API.
    pub fn of_entry(
        entry: &ApiEntry,
        formats: FormatPolicy,
        meter: &mut Meter,
    ) -> Result<(Self, Canonicalizer), Error> {
        let oracle = || Oracle::of_entry(entry, formats);
        let (generator, forms) = Self::compile(&entry.document, formats, meter, oracle)?;
        Ok((Self { admitted: entry.admitted.clone(), ..generator }, forms))
    }

    fn of_forms(forms: &mut Canonicalizer, oracle: Oracle) -> Self {
        let plan = Plan::of(&forms.root(), forms.document(), forms.graph());
        // Computed now, while the forms are available: they own a thread, which must not live as long
        // as every generator does.
        let diagnostics = if plan.is_empty() { forms.diagnose() } else { Vec::new() };
        let repair = Repair::new(oracle.clone()).reading(forms.document(), forms.formats());
        let self_references = forms.graph().self_references().to_vec();
        let mut generator = Self {
            annotated: None,
            plan,
            oracle,
            repair,
            chosen: None,
            host: None,
            admitted: None,
            variety: Variety::default(),
            known: Some(KnownInstances::default()),
            draws: LIMIT,
            diagnostics,
            self_references,
        };
        generator.annotated = generator.annotated(forms);
        generator
    }

    /// The other reading of formats, where it may decide.
    fn annotated(&self, forms: &Canonicalizer) -> Option<Annotated> {
        if forms.formats() != FormatPolicy::Assert
            || !formats_may_decide(forms.document(), forms.graph())
        {
            return None;
        }
        let oracle = Oracle::new(forms.document(), FormatPolicy::Annotate).ok()?;
        let mut draws = (0..PROBES).filter_map(|index| self.draw(Seed::from_number(0), index, 0).0);
        let holds = |value: Value| self.oracle.is_valid(&value) && oracle.is_valid(&value);
        let has_instances = draws.any(holds);
        Some(Annotated { oracle, has_instances })
    }

    /// Whether an instance is valid however `format` is read, as far as that may differ.
    fn holds_for_both_readings(&self, instance: &Accepted) -> bool {
        self.annotated.as_ref().is_none_or(|it| it.oracle.is_valid(instance.value()))
    }

    /// Whether it is worth to draw again for an instance that is valid however `format` is read.
    fn may_hold_for_both_readings(&self) -> bool {
        self.annotated.as_ref().is_some_and(|it| it.has_instances)
    }

    /// A generator for `plan`, a part of the same contract, with the same oracle.
    #[must_use]
    pub fn within(&self, plan: Plan) -> Self {
        Self {
            plan: plan.limited(self.plan.limit),
            annotated: self.annotated.clone(),
            oracle: self.oracle.clone(),
            repair: self.repair.clone(),
            chosen: None,
            host: None,
            admitted: self.admitted.clone(),
            variety: Variety::default(),
            known: None,
            draws: self.draws,
            diagnostics: Vec::new(),
            self_references: self.self_references.clone(),
        }
    }

    /// What separates the branches of `document`, the contract that the generator is of.
    #[must_use]
    pub fn branch_separator(
        &self,
        document: &Document,
        graph: &Graph,
        formats: FormatPolicy,
    ) -> BranchSeparator {
        BranchSeparator::new(document, self.admitted.as_ref(), graph, formats)
    }

    /// Changes draws that are not valid until their parts take the branches `choices`, a part after what it
    /// is in. `form` is what the plan was compiled from; it admits changed draws too.
    #[must_use]
    pub fn choosing(
        self,
        choices: Vec<BranchChoice>,
        separator: &BranchSeparator,
        form: &Canonical,
    ) -> Self {
        let chosen = (!choices.is_empty()).then(|| ChosenBranches::new(separator, choices, form));
        Self { chosen, ..self }
    }

    /// Draws parts of `host`. The plan is that of the part, as are the paths of branches; whatever is checked,
    /// repaired and generated is the whole.
    #[must_use]
    pub fn inside(self, host: Host) -> Self {
        Self { host: Some(host), ..self }
    }

    /// Checks `value` without drawing or repairing anything.
    #[must_use]
    pub fn accept(&self, value: Value, meter: &mut Meter) -> Option<Generated> {
        let accepted = meter.operation(Phase::Validate, || self.oracle.accept(value));
        accepted.map(|instance| Generated::new(instance, 0, Vec::new()))
    }

    /// Generates no instance that is larger than `limit`, instead of [`ValueSize::DEFAULT_LIMIT`].
    ///
    /// ```
    /// use foolproof_generate::{Generator, Seed, ValueSize};
    /// use serde_json::json;
    ///
    /// let row = json!({ "type": "array", "items": { "type": "boolean" }, "minItems": 100 });
    /// let table = Generator::of(json!({ "type": "array", "items": row, "minItems": 100 }))?;
    /// assert!(table.excess().is_none());
    ///
    /// let table = table.limited(ValueSize { values: 1_000, ..ValueSize::DEFAULT_LIMIT });
    /// assert_eq!(table.excess().unwrap().values, 1 + 100 + 100 * 100);
    /// assert!(table.generate(Seed::from_number(42), 0).is_err());
    /// # Ok::<(), foolproof_contract::Error>(())
    /// ```
    #[must_use]
    pub fn limited(self, limit: ValueSize) -> Self {
        Self { plan: self.plan.limited(limit), ..self }
    }

    /// The size of the smallest instance, if that is larger than the limit: then nothing is drawn.
    #[must_use]
    pub fn excess(&self) -> Option<ValueSize> {
        self.plan.excess()
    }

    /// Whether instances can be drawn, as far as it is known before one is.
    #[must_use]
    pub fn has_instances(&self) -> bool {
        !self.plan.is_empty() && self.plan.excess().is_none()
    }

    /// Repairs `value`, if it is not valid, with this many checks at most.
    #[must_use]
    pub fn repaired(
        &self,
        value: Value,
        seed: Seed,
        checks: usize,
        meter: &mut Meter,
    ) -> Option<Generated> {
        match meter.operation(Phase::Validate, || self.oracle.check(value)) {
            Ok(instance) => Some(Generated::new(instance, 0, Vec::new())),
            Err(rejected) => {
                let repair = self.repair.clone().at_most(checks);
                let repair = || repair.run(rejected, &mut seed.random());
                let repaired = meter.operation(Phase::Repair, repair).ok()?;
                let edits = repaired.edits().to_vec();
                Some(Generated::new(repaired.into_accepted(), 1, edits))
            }
        }
    }

    /// The same, with the violations of a value that is not valid.
    pub fn judge(&self, value: Value, meter: &mut Meter) -> Result<Generated, Rejected> {
        let checked = meter.operation(Phase::Validate, || self.oracle.check(value));
        checked.map(|instance| Generated::new(instance, 0, Vec::new()))
    }

    /// Gives up an instance after this many draws. The default is 32, of which all but the first four
    /// are repaired if they are rejected.
    #[must_use]
    pub fn draws(self, draws: u32) -> Self {
        Self { draws, ..self }
    }

    /// Gives up the repair of a draw after this many checks by the oracle. The default is 4,000.
    #[must_use]
    pub fn checks(self, checks: usize) -> Self {
        Self { repair: self.repair.checks(checks), ..self }
    }

    /// Generates instance `index` of the run that `seed` names.
    ///
    /// ```
    /// use foolproof_generate::{Generator, Seed};
    /// use serde_json::json;
    ///
    /// let generator = Generator::of(json!({ "type": "integer", "minimum": 3 }))?;
    /// let generated = generator.generate(Seed::from_number(42), 7).unwrap();
    /// assert_eq!(generated.rejected(), 0);
    /// assert!(generated.instance().value().as_i64() >= Some(3));
    ///
    /// let nothing = Generator::of(json!({ "type": "integer", "minimum": 3, "maximum": 2 }))?;
    /// assert!(nothing.generate(Seed::from_number(42), 7).is_err());
    /// assert_eq!(nothing.diagnostics()[0].code().as_str(), "UNSAT_NUMERIC_BOUNDS");
    /// # Ok::<(), foolproof_contract::Error>(())
    /// ```
    pub fn generate(&self, seed: Seed, index: u64) -> Result<Generated, Exhausted> {
        self.generate_metered(seed, index, &mut Meter::counting())
    }

    /// The same, and `meter` records the cost.
    pub fn generate_metered(
        &self,
        seed: Seed,
        index: u64,
        meter: &mut Meter,
    ) -> Result<Generated, Exhausted> {
        let mut memory = DrawMemory::new();
        self.generate_in(seed, index, &mut memory, meter).map(Instance::into_generated)
    }

    /// The same, in memory that is reused: the instance is there until the next one is generated. That spares the copy
    /// of it as a [`Value`], and nearly every allocation.
    ///
    /// ```
    /// use foolproof_contract::write_json;
    /// use foolproof_generate::{DrawMemory, Generator, Meter, Seed};
    /// use serde_json::json;
    ///
    /// let generator = Generator::of(json!({ "type": "array", "items": { "type": "integer" } }))?;
    /// let (mut memory, mut text) = (DrawMemory::new(), Vec::new());
    /// for index in 0..100 {
    ///     let seed = Seed::from_number(42);
    ///     let made = generator.generate_in(seed, index, &mut memory, &mut Meter::counting());
    ///     write_json(made.unwrap().view().value(), &mut text);
    ///     text.push(b'\n');
    /// }
    /// assert_eq!(text.iter().filter(|byte| **byte == b'\n').count(), 100);
    /// # Ok::<(), foolproof_contract::Error>(())
    /// ```
    pub fn generate_in<'m, 'g: 'm>(
        &'g self,
        seed: Seed,
        index: u64,
        memory: &'m mut DrawMemory<'g>,
        meter: &mut Meter,
    ) -> Result<Instance<'m>, Exhausted> {
        let mut attempts = self.attempts(seed, index);
        if self.draws_as_planned() {
            memory.clear();
            let (drawn, _) =
                meter.operation(Phase::Generate, || self.draw_of_plan(seed, index, 0, memory));
            let is_drawn = drawn.is_some();
            if let Some(drawn) = drawn {
                let view = memory.view(drawn);
                let accepted = meter.operation(Phase::Validate, || self.oracle.accept_view(view));
                if let Some(accepted) = accepted {
                    return Ok(Instance::as_drawn(accepted));
                }
            }
            attempts.skip_first(is_drawn);
        }
        let generated = attempts.next(meter);
        generated.map(Instance::from).ok_or_else(|| attempts.into_exhausted())
    }

    /// Whether the first draw for an instance is the instance, if the oracle accepts it.
    fn draws_as_planned(&self) -> bool {
        let is_plain = self.chosen.is_none() && self.host.is_none() && self.annotated.is_none();
        // The last draw is never without a value.
        is_plain && self.draws > 1 && self.has_instances()
    }

    /// The same as [`generate_metered`](Self::generate_metered), without the violations of a draw that was rejected.
    pub fn try_generate(&self, seed: Seed, index: u64, meter: &mut Meter) -> Option<Generated> {
        self.attempts(seed, index).next(meter)
    }

    /// Instance `index` of the run that `seed` names; `None` if none was found.
    #[must_use]
    pub fn instance(&self, seed: Seed, index: u64) -> Option<Accepted> {
        self.generate(seed, index).ok().map(Generated::into_instance)
    }

    /// The first `n` instances of the run that `seed` names, without those that were not found.
    pub fn instances(&self, seed: Seed, n: u64) -> impl Iterator<Item = Accepted> {
        (0..n).filter_map(move |index| self.instance(seed, index))
    }

    /// Where the schema contradicts itself, if no value of it is known to exist
    /// ([`Plan::is_empty`]); otherwise empty, even if parts of it admit no value.
    #[must_use]
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.diagnostics
    }

    /// Where the schema requires itself of the same value ([`Graph::self_references`]), which is
    /// ignored.
    #[must_use]
    pub fn self_references(&self) -> &[Location] {
        &self.self_references
    }

    /// The plan that the instances are drawn from.
    #[must_use]
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// The draws for instance `index` that the oracle accepts, drawn on demand.
    fn attempts(&self, seed: Seed, index: u64) -> Attempts<'_> {
        Attempts::new(self, seed, index)
    }

    /// One draw for instance `index`, checked, and repaired if enough others were rejected before: draws
    /// that need no repair are more varied. A repair takes the checks that it uses from `checks`, and there is none
    /// without any left.
    fn attempt(
        &self,
        seed: Seed,
        index: u64,
        attempt: u32,
        checks: &mut usize,
        meter: &mut Meter,
    ) -> Attempt {
        let (drawn, values) = meter.operation(Phase::Generate, || self.draw(seed, index, attempt));
        meter.count_drawn(values);
        let Some(value) = drawn else { return Attempt::NoValue };
        if attempt < UNREPAIRED || *checks == 0 {
            return match meter.operation(Phase::Validate, || self.oracle.accept(value)) {
                Some(instance) => Attempt::as_drawn(instance),
                None => Attempt::Rejected,
            };
        }
        match meter.operation(Phase::Validate, || self.oracle.check(value)) {
            Ok(instance) => Attempt::as_drawn(instance),
            Err(rejected) => {
                let seed = seed.child("repair", index).child("attempt", attempt.into());
                let repair = || {
                    let repair = self.repair_of(&rejected);
                    repair.run_within(rejected, &mut seed.random(), checks)
                };
                let repaired = meter.operation(Phase::Repair, repair);
                repaired.map_or(Attempt::Rejected, |repaired| {
                    let edits = repaired.edits().to_vec();
                    Attempt::Accepted { instance: repaired.into_accepted(), edits }
                })
            }
        }
    }

    /// The repair of a planned draw whose branches could not be kept apart is short: it gives up branches so
    /// that the rest of the instance is valid, which takes few changes.
    fn repair_of(&self, rejected: &Rejected) -> Cow<'_, Repair> {
        let part = match &self.host {
            Some(host) => host.part_of(rejected.value()),
            None => Some(rejected.value()),
        };
        match &self.chosen {
            Some(chosen) if !part.is_some_and(|part| chosen.are_taken(part)) => {
                Cow::Owned(self.repair.clone().at_most(CHECKS_FOR_BRANCHES))
            }
            Some(_) | None => Cow::Borrowed(&self.repair),
        }
    }

    /// The violations of a draw that was rejected. It is drawn once more: keeping every rejected value
    /// and its violations would cost every run what only a failing one needs.
    fn violations(&self, seed: Seed, index: u64, attempt: u32) -> Vec<Violation> {
        let (value, _) = self.draw(seed, index, attempt);
        value.map(|value| self.oracle.violations(&value)).unwrap_or_default()
    }

    /// Draw number `attempt` for instance `index`, of the plan alone. Later attempts do not follow the tour: all
    /// values that it prescribes may be invalid.
    fn draw_of_plan<'g>(
        &'g self,
        seed: Seed,
        index: u64,
        attempt: u32,
        memory: &mut DrawMemory<'g>,
    ) -> (Option<ArenaValue<'g>>, Random) {
        let mut source = seed.of_draw(index, attempt);
        let overlap = if attempt < UNREPAIRED { Overlap::Redraw } else { Overlap::Separate };
        let on_tour = (attempt < ON_TOUR).then_some(index);
        let mut drawn = self.plan.draw_at_with(on_tour, overlap, memory, &mut source);
        if attempt == 0 && self.is_likely(index, source.spread()) {
            drawn = self.less_likely(seed, index, (drawn, source.spread()), memory);
        }
        (drawn, source)
    }

    /// Draw number `attempt` for instance `index`, and how many values were drawn for it, the discarded ones included.
    fn draw(&self, seed: Seed, index: u64, attempt: u32) -> (Option<Value>, usize) {
        let mut memory = DrawMemory::new();
        let (drawn, mut source) = self.draw_of_plan(seed, index, attempt, &mut memory);
        let mut drawn = drawn.map(|value| memory.to_value(value));
        if let Some(chosen) = &self.chosen {
            drawn = drawn.map(|value| {
                if self.is_valid(&value) {
                    return value;
                }
                chosen.separate(value, &self.plan, &mut memory, &mut source)
            });
        }
        if let Some(host) = &self.host {
            return (drawn.map(|part| host.with(part)), memory.drawn());
        }
        // Where no draw gives a value, the last attempt repairs an empty object; if that fails too, there
        // is at least a value whose violations can be reported.
        if drawn.is_none() && attempt + 1 == self.draws {
            drawn = Some(Value::Object(Map::new()));
        }
        (drawn, memory.drawn())
    }

    /// Whether the oracle accepts a draw, in its host if there is one.
    fn is_valid(&self, drawn: &Value) -> bool {
        match &self.host {
            Some(host) => self.oracle.is_valid(&host.with(drawn.clone())),
            None => self.oracle.is_valid(drawn),
        }
    }
}
