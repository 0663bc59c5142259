//! Repair: a value that the oracle refused, brought back inside the schema.
//!
//! In comes a [`Rejected`] value, out comes an [`Accepted`] one with the places that were touched, or
//! the best value that was reached. Repair is driven by the oracle's violations and nothing else: it
//! changes what a violation names, asks again, and keeps a change only if it strictly lowers the
//! measure of what is wrong. So what is right already, a value on its boundary too, stays as it is
//! unless another constraint cannot be met without moving it.
//!
//! **Bound.** A measure is a pair of natural numbers, the violations and what is wrong inside the
//! nearest branches, in lexicographic order. There is no infinite descent of such pairs, and every
//! change that stays goes down; so there are finitely many. Between two of them, rounds, branches and
//! depth are bounded by constants. Work is bounded besides: the search asks for the violations of at
//! most [`CHECKS`] trials, of fewer where the answers are long; a search that has used them up stops.
//! Not counted are the verdicts, without reasons, on items that an array is to contain.
//!
//! It does not read the schema to judge, only to guess: with the document at hand, `contains` and the
//! like, whose violations say nothing but their name, are repaired by what stands there.

mod answers;
mod array;
mod compiled;
mod contain;
mod contract;
mod edit;
mod known;
mod measure;
mod number;
mod object;
mod propose;
mod search;
mod text;
mod touch;
mod variants;

use foolproof_contract::{Accepted, Document, Formats, Oracle, Rejected};

use self::{contract::Contract, search::Search};
use crate::Source;

pub use touch::{Change, Touch};

/// Trials of one repair whose violations the oracle is asked for, at most.
const CHECKS: usize = 4_000;

/// Repairs values for one oracle.
///
/// ```
/// use foolproof_contract::{Document, Formats, Oracle};
/// use foolproof_generate::{Repair, Seed};
/// use serde_json::json;
///
/// let document = Document::from_value(json!({ "contains": { "minimum": 5 }, "type": "array" }))?;
/// let oracle = Oracle::new(&document, Formats::Assert)?;
/// let repair = Repair::new(oracle.clone()).reading(&document, Formats::Assert);
///
/// let rejected = oracle.check(json!([1])).unwrap_err();
/// let repaired = repair.run(rejected, &mut Seed::from_number(1).random()).unwrap();
/// assert_eq!(repaired.accepted().value(), &json!([1, 5]));
/// # Ok::<(), foolproof_contract::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Repair {
    oracle: Oracle,
    contract: Option<Contract>,
    checks: usize,
}

impl Repair {
    /// Repair by the violations of `oracle` alone.
    #[must_use]
    pub fn new(oracle: Oracle) -> Self {
        Self { oracle, contract: None, checks: CHECKS }
    }

    /// The same, with the document that the oracle was made from to take guesses from.
    #[must_use]
    pub fn reading(self, document: &Document, formats: Formats) -> Self {
        Self { contract: Some(Contract::new(document, formats)), ..self }
    }

    /// The same, giving up after so many questions to the oracle. The default is 4,000.
    #[must_use]
    pub fn checks(self, checks: usize) -> Self {
        Self { checks, ..self }
    }

    /// Brings `rejected` inside the schema. If that fails, the best value that was reached comes
    /// back with what is still wrong, which is never more than at the start.
    pub fn run(&self, rejected: Rejected, source: &mut impl Source) -> Result<Repaired, Rejected> {
        let before = rejected.value().clone();
        let mut search = Search::new(&self.oracle, self.contract.as_ref(), source, self.checks);
        let (value, steps) = search.run(rejected);
        let accepted = self.oracle.check(value)?;
        let touched = touch::differences(&before, accepted.value(), &steps);
        Ok(Repaired { accepted, touched })
    }
}

/// Brings `rejected` inside the schema by the violations of `oracle` alone; see [`Repair::run`].
///
/// ```
/// use foolproof_contract::{Document, Formats, Oracle};
/// use foolproof_generate::{Change, Seed, repair};
/// use serde_json::json;
///
/// let document = Document::from_value(json!({
///     "properties": { "age": { "type": "integer", "minimum": 18 } }, "required": ["name"]
/// }))?;
/// let oracle = Oracle::new(&document, Formats::Assert)?;
/// let rejected = oracle.check(json!({ "age": 7 })).unwrap_err();
/// let repaired = repair(&oracle, rejected, &mut Seed::from_number(1).random()).unwrap();
///
/// assert_eq!(repaired.accepted().value(), &json!({ "age": 18, "name": null }));
/// let [age, name] = repaired.touched() else { panic!("two places were touched") };
/// assert_eq!((age.instance().as_str(), age.keyword()), ("/age", "minimum"));
/// assert_eq!(age.change(), &Change::Replaced(json!(7)));
/// assert_eq!((name.instance().as_str(), name.change()), ("/name", &Change::Added));
/// # Ok::<(), foolproof_contract::Error>(())
/// ```
pub fn repair(
    oracle: &Oracle,
    rejected: Rejected,
    source: &mut impl Source,
) -> Result<Repaired, Rejected> {
    Repair::new(oracle.clone()).run(rejected, source)
}

/// A repaired value and what was done to it.
#[derive(Clone, Debug, PartialEq)]
pub struct Repaired {
    accepted: Accepted,
    touched: Vec<Touch>,
}

impl Repaired {
    /// The value, now accepted.
    #[must_use]
    pub fn accepted(&self) -> &Accepted {
        &self.accepted
    }

    /// The value, without the trace.
    #[must_use]
    pub fn into_accepted(self) -> Accepted {
        self.accepted
    }

    /// Every place where the value differs from what came in, and no other; in document order.
    #[must_use]
    pub fn touched(&self) -> &[Touch] {
        &self.touched
    }
}
