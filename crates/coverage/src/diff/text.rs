//! A comparison as text: the verdict, then the worst first, each list cut to a readable length.

use std::fmt::{Display, Formatter, Result};

use foolproof_contract::wording::{count, percent};
use serde_json::Value;

use super::{ContractChange, Diff, RatioChange};
use crate::{Status, TargetEntry};

/// The most entries of one list. The JSON form lists all.
const MAX_ENTRIES: usize = 10;
/// The longest value, in characters, that is shown after a target.
const MAX_VALUE: usize = 60;

impl Display for Diff {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> Result {
        writeln!(formatter, "{}", self.verdict())?;
        self.contract(formatter)?;
        self.dimensions(formatter)?;
        list(formatter, "Not hit any more", &self.newly_uncovered, lost)?;
        self.falls(formatter)?;
        self.numbers(formatter)?;
        list(formatter, "New gaps, which are no regression", &self.new_gaps, gap)?;
        list(formatter, "Changed status", &self.status_changed, |change| {
            let (before, after) = (change.before.as_str(), change.after.as_str());
            format!("{}: {before}, now {after}", label(&change.target))
        })?;
        list(formatter, "Newly hit", &self.newly_covered, label)?;
        let added: Vec<&TargetEntry> = self.added.iter().filter(|target| target.hit).collect();
        list(formatter, "Added and hit", &added, |target| label(target))?;
        list(formatter, "Removed, which is no regression", &self.removed, label)
    }
}

impl Diff {
    fn verdict(&self) -> String {
        let lost = self.newly_uncovered.len();
        let in_both = self.unchanged.len() + self.status_changed.len();
        if lost > 0 {
            let (were, are) = if lost == 1 { ("was", "is") } else { ("were", "are") };
            return format!("Coverage fell: {} {were} hit before and {are} not now", targets(lost));
        }
        if self.is_regression() {
            return "Coverage fell: no target was lost, but it changed which of them count"
                .to_owned();
        }
        let verdict = if self.overall.is_rise() { "Coverage rose" } else { "Coverage held" };
        format!("{verdict}: nothing was lost among the {} in both reports", targets(in_both))
    }

    /// The operations whose coverage fell, the worst first.
    fn falls(&self, formatter: &mut Formatter<'_>) -> Result {
        let mut fallen: Vec<(&String, &RatioChange)> =
            self.by_operation.iter().filter(|(_, change)| change.is_drop()).collect();
        fallen.sort_by(|(_, left), (_, right)| left.delta.total_cmp(&right.delta));
        list(formatter, "Operations that fell", &fallen, |(key, change)| {
            format!("{key}: {}", describe_change(change))
        })
    }

    fn numbers(&self, formatter: &mut Formatter<'_>) -> Result {
        let in_both = self.unchanged.len() + self.status_changed.len();
        writeln!(formatter)?;
        writeln!(formatter, "Over the {} in both reports:", targets(in_both))?;
        writeln!(formatter, "  overall: {}", describe_change(&self.overall))?;
        for (dimension, change) in &self.by_dimension {
            writeln!(formatter, "  {}: {}", dimension, describe_change(change))?;
        }
        let (before, after) = (percent(self.reported.before), percent(self.reported.after));
        writeln!(formatter, "Over all targets of each report: {before}, now {after}")
    }

    /// Whether the contract changed, and how many targets cannot be compared.
    fn contract(&self, formatter: &mut Formatter<'_>) -> Result {
        let classes = [
            (self.added.len(), "added"),
            (self.removed.len(), "removed"),
            (self.redefined.len(), "with another meaning under the same id"),
        ];
        let counts = classes.into_iter().filter(|(count, _)| *count > 0);
        let counts: Vec<String> =
            counts.map(|(count, class)| format!("{} {class}", targets(count))).collect();
        let counts = counts.join(", ");
        match (self.contract, self.has_other_targets()) {
            (ContractChange::Changed, true) => {
                writeln!(formatter, "The contract changed: {counts}")
            }
            (ContractChange::Changed, false) => {
                writeln!(formatter, "The contract changed, and its targets are the same")
            }
            (ContractChange::Same, true) => writeln!(
                formatter,
                "The contract is the same, but the options of the runs give other targets: {counts}"
            ),
            (ContractChange::Unknown, true) => {
                writeln!(formatter, "The runs have different operations in scope: {counts}")
            }
            (ContractChange::Same | ContractChange::Unknown, false) => Ok(()),
        }
    }

    /// The dimensions that only one report observes.
    fn dimensions(&self, formatter: &mut Formatter<'_>) -> Result {
        let sides =
            [("earlier", &self.dimensions_only_before), ("later", &self.dimensions_only_after)];
        for (side, dimensions) in sides.into_iter().filter(|(_, only)| !only.is_empty()) {
            let list: Vec<String> = dimensions
                .iter()
                .map(|(dimension, count)| format!("{dimension} ({})", targets(*count)))
                .collect();
            writeln!(formatter, "Only the {side} report observes {}", list.join(", "))?;
        }
        Ok(())
    }

    /// Whether targets of dimensions that both reports observe cannot be compared.
    pub(super) fn has_other_targets(&self) -> bool {
        !(self.added.is_empty() && self.removed.is_empty() && self.redefined.is_empty())
    }
}

fn list<T>(
    formatter: &mut Formatter<'_>,
    title: &str,
    items: &[T],
    describe: impl Fn(&T) -> String,
) -> Result {
    if items.is_empty() {
        return Ok(());
    }
    writeln!(formatter, "\n{title} ({}):", items.len())?;
    for item in items.iter().take(MAX_ENTRIES) {
        writeln!(formatter, "  {}", describe(item))?;
    }
    if items.len() > MAX_ENTRIES {
        writeln!(formatter, "  and {} more", items.len() - MAX_ENTRIES)?;
    }
    Ok(())
}

/// A target by its id, with the member if it is one of an enumeration.
fn label(target: &TargetEntry) -> String {
    let member = target.params.as_ref().filter(|params| params.contains_key("enumIndex"));
    match member.and_then(|params| short(params.get("value")?)) {
        Some(member) => format!("{} ({member})", target.id),
        None => target.id.clone(),
    }
}

fn gap(target: &TargetEntry) -> String {
    let is_unreachable = target.status == Status::Unreachable;
    label(target) + if is_unreachable { ", unreachable" } else { "" }
}

/// A target that was hit before, with what hit it and why it is missed now.
fn lost(target: &TargetEntry) -> String {
    let mut text = label(target);
    if let Some(example) = target.meta.example.as_ref().and_then(short) {
        text += &format!("\n    was hit by {example}");
    }
    if let Some(reason) = &target.meta.reason {
        text += &format!("\n    {reason}");
    }
    text
}

fn short(value: &Value) -> Option<String> {
    let text = value.to_string();
    (text.chars().count() <= MAX_VALUE).then_some(text)
}

fn describe_change(change: &RatioChange) -> String {
    let in_percent = |permille: i128| format!("{}.{} %", permille / 10, permille % 10);
    let (before, after) =
        (in_percent(change.ratio_before().permille()), in_percent(change.ratio_after().permille()));
    if change.targets_before == 0 && change.targets_after == 0 {
        return "no targets".to_owned();
    }
    let counts = format!("{} of {} targets", change.hit_after, change.targets_after);
    if !change.is_drop() && !change.is_rise() {
        return format!("{after} ({counts})");
    }
    format!("{before}, now {after} ({counts}; {})", points(change.delta))
}

fn points(delta: f64) -> String {
    let points = delta * 100.0;
    if points.abs() < 0.05 {
        let direction = if delta < 0.0 { "down" } else { "up" };
        return format!("{direction} by less than 0.1 points");
    }
    format!("{points:+.1} points")
}

fn targets(number: usize) -> String {
    count(number as u64, "target")
}
