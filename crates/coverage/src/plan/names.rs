//! Property names for routes: names of entries of maps, and names that hit the targets of
//! `propertyNames`.

use foolproof_contract::{
    Applicator, Edge, InPlaceApplicator, MemberApplicator, NameIndex, NodeId, Shape, StringShape,
};
use foolproof_generate::{ENTRY_NAMES, Seed, Strings};
use serde_json::{Number, Value};

use super::routes::{NoRoute, RouteFinder};
use crate::{
    TargetIndex,
    universe::{Measured, Members},
};

/// The most names that are tried for the entries of one map.
const MAX_NAMES: usize = 8;

/// How many names are drawn to find some that an object admits.
const DRAWS: usize = 24;

/// The longest name that is generated to hit a target of its length.
const MAX_LENGTH: u64 = 2_000;

impl RouteFinder<'_> {
    /// Names that match `pattern` and that the object admits; if there are none, one that matches.
    pub(super) fn matching(&mut self, id: NodeId, pattern: &str) -> Result<Vec<String>, NoRoute> {
        let drawn =
            draw(&StringShape { patterns: vec![pattern.to_owned()], ..StringShape::default() });
        let targets = self.universe.node_targets(id);
        let index = self.name_index(id);
        let is_admitted = |name: &String| {
            !targets.declared.contains(name) && index.as_ref().is_none_or(|index| index.has(name))
        };
        let admitted: Vec<String> =
            drawn.iter().filter(|name| is_admitted(name)).cloned().collect();
        non_empty(if admitted.is_empty() { drawn.into_iter().take(1).collect() } else { admitted })
    }

    /// Names that the object admits as additional properties.
    pub(super) fn additional(&mut self, id: NodeId) -> Result<Vec<String>, NoRoute> {
        let universe = self.universe;
        let targets = universe.node_targets(id);
        let index = self.name_index(id);
        let is_admitted = |name: &String| {
            targets.is_additional(name) && index.as_ref().is_none_or(|index| index.has(name))
        };
        let common = ENTRY_NAMES.into_iter().map(str::to_owned);
        let admitted: Vec<String> = common.filter(|name| is_admitted(name)).collect();
        if !admitted.is_empty() {
            return non_empty(admitted);
        }
        let listed = index.as_ref().map(|index| index.enumerate(200).names).unwrap_or_default();
        non_empty(
            listed.into_iter().map(|name| name.text).filter(|name| is_admitted(name)).collect(),
        )
    }

    /// The targets at `id`, a schema of the property names of `object`, each with a name that hits it.
    pub(super) fn names_for(
        &mut self,
        id: NodeId,
        object: NodeId,
    ) -> Vec<(TargetIndex, Option<String>)> {
        let universe = self.universe;
        let targets = universe.node_targets(id);
        let index = self.name_index(object);
        let is_admitted = |name: &String| index.as_ref().is_none_or(|index| index.has(name));
        let shape = self.shape(id);
        let mut found = Vec::new();
        if let Some(target) = targets.node {
            found.push((target, names_of(shape.as_ref()).into_iter().find(is_admitted)));
        }
        for (value, target) in targets.members.iter().flat_map(Members::iter) {
            found.push((*target, value.as_str().map(str::to_owned)));
        }
        for bound in &targets.bounds {
            let name = match &bound.measured {
                Measured::Length(length) if *length <= MAX_LENGTH => {
                    names_of_length(shape.as_ref(), *length).into_iter().find(is_admitted)
                }
                Measured::Length(_) | Measured::Number(_) | Measured::Items(_) => None,
            };
            found.push((bound.target, name));
        }
        for (edge, edge_targets) in universe.graph()[id].edges().iter().zip(&targets.edges) {
            if let (
                Some(target),
                Applicator::InPlace(InPlaceApplicator::AnyOf(_) | InPlaceApplicator::OneOf(_)),
            ) = (edge_targets.taken, edge.applicator())
            {
                let branch = self.shape(edge.target());
                found.push((target, names_of(branch.as_ref()).into_iter().find(is_admitted)));
            }
        }
        found
    }

    fn shape(&mut self, id: NodeId) -> Option<Shape> {
        let location = self.universe.graph()[id].location();
        let is_own = location.resource().is_none();
        is_own.then(|| self.forms.at(location.pointer()).shape())
    }

    /// The names that the object at `id` admits, if a keyword constrains them.
    fn name_index(&mut self, id: NodeId) -> Option<NameIndex> {
        let node = &self.universe.graph()[id];
        let limits = |edge: &Edge| {
            matches!(
                edge.applicator(),
                Applicator::PropertyNames | Applicator::Member(MemberApplicator::Pattern(_))
            )
        };
        if node.location().resource().is_some() || !node.edges().iter().any(limits) {
            return None;
        }
        let form = self.forms.at(node.location().pointer());
        if let Shape::Object(shape) = form.shape() { Some(NameIndex::of(&shape)) } else { None }
    }
}

fn non_empty(mut names: Vec<String>) -> Result<Vec<String>, NoRoute> {
    names.truncate(MAX_NAMES);
    if names.is_empty() { Err(NoRoute::NoName) } else { Ok(names) }
}

/// Distinct strings of a shape.
fn draw(shape: &StringShape) -> Vec<String> {
    let strings = Strings::compile(shape);
    let mut source = Seed::from_number(0).child("name", 0).random();
    let mut drawn: Vec<String> = Vec::new();
    for name in (0..DRAWS).filter_map(|_| strings.draw(&mut source)) {
        if !drawn.contains(&name) {
            drawn.push(name);
        }
    }
    drawn
}

/// Some of the names that the schema of names with this shape admits.
fn names_of(shape: Option<&Shape>) -> Vec<String> {
    let texts = |values: &[Value]| {
        values.iter().filter_map(Value::as_str).map(str::to_owned).collect::<Vec<_>>()
    };
    match shape {
        Some(Shape::String(strings)) => draw(strings),
        Some(Shape::Const(value)) => texts(std::slice::from_ref(value)),
        Some(Shape::Enum(values)) => texts(values),
        Some(Shape::AnyOf(parts)) => {
            parts.iter().flat_map(|part| names_of(Some(&part.shape()))).collect()
        }
        Some(Shape::Typed(_, part)) => names_of(Some(&part.shape())),
        Some(
            Shape::Any
            | Shape::Types(_)
            | Shape::OneOf(_)
            | Shape::AllOf(_)
            | Shape::Not(_)
            | Shape::Reference(_),
        )
        | None => ENTRY_NAMES.into_iter().map(str::to_owned).collect(),
        Some(
            Shape::Never
            | Shape::Integer(_)
            | Shape::Number(_)
            | Shape::Array(_)
            | Shape::Object(_),
        ) => Vec::new(),
    }
}

/// Some of those that have this length.
fn names_of_length(shape: Option<&Shape>, length: u64) -> Vec<String> {
    let mut strings = shape.and_then(strings_of).unwrap_or_default();
    strings.min_length = Some(Number::from(length));
    strings.max_length = Some(Number::from(length));
    draw(&strings)
}

/// The strings of a shape that may admit other values too: a schema of names rarely has
/// `type: string`.
fn strings_of(shape: &Shape) -> Option<StringShape> {
    if let Shape::String(strings) = shape {
        return Some(strings.clone());
    }
    let Shape::AnyOf(parts) = shape else { return None };
    parts.iter().find_map(|part| strings_of(&part.shape()))
}
