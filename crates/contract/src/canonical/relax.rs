//! Relaxation: the keywords that the library cannot model are left out of the canonical form.
//!
//! The form then describes more values than the schema admits, never fewer: repair and the oracle
//! bring a value back inside, and a proof that nothing is admitted still holds. What is relaxed is
//! always recorded. Edits are recorded with the user's own pointers and applied together, innermost
//! first, so that no edit invalidates the pointer of another.

use std::{fmt, sync::Arc};

use serde_json::{Map, Value};

use super::{
    conditionals, required_branches,
    rewrite::{self, Relocation},
    unions,
};
use crate::{
    Applicator, Document, Draft, Graph, InPlaceApplicator, ItemApplicator, NodeId, Pointer,
};

/// A keyword that the canonical form does not account for.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Relaxation {
    pointer: Pointer,
    keyword: &'static str,
    reason: RelaxReason,
}

/// Why a keyword was relaxed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum RelaxReason {
    /// It has no canonical form.
    Unmodeled,
    /// Its combinations outgrow the budget.
    TooComplex,
    /// Its intersection with the rest cannot be written exactly.
    Inexact,
    /// It took longer than the deadline.
    TimedOut,
    /// The library rejected it, with this message.
    Refused(String),
    /// The library failed on it.
    Failed,
    /// It surrounds a relaxed part, and would turn a wider part into a narrower whole.
    Surrounds(Pointer),
}

impl fmt::Display for RelaxReason {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unmodeled => formatter.write_str("it has no canonical form"),
            Self::TooComplex => formatter.write_str("its combinations outgrow the budget"),
            Self::Inexact => formatter.write_str("its intersection cannot be written exactly"),
            Self::TimedOut => formatter.write_str("it took longer than the deadline"),
            Self::Refused(message) => write!(formatter, "it was refused: {message}"),
            Self::Failed => formatter.write_str("canonicalisation failed on it"),
            Self::Surrounds(pointer) => {
                write!(formatter, "it surrounds the relaxed `{}`", pointer.to_fragment())
            }
        }
    }
}

impl Relaxation {
    pub(super) fn new(pointer: Pointer, keyword: &'static str, reason: RelaxReason) -> Self {
        Self { pointer, keyword, reason }
    }

    /// The schema that holds the keyword.
    #[must_use]
    pub fn pointer(&self) -> &Pointer {
        &self.pointer
    }

    /// The keyword that was relaxed; `*` where it is the whole schema.
    #[must_use]
    pub fn keyword(&self) -> &'static str {
        self.keyword
    }

    /// Why.
    #[must_use]
    pub fn reason(&self) -> &RelaxReason {
        &self.reason
    }

    /// What it is sorted by first; of the same place and keyword, there is one.
    pub(super) fn key(&self) -> (&Pointer, &'static str) {
        (&self.pointer, self.keyword)
    }

    pub(super) fn is_same_keyword(&self, other: &Self) -> bool {
        self.pointer == other.pointer && self.keyword == other.keyword
    }

    /// What happened to the keyword, as a verb phrase.
    #[must_use]
    pub fn effect(&self) -> &'static str {
        match self.keyword {
            "oneOf" => "read as `anyOf`",
            _ => "left out",
        }
    }
}

/// Denotes the whole schema where no single keyword is at fault.
pub(super) const WHOLE: &str = "*";

/// The keywords to relax, in this order: keywords that are rarely modelled and whose omission costs
/// little variety come before those that define the structure.
const ORDER: [&str; 38] = [
    "unevaluatedProperties",
    "unevaluatedItems",
    "oneOf",
    "not",
    "if",
    "dependentSchemas",
    "dependencies",
    "dependentRequired",
    "contains",
    "propertyNames",
    "uniqueItems",
    "contentMediaType",
    "contentEncoding",
    "format",
    "pattern",
    "multipleOf",
    "enum",
    "const",
    "patternProperties",
    "minLength",
    "maxLength",
    "minItems",
    "maxItems",
    "minProperties",
    "maxProperties",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "$dynamicRef",
    "$recursiveRef",
    "$ref",
    "anyOf",
    "allOf",
    "items",
    "properties",
    "required",
    "type",
];

/// How many of [`ORDER`] combine or negate schemas, and so may be at fault for a schema above them.
const COMBINING: usize = 10;

/// How many schemas below a location are searched for the keyword at fault.
const NEIGHBOURS: usize = 500;

/// What could be relaxed so that the schema at `node` gets a form, in the order to try it: each of
/// its own keywords, then the keywords that combine schemas below it, nearest first. Each attempt
/// includes the relaxations that keep the whole wider.
pub(super) fn attempts(
    graph: &Graph,
    document: &Document,
    node: NodeId,
    reason: &RelaxReason,
) -> Vec<Vec<Relaxation>> {
    // Relaxing the keywords around the location may remove the location itself.
    let mut attempts = vec![surroundings(graph, document, node)];
    attempts.retain(|attempt| !attempt.is_empty());
    for (distance, candidate) in nearest(graph, node).into_iter().enumerate() {
        let pointer = graph[candidate].location().pointer();
        let Some(Value::Object(members)) = pointer.resolve(document.value()) else { continue };
        let keywords = if distance == 0 { &ORDER[..] } else { &ORDER[..COMBINING] };
        let mut around = None;
        for keyword in keywords.iter().filter(|keyword| members.contains_key(**keyword)) {
            let around = around.get_or_insert_with(|| surroundings(graph, document, candidate));
            let mut attempt = around.clone();
            attempt.push(Relaxation::new(pointer.clone(), keyword, reason.clone()));
            attempts.push(attempt);
        }
    }
    attempts
}

/// A combination of this many branches or more is assumed to exceed the deadline.
const MANY_BRANCHES: usize = 16;

/// What to relax in the whole document when the keyword that exceeds the deadline is unknown: first
/// the keywords that negate, count and choose, then all that combine many branches.
pub(super) fn coarse(
    graph: &Graph,
    document: &Document,
    reason: &RelaxReason,
) -> [Vec<Relaxation>; 2] {
    let mut stages = [Vec::new(), Vec::new()];
    for node in graph.nodes().iter().filter(|node| node.location().resource().is_none()) {
        let pointer = node.location().pointer();
        let Some(Value::Object(members)) = pointer.resolve(document.value()) else { continue };
        let relaxation = |keyword| Relaxation::new(pointer.clone(), keyword, reason.clone());
        let combining = ORDER[..COMBINING].iter();
        stages[0].extend(
            combining
                .filter(|keyword| members.contains_key(**keyword))
                .map(|keyword| relaxation(keyword)),
        );
        let is_wide = |keyword: &&&str| {
            let branches = members.get(**keyword).and_then(Value::as_array);
            branches.is_some_and(|branches| branches.len() >= MANY_BRANCHES)
        };
        stages[1]
            .extend(["anyOf", "allOf"].iter().filter(is_wide).map(|keyword| relaxation(keyword)));
        // By then `oneOf` is read as `anyOf`; leaving out what it was read as leaves it out.
        if is_wide(&&"oneOf") {
            stages[1].push(relaxation(WIDE_ONE_OF));
        }
    }
    stages
}

/// A `oneOf` that is left out rather than read as `anyOf`.
const WIDE_ONE_OF: &str = "oneOf (wide)";

/// `node` and the nodes of the user's own document below it, breadth first.
fn nearest(graph: &Graph, node: NodeId) -> Vec<NodeId> {
    let mut found = vec![node];
    let mut seen = vec![false; graph.nodes().len()];
    seen[node.index()] = true;
    let mut next = 0;
    while next < found.len() && found.len() < NEIGHBOURS {
        for edge in graph[found[next]].edges() {
            let target = edge.target();
            let is_new = !std::mem::replace(&mut seen[target.index()], true);
            if is_new && graph[target].location().resource().is_none() {
                found.push(target);
            }
        }
        next += 1;
    }
    found
}

/// The relaxations that keep the whole wider when the schema at `node` becomes wider: what counts
/// or negates it, wherever it is used.
pub(super) fn surroundings(graph: &Graph, document: &Document, node: NodeId) -> Vec<Relaxation> {
    let reason = RelaxReason::Surrounds(graph[node].location().pointer().clone());
    let mut found = Vec::new();
    let users = users(graph, node);
    for user in users.iter().copied() {
        let location = graph[user].location();
        let Some(Value::Object(members)) = location.pointer().resolve(document.value()) else {
            continue;
        };
        let mut relax = |keyword| {
            found.push(Relaxation::new(location.pointer().clone(), keyword, reason.clone()));
        };
        for keyword in ["unevaluatedProperties", "unevaluatedItems"] {
            if members.contains_key(keyword) {
                relax(keyword);
            }
        }
        let leads_there = |edge: &&crate::Edge| {
            edge.target() == node || users.binary_search(&edge.target()).is_ok()
        };
        for edge in graph[user].edges().iter().filter(leads_there) {
            match edge.applicator() {
                Applicator::Not => relax("not"),
                Applicator::InPlace(InPlaceApplicator::If) => relax("if"),
                Applicator::InPlace(InPlaceApplicator::OneOf(_)) => relax("oneOf"),
                Applicator::Item(ItemApplicator::Contains)
                    if members.contains_key("maxContains") =>
                {
                    relax("contains");
                }
                // A wider part of any other keyword makes a wider whole.
                Applicator::Member(_)
                | Applicator::PropertyNames
                | Applicator::Item(_)
                | Applicator::InPlace(
                    InPlaceApplicator::AllOf(_)
                    | InPlaceApplicator::AnyOf(_)
                    | InPlaceApplicator::Then
                    | InPlaceApplicator::Else
                    | InPlaceApplicator::DependentSchema(_)
                    | InPlaceApplicator::Reference,
                ) => {}
            }
        }
    }
    found.sort();
    found.dedup();
    found
}

/// The nodes from which `node` can be reached, itself included where it lies on a cycle.
fn users(graph: &Graph, node: NodeId) -> Vec<NodeId> {
    let mut reverse: Vec<Vec<NodeId>> = vec![Vec::new(); graph.nodes().len()];
    for (id, source) in graph.iter() {
        for edge in source.edges() {
            reverse[edge.target().index()].push(id);
        }
    }
    let mut reached = vec![false; reverse.len()];
    let mut pending = vec![node];
    while let Some(next) = pending.pop() {
        for user in &reverse[next.index()] {
            if !std::mem::replace(&mut reached[user.index()], true) {
                pending.push(*user);
            }
        }
    }
    graph.iter().map(|(id, _)| id).filter(|id| reached[id.index()]).collect()
}

/// The document as the canonicaliser reads it, and the origins of its parts.
pub(super) struct Rewritten {
    /// That of the document itself, if nothing in it is rewritten.
    pub(super) value: Arc<Value>,
    /// What relaxation moved, innermost first.
    renamed: Vec<Relocation>,
    /// What the exact rewrites moved after that, outermost first.
    moved: Vec<Relocation>,
    /// The schemas whose `required` satisfies several branches of their `oneOf`.
    pub(super) contradictory: Vec<Pointer>,
}

impl Rewritten {
    /// `document` with `relaxed` left out, and rewritten as the library reads it best.
    pub(super) fn of(document: &Document, relaxed: &[Relaxation]) -> Self {
        let mut value = document.shared_value();
        if relaxed.is_empty() && !rewrite::may_apply(&value) {
            return Self {
                value,
                renamed: Vec::new(),
                moved: Vec::new(),
                contradictory: Vec::new(),
            };
        }
        let changed = Arc::make_mut(&mut value);
        let mut renamed = Vec::new();
        let mut order: Vec<&Relaxation> = relaxed.iter().collect();
        // Innermost first: a parent's change may rename or remove what is below it.
        order.sort_by_key(|relaxation| {
            let is_last = relaxation.keyword == "oneOf";
            (std::cmp::Reverse(relaxation.pointer.as_str().len()), is_last)
        });
        for relaxation in order {
            if let Some(schema) = changed.pointer_mut(relaxation.pointer.as_str()) {
                apply(schema, relaxation, document.draft(), &mut renamed);
            }
        }
        let contradictory = required_branches::close(changed, document.draft());
        let mut moved = unions::hoist_branches(changed, document.draft());
        moved.extend(conditionals::split_rows(changed, document.draft()));
        Self { value, renamed, moved, contradictory }
    }

    /// The document with `schemas` among its definitions, rewritten in the same way, and the pointer
    /// of each by its index. `None` if the document cannot have definitions.
    pub(super) fn with(
        &self,
        draft: Draft,
        schemas: Vec<Value>,
    ) -> Option<(Value, impl Fn(usize) -> Pointer + use<>)> {
        const QUERY_PREFIX: &str = "foolproof:asked";
        let keyword = if draft < Draft::Draft201909 { "definitions" } else { "$defs" };
        let mut value = Value::clone(&self.value);
        let members = value.as_object_mut()?;
        let definitions = members.entry(keyword).or_insert_with(|| Value::Object(Map::new()));
        let definitions = definitions.as_object_mut()?;
        for (number, schema) in schemas.into_iter().enumerate() {
            definitions.insert(format!("{QUERY_PREFIX}{number}"), schema);
        }
        // What was rewritten before is left as it is.
        unions::hoist_branches(&mut value, draft);
        conditionals::split_rows(&mut value, draft);
        let pointer_of =
            move |number| Pointer::root().key(keyword).key(&format!("{QUERY_PREFIX}{number}"));
        Some((value, pointer_of))
    }

    /// The user's pointer for what is at `pointer` of the rewritten document.
    pub(super) fn to_written(&self, pointer: &Pointer) -> Pointer {
        rewrite::to_written(&self.renamed, &rewrite::to_written(&self.moved, pointer))
    }

    /// The pointer into the rewritten document for what the user wrote at `pointer`; for the first copy
    /// where there are several.
    pub(super) fn to_now(&self, pointer: &Pointer) -> Pointer {
        rewrite::to_now(&self.moved, &rewrite::to_now(&self.renamed, pointer))
    }
}

fn apply(schema: &mut Value, relaxation: &Relaxation, draft: Draft, renamed: &mut Vec<Relocation>) {
    let Value::Object(members) = schema else { return };
    match relaxation.keyword {
        WHOLE => members.clear(),
        "oneOf" => widen_one_of(members, &relaxation.pointer, renamed),
        WIDE_ONE_OF => remove(members, &["oneOf"]),
        "if" => remove(members, &["if", "then", "else"]),
        "contains" => remove(members, &["contains", "minContains", "maxContains"]),
        // Without the schemas, the names they declare would count as additional.
        keyword @ ("properties" | "patternProperties") => {
            if let Some(Value::Object(schemas)) = members.get_mut(keyword) {
                let any = if draft == Draft::Draft4 {
                    Value::Object(Map::new())
                } else {
                    Value::Bool(true)
                };
                schemas.values_mut().for_each(|schema| *schema = any.clone());
            }
        }
        "items" => remove(members, &["items", "prefixItems", "additionalItems"]),
        keyword => remove(members, &[keyword]),
    }
}

fn remove(members: &mut Map<String, Value>, keywords: &[&str]) {
    for keyword in keywords {
        members.remove(*keyword);
    }
}

/// "Exactly one" becomes "at least one": as `anyOf`, or where there is one already, as one more
/// part of `allOf`.
fn widen_one_of(members: &mut Map<String, Value>, at: &Pointer, renamed: &mut Vec<Relocation>) {
    let Some(branches) = members.remove("oneOf") else { return };
    let now = if members.contains_key("anyOf") {
        let entries = members.entry("allOf").or_insert_with(|| Value::Array(Vec::new()));
        let Value::Array(entries) = entries else { return };
        entries.push(serde_json::json!({ "anyOf": branches }));
        at.key("allOf").index(entries.len() - 1).key("anyOf")
    } else {
        members.insert("anyOf".to_owned(), branches);
        at.key("anyOf")
    };
    renamed.push(Relocation { now, written: at.key("oneOf") });
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_document_without_anything_to_rewrite_is_shared() {
        let branches: Vec<Value> =
            (0..40).map(|at| json!({ "required": [at.to_string()] })).collect();
        let schemas = [
            (
                json!({ "properties": { "a": { "oneOf": [{ "type": "null" }, { "minimum": 3 }] } } }),
                true,
            ),
            (json!({ "properties": { "a": { "type": "object", "anyOf": branches } } }), false),
        ];
        for (schema, is_shared) in schemas {
            let document = Document::from_value(schema).unwrap();
            let rewritten = Rewritten::of(&document, &[]);
            assert_eq!(Arc::ptr_eq(&rewritten.value, &document.shared_value()), is_shared);
        }
    }
}
