//! Whether a contract can require values so deep that drawing them needs a large stack.
//!
//! A thread for each draw costs many times what an ordinary draw does, so contracts that are proven
//! shallow are drawn without one.

use foolproof_contract::{Document, Edge, Graph, NodeId};

use super::path::is_deep;

/// The longest path through locations outside cycles that counts as shallow.
const MAX_PATH: usize = 128;
/// The number of locations on cycles, or between them, that counts as shallow. Where cycles are
/// combined in a conjunction, the least value can be as deep as the least common multiple of their lengths: for
/// lengths that add up to sixteen that is at most 140.
const MAX_CORE: usize = 16;

/// Whether no value of `document` is drawn deeper than a few hundred levels.
pub(super) fn is_shallow(document: &Document, graph: &Graph) -> bool {
    let mut targets: Vec<Vec<usize>> = Vec::new();
    let mut back = vec![Vec::new(); graph.nodes().len()];
    for (index, node) in graph.nodes().iter().enumerate() {
        targets.push(node.edges().iter().map(Edge::target).map(NodeId::index).collect());
        for target in &targets[index] {
            back[*target].push(index);
        }
    }
    let mut is_core = vec![true; targets.len()];
    let path = peel(&mut is_core, &targets, &back) + peel(&mut is_core, &back, &targets);
    let core = is_core.iter().filter(|is_core| **is_core).count();
    // Listed values are checked, which recurses as drawing does.
    path <= MAX_PATH && core <= MAX_CORE && !is_deep(document.value())
}

/// Removes locations without targets in the core from the core until there are none; returns the
/// number of rounds.
fn peel(is_core: &mut [bool], targets: &[Vec<usize>], back: &[Vec<usize>]) -> usize {
    let mut left: Vec<usize> =
        targets.iter().map(|own| own.iter().filter(|target| is_core[**target]).count()).collect();
    let mut layer: Vec<usize> =
        (0..targets.len()).filter(|index| is_core[*index] && left[*index] == 0).collect();
    let mut layers = 0;
    while !layer.is_empty() {
        layers += 1;
        let mut next = Vec::new();
        for index in layer {
            is_core[index] = false;
            for source in back[index].iter().copied() {
                left[source] -= 1;
                if left[source] == 0 && is_core[source] {
                    next.push(source);
                }
            }
        }
        layer = next;
    }
    layers
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn shallow(schema: Value) -> bool {
        let document = Document::from_value(schema).unwrap();
        is_shallow(&document, &Graph::of(&document).unwrap())
    }

    /// A chain of definitions, each of which requires the next.
    fn chain(length: usize, last: &str) -> Value {
        let mut definitions = serde_json::Map::new();
        for index in 0..length {
            let next = if index + 1 == length { last.to_owned() } else { (index + 1).to_string() };
            let next = json!({ "$ref": format!("#/$defs/{next}") });
            definitions.insert(
                index.to_string(),
                json!({ "type": "array", "minItems": 1, "items": next }),
            );
        }
        definitions.insert("leaf".into(), json!({ "type": "null" }));
        json!({ "$ref": "#/$defs/0", "$defs": definitions })
    }

    #[test]
    fn ordinary_contracts_are_shallow() {
        assert!(shallow(json!(true)));
        assert!(shallow(chain(100, "leaf")));
        let around = json!({ "type": "array", "items": { "$ref": "#/$defs/0" } });
        let mut tree = chain(8, "0");
        tree["properties"] = (0..60).map(|n| (n.to_string(), around.clone())).collect();
        assert!(shallow(tree));
    }

    #[test]
    fn long_paths_and_large_cycles_are_not_shallow() {
        assert!(!shallow(chain(200, "leaf")));
        assert!(!shallow(chain(20, "0")));
    }

    #[test]
    fn a_deep_listed_value_is_not_shallow() {
        let deep = (0..100).fold(json!(null), |value, _| json!([value]));
        assert!(!shallow(json!({ "const": deep })));
    }
}
