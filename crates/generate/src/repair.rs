//! Repair: edits a value that the oracle rejected until the oracle accepts it.
//!
//! The input is a [`Rejected`] value; the output is an [`Accepted`] one with its edits, or the best
//! value that was found. Repair is driven by the oracle's violations and nothing else: it changes what
//! a violation names, checks again, and keeps a change only if it strictly lowers the measure of the
//! violations. So parts that are valid already, values on a boundary included, stay as they are unless
//! another constraint cannot be satisfied without changing them.
//!
//! **Bound.** A measure is a pair of natural numbers, the number of violations and the number of
//! violations inside the nearest branches, in lexicographic order. There is no infinite descending
//! sequence of such pairs, and every change that is kept lowers the pair; so there are finitely many.
//! Between two of them, rounds, branches and depth are bounded by constants. Work is bounded too: the
//! search asks for the violations of at most [`CHECKS`] trials, of fewer where the lists are long, and
//! stops when it has used them up. Checks without violations, of items for `contains`, are not counted.
//!
//! The schema is never used to decide validity, only to guess: with the document, `contains` and other
//! keywords whose violations have no operands are repaired by what the schema says.

mod array;
mod compiled;
mod condition;
mod contain;
mod contract;
mod edit;
mod edits;
mod measure;
mod number;
mod object;
mod observed;
mod propose;
mod refute;
mod satisfy;
mod search;
mod text;
mod variants;

use foolproof_contract::{Accepted, Document, FormatPolicy, Oracle, Pointer, Rejected};
use serde_json::Value;

use self::{
    contract::Contract,
    search::{AppliedEdit, Search},
};
use crate::Source;

pub use edits::{EditKind, RepairEdit};
#[cfg(feature = "proptest")]
pub(crate) use object::without;
pub(crate) use variants::variants as changes;

/// The most trials of one repair that the oracle checks for violations.
const CHECKS: usize = 4_000;

/// Repairs values for one oracle.
///
/// ```
/// use foolproof_contract::{Document, FormatPolicy, Oracle};
/// use foolproof_generate::{Repair, Seed};
/// use serde_json::json;
///
/// let document = Document::from_value(json!({ "contains": { "minimum": 5 }, "type": "array" }))?;
/// let oracle = Oracle::new(&document, FormatPolicy::Assert)?;
/// let repair = Repair::new(oracle.clone()).reading(&document, FormatPolicy::Assert);
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

    /// The same, with guesses from the document that the oracle was compiled from.
    #[must_use]
    pub fn reading(self, document: &Document, formats: FormatPolicy) -> Self {
        Self { contract: Some(Contract::new(document, formats)), ..self }
    }

    /// The same, giving up after this many checks by the oracle. The default is 4,000.
    #[must_use]
    pub fn checks(self, checks: usize) -> Self {
        Self { checks, ..self }
    }

    /// The same, giving up after this many checks at the latest.
    pub(crate) fn at_most(self, checks: usize) -> Self {
        Self { checks: self.checks.min(checks), ..self }
    }

    /// Repairs `rejected`. If that fails, the result is the best value that was found with its
    /// violations, which never measure more than those at the start.
    pub fn run(
        &self,
        rejected: Rejected,
        source: &mut impl Source,
    ) -> Result<RepairedValue, Rejected> {
        let mut left = self.checks;
        self.run_within(rejected, source, &mut left)
    }

    /// The same within a budget of checks that other repairs share, from which it takes what it uses.
    pub(crate) fn run_within(
        &self,
        rejected: Rejected,
        source: &mut impl Source,
        left: &mut usize,
    ) -> Result<RepairedValue, Rejected> {
        let before = rejected.value().clone();
        let checks = self.checks.min(*left);
        let mut search = Search::new(&self.oracle, self.contract.as_ref(), source, checks);
        let (value, steps) = search.run(rejected);
        *left -= checks - search.left;
        let accepted = self.oracle.check(value)?;
        let edits = edits::differences(&before, accepted.value(), &steps);
        Ok(RepairedValue { accepted, edits })
    }
}

/// Repairs `rejected` by the violations of `oracle` alone; see [`Repair::run`].
///
/// ```
/// use foolproof_contract::{Document, FormatPolicy, Oracle};
/// use foolproof_generate::{EditKind, Seed, repair};
/// use serde_json::json;
///
/// let document = Document::from_value(json!({
///     "properties": { "age": { "type": "integer", "minimum": 18 } }, "required": ["name"]
/// }))?;
/// let oracle = Oracle::new(&document, FormatPolicy::Assert)?;
/// let rejected = oracle.check(json!({ "age": 7 })).unwrap_err();
/// let repaired = repair(&oracle, rejected, &mut Seed::from_number(1).random()).unwrap();
///
/// assert_eq!(repaired.accepted().value(), &json!({ "age": 18, "name": null }));
/// let [age, name] = repaired.edits() else { panic!("there are two edits") };
/// assert_eq!((age.instance().as_str(), age.keyword()), ("/age", "minimum"));
/// assert_eq!(age.kind(), &EditKind::Replaced(json!(7)));
/// assert_eq!((name.instance().as_str(), name.kind()), ("/name", &EditKind::Added));
/// # Ok::<(), foolproof_contract::Error>(())
/// ```
pub fn repair(
    oracle: &Oracle,
    rejected: Rejected,
    source: &mut impl Source,
) -> Result<RepairedValue, Rejected> {
    Repair::new(oracle.clone()).run(rejected, source)
}

/// The edits that replace `before`, which breaks `keyword`, by `after`.
pub(crate) fn replacing(before: &Value, after: &Value, keyword: &str) -> Vec<RepairEdit> {
    let step = AppliedEdit { paths: vec![Pointer::root()], keyword: keyword.to_owned() };
    edits::differences(before, after, &[step])
}

/// A repaired value and its edits.
#[derive(Clone, Debug, PartialEq)]
pub struct RepairedValue {
    accepted: Accepted,
    edits: Vec<RepairEdit>,
}

impl RepairedValue {
    /// The value, now accepted.
    #[must_use]
    pub fn accepted(&self) -> &Accepted {
        &self.accepted
    }

    /// The value, without the edits.
    #[must_use]
    pub fn into_accepted(self) -> Accepted {
        self.accepted
    }

    /// Every instance path at which the value differs from the rejected one, and no other; in document
    /// order.
    #[must_use]
    pub fn edits(&self) -> &[RepairEdit] {
        &self.edits
    }
}
