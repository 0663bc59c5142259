//! Sketches: what neither questions nor draws reach is written down along its route and repaired.
//!
//! A demand that the algebra has no form for is drawn from nothing, and a contract that it reads widely is rarely met by
//! chance. But a route names the members and items that lead to its target, and mostly the value at its end. So that
//! much of an instance is built, the smallest that the route allows, and repair does the rest. Most sketches fail, as
//! the oracle and the observer find out; each costs a short repair.

use foolproof_contract::{NodeId, Pointer};
use serde_json::{Map, Value, json};

use super::{
    planner::Planner,
    route::{Goal, Route, RouteStep},
};
use crate::TargetIndex;

/// The most targets that are sketched, and how many times the locations of the contract.
const TARGETS: usize = 160;
const WORK: usize = 160_000;

/// The longest string or array that is written for a bound, and the farthest item.
const LONGEST: u64 = 2_000;

impl Planner<'_> {
    /// Tries sketches of instances for the targets that are still open.
    pub(super) fn sketch(&mut self, open: &[TargetIndex]) {
        if self.input.generator.excess().is_some() {
            return;
        }
        let locations = self.input.observer.universe().graph().nodes().len().max(1);
        for target in open.iter().take(TARGETS.min(WORK / locations)) {
            if self.candidates.len() >= self.most_candidates() {
                return;
            }
            if self.unit_generator.is_hit(*target) {
                continue;
            }
            let Ok(route) = self.routes.route(*target) else { continue };
            for (value, path) in sketches(route, |node| self.literals(node)) {
                let candidate = self.unit_generator.repair(value, (*target, path));
                if let Some(candidate) = candidate {
                    if let Some(hits) = &candidate.all_hits {
                        self.unit_generator.record(hits);
                    }
                    self.candidates.push(candidate);
                    break;
                }
            }
        }
    }

    /// The values that the schema at `node` lists.
    fn literals(&self, node: NodeId) -> Vec<Value> {
        let observer = self.input.observer;
        let location = observer.universe().graph()[node].location();
        let schema = observer.document().at(location);
        let listed = |keyword: &str| schema.and_then(|schema| schema.get(keyword));
        let of_enum = listed("enum").and_then(Value::as_array).into_iter().flatten();
        listed("const").into_iter().chain(of_enum).cloned().collect()
    }
}

/// Values along a route, each with the path of the value that the goal is about.
fn sketches(route: &Route, literals: impl Fn(NodeId) -> Vec<Value>) -> Vec<(Value, Pointer)> {
    let last = route.steps.last().map(|(_, node)| *node);
    let ends = match &route.goal {
        Goal::Equals(value) => vec![value.clone()],
        Goal::Length(length) if *length <= LONGEST => {
            vec!["a".repeat(usize::try_from(*length).unwrap_or(0)).into()]
        }
        Goal::Size(size) if *size <= LONGEST => vec![(0..*size).map(Value::from).collect()],
        Goal::Length(_) | Goal::Size(_) => Vec::new(),
        Goal::HasProperty(name) => vec![object(name, Value::Null)],
        Goal::LacksProperty(_) => vec![json!({})],
        Goal::Exists | Goal::Condition { .. } => {
            let listed = last.map(literals).unwrap_or_default().into_iter().take(2);
            listed.chain([json!({}), json!([]), json!(""), json!(0), Value::Null]).collect()
        }
    };
    ends.into_iter().filter_map(|end| along(route, end)).collect()
}

/// The smallest value with `end` at the end of the route.
fn along(route: &Route, end: Value) -> Option<(Value, Pointer)> {
    let (mut value, mut segments) = (end, Vec::new());
    for (step, _) in route.steps.iter().rev() {
        match step {
            RouteStep::Member(name) => {
                value = object(name, value);
                segments.push(name.clone());
            }
            RouteStep::Entry(names) => {
                let name = names.first()?;
                value = object(name, value);
                segments.push(name.clone());
            }
            RouteStep::Item { from, .. } => {
                let before =
                    usize::try_from(LONGEST).ok().filter(|most| from <= most).map(|_| *from)?;
                value = std::iter::repeat_n(Value::Null, before).chain([value]).collect();
                segments.push(from.to_string());
            }
            RouteStep::PropertyEquals { name, value: needed, .. } => {
                add(&mut value, name, needed.clone());
            }
            RouteStep::Dependent { name, .. } => add(&mut value, name, Value::Null),
            RouteStep::InPlace { .. } | RouteStep::Branch { .. } | RouteStep::Condition { .. } => {}
        }
    }
    let path = segments.iter().rev().fold(Pointer::root(), |path, segment| path.key(segment));
    Some((value, path))
}

fn object(name: &str, value: Value) -> Value {
    Value::Object(Map::from_iter([(name.to_owned(), value)]))
}

/// Adds a member that `value` lacks, if it is an object.
fn add(value: &mut Value, name: &str, member: Value) {
    if let Value::Object(members) = value {
        members.entry(name).or_insert(member);
    }
}
