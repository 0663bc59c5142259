//! The plan of a guided run as a file: `coverage-plan/v1`.
//!
//! Its units are those of the requirements (§4.2), in the order of the run. It is a function of contract,
//! options and seed, and has no times: equal runs have equal bytes.

use foolproof_generate::STREAM_VERSION;
use serde::Serialize;
use serde_json::{Map, Value};

use super::{api::ApiRun, compiled::CompiledRun};
use crate::{AppliedHint, Dimension, HintKind, TestUnit, UnitScope};

/// The format that [`PlanRecord`] is written in.
pub const PLAN_VERSION: &str = "coverage-plan/v1";

/// The plan of a guided run, for a file.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct PlanRecord {
    /// The format: [`PLAN_VERSION`].
    pub version: &'static str,
    /// The software that planned.
    pub engine: PlanEngine,
    /// What was planned for.
    pub run: PlannedRun,
    /// The units, in the order of the run.
    pub units: Vec<UnitRecord>,
}

/// The software that planned.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct PlanEngine {
    /// The version of foolproof.
    pub foundry_version: &'static str,
    /// The version of what seeds generate.
    pub stream_version: u32,
}

/// What was planned for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct PlannedRun {
    /// The seed of the run.
    pub master_seed: u64,
    /// The most instances of the whole run, over all shards.
    pub max_instances: u64,
    /// How much effort guidance spends.
    pub profile: &'static str,
    /// The dimensions that have targets.
    pub dimensions_enabled: Vec<Dimension>,
    /// What the contract is recognised by.
    pub contract_fingerprint: String,
}

/// A unit of the plan.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct UnitRecord {
    /// Its name.
    pub id: String,
    /// The first 64 bits of the seed that its instance was drawn from. A unit that adopts an instance of a
    /// run without guidance has the seed of the run.
    pub seed: u64,
    /// The most instances that it stands for.
    pub count: u64,
    /// The hints that were applied to it, by precedence.
    pub hints: Vec<HintRecord>,
    /// The part of the contract that it is about.
    #[serde(skip_serializing_if = "ScopeRecord::is_empty")]
    pub scope: ScopeRecord,
}

/// A hint that was applied to a unit.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct HintRecord {
    /// What kind of hint it is.
    pub kind: HintKind,
    /// The schema location that it applies to.
    pub canon_path: String,
    /// What it requires there.
    pub params: Map<String, Value>,
    /// The path in the instance that it was applied at, as a JSON Pointer.
    pub instance_path: String,
}

/// The part of the contract that a unit is about.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ScopeRecord {
    /// The key of the operation, if the contract is an API.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub operation_key: Option<String>,
    /// The locations of the targets that the unit is for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub schema_paths: Vec<String>,
}

impl CompiledRun {
    /// The plan of a guided run, for a file.
    ///
    /// ```
    /// use foolproof_contract::Document;
    /// use foolproof_coverage::{CompiledRun, Profile, Settings};
    /// use foolproof_generate::Meter;
    /// use serde_json::json;
    ///
    /// let document = Document::from_value(json!({ "enum": ["S", "M"] }))?;
    /// let settings = Settings::guided(Profile::Balanced);
    /// let run = CompiledRun::new(&document, settings, &mut Meter::counting())?;
    /// let plan = run.plan_record().expect("the run is guided");
    /// assert_eq!(plan.units.len(), 2);
    /// assert_eq!(plan.units[0].scope.schema_paths, ["#"]);
    /// assert!(plan.to_json().starts_with("{\n  \"version\": \"coverage-plan/v1\""));
    /// # Ok::<(), foolproof_contract::Error>(())
    /// ```
    #[must_use]
    pub fn plan_record(&self) -> Option<PlanRecord> {
        let (plan, profile) = (self.plan()?, self.settings.guidance?);
        let document = self.api.as_ref().map(|api: &ApiRun| api.api().document());
        let document = document.or_else(|| Some(self.observer()?.document()))?;
        Some(PlanRecord {
            version: PLAN_VERSION,
            engine: PlanEngine {
                foundry_version: env!("CARGO_PKG_VERSION"),
                stream_version: STREAM_VERSION,
            },
            run: PlannedRun {
                master_seed: self.settings.seed,
                max_instances: self.settings.instances,
                profile: profile.as_str(),
                dimensions_enabled: self.settings.dimensions.iter().collect(),
                contract_fingerprint: document.fingerprint(),
            },
            units: plan.units().iter().map(UnitRecord::of).collect(),
        })
    }
}

impl PlanRecord {
    /// The plan as the text of a file: indented JSON that ends with a line break.
    #[must_use]
    pub fn to_json(&self) -> String {
        let mut text = serde_json::to_string_pretty(self).expect("every key of a plan is a text");
        text.push('\n');
        text
    }
}

impl UnitRecord {
    fn of(unit: &TestUnit) -> Self {
        Self {
            id: unit.id().to_owned(),
            seed: unit.seed().number(),
            count: unit.count(),
            hints: unit.hints().iter().map(HintRecord::of).collect(),
            scope: ScopeRecord::of(unit.scope()),
        }
    }
}

impl HintRecord {
    fn of(applied: &AppliedHint) -> Self {
        let AppliedHint { hint, instance } = applied;
        Self {
            kind: hint.kind(),
            canon_path: hint.location().to_owned(),
            params: hint.params(),
            instance_path: instance.to_string(),
        }
    }
}

impl ScopeRecord {
    fn of(scope: &UnitScope) -> Self {
        Self {
            operation_key: scope.operation_key().map(str::to_owned),
            schema_paths: scope.schema_paths().to_vec(),
        }
    }

    fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}
