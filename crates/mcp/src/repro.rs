//! Calls as files have them, and the file that repeats a failure.

use std::collections::{BTreeMap, BTreeSet};

use foolproof_contract::{Pointer, Untrusted};
use foolproof_stateful::ShrinkStep;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::{
    arguments::Arguments,
    call_step::{self, CallStep, PlaceKind},
    corpus::{Origin, Seed},
    report::{FailureReport, RunReport, SandboxReport},
    settings::Settings,
    tool::Tool,
    wire::ExitStatus,
};

/// The key of an object that stands for a part of arguments while they are rearranged.
const MARKER: &str = "\u{0}part";

/// The name of the format of repro files.
pub const REPRO_FORMAT: &str = "foolproof-mcp-repro/v1";

/// A call as files have it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct StepFile {
    /// Its number, which references of later calls use.
    pub id: u32,
    /// The tool.
    pub tool: Untrusted,
    /// The arguments, with the values that were used when the failure was found.
    pub arguments: Value,
    /// The places in the arguments that refer to seeds or to answers, by JSON Pointer.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub references: BTreeMap<String, Origin>,
    /// The places in the arguments that the schema gave.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub free: BTreeSet<String>,
    /// The shrink steps of each place that can be shrunk.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub shrink: BTreeMap<usize, String>,
}

/// Why a call of a file cannot be made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StepError {
    /// The server has no such tool.
    #[error("the server has no tool `{0}`")]
    NoTool(Untrusted),
    /// The schema of the tool cannot be used.
    #[error("the schema of `{0}` cannot be used")]
    UnusableTool(Untrusted),
    /// A place is no JSON Pointer.
    #[error("`{0}` is no JSON Pointer")]
    Pointer(Untrusted),
}

impl StepFile {
    pub(crate) fn of(step: &CallStep, tools: &[Tool]) -> Self {
        let places = step.places().iter().enumerate();
        let shrink = places.filter(|(_, place)| !place.steps.is_empty());
        Self {
            id: step.id,
            tool: tools[step.tool].name().into(),
            arguments: step.arguments.value.clone(),
            references: step
                .arguments
                .references
                .iter()
                .map(|(pointer, origin)| (pointer.to_string(), origin.clone()))
                .collect(),
            free: step.arguments.free.iter().map(ToString::to_string).collect(),
            shrink: shrink
                .map(|(index, place)| {
                    let letters = place.steps.iter().map(|step| letter(*step));
                    let new = place.has_new_step.then_some('!');
                    (index, letters.chain(new).collect())
                })
                .collect(),
        }
    }

    pub(crate) fn to_step(&self, tools: &[Tool]) -> Result<CallStep, StepError> {
        let tool = tools.iter().position(|tool| self.tool == tool.name());
        let tool = tool.ok_or_else(|| StepError::NoTool(self.tool.clone()))?;
        let input = tools[tool].input();
        let input = input.ok_or_else(|| StepError::UnusableTool(self.tool.clone()))?;
        let pointer =
            |text: &String| text.parse::<Pointer>().map_err(|_| StepError::Pointer(text.into()));
        let references = self.references.iter();
        let references = references.map(|(place, origin)| Ok((pointer(place)?, origin.clone())));
        let arguments = Arguments {
            value: self.arguments.clone(),
            references: references.collect::<Result<_, StepError>>()?,
            free: self.free.iter().map(pointer).collect::<Result<_, StepError>>()?,
        };
        let mut step = CallStep::new(self.id, tool, arguments, &input.oracle);
        for (index, letters) in &self.shrink {
            if let Some(place) = step.place_mut(*index) {
                place.steps = letters.chars().filter_map(shrink_step).collect();
                place.has_new_step = letters.ends_with('!');
            }
        }
        Ok(step)
    }

    /// The call with everything that was shrunk put into its arguments.
    pub(crate) fn settled(step: &CallStep, tools: &[Tool]) -> Self {
        let mut value = step.arguments.value.clone();
        let mut parts: Vec<(Value, Option<Origin>)> = Vec::new();
        let mut mark =
            |value: &mut Value, pointer: &Pointer, origin: Option<Origin>, now: Option<Value>| {
                if let Some(place) = value.pointer_mut(pointer.as_str()) {
                    let drawn = now.unwrap_or_else(|| place.clone());
                    *place = json!({ MARKER: parts.len() });
                    parts.push((drawn, origin));
                }
            };
        for (pointer, origin) in &step.arguments.references {
            mark(&mut value, pointer, Some(origin.clone()), None);
        }
        for place in step.places().iter().filter(|place| place.kind == PlaceKind::Free) {
            let original = place.pointer.resolve(&step.arguments.value);
            let mut settled = place.clone();
            settled.has_new_step = false;
            let now = original.and_then(|it| call_step::shrink_free(it, &settled));
            mark(&mut value, &place.pointer, None, now);
        }
        step.leave_out(&mut value);
        let mut file = Self {
            id: step.id,
            tool: tools[step.tool].name().into(),
            arguments: Value::Null,
            references: BTreeMap::new(),
            free: BTreeSet::new(),
            shrink: BTreeMap::new(),
        };
        file.arguments = file.unmark(value, &Pointer::root(), &parts);
        file
    }

    /// `value` with the parts in the place of their markers, whose places are noted.
    fn unmark(
        &mut self,
        value: Value,
        pointer: &Pointer,
        parts: &[(Value, Option<Origin>)],
    ) -> Value {
        match value {
            Value::Object(members) => {
                let marked = members.get(MARKER).and_then(Value::as_u64);
                let part = marked.and_then(|index| parts.get(usize::try_from(index).ok()?));
                if let Some((drawn, origin)) = part {
                    match origin {
                        Some(origin) => {
                            self.references.insert(pointer.to_string(), origin.clone());
                        }
                        None => {
                            self.free.insert(pointer.to_string());
                        }
                    }
                    return drawn.clone();
                }
                let members = members.into_iter().map(|(name, member)| {
                    let inside = pointer.key(&name);
                    (name, self.unmark(member, &inside, parts))
                });
                Value::Object(members.collect::<Map<String, Value>>())
            }
            Value::Array(items) => {
                let items = items.into_iter().enumerate();
                let items =
                    items.map(|(index, item)| self.unmark(item, &pointer.index(index), parts));
                Value::Array(items.collect())
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value,
        }
    }

    /// The arguments as reports write them: JSON with references such as `$2.id`.
    #[must_use]
    pub fn arguments_with_references(&self) -> Untrusted {
        let mut value = self.arguments.clone();
        for (pointer, origin) in &self.references {
            if let (Origin::Answer { step, path }, Some(place)) =
                (origin, value.pointer_mut(pointer))
            {
                *place = Value::String(format!("${step}{path}"));
            }
        }
        value.to_string().into()
    }
}

fn letter(step: ShrinkStep) -> char {
    match step {
        ShrinkStep::Simplify => 'S',
        ShrinkStep::Complicate => 'C',
        ShrinkStep::Simplest => 'Z',
    }
}

fn shrink_step(letter: char) -> Option<ShrinkStep> {
    match letter {
        'S' => Some(ShrinkStep::Simplify),
        'C' => Some(ShrinkStep::Complicate),
        'Z' => Some(ShrinkStep::Simplest),
        _ => None,
    }
}

/// A file that repeats a failure.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Repro {
    /// Always [`REPRO_FORMAT`].
    pub format: String,
    /// The tool that failed.
    pub tool: Untrusted,
    /// The code of the check.
    pub code: Untrusted,
    /// What was wrong.
    pub message: Untrusted,
    /// What the failure was found with.
    #[serde(default)]
    pub versions: Versions,
    /// How the server is started or reached.
    pub server: Value,
    /// What kept the server from harming the machine when the failure was found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sandbox: Option<SandboxReport>,
    /// The seeds, with `{tmp}` as a template.
    pub seeds: Vec<SeedFile>,
    /// The calls. The last one fails.
    pub steps: Vec<StepFile>,
    /// Whether text was mined, which references may need.
    #[serde(default)]
    pub mine_text: bool,
    /// The messages of the failing sequence.
    #[serde(default)]
    pub wire_log: Value,
    /// The end of what the server wrote to standard error.
    #[serde(default)]
    pub stderr_tail: Untrusted,
    /// How the process ended, if it did so by itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_status: Option<ExitStatus>,
}

impl Repro {
    /// The file that repeats `failure` of `report`. `server` says how the server is started or reached.
    #[must_use]
    pub fn new(
        failure: &FailureReport,
        report: &RunReport,
        settings: &Settings,
        server: Value,
    ) -> Self {
        Self {
            format: REPRO_FORMAT.to_owned(),
            tool: failure.tool.clone(),
            code: failure.code.as_str().into(),
            message: failure.message.clone(),
            versions: Versions {
                foolproof: env!("CARGO_PKG_VERSION").to_owned(),
                protocol: report.protocol.clone(),
                server: report.server.clone(),
            },
            server,
            sandbox: Some(report.sandbox.clone()),
            seeds: settings.seeds.iter().map(SeedFile::from).collect(),
            steps: failure.steps.clone(),
            mine_text: settings.mine_text,
            wire_log: failure.evidence.wire_log.clone(),
            stderr_tail: failure.evidence.stderr_tail.clone(),
            exit_status: failure.evidence.exit_status,
        }
    }
}

/// What a failure was found with.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Versions {
    /// The version of this software.
    pub foolproof: String,
    /// The revision of the protocol.
    pub protocol: String,
    /// What the server says of itself.
    pub server: Value,
}

/// A seed as files have it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SeedFile {
    /// The string or number.
    pub value: Value,
    /// The name of the properties that it serves.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub property: Option<String>,
}

impl From<&Seed> for SeedFile {
    fn from(seed: &Seed) -> Self {
        Self { value: seed.value.clone(), property: seed.property.clone() }
    }
}

impl From<SeedFile> for Seed {
    fn from(file: SeedFile) -> Self {
        Self { value: file.value, property: file.property }
    }
}
