//! Instances of a contract for property tests: a [`proptest`] strategy for any JSON Schema.
//!
//! The oracle accepts every value: those that are drawn, and those that a failing value is shrunk to.
//! Shrinking edits the value itself, towards fewer members and items, shorter and plainer strings,
//! rounder and smaller numbers, and the first of the listed values.
//!
//! The same state of the runner's generator gives the same value, so proptest's regression files
//! work as usual.

use std::{
    fmt,
    sync::{Arc, OnceLock},
};

use foolproof_contract::{
    Accepted, Document, Error, FormatPolicy, Graph, Oracle, with_large_stack,
};
use proptest::{
    strategy::{NewTree, Strategy, ValueTree},
    test_runner::{Reason, TestRunner},
};
use serde_json::Value;

use crate::{Generator, Replay, Seed};

mod candidates;
mod depth;
mod number;
mod order;
mod passes;
mod path;
mod schema_hints;
mod search;
mod shrink;
mod tasks;
mod text;

use schema_hints::SchemaHints;
use shrink::Shrinker;

/// How many instances of one seed are tried before a draw fails: proptest gives up the whole test at
/// the first failure.
const INSTANCES: u64 = 8;

/// A strategy for the instances of `schema`, a JSON Schema of any draft, formats asserted.
///
/// ```
/// use foolproof_generate::instances_of;
/// use proptest::prelude::*;
/// use serde_json::json;
///
/// let orders = instances_of(json!({
///     "type": "object",
///     "required": ["id", "lines"],
///     "properties": {
///         "id": { "type": "string", "format": "uuid" },
///         "lines": { "type": "array", "minItems": 1, "items": { "$ref": "#/$defs/line" } },
///         "note": { "type": "string" }
///     },
///     "$defs": { "line": {
///         "type": "object",
///         "required": ["sku", "quantity"],
///         "properties": {
///             "sku": { "type": "string", "pattern": "^[A-Z]{3}-[0-9]{4}$" },
///             "quantity": { "type": "integer", "minimum": 1 }
///         }
///     } }
/// }))?;
///
/// proptest!(|(order in orders)| {
///     let lines = order["lines"].as_array().unwrap();
///     prop_assert!(lines.iter().all(|line| line["quantity"].as_f64().unwrap() >= 1.0));
/// });
/// # Ok::<(), foolproof_contract::Error>(())
/// ```
///
/// A failing test ends with the simplest instance that still fails:
///
/// ```
/// use foolproof_generate::instances_of;
/// use proptest::test_runner::{TestError, TestRunner};
/// use serde_json::json;
///
/// let tags = instances_of(json!({ "type": "array", "items": { "enum": ["new", "sale", "gone"] } }))?;
/// let outcome = TestRunner::deterministic().run(&tags, |tags| {
///     // The bug: this shop cannot show two tags.
///     assert!(tags.as_array().unwrap().len() < 2);
///     Ok(())
/// });
/// assert!(matches!(outcome, Err(TestError::Fail(_, tags)) if tags == json!(["new", "new"])));
/// # Ok::<(), foolproof_contract::Error>(())
/// ```
pub fn instances_of(schema: Value) -> Result<Instances, Error> {
    Instances::new(&Document::from_value(schema)?, FormatPolicy::Assert)
}

/// A proptest strategy for the instances of a contract. Cheap to clone.
///
/// Created by [`instances_of`], or by [`Instances::new`] from a document that was read from a file, has
/// references to others, or does not assert formats. Its values are [`serde_json::Value`]s, which the
/// combinators of proptest turn into anything else:
///
/// ```
/// use foolproof_contract::{Document, FormatPolicy};
/// use foolproof_generate::Instances;
/// use proptest::prelude::*;
///
/// #[derive(Clone, Debug)]
/// struct Point { x: i64, y: i64 }
///
/// let document = Document::from_text("point.json", r#"{
///     "type": "object",
///     "required": ["x", "y"],
///     "properties": {
///         "x": { "type": "integer", "minimum": -9, "maximum": 9 },
///         "y": { "type": "integer", "minimum": -9, "maximum": 9 }
///     }
/// }"#)?;
/// let points = Instances::new(&document, FormatPolicy::Assert)?.prop_map(|point| {
///     Point { x: point["x"].as_i64().unwrap(), y: point["y"].as_i64().unwrap() }
/// });
///
/// proptest!(|(points in prop::collection::vec(points, 1..4))| {
///     prop_assert!(points.iter().all(|point| point.x.abs() <= 9 && point.y.abs() <= 9));
/// });
/// # Ok::<(), foolproof_contract::Error>(())
/// ```
#[derive(Clone)]
#[must_use = "strategies do nothing unless used"]
pub struct Instances(Arc<Contract>);

/// The contract with what drawing and shrinking need.
#[derive(Debug)]
struct Contract {
    name: String,
    generator: Generator,
    oracle: Oracle,
    hints: SchemaHints,
    is_shallow: bool,
    simple_values: OnceLock<Vec<Value>>,
}

impl Contract {
    /// Values whose parts are as simple as possible: sparse ones and full ones. Drawn when the first
    /// failure needs them.
    fn simple_values(&self) -> &[Value] {
        let draw = |choices: &[u64]| self.generator.plan().draw(&mut Replay::new(choices.to_vec()));
        // The first choice of a draw decides how many optional members it has.
        let draw_all = || [&[][..], &[1], &[3]].into_iter().filter_map(draw).collect();
        self.simple_values.get_or_init(|| with_large_stack(draw_all))
    }
}

impl Instances {
    /// A strategy for the instances of `document`, a JSON Schema.
    ///
    /// A schema that admits no value is no error here: drawing a value from the strategy is.
    pub fn new(document: &Document, formats: FormatPolicy) -> Result<Self, Error> {
        let graph = Graph::of(document)?;
        Ok(Self(Arc::new(Contract {
            name: document.name().to_owned(),
            generator: Generator::new(document, formats)?,
            oracle: Oracle::new(document, formats)?,
            is_shallow: depth::is_shallow(document, &graph),
            hints: SchemaHints::new(document, graph),
            simple_values: OnceLock::new(),
        })))
    }

    fn instance(&self, seed: Seed) -> Option<Value> {
        let generator = &self.0.generator;
        // Far from the start of a run: the tour there is the same for every seed.
        let find = || (0..INSTANCES).find_map(|index| generator.instance(seed, u64::MAX - index));
        let found = if self.0.is_shallow { find() } else { with_large_stack(find) };
        found.map(Accepted::into_value)
    }

    fn failure_reason(&self) -> Reason {
        let name = &self.0.name;
        Reason::from(if self.0.generator.plan().is_empty() {
            format!("the schema {name} admits no value: `foolproof inspect` says why")
        } else if let Some(least) = self.0.generator.excess() {
            format!(
                "the smallest value of the schema {name} has {least}, which is more than is generated"
            )
        } else {
            format!("no valid instance of the schema {name} was found")
        })
    }
}

impl fmt::Debug for Instances {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("Instances").field(&self.0.name).finish()
    }
}

impl Strategy for Instances {
    type Tree = InstanceTree;
    type Value = Value;

    fn new_tree(&self, runner: &mut TestRunner) -> NewTree<Self> {
        let number = proptest::num::u64::ANY.new_tree(runner)?.current();
        let value =
            self.instance(Seed::from_number(number)).ok_or_else(|| self.failure_reason())?;
        Ok(InstanceTree(Shrinker::new(Arc::clone(&self.0), value)))
    }
}

/// An instance with its shrinking state: what [`Instances`] draws.
///
/// [`current`](ValueTree::current) is always valid.
#[derive(Debug)]
pub struct InstanceTree(Shrinker);

impl ValueTree for InstanceTree {
    type Value = Value;

    fn current(&self) -> Value {
        self.0.current().clone()
    }

    fn simplify(&mut self) -> bool {
        self.0.simplify()
    }

    fn complicate(&mut self) -> bool {
        self.0.complicate()
    }
}
