//! The walk that builds the graph.
//!
//! It is iterative, since a document may chain references as long as its own text. Where dynamic
//! references occur, what a location leads to depends on the resources passed on the way, so a
//! location is walked again for every such scope; its edges are the union.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use referencing::Resolver;
use serde_json::{Map, Value};

use super::{
    Applicator, Edge, Graph, InPlaceApplicator, ItemApplicator, Location, MemberApplicator, Node,
    NodeId,
    cycle::{InPlace, State},
    locate::{LocationIndex, address},
    node_id,
};
use crate::{
    Document, Draft, Error, Pointer,
    dialect::{Applies, applies, asserts_nothing},
    error::Problem,
    metaschema::shorten,
    references::{Inner, for_each_subschema},
};

pub(super) fn build(document: &Document) -> Result<Graph, Error> {
    document.require_schema()?;
    let (registry, uri) = document.registry()?;
    let mut places = LocationIndex::default();
    places.add(None, document.value());
    for (uri, value) in document.resources() {
        places.add(Some(Arc::from(uri)), value);
    }
    let mut walk = GraphBuilder {
        document,
        places,
        nodes: Vec::new(),
        by_address: BTreeMap::new(),
        seen: BTreeMap::new(),
        in_place: InPlace::default(),
        self_references: Vec::new(),
        passed: BTreeSet::new(),
        external: BTreeSet::new(),
        pending: Vec::new(),
        dynamic: mentions_dynamic_references(document),
    };
    let start = ScopedSchema {
        value: document.value(),
        resolver: registry.resolver(uri),
        draft: document.draft(),
        base: Base::Own,
    };
    let site = Location::new(None, Pointer::root());
    let root = walk.reach(start, &site)?.node;
    walk.run()?;
    if let Some(cycle) = walk.in_place.find_cycle() {
        return Err(walk.cycle(cycle));
    }
    let definitions = definitions(document);
    let unreached = walk.unreached(&definitions);
    let definitions = definitions.len();
    let GraphBuilder { nodes, external, self_references, .. } = walk;
    Ok(Graph(Arc::new(super::Inner {
        nodes,
        root,
        definitions,
        unreached,
        self_references,
        external,
    })))
}

/// A schema, with what references in it resolve against.
#[derive(Clone)]
struct ScopedSchema<'d> {
    value: &'d Value,
    resolver: Resolver<'d>,
    draft: Draft,
    base: Base,
}

/// Whether the resolver of a schema already stands in the resource that the schema may be.
///
/// A reference is resolved to the target's own base; applying its identifier once more would move
/// a relative one twice.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Base {
    Own,
    Surrounding,
}

struct GraphBuilder<'d> {
    document: &'d Document,
    places: LocationIndex<'d>,
    nodes: Vec<Node>,
    by_address: BTreeMap<usize, NodeId>,
    /// What was reached: the address, and the scope where that matters.
    seen: BTreeMap<(usize, Vec<String>), State>,
    in_place: InPlace,
    self_references: Vec<Location>,
    /// Addresses of the locations that are no nodes because they hold a reference alone.
    passed: BTreeSet<usize>,
    external: BTreeSet<Arc<str>>,
    pending: Vec<(ScopedSchema<'d>, Arrival)>,
    /// Whether what a location leads to may depend on the way to it.
    dynamic: bool,
}

/// A location in a scope, once it is in the graph.
#[derive(Clone, Copy)]
struct Arrival {
    node: NodeId,
    state: State,
}

impl<'d> GraphBuilder<'d> {
    fn run(&mut self) -> Result<(), Error> {
        while let Some((place, arrival)) = self.pending.pop() {
            let depth = self.pending.len();
            self.expand(&place, arrival)?;
            // Children were pushed in document order; the first of them is walked first.
            self.pending[depth..].reverse();
        }
        Ok(())
    }

    /// What a value entering at `place` arrives at, queued to be walked if it is new.
    fn reach(&mut self, mut place: ScopedSchema<'d>, site: &Location) -> Result<Arrival, Error> {
        let mut trail = Vec::new();
        let mut on_trail = BTreeSet::new();
        loop {
            place = self.enter(place, site)?;
            let Some((keyword, reference)) = lone_reference(place.value, place.draft) else {
                return self.arrive(place);
            };
            let here = address(place.value);
            if !on_trail.insert(here) {
                let start = trail.iter().position(|passed| *passed == here).unwrap_or(0);
                let found = trail[start..].iter().filter_map(|at| self.places.find_address(*at));
                return Err(self.cycle(found.collect()));
            }
            trail.push(here);
            self.passed.insert(here);
            place = self.follow(&place, keyword, reference)?;
        }
    }

    /// Moves the base of references to `place` if it is a resource of its own.
    fn enter(&self, place: ScopedSchema<'d>, site: &Location) -> Result<ScopedSchema<'d>, Error> {
        if place.base == Base::Own || !place.draft.is_resource(place.value) {
            return Ok(place);
        }
        let declared = place.value.get("$schema").and_then(Value::as_str).and_then(Draft::from_uri);
        let draft = declared.unwrap_or(place.draft);
        let resource = draft.to_referencing().create_resource_ref(place.value);
        let resolver = place.resolver.in_subresource(resource).map_err(|error| {
            let problem = Problem::NotCompilable { message: error.to_string() };
            self.error(problem, site)
        })?;
        Ok(ScopedSchema { value: place.value, resolver, draft, base: Base::Own })
    }

    fn follow(
        &mut self,
        place: &ScopedSchema<'d>,
        keyword: &'static str,
        reference: &str,
    ) -> Result<ScopedSchema<'d>, Error> {
        let resolved = match keyword {
            "$recursiveRef" => place.resolver.lookup_recursive_ref(),
            _ => place.resolver.lookup(reference),
        };
        let resolved = resolved.map_err(|_| {
            let problem = Problem::DanglingReference { keyword, reference: shorten(reference) };
            let site = self.places.find(place.value).unwrap_or_else(root_location);
            self.error(problem, &Location::new(site.resource.clone(), site.pointer.key(keyword)))
        })?;
        let (value, resolver, draft) = resolved.into_inner();
        let draft = Draft::from_referencing(draft).unwrap_or(place.draft);
        if !(value.is_object() || value.is_boolean()) {
            let location = self.places.find(place.value).unwrap_or_else(root_location);
            let error = crate::document::not_a_schema(value);
            return Err(self.error(
                error.problem().clone(),
                &Location::new(location.resource.clone(), location.pointer.key(keyword)),
            ));
        }
        if self.places.find(value).is_none() {
            // One of the meta-schemas that are always at hand.
            let uri = resolver.base_uri();
            if let Ok(root) = resolver.lookup(uri.as_str()) {
                self.places.add(Some(Arc::from(uri.as_str())), root.contents());
                self.dynamic |= draft >= Draft::Draft201909;
            }
        }
        Ok(ScopedSchema { value, resolver, draft, base: Base::Own })
    }

    /// The node of `place`, queued to be walked unless it has been in this scope.
    fn arrive(&mut self, place: ScopedSchema<'d>) -> Result<Arrival, Error> {
        if !(place.value.is_object() || place.value.is_boolean()) {
            let site = self.places.find(place.value).unwrap_or_else(root_location);
            let error = crate::document::not_a_schema(place.value);
            return Err(self.error(error.problem().clone(), &site));
        }
        let here = address(place.value);
        let node = if let Some(node) = self.by_address.get(&here) {
            *node
        } else {
            let node = node_id(self.nodes.len());
            let location = self.places.find(place.value).unwrap_or_else(root_location);
            self.external.extend(location.resource.clone());
            self.nodes.push(Node { location, draft: place.draft, edges: Vec::new() });
            self.by_address.insert(here, node);
            node
        };
        let key = (here, self.scope(&place));
        if let Some(state) = self.seen.get(&key) {
            return Ok(Arrival { node, state: *state });
        }
        let state = self.in_place.add_state(self.nodes[node.index()].location.clone());
        self.seen.insert(key, state);
        let arrival = Arrival { node, state };
        self.pending.push((place, arrival));
        Ok(arrival)
    }

    /// What a dynamic reference below `place` depends on: the resources entered on the way, each
    /// where it was entered first, since the outermost decides.
    fn scope(&self, place: &ScopedSchema<'d>) -> Vec<String> {
        let mut scope: Vec<String> = Vec::new();
        if !self.dynamic {
            return scope;
        }
        let dynamic = place.resolver.dynamic_scope();
        let entered = dynamic.iter().map(|uri| uri.as_str().to_owned());
        for uri in entered.collect::<Vec<_>>().into_iter().rev() {
            if !scope.contains(&uri) {
                scope.push(uri);
            }
        }
        scope
    }

    fn expand(&mut self, place: &ScopedSchema<'d>, from: Arrival) -> Result<(), Error> {
        let node = from.node;
        let Value::Object(members) = place.value else { return Ok(()) };
        for (keyword, reference) in references(members, place.draft) {
            let target = self.follow(place, keyword, reference)?;
            let site = self.site(node, |pointer| pointer.key(keyword));
            self.connect(from, Applicator::InPlace(InPlaceApplicator::Reference), site, target)?;
            if place.draft.ref_hides_siblings() {
                return Ok(());
            }
        }
        let mut children = Vec::new();
        for_each_subschema(members, place.draft, |keyword, inner, child| {
            if let Some(applicator) = applicator(members, place.draft, keyword, inner) {
                children.push((applicator, keyword, inner, child));
            }
        });
        for (applicator, keyword, inner, child) in children {
            let site = self.site(node, |pointer| match inner {
                Inner::Itself => pointer.key(keyword),
                Inner::Member(name) => pointer.key(keyword).key(name),
                Inner::Item(index) => pointer.key(keyword).index(index),
            });
            self.connect(
                from,
                applicator,
                site,
                ScopedSchema { value: child, base: Base::Surrounding, ..place.clone() },
            )?;
        }
        Ok(())
    }

    fn connect(
        &mut self,
        from: Arrival,
        applicator: Applicator,
        site: Location,
        target: ScopedSchema<'d>,
    ) -> Result<(), Error> {
        let target = self.reach(target, &site)?;
        if self.is_self_reference(from, &applicator, &site, target) {
            self.self_references.push(site);
            return Ok(());
        }
        if applicator.is_in_place() {
            self.in_place.add_edge(from.state, site.clone(), target.state);
        }
        let edge = Edge { applicator, site, target: target.node };
        let edges = &mut self.nodes[from.node.index()].edges;
        // Only a second walk of the same location can find an edge again.
        if !self.dynamic || !edges.contains(&edge) {
            edges.push(edge);
        }
        Ok(())
    }

    /// Whether the edge says that a value must satisfy what it must satisfy anyway. Real contracts do
    /// that, and validators ignore it. Only in the user's own document, where the author can do
    /// something about it, and where no other scope can lead the reference elsewhere.
    fn is_self_reference(
        &self,
        from: Arrival,
        applicator: &Applicator,
        site: &Location,
        target: Arrival,
    ) -> bool {
        let is_required = matches!(
            applicator,
            Applicator::InPlace(InPlaceApplicator::AllOf(_) | InPlaceApplicator::Reference)
        );
        is_required && from.state == target.state && site.resource.is_none() && !self.dynamic
    }

    fn site(&self, node: NodeId, below: impl FnOnce(&Pointer) -> Pointer) -> Location {
        let location = &self.nodes[node.index()].location;
        Location::new(location.resource.clone(), below(&location.pointer))
    }

    /// The error for a cycle, at its last location: the reference that closes it.
    fn cycle(&self, mut cycle: Vec<Location>) -> Error {
        let site = cycle.last().cloned().unwrap_or_else(root_location);
        cycle.extend(cycle.first().cloned());
        self.error(Problem::ReferenceCycle { cycle }, &site)
    }

    fn error(&self, problem: Problem, site: &Location) -> Error {
        let error = Error::new(problem).at(site.pointer.clone());
        match &site.resource {
            None => self.document.locate(error),
            Some(uri) => self.document.locate_in(uri, error),
        }
    }

    /// The definitions that the walk neither stopped at nor passed, nor anything inside them.
    fn unreached(&self, definitions: &[Pointer]) -> Vec<Location> {
        let mut reached: Vec<Pointer> = self
            .nodes
            .iter()
            .filter(|node| node.location.resource.is_none())
            .map(|node| node.location.pointer.clone())
            .chain(self.passed.iter().filter_map(|passed| self.places.pointer_at(*passed)))
            .collect();
        reached.sort();
        let is_reached = |definition: &Pointer| {
            // The first pointer at or after `definition` in order is inside it, if any is.
            let from = reached.partition_point(|pointer| pointer < definition);
            reached[from..]
                .iter()
                .take_while(|pointer| pointer.as_str().starts_with(definition.as_str()))
                .any(|pointer| pointer.is_within(definition))
        };
        definitions
            .iter()
            .filter(|definition| !is_reached(definition))
            .map(|definition| Location::new(None, definition.clone()))
            .collect()
    }
}

/// Whether a dynamic reference stands anywhere in the documents at hand.
fn mentions_dynamic_references(document: &Document) -> bool {
    let mut pending: Vec<&Value> = vec![document.value()];
    pending.extend(document.resources().map(|(_, value)| value));
    while let Some(value) = pending.pop() {
        match value {
            Value::Object(members) => {
                if members.contains_key("$dynamicRef") || members.contains_key("$recursiveRef") {
                    return true;
                }
                pending.extend(members.values());
            }
            Value::Array(items) => pending.extend(items),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }
    false
}

fn root_location() -> Location {
    Location::new(None, Pointer::root())
}

/// The references in `members` that are in force under `draft`.
fn references(members: &Map<String, Value>, draft: Draft) -> Vec<(&'static str, &str)> {
    let mut found = Vec::new();
    let mut look = |keyword: &'static str, since: Draft, until: Draft| {
        if (since..=until).contains(&draft)
            && let Some(Value::String(reference)) = members.get(keyword)
        {
            found.push((keyword, reference.as_str()));
        }
    };
    look("$ref", Draft::Draft4, Draft::Draft202012);
    look("$recursiveRef", Draft::Draft201909, Draft::Draft201909);
    look("$dynamicRef", Draft::Draft202012, Draft::Draft202012);
    found
}

/// The one reference that `value` consists of, if it says nothing else.
fn lone_reference(value: &Value, draft: Draft) -> Option<(&'static str, &str)> {
    let Value::Object(members) = value else { return None };
    let [(keyword, reference)] = references(members, draft)[..] else { return None };
    let is_silent = |key: &String| {
        key == keyword || asserts_nothing(key) || !draft.to_referencing().is_known_keyword(key)
    };
    let alone = draft.ref_hides_siblings() || members.keys().all(is_silent);
    alone.then_some((keyword, reference))
}

/// How a value gets into the schema at `inner` of `keyword`, or `None` if none does.
fn applicator(
    members: &Map<String, Value>,
    draft: Draft,
    keyword: &str,
    inner: Inner<'_>,
) -> Option<Applicator> {
    let prefix = || {
        let keyword = if draft >= Draft::Draft202012 { "prefixItems" } else { "items" };
        members.get(keyword).and_then(Value::as_array).map_or(0, Vec::len)
    };
    Some(match (keyword, inner) {
        ("properties", Inner::Member(name)) => {
            Applicator::Member(MemberApplicator::Property(name.to_owned()))
        }
        ("patternProperties", Inner::Member(pattern)) => {
            Applicator::Member(MemberApplicator::Pattern(pattern.to_owned()))
        }
        ("additionalProperties", _) => Applicator::Member(MemberApplicator::Additional),
        ("unevaluatedProperties", _) => Applicator::Member(MemberApplicator::Unevaluated),
        ("propertyNames", _) => Applicator::PropertyNames,
        ("prefixItems" | "items", Inner::Item(index)) => {
            Applicator::Item(ItemApplicator::Prefix(index))
        }
        ("items", Inner::Itself) => {
            let from = if draft >= Draft::Draft202012 { prefix() } else { 0 };
            Applicator::Item(ItemApplicator::Rest { from })
        }
        // Without a tuple beside it, `additionalItems` applies to nothing.
        ("additionalItems", _) if members.get("items").is_some_and(Value::is_array) => {
            Applicator::Item(ItemApplicator::Rest { from: prefix() })
        }
        ("unevaluatedItems", _) => Applicator::Item(ItemApplicator::Unevaluated),
        ("contains", _) => Applicator::Item(ItemApplicator::Contains),
        ("allOf", Inner::Item(index)) => Applicator::InPlace(InPlaceApplicator::AllOf(index)),
        ("anyOf", Inner::Item(index)) => Applicator::InPlace(InPlaceApplicator::AnyOf(index)),
        ("oneOf", Inner::Item(index)) => Applicator::InPlace(InPlaceApplicator::OneOf(index)),
        ("if", _) if members.contains_key("then") || members.contains_key("else") => {
            Applicator::InPlace(InPlaceApplicator::If)
        }
        ("then", _) if members.contains_key("if") => Applicator::InPlace(InPlaceApplicator::Then),
        ("else", _) if members.contains_key("if") => Applicator::InPlace(InPlaceApplicator::Else),
        ("dependentSchemas" | "dependencies", Inner::Member(name)) => {
            Applicator::InPlace(InPlaceApplicator::DependentSchema(name.to_owned()))
        }
        ("not", _) => Applicator::Not,
        _ => return None,
    })
}

/// Every definition of the document: what stands under `$defs` or `definitions`.
fn definitions(document: &Document) -> Vec<Pointer> {
    let draft = document.draft();
    let mut definitions = Vec::new();
    let mut pending = vec![(Pointer::root(), document.value())];
    while let Some((at, value)) = pending.pop() {
        let Value::Object(members) = value else { continue };
        for_each_subschema(members, draft, |keyword, inner, child| {
            let below = match inner {
                Inner::Itself => at.key(keyword),
                Inner::Member(name) => at.key(keyword).key(name),
                Inner::Item(index) => at.key(keyword).index(index),
            };
            if applies(draft, keyword) == Some(Applies::Definitions) {
                definitions.push(below.clone());
            }
            pending.push((below, child));
        });
    }
    definitions.sort();
    definitions.dedup();
    definitions
}
