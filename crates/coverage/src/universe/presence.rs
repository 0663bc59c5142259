//! Which properties an object may have, according to the keywords of one schema.

use std::collections::BTreeSet;

use foolproof_contract::{
    Applicator, DiagnosticCode, FormatPolicy, Location, MemberApplicator, Node, NodeId, Oracle,
    Pattern,
};
use serde_json::{Map, Value};

use super::{Build, bounds::whole};
use crate::Unreachable;

/// What one schema says about the presence of properties.
#[derive(Debug, Default)]
pub(super) struct Presence<'s> {
    /// The names in `required`.
    pub(super) required: BTreeSet<&'s str>,
    /// Whether the text of the schema is known, so that a name that is not required is optional.
    is_known: bool,
    /// Whether `maxProperties` admits no property that is not required.
    is_full: bool,
    /// No value is admitted for a name that matches one of these.
    impossible: Vec<Pattern>,
    /// Oracles for names, one for each format policy.
    names: Vec<Oracle>,
}

impl<'s> Presence<'s> {
    pub(super) fn of(
        build: &Build<'_>,
        id: NodeId,
        node: &Node,
        schema: &'s Map<String, Value>,
        is_known: bool,
    ) -> Self {
        let mut presence = Self { is_known, ..Self::default() };
        if let Some(Value::Array(names)) = schema.get("required") {
            presence.required = names.iter().filter_map(Value::as_str).collect();
        }
        let most = schema.get("maxProperties").and_then(whole);
        presence.is_full = most.is_some_and(|most| most <= presence.required.len() as u64);
        if !node.edges().iter().any(|edge| {
            matches!(edge.applicator(), Applicator::Member(MemberApplicator::Property(_)))
        }) {
            return presence;
        }
        for edge in node.edges() {
            if let Applicator::Member(MemberApplicator::Pattern(pattern)) = edge.applicator()
                && !build.leads(id, node, edge)
            {
                presence.impossible.extend(Pattern::new(pattern));
            } else if edge.applicator() == &Applicator::PropertyNames && !build.is_dynamic {
                presence.names = for_both_policies(build, build.graph[edge.target()].location());
            }
        }
        presence
    }

    /// Whether the property `name` is known to be one that may be missing.
    pub(super) fn is_optional(&self, name: &str) -> bool {
        self.is_known && !self.required.contains(name)
    }

    /// Why the schema at `here` admits no property `name`; nothing if no keyword excludes it.
    pub(super) fn why_not(&self, name: &str, here: &Location) -> Option<Unreachable> {
        let excluded_by = |keyword: &str| {
            let reason = format!("`{keyword}` at `{here}` admits no such property");
            let why = Unreachable::new(reason, DiagnosticCode::ObjectConstraints);
            Some(why.at([here.key(keyword).to_string()]))
        };
        if self.is_full && !self.required.contains(name) {
            return excluded_by("maxProperties");
        }
        if self.impossible.iter().any(|pattern| pattern.matches(name)) {
            return excluded_by("patternProperties");
        }
        let value = Value::String(name.to_owned());
        if !self.names.is_empty() && self.names.iter().all(|oracle| !oracle.is_valid(&value)) {
            return excluded_by("propertyNames");
        }
        None
    }
}

/// The oracles of the schema at `location`, one for each format policy; none if one of them cannot be
/// compiled. A value that both refuse is invalid under either policy.
pub(super) fn for_both_policies(build: &Build<'_>, location: &Location) -> Vec<Oracle> {
    let oracle = |formats| Oracle::located(build.document, location, formats).ok();
    match (oracle(FormatPolicy::Assert), oracle(FormatPolicy::Annotate)) {
        (Some(assert), Some(annotate)) => vec![assert, annotate],
        _ => Vec::new(),
    }
}
