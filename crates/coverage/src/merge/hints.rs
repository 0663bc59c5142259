//! The hints that no instance satisfied in several reports.
//!
//! A report lists only the hints that were not satisfied. So the target of a hint decides whether
//! another run satisfied it: if the target is hit, the hint is satisfied.

use std::collections::{BTreeMap, BTreeSet};

use foolproof_contract::Pointer;
use serde_json::{Map, Value};

use crate::{
    ConditionalPath, CoverageMode, HintKind, PlannerCapHit, TargetEntry, TargetKind,
    UnsatisfiedHint,
};

/// The targets that were hit, by their locations.
type HitTargets<'t> = BTreeMap<&'t str, Vec<&'t TargetEntry>>;

/// The hints that were not satisfied in some report, each once, with the reason that the first of them
/// gives.
#[derive(Debug, Default)]
pub(super) struct MergedHints {
    hints: Vec<UnsatisfiedHint>,
    known: BTreeSet<(HintKind, String, Option<String>)>,
}

impl MergedHints {
    pub(super) fn add(&mut self, hints: Vec<UnsatisfiedHint>) {
        for hint in hints {
            let params = hint.params.clone().map(|params| Value::Object(params).to_string());
            if self.known.insert((hint.kind.clone(), hint.canon_path.clone(), params)) {
                self.hints.push(hint);
            }
        }
    }

    /// Those that no report satisfied; `targets` are the merged ones.
    pub(super) fn finish(self, targets: &[TargetEntry]) -> Vec<UnsatisfiedHint> {
        let mut hit_targets: HitTargets<'_> = BTreeMap::new();
        for target in targets.iter().filter(|target| target.hit) {
            hit_targets.entry(&target.canon_path).or_default().push(target);
        }
        let mut hints = self.hints;
        hints.retain(|hint| !is_satisfied(hint, &hit_targets));
        hints.sort_by_key(UnsatisfiedHint::priority);
        hints
    }
}

/// Whether the target of `hint` is among those that were hit.
fn is_satisfied(hint: &UnsatisfiedHint, hit: &HitTargets<'_>) -> bool {
    let Some(params) = &hint.params else { return false };
    let is_hit = |location: &str, is_target: &dyn Fn(&TargetEntry) -> bool| {
        hit.get(location).is_some_and(|targets| targets.iter().any(|target| is_target(target)))
    };
    match &hint.kind {
        HintKind::PreferBranch => is_hit(&hint.canon_path, &|target| is_branch(target, params)),
        HintKind::CoverEnumValue => is_hit(&hint.canon_path, &|target| {
            let index = params.get("valueIndex").or_else(|| params.get("enumIndex"));
            target.kind == TargetKind::EnumValueHit
                && index.is_some()
                && param(target, "enumIndex") == index
        }),
        HintKind::EnsurePropertyPresence => {
            let Some(Value::String(name)) = params.get("property") else { return false };
            // There is no target for the absence of a property.
            params.get("present") != Some(&Value::Bool(false))
                && (is_hit(&declared(&hint.canon_path, name), &is_property)
                    || is_undeclared_hit(&hint.canon_path, name, hit))
        }
        HintKind::Unknown(_) => false,
    }
}

/// Whether `target` is the branch in `params`. A condition has two: the first means that it holds.
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

/// Whether the target of the property `name`, which the schema at `location` admits without declaring
/// it, was hit.
fn is_undeclared_hit(location: &str, name: &str, hit: &HitTargets<'_>) -> bool {
    let patterns = format!("{location}/patternProperties");
    // At the keyword or at one of its patterns, and no deeper.
    let is_pattern = |found: &str| {
        let rest = found.strip_prefix(&patterns);
        rest.is_some_and(|rest| rest.is_empty() || rest.rfind('/') == Some(0))
    };
    hit.range(patterns.as_str()..)
        .take_while(|(found, _)| found.starts_with(&patterns))
        .filter(|(found, _)| is_pattern(found))
        .flat_map(|(_, targets)| targets)
        .any(|target| is_property(target) && param(target, "name").is_some_and(|it| it == name))
}

/// The location at which the schema at `location` declares the property `name`.
fn declared(location: &str, name: &str) -> String {
    format!("{location}{}", Pointer::root().key("properties").key(name))
}

/// The scopes in which every guided report left targets out, each from the report that planned the
/// most targets of it.
#[derive(Debug, Default)]
pub(super) struct MergedCaps {
    /// `None` before the first guided report.
    caps: Option<Vec<PlannerCapHit>>,
}

impl MergedCaps {
    pub(super) fn add(&mut self, caps: Vec<PlannerCapHit>, mode: CoverageMode) {
        if mode != CoverageMode::Guided {
            return;
        }
        let Some(known) = &mut self.caps else {
            self.caps = Some(caps);
            return;
        };
        known.retain_mut(|cap| {
            let Some(other) = caps.iter().find(|other| is_same_scope(cap, other)) else {
                return false;
            };
            if other.unplanned_targets < cap.unplanned_targets {
                cap.clone_from(other);
            }
            true
        });
    }

    pub(super) fn finish(self) -> Vec<PlannerCapHit> {
        self.caps.unwrap_or_default()
    }
}

fn is_same_scope(left: &PlannerCapHit, right: &PlannerCapHit) -> bool {
    left.dimension == right.dimension
        && left.scope_type == right.scope_type
        && left.scope_key == right.scope_key
}
