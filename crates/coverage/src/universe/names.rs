//! Properties that a closed object admits without declaring them.
//!
//! The name index is the only source of what such names are. They become targets where they are
//! finite and few.

use std::collections::BTreeSet;

use foolproof_contract::{NameIndex, Node, NodeId, Shape, TypeSet, names::Extent};
use serde_json::{Map, Value};

use super::{Build, TargetIndex};
use crate::{Dimension, Params, Target, TargetKind};

/// The most undeclared names of one object that are targets.
pub(crate) const MAX_NAMES: usize = 16;

pub(super) fn undeclared(
    build: &mut Build<'_>,
    id: NodeId,
    node: &Node,
    schema: &Map<String, Value>,
    required: &BTreeSet<&str>,
) -> Vec<(String, TargetIndex)> {
    let is_closed = schema.get("additionalProperties") == Some(&Value::Bool(false));
    let Some(Value::Object(patterns)) = schema.get("patternProperties") else { return Vec::new() };
    let may_have_targets = build.dimensions.contains(Dimension::Structure)
        && build.reach.at(id).overlaps(TypeSet::OBJECT)
        && node.location().resource().is_none();
    if !is_closed || patterns.is_empty() || !may_have_targets {
        return Vec::new();
    }
    let Shape::Object(shape) = build.forms.at(node.location().pointer()).shape() else {
        return Vec::new();
    };
    let index = NameIndex::of(&shape);
    let declared = schema.get("properties").and_then(Value::as_object);
    let count = declared.map_or(0, Map::len);
    let names = index.enumerate(count + MAX_NAMES);
    if names.extent != Extent::Complete {
        build.unlisted_names.insert(node.location().to_string());
        return Vec::new();
    }
    let is_new = |name: &String| {
        declared.is_none_or(|declared| !declared.contains_key(name))
            && !required.contains(name.as_str())
    };
    // The canonical form does not record which pattern admits a name.
    let keyword = node.location().key("patternProperties");
    let mut found = Vec::new();
    for name in names.names.into_iter().map(|name| name.text).filter(is_new) {
        let target = Target::new(TargetKind::PropertyPresent, &keyword, Params::Name(name.clone()));
        found.extend(build.add(target, None).map(|target| (name, target)));
    }
    found
}
