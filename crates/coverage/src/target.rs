//! One thing in a contract that data may exercise.
//!
//! The id of a target depends on its kind, its location and its parameters: static facts of the
//! contract. Neither options nor results change an id.

use std::fmt;

use foolproof_contract::{Location, openapi::Side};
use serde_json::{Map, Number, Value, json};

use crate::{Dimension, Unreachable};

/// What a target asks for.
///
/// ```
/// use foolproof_coverage::{Dimension, TargetKind};
///
/// assert_eq!(TargetKind::from("ENUM_VALUE_HIT"), TargetKind::EnumValueHit);
/// assert_eq!(TargetKind::EnumValueHit.dimension(), Some(Dimension::Enum));
/// let later = TargetKind::from("OF_A_LATER_VERSION");
/// assert_eq!((later.as_str(), later.dimension()), ("OF_A_LATER_VERSION", None));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum TargetKind {
    /// A value was validated against a schema.
    SchemaNode,
    /// An optional property was present.
    PropertyPresent,
    /// A value took a branch of `oneOf`.
    OneOfBranch,
    /// A value took a branch of `anyOf`.
    AnyOfBranch,
    /// A condition held, or did not.
    ConditionalPath,
    /// A member of an enumeration was used.
    EnumValueHit,
    /// A number was on its lower bound.
    NumericMinHit,
    /// A number was on its upper bound.
    NumericMaxHit,
    /// A string was as short as it may be.
    StringMinLengthHit,
    /// A string was as long as it may be.
    StringMaxLengthHit,
    /// An array had as few items as it may.
    ArrayMinItemsHit,
    /// An array had as many items as it may.
    ArrayMaxItemsHit,
    /// A request of an operation.
    OpRequestCovered,
    /// A response of an operation.
    OpResponseCovered,
    /// A schema that several operations refer to was reached by one of them.
    SchemaReusedCovered,
    /// A kind that this version does not know, in a report of another one.
    Unknown(String),
}

impl TargetKind {
    /// Every kind that this version knows.
    pub const KNOWN: [Self; 15] = [
        Self::SchemaNode,
        Self::PropertyPresent,
        Self::OneOfBranch,
        Self::AnyOfBranch,
        Self::ConditionalPath,
        Self::EnumValueHit,
        Self::NumericMinHit,
        Self::NumericMaxHit,
        Self::StringMinLengthHit,
        Self::StringMaxLengthHit,
        Self::ArrayMinItemsHit,
        Self::ArrayMaxItemsHit,
        Self::OpRequestCovered,
        Self::OpResponseCovered,
        Self::SchemaReusedCovered,
    ];

    /// The word that reports use.
    #[must_use]
    pub fn as_str(&self) -> &str {
        match self {
            Self::SchemaNode => "SCHEMA_NODE",
            Self::PropertyPresent => "PROPERTY_PRESENT",
            Self::OneOfBranch => "ONEOF_BRANCH",
            Self::AnyOfBranch => "ANYOF_BRANCH",
            Self::ConditionalPath => "CONDITIONAL_PATH",
            Self::EnumValueHit => "ENUM_VALUE_HIT",
            Self::NumericMinHit => "NUMERIC_MIN_HIT",
            Self::NumericMaxHit => "NUMERIC_MAX_HIT",
            Self::StringMinLengthHit => "STRING_MIN_LENGTH_HIT",
            Self::StringMaxLengthHit => "STRING_MAX_LENGTH_HIT",
            Self::ArrayMinItemsHit => "ARRAY_MIN_ITEMS_HIT",
            Self::ArrayMaxItemsHit => "ARRAY_MAX_ITEMS_HIT",
            Self::OpRequestCovered => "OP_REQUEST_COVERED",
            Self::OpResponseCovered => "OP_RESPONSE_COVERED",
            Self::SchemaReusedCovered => "SCHEMA_REUSED_COVERED",
            Self::Unknown(word) => word,
        }
    }

    /// The dimension it belongs to, unless it is unknown.
    #[must_use]
    pub fn dimension(&self) -> Option<Dimension> {
        Some(match self {
            Self::SchemaNode | Self::PropertyPresent => Dimension::Structure,
            Self::OneOfBranch | Self::AnyOfBranch | Self::ConditionalPath => Dimension::Branches,
            Self::EnumValueHit => Dimension::Enum,
            Self::NumericMinHit
            | Self::NumericMaxHit
            | Self::StringMinLengthHit
            | Self::StringMaxLengthHit
            | Self::ArrayMinItemsHit
            | Self::ArrayMaxItemsHit => Dimension::Boundaries,
            Self::OpRequestCovered | Self::OpResponseCovered | Self::SchemaReusedCovered => {
                Dimension::Operations
            }
            Self::Unknown(_) => return None,
        })
    }
}

impl From<&str> for TargetKind {
    fn from(word: &str) -> Self {
        let known = Self::KNOWN.into_iter().find(|kind| kind.as_str() == word);
        known.unwrap_or_else(|| Self::Unknown(word.to_owned()))
    }
}

impl fmt::Display for TargetKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

/// The outcome of a condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum ConditionalPath {
    /// `if` held.
    Then,
    /// `if` did not hold.
    Else,
    /// The property that a dependent schema depends on was present.
    Active,
    /// It was absent.
    Inactive,
}

impl ConditionalPath {
    const ALL: [Self; 4] = [Self::Then, Self::Else, Self::Active, Self::Inactive];

    /// The outcome that reports call `word`.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|path| path.as_str() == word)
    }

    /// Whether the condition holds.
    #[must_use]
    pub fn holds(self) -> bool {
        match self {
            Self::Then | Self::Active => true,
            Self::Else | Self::Inactive => false,
        }
    }

    /// The key that reports use.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Then => "if+then",
            Self::Else => "if+else",
            Self::Active => "active",
            Self::Inactive => "inactive",
        }
    }
}

/// What distinguishes targets of one kind at one location.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Params {
    /// Nothing: there is only one.
    None,
    /// A property that a closed object admits without declaring it.
    Name(String),
    /// A branch by its index.
    Branch(usize),
    /// An outcome of a condition.
    Path(ConditionalPath),
    /// A member of an enumeration.
    Member {
        /// Its index.
        index: usize,
        /// The member.
        value: Value,
    },
    /// A bound.
    Bound {
        /// The keyword that sets it.
        keyword: &'static str,
        /// The bound as written.
        bound: Number,
        /// The number, length or size that hits the target.
        value: Number,
    },
}

impl Params {
    /// The parameters as reports show them.
    #[must_use]
    pub fn to_json(&self) -> Option<Map<String, Value>> {
        let shown = match self {
            Self::None => return None,
            Self::Name(name) => json!({ "name": name }),
            Self::Branch(index) => json!({ "branchIndex": index }),
            Self::Path(path) => json!({ "path": path.as_str() }),
            Self::Member { index, value } => json!({ "enumIndex": index, "value": value }),
            Self::Bound { bound, value, .. } => json!({ "bound": bound, "value": value }),
        };
        shown.as_object().cloned()
    }
}

/// Whether a target counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Status {
    /// It counts.
    Active,
    /// No value can hit it: proven.
    Unreachable,
    /// It is listed in reports, but no metric counts it.
    Deprecated,
}

impl Status {
    /// The key that reports use.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Unreachable => "unreachable",
            Self::Deprecated => "deprecated",
        }
    }
}

/// One thing in a contract that data may exercise.
#[derive(Clone, Debug, PartialEq)]
pub struct Target {
    id: String,
    kind: TargetKind,
    dimension: Dimension,
    location: String,
    params: Params,
    status: Status,
    /// How many members the enumeration has, if not all of them are targets.
    sampled_from: Option<usize>,
    /// Why no value can hit it, if that is proven.
    unreachable: Option<Box<Unreachable>>,
}

impl Target {
    pub(crate) fn new(kind: TargetKind, location: &Location, params: Params) -> Self {
        let location = location.to_string();
        let dimension = kind.dimension().expect("the kinds of a contract's targets are known");
        let id = id(&kind, &location, &params);
        let (status, sampled_from, unreachable) = (Status::Active, None, None);
        Self { id, kind, dimension, location, params, status, sampled_from, unreachable }
    }

    /// That one side of an operation has a value.
    pub(crate) fn of_operation(key: &str, location: &Location, side: Side) -> Self {
        let kind = match side {
            Side::Request => TargetKind::OpRequestCovered,
            Side::Response => TargetKind::OpResponseCovered,
        };
        let id = format!("op:{key}:{}", side.as_str());
        Self { id, ..Self::new(kind, location, Params::None) }
    }

    /// The same target, of a document that stands at `base` of a larger one. A target of another document keeps
    /// its location.
    pub(crate) fn below(&self, base: &str) -> Self {
        let Some(rest) = self.location.strip_prefix('#') else { return self.clone() };
        let location = format!("{base}{rest}");
        let unreachable = self.unreachable.as_ref().map(|why| Box::new(why.below(base)));
        Self { id: id(&self.kind, &location, &self.params), location, unreachable, ..self.clone() }
    }

    pub(crate) fn sampled_from(mut self, members: usize) -> Self {
        self.sampled_from = Some(members);
        self
    }

    /// It is listed, but no metric counts it.
    pub(crate) fn set_deprecated(&mut self) {
        self.status = Status::Deprecated;
    }

    /// It can be hit in another entry of the contract.
    pub(crate) fn set_active(&mut self) {
        self.status = Status::Active;
        self.unreachable = None;
    }

    /// No value can hit it. A target that does not count stays one.
    pub(crate) fn set_unreachable(&mut self, why: Unreachable) {
        if self.status == Status::Active {
            self.status = Status::Unreachable;
            self.unreachable = Some(Box::new(why));
        }
    }

    /// The id, the same in every run over the same contract.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }

    /// What it asks for.
    #[must_use]
    pub fn kind(&self) -> &TargetKind {
        &self.kind
    }

    /// The dimension it belongs to.
    #[must_use]
    pub fn dimension(&self) -> Dimension {
        self.dimension
    }

    /// Its location: a pointer into the user's document, after the URI of another document if it is
    /// in that one.
    #[must_use]
    pub fn location(&self) -> &str {
        &self.location
    }

    /// What distinguishes it from other targets of its kind at its location.
    #[must_use]
    pub fn params(&self) -> &Params {
        &self.params
    }

    /// Whether it counts.
    #[must_use]
    pub fn status(&self) -> Status {
        self.status
    }

    /// Why no value can hit it, if that is proven.
    #[must_use]
    pub fn unreachable(&self) -> Option<&Unreachable> {
        self.unreachable.as_deref()
    }

    /// Whether it is the first target of an enumeration of which only a sample of the members are targets.
    pub(crate) fn is_first_of_sample(&self) -> bool {
        self.sampled_from.is_some() && matches!(self.params, Params::Member { index: 0, .. })
    }

    /// The number of members of its enumeration, if only a sample of them are targets.
    #[must_use]
    pub fn sample(&self) -> Option<usize> {
        self.sampled_from
    }
}

impl fmt::Display for Target {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.id)
    }
}

fn id(kind: &TargetKind, location: &str, params: &Params) -> String {
    let prefix = match kind {
        TargetKind::SchemaNode => "struct",
        TargetKind::PropertyPresent => "prop",
        TargetKind::OneOfBranch | TargetKind::AnyOfBranch => "branch",
        TargetKind::ConditionalPath => "cond",
        TargetKind::EnumValueHit => "enum",
        TargetKind::NumericMinHit
        | TargetKind::NumericMaxHit
        | TargetKind::StringMinLengthHit
        | TargetKind::StringMaxLengthHit
        | TargetKind::ArrayMinItemsHit
        | TargetKind::ArrayMaxItemsHit => "bound",
        TargetKind::OpRequestCovered | TargetKind::OpResponseCovered => "op",
        TargetKind::SchemaReusedCovered => "reused",
        TargetKind::Unknown(word) => word,
    };
    let suffix = match params {
        Params::None if *kind == TargetKind::PropertyPresent => ":present".to_owned(),
        Params::None => String::new(),
        Params::Name(name) => format!(":{}:present", escape(name)),
        Params::Branch(index) | Params::Member { index, .. } => format!(":{index}"),
        Params::Path(path) => format!(":{}", path.as_str()),
        Params::Bound { keyword, .. } => format!(":{keyword}"),
    };
    format!("{prefix}:{location}{suffix}")
}

/// A name as the last part of an id, escaped so that ids of different targets never coincide.
fn escape(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1").replace(':', "~2")
}
