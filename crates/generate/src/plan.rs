//! The plan: a canonical form compiled once into an arena, so that a draw follows indices.
//!
//! References become indices, so recursive sets are cycles in the arena. Every node has the least
//! finite depth of its values, so that recursion always ends. What the algebra leaves symbolic (`allOf`,
//! `oneOf`, `not`) is drawn from its most specific part and filtered.

use std::sync::{Arc, OnceLock};

use foolproof_contract::{Canonical, Document, Graph, JsonName, JsonType, JsonView, Oracle};
use serde_json::Value;

use crate::{
    ValueSize,
    draw::REST,
    number::{Integers, Numbers},
    string::Strings,
};

mod compile;
mod hints;
mod in_place;
mod least;
mod listing;
mod meet;
mod names;
mod places;
mod separation;
mod shared_strings;
mod tour;

use compile::Compiler;
use hints::Hints;
pub(crate) use least::Least;
use meet::Algebra;
pub(crate) use places::{Place, PlaceStep};
pub(crate) use separation::{Separation, form_oracle, small_values};
pub(crate) use tour::Stop;
use tour::{Extent, Tour};

/// The index of a node in its plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct NodeId(u32);

impl NodeId {
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// A set of values, compiled for drawing. Created by [`Plan::of`].
#[derive(Clone, Debug)]
pub struct Plan {
    pub(crate) nodes: Vec<Arc<Node>>,
    /// For each node its least values; `None` if none was found to be finite.
    pub(crate) least: Vec<Option<Least>>,
    pub(crate) root: NodeId,
    /// The most that one value may have.
    pub(crate) limit: ValueSize,
    /// Patterns of strings that are not drawn, since a check of one takes too long.
    costly: Vec<String>,
    /// How the first instances of a run visit every part; planned when the first of them is drawn.
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
    String(Arc<Strings>),
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

/// What a value drawn from a wider set must also satisfy. Compiled when the first value is filtered:
/// most plans have parts that a run never reaches.
#[derive(Debug)]
pub(crate) struct Filter {
    form: Canonical,
    oracle: OnceLock<Option<Oracle>>,
    /// How rejected values are changed, if only that gives values.
    separation: OnceLock<Option<Box<Separation>>>,
}

impl Filter {
    fn new(form: &Canonical) -> Self {
        Self { form: form.clone(), oracle: OnceLock::new(), separation: OnceLock::new() }
    }

    /// A filter that cannot be compiled admits everything: the oracle of the whole schema checks every
    /// instance anyway.
    pub(crate) fn admits<'v>(&self, value: impl Into<JsonView<'v>>) -> bool {
        let oracle = self.oracle.get_or_init(|| form_oracle(&self.form));
        oracle.as_ref().is_none_or(|oracle| oracle.is_valid(value))
    }

    /// How values that it rejects are changed so that it admits them, if `is_needed` says that no other
    /// way gives values. Asked once, so the answer must depend on the plan alone.
    pub(crate) fn separation(
        &self,
        is_needed: impl FnOnce(&Separation) -> bool,
    ) -> Option<&Separation> {
        if self.separation.get().is_none() {
            // Draws inside may come here again, so nothing is locked meanwhile.
            let found = Separation::of(&self.form).filter(is_needed).map(Box::new);
            let _ = self.separation.set(found);
        }
        self.separation.get()?.as_deref()
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

    /// The nodes of the items that must be contained, each as often as it must.
    pub(crate) fn contained_nodes(&self) -> impl Iterator<Item = NodeId> {
        let contains = self.contains.iter();
        contains.flat_map(|contains| std::iter::repeat_n(contains.node, contains.min))
    }

    /// The node of the item at `index`; `None` for any value. What must be contained comes after the prefix, where it
    /// meets the fewest rules.
    pub(crate) fn item_node(
        &self,
        index: usize,
        contained: &mut impl Iterator<Item = NodeId>,
    ) -> Option<NodeId> {
        match self.prefix.get(index) {
            Some(node) => Some(*node),
            None => contained.next().or(self.items),
        }
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
    /// Undeclared properties, for objects that need or allow more.
    pub(crate) extra: Vec<(String, NodeId)>,
    /// Whether the object is a map: it is meant for undeclared properties.
    pub(crate) is_map: bool,
    /// The names in all slots.
    pub(crate) names: Vec<SlotName>,
}

/// The name of a property, as a draw needs it.
#[derive(Debug)]
pub(crate) struct SlotName {
    pub(crate) name: JsonName,
    /// The place of the name in the order of all of them. Equal names have one rank.
    pub(crate) rank: u32,
}

impl ObjectPlan {
    /// The same, with its names prepared.
    fn named(mut self) -> Self {
        let properties = self.required.iter().chain(&self.optional).chain(&self.extra);
        let names: Vec<&str> = properties.map(|(name, _)| name.as_str()).collect();
        let mut order: Vec<usize> = (0..names.len()).collect();
        order.sort_by_key(|slot| names[*slot]);
        let mut ranks = vec![0; names.len()];
        for pair in order.windows(2) {
            ranks[pair[1]] = ranks[pair[0]] + u32::from(names[pair[0]] != names[pair[1]]);
        }
        let name = |(name, rank): (&&str, u32)| SlotName { name: JsonName::new(name), rank };
        self.names = names.iter().zip(ranks).map(name).collect();
        self
    }

    /// What the smallest members that an object needs beside the required ones take together.
    pub(crate) fn fill_size(&self, least: &[Option<Least>]) -> ValueSize {
        let of_others = least::others(self, least);
        of_others.into_iter().fold(ValueSize::NOTHING, |sum, other| sum.plus(other.size.item()))
    }

    /// How many members an object must have beside the required ones.
    pub(crate) fn missing(&self) -> usize {
        self.min.saturating_sub(self.required.len())
    }

    /// The slots of all properties.
    pub(crate) fn slots(&self) -> std::ops::Range<usize> {
        0..self.required.len() + self.optional.len() + self.extra.len()
    }

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

/// Compiles many forms of one document, each part once.
///
/// ```
/// use foolproof_contract::{Canonicalizer, Document, FormatPolicy};
/// use foolproof_generate::{PlanCompiler, Seed};
/// use serde_json::json;
///
/// let document = Document::from_value(json!({ "properties": { "a": { "type": "integer" } } }))?;
/// let forms = Canonicalizer::new(&document, FormatPolicy::Assert)?;
/// let mut plans = PlanCompiler::new(&document, forms.graph());
/// let narrow = json!({ "type": "object", "properties": document.value()["properties"], "required": ["a"] });
/// for form in forms.forms_of(&[narrow]).into_iter().flatten() {
///     let value = plans.compile(&form).draw(&mut Seed::from_number(1).random()).unwrap();
///     assert!(value["a"].is_number());
/// }
/// # Ok::<(), foolproof_contract::Error>(())
/// ```
#[derive(Debug)]
pub struct PlanCompiler(Compiler);

impl PlanCompiler {
    /// A compiler of plans for forms of `document`, whose graph has the property names that forms omit.
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
    /// Compiles `form`, a form of `document`, whose graph has the property names that forms omit.
    #[must_use]
    pub fn of(form: &Canonical, document: &Document, graph: &Graph) -> Self {
        let mut compiler = Compiler::new(Hints::of(document, graph), Algebra::Unbounded);
        foolproof_contract::with_large_stack(|| compiler.compile_root(form))
    }

    pub(crate) fn tour(&self) -> &Tour {
        self.tour.get_or_init(|| Tour::of(&self.nodes, &self.least, self.root, Extent::Usual))
    }

    /// The same plan, whose first draws show at once what fits into so many values: optional properties together,
    /// alternatives and members of enumerations in turn.
    ///
    /// ```
    /// use foolproof_generate::{Generator, Seed};
    /// use serde_json::json;
    ///
    /// let size = json!({ "enum": ["M", "S"] });
    /// let generator = Generator::of(json!({ "type": "object", "properties": { "shirt": size, "hat": size } }))?;
    /// let plan = generator.plan().showing(100);
    /// assert_eq!(plan.first_draws(), 2);
    /// let draw = |index| plan.draw_at(index, &mut Seed::from_number(1).random());
    /// assert_eq!(draw(0), Some(json!({ "shirt": "M", "hat": "M" })));
    /// assert_eq!(draw(1), Some(json!({ "shirt": "S", "hat": "S" })));
    /// # Ok::<(), foolproof_contract::Error>(())
    /// ```
    #[must_use]
    pub fn showing(&self, values: usize) -> Self {
        let tour = Tour::of(&self.nodes, &self.least, self.root, Extent::Wide(values));
        Self { tour: OnceLock::from(tour), ..self.clone() }
    }

    /// After how many draws of a run every part was drawn, as far as that is planned.
    #[must_use]
    pub fn first_draws(&self) -> u64 {
        let turns = u64::from(self.tour().turns(self.root));
        turns + turns.saturating_sub(1) / (REST - 1)
    }

    /// The number of nodes, which the cost of compiling is proportional to.
    #[must_use]
    pub fn size(&self) -> usize {
        self.nodes.len()
    }

    /// Whether no finite value was found to exist while compiling. `false` proves nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.least_size().is_none()
    }

    /// The size of the smallest value of the plan; `None` if no finite value was found to exist. What filters leave of
    /// the plan may be larger.
    #[must_use]
    pub fn least_size(&self) -> Option<ValueSize> {
        self.least[self.root.index()].map(|least| least.size)
    }

    /// The same, if that is larger than the limit: then nothing is drawn.
    #[must_use]
    pub fn excess(&self) -> Option<ValueSize> {
        self.least_size().filter(|least| !least.fits(self.limit))
    }

    /// The patterns whose strings are not drawn, since the check of a single one takes too long.
    #[must_use]
    pub fn costly_patterns(&self) -> &[String] {
        &self.costly
    }

    /// The same plan for values up to `limit`, instead of [`ValueSize::DEFAULT_LIMIT`].
    #[must_use]
    pub fn limited(self, limit: ValueSize) -> Self {
        Self { limit, ..self }
    }
}
