//! The scope of a unit: which part of the contract its instance is about.

use std::collections::BTreeSet;

use crate::{Target, TargetIndex, TargetSet};

/// The part of the contract that a unit is about (requirements §4.2).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UnitScope {
    operation_key: Option<String>,
    schema_paths: Vec<String>,
}

impl UnitScope {
    /// The scope of a unit that is for `targets`. A run over an API sets the operation.
    pub(super) fn of(targets: &[TargetIndex], set: &TargetSet) -> Self {
        let paths = targets.iter().map(|target| Target::location(&set[*target]));
        let paths: BTreeSet<&str> = paths.collect();
        let schema_paths = paths.into_iter().map(str::to_owned).collect();
        Self { operation_key: None, schema_paths }
    }

    pub(super) fn set_operation(&mut self, key: String) {
        self.operation_key = Some(key);
    }

    /// The key of the operation, if the contract is an API.
    #[must_use]
    pub fn operation_key(&self) -> Option<&str> {
        self.operation_key.as_deref()
    }

    /// The locations of the targets that the unit is for, sorted, each once.
    #[must_use]
    pub fn schema_paths(&self) -> &[String] {
        &self.schema_paths
    }
}
