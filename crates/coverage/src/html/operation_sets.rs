//! Which operations reach a target, for the filter by operation.
//!
//! Hundreds of operations may reach a shared schema, and most targets are reached by the same ones as others. So every
//! distinct set of operations has a number, which its targets carry, and an operation lists the sets that it is in.

use std::{collections::BTreeMap, fmt::Write as _};

use super::escape::text;
use crate::TargetEntry;

pub(super) struct OperationSets<'r> {
    /// The number of each set.
    numbers: BTreeMap<Vec<&'r str>, usize>,
    /// The sets that each operation is in, in their order.
    of_operation: BTreeMap<&'r str, Vec<usize>>,
}

impl<'r> OperationSets<'r> {
    pub(super) fn new(targets: &'r [TargetEntry]) -> Self {
        let mut sets = Self { numbers: BTreeMap::new(), of_operation: BTreeMap::new() };
        for target in targets {
            let set: Vec<&str> = target.operations().collect();
            let next = sets.numbers.len();
            if set.is_empty() || sets.numbers.contains_key(&set) {
                continue;
            }
            for key in &set {
                sets.of_operation.entry(key).or_default().push(next);
            }
            sets.numbers.insert(set, next);
        }
        sets
    }

    /// The attribute of a target: the number of its set.
    pub(super) fn write_attribute(&self, target: &TargetEntry, out: &mut String) {
        if let Some(number) = self.numbers.get(&target.operations().collect::<Vec<_>>()) {
            let _ = write!(out, " data-o=\"{number}\"");
        }
    }

    /// The field of the filter, if there are operations to choose from.
    pub(super) fn write_field(&self, out: &mut String) {
        if self.of_operation.len() < 2 {
            return;
        }
        out.push_str(
            "\n<label class=\"op\">Operation <select name=\"o\"><option value=\"\">all</option>",
        );
        for (key, sets) in &self.of_operation {
            let sets: Vec<String> = sets.iter().map(usize::to_string).collect();
            let _ = write!(out, "<option data-o=\"{}\">{}</option>", sets.join(" "), text(key));
        }
        out.push_str("</select></label>");
    }
}
