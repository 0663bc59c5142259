//! The least values of each node: how deep they nest, and how large they are.
//!
//! Both are least fixed points over an arena with cycles. The least depth makes recursion end; the least size says what
//! a choice costs before anything is drawn, so that a draw never starts what it cannot finish within its limit. A filter
//! may leave only larger values than its bases have: then the size is a lower bound, and the limit is still kept.

use std::sync::Arc;

use foolproof_contract::JsonType;

use super::{ArrayPlan, Node, NodeId, ObjectPlan};
use crate::ValueSize;

/// What the values of a node have at least. The two may belong to different values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Least {
    pub(crate) depth: u32,
    pub(crate) size: ValueSize,
}

impl Least {
    /// Of a value without parts.
    fn flat(size: ValueSize) -> Self {
        Self { depth: 0, size }
    }

    /// The least of both, each by itself.
    fn min(self, other: Self) -> Self {
        Self { depth: self.depth.min(other.depth), size: self.size.lighter(other.size) }
    }
}

/// Adds the least values of each node that has none yet, by rounds until nothing changes. A node mostly comes before
/// what it refers to, so a round goes backward.
pub(super) fn extend(nodes: &[Arc<Node>], least: &mut Vec<Option<Least>>) {
    let first = least.len();
    least.resize(nodes.len(), None);
    loop {
        let mut changed = false;
        for (index, node) in nodes.iter().enumerate().skip(first).rev() {
            let Some(found) = of_node(node, least) else { continue };
            let better = least[index].map_or(found, |known| known.min(found));
            if least[index] != Some(better) {
                least[index] = Some(better);
                changed = true;
            }
        }
        if !changed {
            return;
        }
    }
}

fn of_node(node: &Node, least: &[Option<Least>]) -> Option<Least> {
    let of = |id: &NodeId| least[id.index()];
    match node {
        Node::Never => None,
        Node::Values(values) => {
            let sizes = values.iter().map(ValueSize::of);
            sizes.reduce(ValueSize::lighter).map(Least::flat)
        }
        Node::Types(types) => {
            types.iter().map(|kind| Least::flat(of_type(*kind))).reduce(Least::min)
        }
        Node::String(strings) => Some(Least::flat(ValueSize::text(strings.least_length()))),
        Node::Integer(_) | Node::Number(_) => Some(Least::flat(ValueSize::SCALAR)),
        Node::Union(ids) | Node::Filtered { bases: ids, .. } => {
            ids.iter().filter_map(of).reduce(Least::min)
        }
        Node::Array(array) => of_array(array, least),
        Node::Object(object) => of_object(object, least),
    }
}

/// The shortest texts of a type are `0`, `""`, `[]`, `{}`, `null` and `true`.
fn of_type(kind: JsonType) -> ValueSize {
    match kind {
        JsonType::Integer | JsonType::Number => ValueSize::SCALAR,
        JsonType::String | JsonType::Array | JsonType::Object => ValueSize::CONTAINER,
        JsonType::Null | JsonType::Boolean => ValueSize::WORD,
    }
}

/// An array has the items that a draw gives it first: the prefix, then what must be contained, then others.
fn of_array(array: &ArrayPlan, least: &[Option<Least>]) -> Option<Least> {
    let wanted = array.min.max(array.contained());
    let mut sum = Sum::new();
    let mut left = wanted;
    for node in array.prefix.iter().take(wanted) {
        sum.add(least[node.index()]?, 1);
    }
    left -= array.prefix.len().min(wanted);
    for contains in &array.contains {
        // What is contained must have values, even if the prefix leaves no room for it here.
        let each = least[contains.node.index()]?;
        let count = contains.min.min(left);
        sum.add(each, count);
        sum.deepen(each);
        left -= count;
    }
    if left > 0 {
        match array.items {
            Some(items) => sum.add(least[items.index()]?, left),
            // Scalars, which nothing is asked of, never nest.
            None => sum.enlarge(ValueSize::SCALAR, left),
        }
    }
    Some(sum.total())
}

/// An object has what is required, and the smallest of its other members if it needs more.
fn of_object(object: &ObjectPlan, least: &[Option<Least>]) -> Option<Least> {
    let mut sum = Sum::new();
    for (name, node) in &object.required {
        sum.add_member(name, least[node.index()]?);
    }
    let others = others(object, least);
    if others.len() < object.missing() {
        return None;
    }
    for other in others {
        sum.add(other, 1);
    }
    Some(sum.total())
}

/// The least of the members that an object needs beside the required ones: the flattest depths, and the smallest sizes.
pub(super) fn others(object: &ObjectPlan, least: &[Option<Least>]) -> Vec<Least> {
    let missing = object.missing();
    if missing == 0 {
        return Vec::new();
    }
    let others = object.optional.iter().chain(&object.extra);
    let with_values = |(name, node): &(String, NodeId)| Some(member(name, least[node.index()]?));
    let (mut depths, mut sizes): (Vec<u32>, Vec<ValueSize>) =
        others.filter_map(with_values).map(|it| (it.depth, it.size)).unzip();
    depths.sort_unstable();
    sizes.sort_unstable_by_key(|size| size.weight());
    let pairs = depths.into_iter().zip(sizes).take(missing);
    pairs.map(|(depth, size)| Least { depth, size }).collect()
}

/// The least of a member with its name.
fn member(name: &str, value: Least) -> Least {
    Least { size: value.size.named(name), ..value }
}

/// The least of a container, from its parts.
struct Sum(Least);

impl Sum {
    fn new() -> Self {
        Self(Least::flat(ValueSize::CONTAINER))
    }

    fn deepen(&mut self, part: Least) {
        self.0.depth = self.0.depth.max(part.depth.saturating_add(1));
    }

    /// Adds `count` equal parts, with their commas.
    fn add(&mut self, part: Least, count: usize) {
        if count > 0 {
            self.deepen(part);
            self.enlarge(part.size, count);
        }
    }

    fn enlarge(&mut self, part: ValueSize, count: usize) {
        self.0.size = self.0.size.plus(part.item().times(count));
    }

    fn add_member(&mut self, name: &str, value: Least) {
        self.add(member(name, value), 1);
    }

    fn total(self) -> Least {
        self.0
    }
}
