//! From a contract to instances: draw, check, and draw again.
//!
//! Instance `i` is a pure function of the plan, the seed and `i`, so any part of a run can be made
//! alone and in any order. Only what the oracle accepts comes out.

use foolproof_contract::{Accepted, Canonicalizer, Document, Error, Formats, Oracle};
use serde_json::Value;

use crate::{Plan, Seed};

/// How often one instance is drawn before it is given up.
const ATTEMPTS: u64 = 32;

/// How many of the attempts are on tour.
const ON_TOUR: u64 = 8;

/// Makes instances of a schema.
///
/// ```
/// use foolproof_contract::{Document, Formats};
/// use foolproof_generate::{Generator, Seed};
/// use serde_json::json;
///
/// let document = Document::from_value(json!({ "enum": ["on", "off"] }))?;
/// let generator = Generator::new(&document, Formats::Assert)?;
/// for instance in generator.instances(Seed::from_number(1), 10) {
///     assert!([json!("on"), json!("off")].contains(instance.value()));
/// }
/// # Ok::<(), foolproof_contract::Error>(())
/// ```
#[derive(Debug)]
pub struct Generator {
    plan: Plan,
    oracle: Oracle,
}

impl Generator {
    /// Compiles everything that making instances of `document` takes.
    pub fn new(document: &Document, formats: Formats) -> Result<Self, Error> {
        let oracle = Oracle::new(document, formats)?;
        let forms = Canonicalizer::new(document, formats)?;
        let plan = Plan::of(&forms.root(), document, forms.graph());
        Ok(Self { plan, oracle })
    }

    /// Instance `index` of the run that `seed` names, unless none was found.
    #[must_use]
    pub fn instance(&self, seed: Seed, index: u64) -> Option<Accepted> {
        let seed = seed.child("instance", index);
        (0..ATTEMPTS).find_map(|attempt| {
            let value = self.draw(index, attempt, seed)?;
            self.oracle.accept(value)
        })
    }

    /// What attempt number `attempt` draws for an instance. The later ones leave the tour: it may
    /// lead where nothing is valid.
    fn draw(&self, index: u64, attempt: u64, seed: Seed) -> Option<Value> {
        let mut source = seed.child("attempt", attempt).random();
        if attempt < ON_TOUR {
            self.plan.draw_at(index, &mut source)
        } else {
            self.plan.draw(&mut source)
        }
    }

    /// The first `n` instances of the run that `seed` names, less those that were not found.
    pub fn instances(&self, seed: Seed, n: u64) -> impl Iterator<Item = Accepted> {
        (0..n).filter_map(move |index| self.instance(seed, index))
    }

    /// What the instances are drawn from.
    #[must_use]
    pub fn plan(&self) -> &Plan {
        &self.plan
    }
}
