//! The plan: a canonical form compiled once into an arena, so that a draw follows indices.
//!
//! References become indices, so recursive sets are cycles in the arena. Every node knows the
//! cheapest finite depth of its values, which is how recursion always ends. What the algebra leaves
//! symbolic (`allOf`, `oneOf`, `not`) is drawn from its most telling part and filtered.

use std::sync::{Arc, OnceLock};

use foolproof_contract::{Canonical, Document, Formats, Graph, JsonType, Oracle, ReadOptions};
use serde_json::Value;

use crate::{
    number::{Integers, Numbers},
    string::Strings,
};

mod compile;
mod hints;
mod in_place;
mod meet;
mod names;
mod tour;

use compile::Compiler;
use hints::Hints;
use meet::Algebra;
pub(crate) use tour::Stop;
use tour::Tour;

/// The name of a node in its plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct NodeId(u32);

impl NodeId {
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// A set of values, ready to be drawn from. Made by [`Plan::of`].
#[derive(Debug)]
pub struct Plan {
    pub(crate) nodes: Vec<Arc<Node>>,
    /// For each node the least nesting of any of its values; `None` if none was found to be finite.
    pub(crate) depths: Vec<Option<u32>>,
    pub(crate) root: NodeId,
    /// How the first instances of a run visit every part; planned when the first of them asks.
    tour: OnceLock<Tour>,
}

#[derive(Debug)]
pub(crate) enum Node {
    /// No value.
    Never,
    /// Values of these types; all of them for "any value".
    Types(Vec<JsonType>),
    /// One of these values.
    Values(Vec<Value>),
    String(Strings),
    Integer(Integers),
    Number(Numbers),
    Array(Box<ArrayPlan>),
    Object(Box<ObjectPlan>),
    /// A value of one of these.
    Union(Vec<NodeId>),
    /// A value of the base that passes the filters.
    Filtered {
        bases: Vec<NodeId>,
        filter: Filter,
    },
}

/// What a value drawn from a wider set must still satisfy. Compiled when the first value asks: most
/// plans have parts that a run never reaches.
#[derive(Debug)]
pub(crate) struct Filter {
    form: Canonical,
    oracle: OnceLock<Option<Oracle>>,
}

impl Filter {
    fn new(form: &Canonical) -> Self {
        Self { form: form.clone(), oracle: OnceLock::new() }
    }

    /// One that cannot be compiled lets everything pass: the oracle of the whole schema has the last
    /// word anyway.
    pub(crate) fn admits(&self, value: &Value) -> bool {
        let compile = || {
            let options = ReadOptions::default().draft(self.form.draft());
            let document = Document::from_value_with(self.form.to_schema(), &options).ok()?;
            Oracle::new(&document, Formats::Assert).ok()
        };
        self.oracle.get_or_init(compile).as_ref().is_none_or(|oracle| oracle.is_valid(value))
    }
}

#[derive(Debug, Default)]
pub(crate) struct ArrayPlan {
    pub(crate) min: usize,
    pub(crate) max: Option<usize>,
    pub(crate) distinct: bool,
    pub(crate) prefix: Vec<NodeId>,
    /// The items after the prefix; `None` for any value.
    pub(crate) items: Option<NodeId>,
    pub(crate) contains: Vec<ContainsPlan>,
}

impl ArrayPlan {
    /// The number of items that must be contained; a contract may ask for more than can be counted.
    pub(crate) fn contained(&self) -> usize {
        let contained = self.contains.iter().map(|contains| contains.min);
        contained.fold(0, usize::saturating_add)
    }
}

#[derive(Debug)]
pub(crate) struct ContainsPlan {
    pub(crate) node: NodeId,
    pub(crate) min: usize,
}

#[derive(Debug, Default)]
pub(crate) struct ObjectPlan {
    pub(crate) min: usize,
    pub(crate) max: Option<usize>,
    pub(crate) required: Vec<(String, NodeId)>,
    pub(crate) optional: Vec<(String, NodeId)>,
    /// Properties that nobody declared, for objects that need or allow more.
    pub(crate) extra: Vec<(String, NodeId)>,
    /// Whether the object is a map: what nobody declared is what it is for.
    pub(crate) is_map: bool,
}

impl ObjectPlan {
    /// The property in `slot`, counted through the required, the optional and the extra ones.
    pub(crate) fn member(&self, slot: usize) -> &(String, NodeId) {
        let (required, optional) = (self.required.len(), self.optional.len());
        if slot < required {
            &self.required[slot]
        } else if slot < required + optional {
            &self.optional[slot - required]
        } else {
            &self.extra[slot - required - optional]
        }
    }
}

/// Compiles many forms of one document, each part of them once.
///
/// ```
/// use foolproof_contract::{Canonicalizer, Document, Formats};
/// use foolproof_generate::{Plans, Seed};
/// use serde_json::json;
///
/// let document = Document::from_value(json!({ "properties": { "a": { "type": "integer" } } }))?;
/// let forms = Canonicalizer::new(&document, Formats::Assert)?;
/// let mut plans = Plans::new(&document, forms.graph());
/// let narrow = json!({ "type": "object", "properties": document.value()["properties"], "required": ["a"] });
/// for form in forms.forms_of(&[narrow]).into_iter().flatten() {
///     let value = plans.compile(&form).draw(&mut Seed::from_number(1).random()).unwrap();
///     assert!(value["a"].is_number());
/// }
/// # Ok::<(), foolproof_contract::Error>(())
/// ```
#[derive(Debug)]
pub struct Plans(Compiler);

impl Plans {
    /// Plans of forms of `document`, whose graph tells the names that forms forget.
    #[must_use]
    pub fn new(document: &Document, graph: &Graph) -> Self {
        Self(Compiler::new(Hints::of(document, graph), Algebra::sparing()))
    }

    /// The plan of `form`.
    pub fn compile(&mut self, form: &Canonical) -> Plan {
        foolproof_contract::with_large_stack(|| self.0.compile_root(form))
    }
}

impl Plan {
    /// Compiles `form`, a form of `document`, whose graph tells the names that forms forget.
    #[must_use]
    pub fn of(form: &Canonical, document: &Document, graph: &Graph) -> Self {
        let mut compiler = Compiler::new(Hints::of(document, graph), Algebra::Unbounded);
        foolproof_contract::with_large_stack(|| compiler.compile_root(form))
    }

    pub(crate) fn tour(&self) -> &Tour {
        self.tour.get_or_init(|| Tour::of(&self.nodes, &self.depths, self.root))
    }

    /// How many nodes it has: what the cost of compiling goes by.
    #[must_use]
    pub fn size(&self) -> usize {
        self.nodes.len()
    }

    /// Whether no finite value was found to exist while compiling. `false` proves nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.depths[self.root.index()].is_none()
    }
}
