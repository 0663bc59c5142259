//! The properties that a schema declares or requires, of its value and of the objects in it.

use std::collections::VecDeque;

use serde_json::Value;

use super::{Applicator, Graph, ItemApplicator, MemberApplicator, NodeId};
use crate::Document;

/// The most schemas that are searched, and how far below the value: an array and its items are two steps.
const MAX_SCHEMAS: usize = 256;
const MAX_STEPS: usize = 4;

/// One step from a value to a value in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueStep<'g> {
    /// To the property of this name.
    Property(&'g str),
    /// To the item at this index, the first that the schema of items applies to.
    Item(usize),
}

/// The properties that one schema declares or requires.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeclaredProperties<'g> {
    /// The path to the object that has them.
    pub path: Vec<ValueStep<'g>>,
    /// Their names: those required first. A name may be there twice.
    pub names: Vec<&'g str>,
}

impl Graph {
    /// The properties that the schema `start` of `document` declares or requires, schema by schema, those near its
    /// value first. Schemas that apply in place are part of it, whether or not a value has to satisfy them. At most
    /// 256 schemas and four steps down are searched.
    ///
    /// ```
    /// use foolproof_contract::{Document, Graph, ValueStep};
    /// use serde_json::json;
    ///
    /// let document = Document::from_value(json!({
    ///     "required": ["id"], "properties": { "tags": { "items": { "properties": { "key": {} } } } }
    /// }))?;
    /// let graph = Graph::of(&document)?;
    /// let declared = graph.declared_properties(&document, graph.root());
    /// assert_eq!(declared[0].names, ["id", "tags"]);
    /// assert_eq!(declared[2].path, [ValueStep::Property("tags"), ValueStep::Item(0)]);
    /// assert_eq!(declared[2].names, ["key"]);
    /// # Ok::<(), foolproof_contract::Error>(())
    /// ```
    #[must_use]
    pub fn declared_properties<'g>(
        &'g self,
        document: &'g Document,
        start: NodeId,
    ) -> Vec<DeclaredProperties<'g>> {
        let mut found = Vec::new();
        let mut pending = VecDeque::from([(Vec::new(), start)]);
        while let Some((path, schema)) = pending.pop_front()
            && found.len() < MAX_SCHEMAS
        {
            let written = document.at(self[schema].location());
            let required = written.and_then(|schema| schema.get("required"));
            let required = required.and_then(Value::as_array).into_iter().flatten();
            let mut names: Vec<&str> = required.filter_map(Value::as_str).collect();
            for edge in self[schema].edges() {
                let step = match edge.applicator() {
                    Applicator::InPlace(_) => {
                        pending.push_back((path.clone(), edge.target()));
                        continue;
                    }
                    Applicator::Member(MemberApplicator::Property(name)) => {
                        names.push(name);
                        ValueStep::Property(name)
                    }
                    Applicator::Item(ItemApplicator::Prefix(index)) => ValueStep::Item(*index),
                    Applicator::Item(ItemApplicator::Rest { from }) => ValueStep::Item(*from),
                    Applicator::Member(
                        MemberApplicator::Pattern(_)
                        | MemberApplicator::Additional
                        | MemberApplicator::Unevaluated,
                    )
                    | Applicator::Item(ItemApplicator::Unevaluated | ItemApplicator::Contains)
                    | Applicator::PropertyNames
                    | Applicator::Not => continue,
                };
                if path.len() < MAX_STEPS {
                    let mut path: Vec<ValueStep<'_>> = path.clone();
                    path.push(step);
                    pending.push_back((path, edge.target()));
                }
            }
            found.push(DeclaredProperties { path, names });
        }
        found
    }
}
