//! A report without secrets: masked before anything is escaped for a medium, or cut.

use std::collections::BTreeMap;

use foolproof_contract::Untrusted;
use foolproof_live::Masks;
use serde_json::Value;

use super::{FailureReport, RunReport};
use crate::{
    replay::{Evidence, ReplayProblem},
    repro::StepFile,
    tool_coverage::ToolWarning,
};

impl RunReport {
    /// The report without the secrets, in whatever form it is printed or written then. What it says of the coverage of
    /// schemas, and the values of its corpus, are as they were: they are masked when they are written.
    #[must_use]
    pub fn masked(mut self, masks: &Masks) -> Self {
        if masks.is_empty() {
            return self;
        }
        let value = |value: &mut Value| *value = masks.mask_value(value.take());
        value(&mut self.server);
        value(&mut self.tool_list);
        self.outcome.details.iter_mut().for_each(value);
        text(&mut self.sandbox.detail, masks);
        string(&mut self.protocol, masks);
        self.sandbox.writable.iter_mut().for_each(|it| string(it, masks));
        self.notes.iter_mut().for_each(|it| text(it, masks));
        self.failures.iter_mut().for_each(|it| it.mask(masks));
        for warning in &mut self.warnings {
            text(&mut warning.tool, masks);
            text(&mut warning.message, masks);
        }
        self.tools.iter_mut().for_each(|it| text(&mut it.name, masks));
        for skipped in &mut self.skipped {
            text(&mut skipped.tool, masks);
            text(&mut skipped.detail, masks);
        }
        let counts = std::mem::take(&mut self.coverage.counts);
        self.coverage.counts = counts
            .into_iter()
            .map(|(tool, count)| (masks.mask(&tool).into_owned(), count))
            .collect();
        self.coverage.warnings.iter_mut().for_each(|it| it.mask(masks));
        let rules = self.coverage.failures.iter_mut().chain(&mut self.coverage.not_judged);
        rules.for_each(|rule| rule.details = masks.mask_value(rule.details.take()));
        self
    }
}

impl FailureReport {
    fn mask(&mut self, masks: &Masks) {
        text(&mut self.tool, masks);
        text(&mut self.message, masks);
        self.steps.iter_mut().for_each(|step| *step = step.masked(masks));
        self.evidence.mask(masks);
    }
}

impl StepFile {
    /// The call without the secrets. References lead to the same places, unless a secret is the name of one.
    fn masked(&self, masks: &Masks) -> Self {
        let value = masks.mask_value(serde_json::to_value(self).unwrap_or_default());
        serde_json::from_value(value).unwrap_or_else(|_| Self {
            id: self.id,
            tool: masks.mask(self.tool.raw()).into(),
            arguments: masks.mask_value(self.arguments.clone()),
            references: BTreeMap::new(),
            free: self.free.clone(),
            shrink: self.shrink.clone(),
        })
    }
}

impl Evidence {
    /// What was seen, without the secrets.
    #[must_use]
    pub fn masked(mut self, masks: &Masks) -> Self {
        self.mask(masks);
        self
    }

    fn mask(&mut self, masks: &Masks) {
        for call in &mut self.calls {
            text(&mut call.tool, masks);
            text(&mut call.answer, masks);
            call.arguments = masks.mask_value(call.arguments.take());
            call.problems.iter_mut().for_each(|it| text(&mut it.message, masks));
        }
        self.wire_log = masks.mask_value(self.wire_log.take());
        text(&mut self.stderr_tail, masks);
    }
}

impl ReplayProblem {
    /// The problem without the secrets.
    #[must_use]
    pub fn masked(mut self, masks: &Masks) -> Self {
        match &mut self {
            Self::Stopped => {}
            Self::Start(reason) => text(reason, masks),
            Self::Refused { tool, reason }
            | Self::Unresolved { tool, reason, .. }
            | Self::SetUp { tool, reason, .. } => {
                text(tool, masks);
                text(reason, masks);
            }
        }
        self
    }
}

impl ToolWarning {
    fn mask(&mut self, masks: &Masks) {
        text(&mut self.tool, masks);
        text(&mut self.pointer, masks);
        self.suggestion.iter_mut().for_each(|it| string(it, masks));
    }
}

fn text(text: &mut Untrusted, masks: &Masks) {
    *text = masks.mask(text.raw()).into();
}

fn string(text: &mut String, masks: &Masks) {
    *text = masks.mask(text).into_owned();
}
