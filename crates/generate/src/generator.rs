//! From a contract to instances: draw, check, and draw again.
//!
//! Instance `i` is a pure function of the plan, the seed and `i`, so any part of a run can be made
//! alone, in any order and on any thread. Only what the oracle accepts comes out; where nothing
//! does, [`Exhausted`] says what stood in the way.

use foolproof_contract::{
    Accepted, Canonicalizer, Diagnostic, Document, Error, FormatPolicy, Graph, Location, Oracle,
    Violation,
};
use serde_json::{Map, Value};

use crate::{Meter, Phase, Plan, Repair, Seed};

mod attempts;
mod generated;
mod second_oracle;

use attempts::{Attempt, Attempts, LIMIT};
pub use generated::{Exhausted, Generated};
pub use second_oracle::SecondOracle;

/// How many of the attempts are drawn again rather than repaired.
const UNREPAIRED: u32 = 4;

/// How many of the attempts are on tour.
const ON_TOUR: u32 = 8;

/// Makes instances of a schema.
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
    /// How often one instance is drawn before it is given up.
    draws: u32,
    diagnostics: Vec<Diagnostic>,
    self_references: Vec<Location>,
}

impl Generator {
    /// Compiles everything that making instances of `schema` takes, with formats asserted.
    ///
    /// [`Generator::new`] takes a document, which has a file name, a draft and references.
    pub fn of(schema: Value) -> Result<Self, Error> {
        Self::new(&Document::from_value(schema)?, FormatPolicy::Assert)
    }

    /// Compiles everything that making instances of `document` takes.
    pub fn new(document: &Document, formats: FormatPolicy) -> Result<Self, Error> {
        Ok(Self::with_forms(document, formats, &mut Meter::counting())?.0)
    }

    /// The same, along with the forms that it was compiled from, for who has more to ask of them.
    /// `meter` takes down what it took.
    pub fn with_forms(
        document: &Document,
        formats: FormatPolicy,
        meter: &mut Meter,
    ) -> Result<(Self, Canonicalizer), Error> {
        // The graph first: of what is wrong with references it speaks best.
        let graph = meter.time(Phase::Normalise, || Graph::of(document))?;
        meter.count(Phase::Normalise, graph.nodes().len() as u64);
        let (generator, forms) = meter.time(Phase::Compose, || {
            let oracle = Oracle::new(document, formats)?;
            let mut forms = Canonicalizer::with_graph(document, graph, formats);
            Ok::<_, Error>((Self::of_forms(&mut forms, oracle), forms))
        })?;
        meter.count(Phase::Compose, generator.plan.size() as u64);
        Ok((generator, forms))
    }

    fn of_forms(forms: &mut Canonicalizer, oracle: Oracle) -> Self {
        let plan = Plan::of(&forms.root(), forms.document(), forms.graph());
        // Asked now, while the forms are at hand: they own a thread, which must not live as long as
        // every generator does.
        let diagnostics = if plan.is_empty() { forms.diagnose() } else { Vec::new() };
        let repair = Repair::new(oracle.clone()).reading(forms.document(), forms.formats());
        let self_references = forms.graph().self_references().to_vec();
        Self { plan, oracle, repair, draws: LIMIT, diagnostics, self_references }
    }

    /// A generator of what `plan` describes, a part of the same contract, judged by the same oracle.
    #[must_use]
    pub fn within(&self, plan: Plan) -> Self {
        Self {
            plan,
            oracle: self.oracle.clone(),
            repair: self.repair.clone(),
            draws: self.draws,
            diagnostics: Vec::new(),
            self_references: self.self_references.clone(),
        }
    }

    /// Gives an instance up after so many draws. The default is 32, of which all but the first four
    /// are repaired if they are refused.
    #[must_use]
    pub fn draws(self, draws: u32) -> Self {
        Self { draws, ..self }
    }

    /// Gives the repair of a draw up after so many questions to the oracle. The default is 4,000.
    #[must_use]
    pub fn checks(self, checks: usize) -> Self {
        Self { repair: self.repair.checks(checks), ..self }
    }

    /// Makes instance `index` of the run that `seed` names.
    ///
    /// ```
    /// use foolproof_generate::{Generator, Seed};
    /// use serde_json::json;
    ///
    /// let generator = Generator::of(json!({ "type": "integer", "minimum": 3 }))?;
    /// let made = generator.generate(Seed::from_number(42), 7).unwrap();
    /// assert_eq!(made.rejected(), 0);
    /// assert!(made.instance().value().as_i64() >= Some(3));
    ///
    /// let nothing = Generator::of(json!({ "type": "integer", "minimum": 3, "maximum": 2 }))?;
    /// assert!(nothing.generate(Seed::from_number(42), 7).is_err());
    /// assert_eq!(nothing.diagnostics()[0].code().as_str(), "UNSAT_NUMERIC_BOUNDS");
    /// # Ok::<(), foolproof_contract::Error>(())
    /// ```
    pub fn generate(&self, seed: Seed, index: u64) -> Result<Generated, Exhausted> {
        self.generate_metered(seed, index, &mut Meter::counting())
    }

    /// The same, and `meter` takes down what it took.
    pub fn generate_metered(
        &self,
        seed: Seed,
        index: u64,
        meter: &mut Meter,
    ) -> Result<Generated, Exhausted> {
        let mut attempts = self.attempts(seed, index);
        attempts.next(meter).ok_or_else(|| attempts.into_exhausted())
    }

    /// Instance `index` of the run that `seed` names, unless none was found.
    #[must_use]
    pub fn instance(&self, seed: Seed, index: u64) -> Option<Accepted> {
        self.generate(seed, index).ok().map(Generated::into_instance)
    }

    /// The first `n` instances of the run that `seed` names, less those that were not found.
    pub fn instances(&self, seed: Seed, n: u64) -> impl Iterator<Item = Accepted> {
        (0..n).filter_map(move |index| self.instance(seed, index))
    }

    /// Where the schema contradicts itself, if no value of it is known to exist
    /// ([`Plan::is_empty`]); otherwise nothing, whatever parts of it may be impossible.
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

    /// What the instances are drawn from.
    #[must_use]
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// What the oracle accepts among the draws for instance `index`, as far as it is asked for.
    fn attempts(&self, seed: Seed, index: u64) -> Attempts<'_> {
        Attempts::new(self, seed, index)
    }

    /// One draw for instance `index`, judged, and repaired if enough others were refused before: a
    /// draw that needs no repair is the more varied one.
    fn attempt(&self, seed: Seed, index: u64, attempt: u32, meter: &mut Meter) -> Attempt {
        let drawn = meter.operation(Phase::Generate, || self.draw(seed, index, attempt));
        let Some(value) = drawn else { return Attempt::Fruitless };
        if attempt < UNREPAIRED {
            let accepted = meter.operation(Phase::Validate, || self.oracle.accept(value));
            return accepted.map_or(Attempt::Refused, Attempt::as_drawn);
        }
        match meter.operation(Phase::Validate, || self.oracle.check(value)) {
            Ok(instance) => Attempt::as_drawn(instance),
            Err(rejected) => {
                let seed = seed.child("instance", index).child("repair", attempt.into());
                let repair = || self.repair.run(rejected, &mut seed.random());
                let repaired = meter.operation(Phase::Repair, repair);
                repaired.map_or(Attempt::Refused, |repaired| {
                    let edits = repaired.edits().to_vec();
                    Attempt::Accepted { instance: repaired.into_accepted(), edits }
                })
            }
        }
    }

    /// What is wrong with a draw that was refused. It is drawn once more: keeping every refused value
    /// and its violations would cost every run what only a failing one needs.
    fn violations(&self, seed: Seed, index: u64, attempt: u32) -> Vec<Violation> {
        let value = self.draw(seed, index, attempt);
        value.map(|value| self.oracle.violations(&value)).unwrap_or_default()
    }

    /// Draw number `attempt` for instance `index`. The later ones leave the tour: it may lead where
    /// nothing is valid.
    fn draw(&self, seed: Seed, index: u64, attempt: u32) -> Option<Value> {
        let seed = seed.child("instance", index).child("attempt", attempt.into());
        let mut source = seed.random();
        let drawn = if attempt < ON_TOUR {
            self.plan.draw_at(index, &mut source)
        } else {
            self.plan.draw(&mut source)
        };
        // Where no draw leads to a value, the last one leaves it to repair to make one from nothing;
        // if that fails too, there is at least something to say what is wrong with.
        drawn.or_else(|| (attempt + 1 == self.draws).then(|| Value::Object(Map::new())))
    }
}
