//! Reads JSON Schema and OpenAPI documents and answers questions about them.
//!
//! A contract is a set of values. This crate reads one and provides what the rest of foolproof needs:
//!
//! - [`Document`]: the text as an exact value, its kind, dialect and references.
//! - [`Graph`]: the schema locations a value can reach, as written.
//! - [`Canonicalizer`]: the schema as a set of values, with its algebra, what had to be relaxed to
//!   get it, and which locations admit no value.
//! - [`language`]: patterns as regular languages.
//! - [`NameIndex`]: the property names an object admits.
//! - [`Oracle`]: whether a value satisfies the schema as its author wrote it, and [`Ajv`], a
//!   second oracle.
//!
//! Nothing here generates values, measures coverage or prints.
#![warn(clippy::disallowed_types, clippy::disallowed_methods)]

mod canonical;
mod count;
mod cpu_timer;
mod dialect;
mod document;
mod error;
mod files;
mod fingerprint;
mod formats;
#[cfg(feature = "_fuzz")]
#[doc(hidden)]
pub mod fuzz;
mod graph;
mod json_equal;
mod json_view;
pub mod language;
mod metaschema;
pub mod names;
pub mod openapi;
mod oracle;
mod pattern;
mod pointer;
mod position;
mod references;
mod stack;
mod text;
mod thread_safety;
mod types;
mod untrusted;
mod uri;
mod value_condition;
#[doc(hidden)]
pub mod wording;

pub use canonical::{
    ArrayShape, BrokenRule, Canonical, Canonicalizer, Cause, Contains, Diagnostic, DiagnosticCode,
    Distinctness, IntegerShape, NoForm, NotExpressible, NumberShape, ObjectShape, RelaxReason,
    Relaxation, Shape, StringShape, Verdict,
};
pub use count::count;
pub use cpu_timer::CpuTimer;
pub use dialect::{Draft, asserts_nothing, is_annotation};
pub use document::{ContractKind, Document, DraftOrigin, EntryId, ReadOptions};
pub use error::{Error, Problem};
pub use fingerprint::fingerprint_of_parts;
pub use formats::format_lengths;
pub use graph::{
    Applicator, DeclaredProperties, Edge, Graph, InPlaceApplicator, ItemApplicator, Location,
    MemberApplicator, Node, NodeId, ValueStep, formats_may_decide,
};
pub use json_equal::json_equal;
pub use json_view::{
    ArenaMark, ArenaValue, ArrayView, ItemsIter, JsonArena, JsonKind, JsonName, JsonView,
    MembersIter, NumberView, ObjectView, write_json,
};
pub use names::NameIndex;
pub use oracle::{
    Accepted, AcceptedView, Ajv, AjvError, AjvOptions, AjvOracle, FormatPolicy, Operands, Oracle,
    Rejected, StringCheck, Violation,
};
pub use pattern::Pattern;
pub use pointer::{InvalidPointer, Pointer};
pub use position::Position;
pub use stack::with_large_stack;
pub use text::{MAX_DEPTH, SourceText, Syntax};
pub use types::{JsonType, TypeSet};
pub use untrusted::{Untrusted, controls_terminal};
pub use value_condition::ValueCondition;
