//! From canonical forms to a plan.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Arc, OnceLock},
};

use foolproof_contract::{
    ArrayShape, Canonical, Distinctness, JsonType, NameIndex, ObjectShape, Shape, StringShape,
    TypeSet, names::Extent,
};
use serde_json::Value;

use super::{
    ArrayPlan, ContainsPlan, Filter, Node, NodeId, ObjectPlan, Plan,
    hints::Hints,
    in_place,
    least::{Least, extend},
    meet::Algebra,
    names,
    shared_strings::shared_strings,
};
use crate::{
    ValueSize,
    number::{Integers, Numbers},
    size::size,
    string::is_costly,
};

/// How many conjunctions are unfolded inside one another before the rest is filtered: two recursive
/// definitions may meet without end.
const UNFOLDINGS: usize = 24;

/// Compiles forms into one arena that only grows.
#[derive(Debug)]
pub(super) struct Compiler {
    hints: Arc<Hints>,
    nodes: Vec<Arc<Node>>,
    least: Vec<Option<Least>>,
    /// The forms that are nodes already.
    known: BTreeMap<Canonical, NodeId>,
    any: NodeId,
    algebra: Algebra,
    /// Patterns of strings that are not drawn, since a check of one takes too long.
    costly: Vec<String>,
}

impl Compiler {
    pub(super) fn new(hints: Hints, algebra: Algebra) -> Self {
        let any = Arc::new(Node::Types(TypeSet::ALL.iter().collect()));
        let (nodes, least) = (vec![any], Vec::new());
        let (known, any) = (BTreeMap::new(), NodeId(0));
        Self { hints: Arc::new(hints), nodes, least, known, any, algebra, costly: Vec::new() }
    }

    /// The plan of `form`. Nodes refer to nodes that were there before or that came with them, so
    /// what is known of the older ones holds.
    pub(super) fn compile_root(&mut self, form: &Canonical) -> Plan {
        self.algebra.renew();
        let first = self.least.len();
        let root = self.node(form, 0);
        in_place::break_cycles(&mut self.nodes, first);
        extend(&self.nodes, &mut self.least);
        let (nodes, least) = (self.nodes.clone(), self.least.clone());
        let (limit, costly) = (ValueSize::DEFAULT_LIMIT, self.costly.clone());
        Plan { nodes, least, root, limit, costly, tour: OnceLock::new() }
    }

    fn add(&mut self, node: Node) -> NodeId {
        self.nodes.push(Arc::new(node));
        NodeId(u32::try_from(self.nodes.len() - 1).expect("a plan has fewer than 2^32 nodes"))
    }

    fn any(&self) -> NodeId {
        self.any
    }

    /// The node of `form`, one for all its uses. It is known before its parts are compiled, since
    /// a form may contain itself.
    fn node(&mut self, form: &Canonical, unfolded: usize) -> NodeId {
        if let Some(known) = self.known.get(form) {
            return *known;
        }
        let shape = form.shape();
        if matches!(shape, Shape::Any) {
            return self.any();
        }
        let id = self.add(Node::Never);
        self.known.insert(form.clone(), id);
        let node = self.compile(form, shape, unfolded);
        self.nodes[id.index()] = Arc::new(node);
        id
    }

    fn compile(&mut self, form: &Canonical, shape: Shape, unfolded: usize) -> Node {
        match shape {
            Shape::Any => Node::Types(TypeSet::ALL.iter().collect()),
            Shape::Never => Node::Never,
            Shape::Types(types) => self.types(types),
            Shape::Typed(kind, body) => typed(kind, &body),
            Shape::String(strings) => self.strings(&strings),
            Shape::Integer(integers) => Node::Integer(Integers::compile(&integers)),
            Shape::Number(numbers) => Node::Number(Numbers::compile(&numbers)),
            Shape::Array(array) => Node::Array(Box::new(self.array(&array, unfolded))),
            Shape::Object(object) => self.object(form, &object, unfolded),
            Shape::Const(value) => Node::Values(vec![value]),
            Shape::Enum(values) => Node::Values(values),
            Shape::AnyOf(branches) => Node::Union(self.each(&branches, unfolded)),
            Shape::OneOf(branches) => {
                let bases = self.each(&branches, unfolded);
                self.filtered(bases, form)
            }
            Shape::Not(_) => self.filtered(vec![self.any()], form),
            Shape::AllOf(parts) => self.conjunction(form, &parts, unfolded),
            Shape::Reference(key) => match form.definition(&key) {
                Some(target) => Node::Union(vec![self.node(&target, unfolded)]),
                None => Node::Never,
            },
        }
    }

    fn strings(&mut self, shape: &StringShape) -> Node {
        let patterns = shape.patterns.iter().chain(&shape.excluded_patterns);
        if self.note_costly(patterns) { Node::Never } else { Node::String(shared_strings(shape)) }
    }

    /// Whether one of `patterns` takes too long to check; those that do are remembered.
    fn note_costly<'s>(&mut self, patterns: impl Iterator<Item = &'s String>) -> bool {
        let known = self.costly.len();
        self.costly.extend(patterns.filter(|pattern| is_costly(pattern)).cloned());
        self.costly.len() > known
    }

    /// Values of these types; an object among them has the properties that its author declared
    /// without a word about their values.
    fn types(&mut self, types: TypeSet) -> Node {
        let silent: Vec<String> =
            self.hints.for_object(&BTreeSet::new()).map(str::to_owned).collect();
        if silent.is_empty() || !types.contains(JsonType::Object) {
            return Node::Types(types.iter().collect());
        }
        let optional = silent.into_iter().map(|name| (name, self.any())).collect();
        let object = self
            .add(Node::Object(Box::new(ObjectPlan { optional, ..ObjectPlan::default() }.named())));
        let types = types.without(JsonType::Object);
        if types.is_empty() {
            return Node::Union(vec![object]);
        }
        let others = self.add(Node::Types(types.iter().collect()));
        Node::Union(vec![others, object])
    }

    fn each(&mut self, forms: &[Canonical], unfolded: usize) -> Vec<NodeId> {
        forms.iter().map(|form| self.node(form, unfolded)).collect()
    }

    /// A conjunction that the algebra left open: its references are resolved and intersected, one
    /// level at a time. What stays open is drawn from the branches of a union among its parts, each intersected with
    /// the other parts, or else from any of its parts; and then filtered.
    fn conjunction(&mut self, form: &Canonical, parts: &[Canonical], unfolded: usize) -> Node {
        if unfolded < UNFOLDINGS
            && let Some(met) = self.algebra.meet_resolved(parts)
            && met != *form
        {
            return Node::Union(vec![self.node(&met, unfolded + 1)]);
        }
        let parts: Vec<Canonical> =
            parts.iter().filter(|part| !matches!(part.shape(), Shape::Not(_))).cloned().collect();
        let mut bases = self.distributed(&parts, unfolded);
        if bases.is_empty() {
            bases = self.each(&parts, unfolded);
        }
        if bases.is_empty() {
            bases.push(self.any());
        }
        self.filtered(bases, form)
    }

    /// The branches of the first union among `parts`, each intersected with the other parts; none if there is no such
    /// union, or no such intersection.
    fn distributed(&mut self, parts: &[Canonical], unfolded: usize) -> Vec<NodeId> {
        if unfolded >= UNFOLDINGS {
            return Vec::new();
        }
        let union = parts.iter().enumerate().find_map(|(place, part)| {
            if let Shape::OneOf(branches) | Shape::AnyOf(branches) = part.shape() {
                Some((place, branches))
            } else {
                None
            }
        });
        let Some((place, branches)) = union else { return Vec::new() };
        let mut bases = Vec::new();
        for branch in branches {
            let mut met: Vec<Canonical> = parts.to_vec();
            met[place] = branch;
            if let Some(met) = self.algebra.meet_resolved(&met) {
                bases.push(self.node(&met, unfolded + 1));
            }
        }
        bases
    }

    /// A value of any of `bases` that `form` admits; of any of them, if filtering costs too much.
    fn filtered(&mut self, bases: Vec<NodeId>, form: &Canonical) -> Node {
        if self.algebra.affords_filter(form) {
            Node::Filtered { bases, filter: Filter::new(form) }
        } else {
            Node::Union(bases)
        }
    }

    fn array(&mut self, shape: &ArrayShape, unfolded: usize) -> ArrayPlan {
        let mut contains = Vec::new();
        for counted in &shape.contains {
            let min = counted.min.as_ref().map_or(1, size);
            if min > 0 {
                contains.push(ContainsPlan { node: self.node(&counted.schema, unfolded), min });
            }
        }
        ArrayPlan {
            min: shape.min_items.as_ref().map_or(0, size),
            max: shape.max_items.as_ref().map(size),
            distinct: shape.distinctness == Distinctness::AllDistinct,
            prefix: self.each(&shape.prefix, unfolded),
            items: shape.items.as_ref().map(|items| self.node(items, unfolded)),
            contains,
        }
    }

    fn object(&mut self, form: &Canonical, shape: &ObjectShape, unfolded: usize) -> Node {
        self.note_costly(shape.pattern_properties.keys());
        let index = NameIndex::of(shape);
        let mut plan = ObjectPlan {
            min: shape.min_properties.as_ref().map_or(0, size),
            max: shape.max_properties.as_ref().map(size),
            ..ObjectPlan::default()
        };
        for name in &shape.required {
            let node = self.property(shape, &index, name, unfolded);
            plan.required.push((name.clone(), node));
        }
        for name in shape.properties.keys().filter(|name| !shape.required.contains(name)) {
            if index.has(name) {
                let node = self.property(shape, &index, name, unfolded);
                plan.optional.push((name.clone(), node));
            }
        }
        let listed: BTreeSet<&str> =
            shape.properties.keys().chain(&shape.required).map(String::as_str).collect();
        if index.is_closed() {
            let (names, extent) = names::closed(shape, &index, plan.min);
            plan.is_map = extent != Extent::Complete;
            for name in names.into_iter().filter(|name| !listed.contains(name.as_str())) {
                let node = self.property(shape, &index, &name, unfolded);
                let home = if plan.is_map { &mut plan.extra } else { &mut plan.optional };
                home.push((name, node));
            }
        } else {
            let hints = Arc::clone(&self.hints);
            let silent: Vec<&str> =
                hints.for_object(&listed).filter(|name| !listed.contains(name)).collect();
            for name in silent.iter().filter(|name| index.has(name)) {
                let node = self.property(shape, &index, name, unfolded);
                plan.optional.push(((*name).to_owned(), node));
            }
            plan.is_map =
                shape.additional_properties.is_some() || !shape.pattern_properties.is_empty();
            for name in names::open(shape, &index, plan.min) {
                if !listed.contains(name.as_str()) && !silent.contains(&name.as_str()) {
                    let node = self.property(shape, &index, &name, unfolded);
                    plan.extra.push((name, node));
                }
            }
        }
        if shape.violated.is_empty() {
            return Node::Object(Box::new(plan.named()));
        }
        let base = self.add(Node::Object(Box::new(plan.named())));
        self.filtered(vec![base], form)
    }

    /// The values under `name`: of its own set and of every pattern it matches, or else of the
    /// additional ones.
    fn property(
        &mut self,
        shape: &ObjectShape,
        index: &NameIndex,
        name: &str,
        unfolded: usize,
    ) -> NodeId {
        let mut parts: Vec<Canonical> = shape.properties.get(name).cloned().into_iter().collect();
        parts.extend(
            index
                .matched_patterns(name)
                .filter_map(|pattern| shape.pattern_properties.get(pattern))
                .cloned(),
        );
        if parts.is_empty() {
            parts.extend(shape.additional_properties.clone());
        }
        let mut parts = parts.into_iter();
        let Some(first) = parts.next() else { return self.any() };
        let met = parts.try_fold(first.clone(), |met, part| self.algebra.meet(&met, &part));
        self.node(&met.unwrap_or(first), unfolded)
    }
}

fn typed(kind: JsonType, body: &Canonical) -> Node {
    let shape = body.shape();
    let values = if let Shape::Enum(values) = shape {
        values
    } else if let Shape::Const(value) = shape {
        vec![value]
    } else {
        return Node::Types(vec![kind]);
    };
    let is_kind = |value: &Value| match kind {
        JsonType::Null => value.is_null(),
        JsonType::Boolean => value.is_boolean(),
        JsonType::Integer | JsonType::Number => value.is_number(),
        JsonType::String => value.is_string(),
        JsonType::Array => value.is_array(),
        JsonType::Object => value.is_object(),
    };
    Node::Values(values.into_iter().filter(is_kind).collect())
}
