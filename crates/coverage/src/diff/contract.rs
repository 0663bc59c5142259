//! Whether two reports are about the same contract.

use serde::Serialize;

use super::Diff;
use crate::RunRecord;

/// Whether the contract changed between two reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum ContractChange {
    /// It is the same, by its fingerprint.
    Same,
    /// It changed: by its fingerprint, or by its targets where a report has no fingerprint.
    Changed,
    /// A report has no fingerprint, and the targets do not show a change.
    Unknown,
}

impl ContractChange {
    /// What the fingerprints of the reports say.
    pub(super) fn by_fingerprint(before: &RunRecord, after: &RunRecord) -> Self {
        match (&before.contract_fingerprint, &after.contract_fingerprint) {
            (Some(before), Some(after)) if before == after => Self::Same,
            (Some(_), Some(_)) => Self::Changed,
            (None, _) | (_, None) => Self::Unknown,
        }
    }

    /// What the targets of `found` say, if the fingerprints say nothing. Targets depend on the contract,
    /// on the dimensions, which are told apart, and on the operations in scope.
    pub(super) fn or_by_targets(self, found: &Diff, before: &RunRecord, after: &RunRecord) -> Self {
        let has_same_scope = before.operations_scope == after.operations_scope
            && before.selected_operations == after.selected_operations;
        let is_open = self == Self::Unknown;
        if is_open && has_same_scope && found.has_other_targets() { Self::Changed } else { self }
    }
}
