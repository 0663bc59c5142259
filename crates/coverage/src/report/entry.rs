//! One target in a report.

use std::collections::BTreeMap;

use foolproof_contract::json_equal;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::{Dimension, Status, TargetKind};

/// One target, and whether it was hit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TargetEntry {
    /// The id, the same in every run over the same contract.
    pub id: String,
    /// The dimension it belongs to.
    pub dimension: Dimension,
    /// What it asks for, such as `ONEOF_BRANCH`.
    pub kind: TargetKind,
    /// Its location in the contract.
    pub canon_path: String,
    /// The operation that it belongs to directly.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operation_key: Option<String>,
    /// What distinguishes it from other targets of its kind at its location.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub params: Option<Map<String, Value>>,
    /// Whether it counts.
    #[serde(default = "active")]
    pub status: Status,
    /// Kept for weighted coverage; it changes no number, only the order of what is uncovered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weight: Option<f64>,
    /// Kept for negative coverage.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub polarity: Option<Polarity>,
    /// What helps to understand the result.
    #[serde(default, skip_serializing_if = "Meta::is_empty")]
    pub meta: Meta,
    /// Whether a value hit it.
    pub hit: bool,
}

fn active() -> Status {
    Status::Active
}

/// Whether a target asks for valid values or for invalid ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Polarity {
    /// For valid ones.
    Positive,
    /// For invalid ones.
    Negative,
}

impl TargetEntry {
    /// The operations that the target belongs to: directly, or because they reach it.
    pub fn operations(&self) -> impl Iterator<Item = &str> {
        let own = self.operation_key.as_deref();
        let rest = self.meta.operations.iter().map(String::as_str);
        own.into_iter().chain(rest.filter(move |key| Some(*key) != own))
    }

    /// Whether `other` is the same target: with the same id, kind, location and parameters. The
    /// parameters matter because another member of an enumeration may have the same index, and so the
    /// same id, in another version of the contract.
    pub(crate) fn is_same_as(&self, other: &Self) -> bool {
        let asks_the_same = match (&self.params, &other.params) {
            (Some(left), Some(right)) => {
                let is_in_both = |(name, value): (&String, &Value)| {
                    right.get(name).is_some_and(|other| json_equal(value, other))
                };
                left.len() == right.len() && left.iter().all(is_in_both)
            }
            (None, None) => true,
            (Some(_), None) | (None, Some(_)) => false,
        };
        asks_the_same
            && self.id == other.id
            && self.dimension == other.dimension
            && self.kind == other.kind
            && self.canon_path == other.canon_path
            && self.operation_key == other.operation_key
    }
}

/// The targets by their ids; an error is the first id that occurs twice.
pub(crate) fn by_id(targets: &[TargetEntry]) -> Result<BTreeMap<&str, &TargetEntry>, String> {
    let mut found = BTreeMap::new();
    for target in targets {
        if found.insert(target.id.as_str(), target).is_some() {
            return Err(target.id.clone());
        }
    }
    Ok(found)
}

/// What helps to understand whether a target was hit. Nothing here enters a metric.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Map<String, Value>", into = "Map<String, Value>")]
pub struct Meta {
    /// `false` if the run was guided and the planner left the target out.
    pub planned: Option<bool>,
    /// The first value that hit it, or a description of one that is too large.
    pub example: Option<Value>,
    /// The index of the instance that the example is.
    pub instance: Option<u64>,
    /// Why it was missed.
    pub reason: Option<String>,
    /// The code of the contradiction because of which no value can hit it.
    pub diagnostic: Option<String>,
    /// Pointers to what contradicts itself or each other there.
    pub conflicts: Vec<String>,
    /// The number of members of its enumeration, if only a sample of them are targets.
    pub enum_size: Option<usize>,
    /// The keys of the operations that reach it.
    pub operations: Vec<String>,
    /// Fields that this version does not know.
    pub other: Map<String, Value>,
}

impl Meta {
    /// Whether there is nothing to show.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

impl From<Meta> for Map<String, Value> {
    fn from(meta: Meta) -> Self {
        let Meta { planned, example, instance, reason, .. } = meta;
        let Meta { diagnostic, conflicts, enum_size, operations, other, .. } = meta;
        let mut shown = other;
        let mut show = |name: &str, value: Option<Value>| {
            if let Some(value) = value {
                shown.insert(name.to_owned(), value);
            }
        };
        show("planned", planned.map(Value::from));
        show("example", example);
        show("instance", instance.map(Value::from));
        show("reason", reason.map(Value::from));
        show("diagnostic", diagnostic.map(Value::from));
        show("conflicts", (!conflicts.is_empty()).then(|| conflicts.into()));
        show("enumSubsampled", enum_size.map(|_| Value::Bool(true)));
        show("enumSize", enum_size.map(Value::from));
        show("operations", (!operations.is_empty()).then(|| operations.into()));
        shown
    }
}

impl TryFrom<Map<String, Value>> for Meta {
    type Error = serde_json::Error;

    fn try_from(mut shown: Map<String, Value>) -> Result<Self, Self::Error> {
        let example = shown.remove("example");
        if shown.contains_key("enumSize") {
            // Redundant: there is a size only for a sample.
            shown.remove("enumSubsampled");
        }
        Ok(Self {
            planned: take(&mut shown, "planned")?,
            example,
            instance: take(&mut shown, "instance")?,
            reason: take(&mut shown, "reason")?,
            diagnostic: take(&mut shown, "diagnostic")?,
            conflicts: take(&mut shown, "conflicts")?.unwrap_or_default(),
            enum_size: take(&mut shown, "enumSize")?,
            operations: take(&mut shown, "operations")?.unwrap_or_default(),
            other: shown,
        })
    }
}

fn take<T: serde::de::DeserializeOwned>(
    shown: &mut Map<String, Value>,
    name: &str,
) -> Result<Option<T>, serde_json::Error> {
    shown.remove(name).map(serde_json::from_value).transpose()
}
