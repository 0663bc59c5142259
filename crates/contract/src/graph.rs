//! The graph of schema locations that a value can reach.
//!
//! One node a location, as written, with its pointer into the user's own document; one typed edge
//! for each way from a location to the next. A location that holds nothing but a reference is no
//! node: an edge through it leads to the target and remembers the use site. The graph says where a
//! value *can* go, not whether it satisfies anything; that is the oracle's business.
//!
//! The order is that of a walk in document order, so equal documents give equal graphs.

use std::{collections::BTreeSet, fmt, sync::Arc};

use crate::{Document, Draft, Error, Pointer};

mod build;
mod cycle;
mod declared;
mod formats;
mod locate;
mod told_apart;

pub use declared::{DeclaredProperties, ValueStep};
pub use formats::formats_may_decide;

/// A place in one of the documents that a contract consists of.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Location {
    /// The URI of another document; `None` is the user's own.
    resource: Option<Arc<str>>,
    pointer: Pointer,
}

impl Location {
    pub(crate) fn new(resource: Option<Arc<str>>, pointer: Pointer) -> Self {
        Self { resource, pointer }
    }

    /// The whole of the user's own document.
    #[must_use]
    pub fn root() -> Self {
        Self::new(None, Pointer::root())
    }

    /// The URI of the document, unless it is the user's own.
    #[must_use]
    pub fn resource(&self) -> Option<&str> {
        self.resource.as_deref()
    }

    /// The place inside the document.
    #[must_use]
    pub fn pointer(&self) -> &Pointer {
        &self.pointer
    }

    /// The place around this one, unless it is the whole document.
    #[must_use]
    pub fn parent(&self) -> Option<Self> {
        Some(Self { resource: self.resource.clone(), pointer: self.pointer.parent()? })
    }

    /// The place of the member `name` of what stands here.
    #[must_use]
    pub fn key(&self, name: &str) -> Self {
        Self { resource: self.resource.clone(), pointer: self.pointer.key(name) }
    }

    /// The place of element `index` of what stands here.
    #[must_use]
    pub fn index(&self, index: usize) -> Self {
        Self { resource: self.resource.clone(), pointer: self.pointer.index(index) }
    }

    /// The place at `rest` below this one.
    #[must_use]
    pub fn join(&self, rest: &Pointer) -> Self {
        Self { resource: self.resource.clone(), pointer: self.pointer.join(rest) }
    }
}

impl fmt::Display for Location {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}#{}", self.resource().unwrap_or(""), self.pointer)
    }
}

/// The name of a node in its graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct NodeId(u32);

impl NodeId {
    /// The node's place in [`Graph::nodes`].
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A schema location.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    location: Location,
    draft: Draft,
    edges: Vec<Edge>,
}

impl Node {
    /// Where the schema stands.
    #[must_use]
    pub fn location(&self) -> &Location {
        &self.location
    }

    /// The draft it is read under.
    #[must_use]
    pub fn draft(&self) -> Draft {
        self.draft
    }

    /// The ways onward, in document order.
    #[must_use]
    pub fn edges(&self) -> &[Edge] {
        &self.edges
    }
}

/// A way from one location to another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edge {
    applicator: Applicator,
    site: Location,
    target: NodeId,
}

impl Edge {
    /// How a value gets there.
    #[must_use]
    pub fn applicator(&self) -> &Applicator {
        &self.applicator
    }

    /// Where the edge is written: the place below the keyword, before any reference is followed.
    #[must_use]
    pub fn site(&self) -> &Location {
        &self.site
    }

    /// The location it leads to.
    #[must_use]
    pub fn target(&self) -> NodeId {
        self.target
    }
}

/// How a value gets from one schema to another: the keyword that applies the second one, by the part
/// of the value that it is applied to.
///
/// A stage that treats a whole family alike matches the family; one that has to tell its members apart
/// matches these, and a new keyword breaks its build.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Applicator {
    /// To the values of properties.
    Member(MemberApplicator),
    /// To items of an array.
    Item(ItemApplicator),
    /// To the names of the properties.
    PropertyNames,
    /// To the same value.
    InPlace(InPlaceApplicator),
    /// To the same value, which must not satisfy it.
    Not,
}

/// Applies a schema to the values of properties.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum MemberApplicator {
    /// Of the property of this name.
    Property(String),
    /// Of the properties whose names match this pattern.
    Pattern(String),
    /// Of the properties that neither name nor pattern declares.
    Additional,
    /// Of the properties that nothing else evaluated.
    Unevaluated,
}

/// Applies a schema to items of an array.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ItemApplicator {
    /// To the item at this index.
    Prefix(usize),
    /// To the items from this index on.
    Rest {
        /// How many items the prefix covers.
        from: usize,
    },
    /// To the items that nothing else evaluated.
    Unevaluated,
    /// To the items that are counted.
    Contains,
}

/// Applies a schema to the same value.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum InPlaceApplicator {
    /// Every branch must hold.
    AllOf(usize),
    /// At least one branch must hold.
    AnyOf(usize),
    /// Exactly one branch must hold.
    OneOf(usize),
    /// A condition, which need not hold.
    If,
    /// Where the condition holds.
    Then,
    /// Where the condition does not hold.
    Else,
    /// Where the value has the property of this name.
    DependentSchema(String),
    /// A reference that stands beside other keywords.
    Reference,
}

impl Applicator {
    /// The applicator `if`.
    pub const IF: Self = Self::InPlace(InPlaceApplicator::If);
    /// The applicator `then`.
    pub const THEN: Self = Self::InPlace(InPlaceApplicator::Then);
    /// The applicator `else`.
    pub const ELSE: Self = Self::InPlace(InPlaceApplicator::Else);

    /// Whether the schema is applied to the same value.
    #[must_use]
    pub fn is_in_place(&self) -> bool {
        match self {
            Self::InPlace(_) | Self::Not => true,
            Self::Member(_) | Self::Item(_) | Self::PropertyNames => false,
        }
    }

    /// Whether it is a branch of `anyOf` or `oneOf`.
    #[must_use]
    pub fn is_union_branch(&self) -> bool {
        matches!(self, Self::InPlace(InPlaceApplicator::AnyOf(_) | InPlaceApplicator::OneOf(_)))
    }

    /// Whether it is `if`, `then` or `else`.
    #[must_use]
    pub fn is_conditional(&self) -> bool {
        matches!(
            self,
            Self::InPlace(
                InPlaceApplicator::If | InPlaceApplicator::Then | InPlaceApplicator::Else
            )
        )
    }
}

/// The schema locations of a contract that a value can reach.
///
/// ```
/// use foolproof_contract::{Document, Graph, Applicator, MemberApplicator};
///
/// let document = Document::from_text("tree.json", r##"{
///     "$defs": {"node": {"type": "object", "properties": {"next": {"$ref": "#/$defs/node"}}},
///               "unused": true},
///     "$ref": "#/$defs/node"
/// }"##)?;
/// let graph = Graph::of(&document)?;
///
/// let node = &graph[graph.root()];
/// assert_eq!(node.location().to_string(), "#/$defs/node");
/// let next = &node.edges()[0];
/// assert_eq!(next.applicator(), &Applicator::Member(MemberApplicator::Property("next".into())));
/// assert_eq!(next.site().to_string(), "#/$defs/node/properties/next");
/// assert_eq!(next.target(), graph.root());
/// assert_eq!(graph.unreached_definitions()[0].to_string(), "#/$defs/unused");
/// # Ok::<(), foolproof_contract::Error>(())
/// ```
///
/// Clones share one graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Graph(Arc<Inner>);

#[derive(Debug, PartialEq, Eq)]
struct Inner {
    nodes: Vec<Node>,
    root: NodeId,
    definitions: usize,
    unreached: Vec<Location>,
    self_references: Vec<Location>,
    external: BTreeSet<Arc<str>>,
}

impl Graph {
    /// Builds the graph of `document`, which must be a schema: an API has many roots, each of them an
    /// entry with a document of its own. Fails where a reachable reference names nothing, or
    /// leads back to itself without entering the value.
    pub fn of(document: &Document) -> Result<Self, Error> {
        build::build(document)
    }

    /// The locations, in the order of a walk from the root.
    #[must_use]
    pub fn nodes(&self) -> &[Node] {
        &self.0.nodes
    }

    /// Each location with its name.
    #[must_use]
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (NodeId, &Node)> {
        self.0.nodes.iter().enumerate().map(|(index, node)| (node_id(index), node))
    }

    /// The location that a whole value enters at: the root of the schema, or what that refers to.
    #[must_use]
    pub fn root(&self) -> NodeId {
        self.0.root
    }

    /// How many definitions the document has, reached or not: what stands under `$defs` or
    /// `definitions`, or among the schemas of an API's components.
    #[must_use]
    pub fn definitions(&self) -> usize {
        self.0.definitions
    }

    /// The definitions that no value reaches.
    #[must_use]
    pub fn unreached_definitions(&self) -> &[Location] {
        &self.0.unreached
    }

    /// Whether a value can be inside another value of the same schema.
    #[must_use]
    pub fn is_recursive(&self) -> bool {
        cycle::has_cycle(self)
    }

    /// Where a schema requires itself of the same value, by `allOf` or `$ref`, each in the user's own
    /// document. That adds nothing, so there is no edge for it; its author will have meant something
    /// else. Any other cycle on the same value is an error.
    ///
    /// ```
    /// use foolproof_contract::{Document, Graph};
    /// use serde_json::json;
    ///
    /// let document = Document::from_value(json!({ "type": "object", "allOf": [{ "$ref": "#" }] }))?;
    /// assert_eq!(Graph::of(&document)?.self_references()[0].to_string(), "#/allOf/0");
    /// let document = Document::from_value(json!({ "anyOf": [{ "$ref": "#" }, { "type": "null" }] }))?;
    /// assert_eq!(Graph::of(&document).unwrap_err().code(), "contract::reference-cycle");
    /// # Ok::<(), foolproof_contract::Error>(())
    /// ```
    #[must_use]
    pub fn self_references(&self) -> &[Location] {
        &self.0.self_references
    }

    /// The URIs of other documents that values reach.
    pub fn external_resources(&self) -> impl Iterator<Item = &str> {
        self.0.external.iter().map(|uri| &**uri)
    }
}

impl std::ops::Index<NodeId> for Graph {
    type Output = Node;

    fn index(&self, id: NodeId) -> &Node {
        &self.0.nodes[id.index()]
    }
}

fn node_id(index: usize) -> NodeId {
    NodeId(u32::try_from(index).expect("a document has fewer than 2^32 locations"))
}
