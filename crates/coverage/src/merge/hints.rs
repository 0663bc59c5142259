//! What guidance did not get, over several reports.
//!
//! A report names only the hints that it could not satisfy. So whether another run satisfied one is
//! read from the target that the hint aims at: where that was hit, the hint is satisfied.

use std::collections::{BTreeMap, BTreeSet};

use foolproof_contract::Pointer;
use serde_json::{Map, Value};

use crate::{
    ConditionalPath, CoverageMode, HintKind, PlannerCapHit, Report, TargetEntry, TargetKind,
    UnsatisfiedHint,
};

/// The targets that were hit, by their places.
type Hit<'t> = BTreeMap<&'t str, Vec<&'t TargetEntry>>;

/// The hints that none of the reports satisfied, each once, with the reason that the first of them
/// gives.
pub(super) fn unsatisfied(reports: &[Report], targets: &[TargetEntry]) -> Vec<UnsatisfiedHint> {
    let mut places: Hit<'_> = BTreeMap::new();
    for target in targets.iter().filter(|target| target.hit) {
        places.entry(&target.canon_path).or_default().push(target);
    }
    let mut known = BTreeSet::new();
    let hints = reports.iter().flat_map(|report| &report.unsatisfied_hints);
    hints
        .filter(|hint| {
            let params = hint.params.clone().map(|params| Value::Object(params).to_string());
            known.insert((&hint.kind, &hint.canon_path, params)) && !is_satisfied(hint, &places)
        })
        .cloned()
        .collect()
}

/// Whether the target that `hint` aims at is among those that were hit.
fn is_satisfied(hint: &UnsatisfiedHint, hit: &Hit<'_>) -> bool {
    let Some(params) = &hint.params else { return false };
    let here = |place: &str, aims: &dyn Fn(&TargetEntry) -> bool| {
        hit.get(place).is_some_and(|targets| targets.iter().any(|target| aims(target)))
    };
    match &hint.kind {
        HintKind::PreferBranch => here(&hint.canon_path, &|target| is_branch(target, params)),
        HintKind::CoverEnumValue => here(&hint.canon_path, &|target| {
            let index = params.get("valueIndex").or_else(|| params.get("enumIndex"));
            target.kind == TargetKind::EnumValueHit
                && index.is_some()
                && param(target, "enumIndex") == index
        }),
        HintKind::EnsurePropertyPresence => {
            let Some(Value::String(name)) = params.get("property") else { return false };
            // That a property is absent is no target.
            params.get("present") != Some(&Value::Bool(false))
                && (here(&declared(&hint.canon_path, name), &is_property)
                    || is_undeclared_hit(&hint.canon_path, name, hit))
        }
        HintKind::Unknown(_) => false,
    }
}

/// Whether `target` is the branch that `params` ask for. A condition has two: that it holds is the
/// first.
fn is_branch(target: &TargetEntry, params: &Map<String, Value>) -> bool {
    let index = params.get("branchIndex");
    if matches!(target.kind, TargetKind::OneOfBranch | TargetKind::AnyOfBranch) {
        return index.is_some() && param(target, "branchIndex") == index;
    }
    let path = |value: Option<&Value>| ConditionalPath::from_word(value?.as_str()?);
    let taken = path(param(target, "path")).filter(|_| target.kind == TargetKind::ConditionalPath);
    taken.is_some_and(|taken| match params.get("path") {
        asked @ Some(_) => path(asked) == Some(taken),
        None => index.and_then(Value::as_u64).map(|index| index == 0) == Some(taken.holds()),
    })
}

fn is_property(target: &TargetEntry) -> bool {
    target.kind == TargetKind::PropertyPresent
}

fn param<'t>(target: &'t TargetEntry, name: &str) -> Option<&'t Value> {
    target.params.as_ref()?.get(name)
}

/// Whether the property `name`, which the schema at `place` admits without declaring it, was there.
fn is_undeclared_hit(place: &str, name: &str, hit: &Hit<'_>) -> bool {
    let patterns = format!("{place}/patternProperties");
    // At the keyword or at one of its patterns, and no deeper.
    let is_here = |at: &str| {
        let rest = at.strip_prefix(&patterns);
        rest.is_some_and(|rest| rest.is_empty() || rest.rfind('/') == Some(0))
    };
    hit.range(patterns.as_str()..)
        .take_while(|(at, _)| at.starts_with(&patterns))
        .filter(|(at, _)| is_here(at))
        .flat_map(|(_, targets)| targets)
        .any(|target| is_property(target) && param(target, "name").is_some_and(|it| it == name))
}

/// Where the schema at `place` declares the property `name`.
fn declared(place: &str, name: &str) -> String {
    format!("{place}{}", Pointer::root().key("properties").key(name))
}

/// The scopes that every guided report left targets out of, each as the report that planned most of
/// it has it.
pub(super) fn caps(reports: &[Report]) -> Vec<PlannerCapHit> {
    let guided: Vec<&[PlannerCapHit]> = reports
        .iter()
        .filter(|report| report.engine.coverage_mode == CoverageMode::Guided)
        .map(|report| report.diagnostics.planner_caps_hit.as_slice())
        .collect();
    let Some(first) = guided.first() else { return Vec::new() };
    let least = |cap: &PlannerCapHit| {
        let same =
            |caps: &&[PlannerCapHit]| caps.iter().find(|other| is_same_scope(cap, other)).cloned();
        let all: Option<Vec<PlannerCapHit>> = guided.iter().map(same).collect();
        all?.into_iter().min_by_key(|cap| cap.unplanned_targets)
    };
    first.iter().filter_map(least).collect()
}

fn is_same_scope(left: &PlannerCapHit, right: &PlannerCapHit) -> bool {
    left.dimension == right.dimension
        && left.scope_type == right.scope_type
        && left.scope_key == right.scope_key
}
