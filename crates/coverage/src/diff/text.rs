//! A comparison for people: the verdict, then the worst first, each list cut to a readable length.

use std::fmt::{Display, Formatter, Result};

use foolproof_contract::wording::{count, percent};
use serde_json::Value;

use super::{Diff, RatioChange};
use crate::{Status, TargetEntry};

/// How many targets of a kind are listed. The JSON form lists all.
const MOST: usize = 10;
/// The longest value, in characters, that is shown beside a target.
const LONGEST_VALUE: usize = 60;

impl Display for Diff {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> Result {
        writeln!(formatter, "{}", self.verdict())?;
        list(formatter, "Not hit any more", &self.newly_uncovered, lost)?;
        self.falls(formatter)?;
        self.numbers(formatter)?;
        list(formatter, "New gaps, which are no regression", &self.new_gaps, gap)?;
        list(formatter, "Changed status", &self.status_changed, |change| {
            let (before, after) = (change.before.as_str(), change.after.as_str());
            format!("{}: {before}, now {after}", called(&change.target))
        })?;
        list(formatter, "Newly hit", &self.newly_covered, called)?;
        self.counts(formatter)
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
            format!("{key}: {}", moved(change))
        })
    }

    fn numbers(&self, formatter: &mut Formatter<'_>) -> Result {
        let in_both = self.unchanged.len() + self.status_changed.len();
        writeln!(formatter)?;
        writeln!(formatter, "Over the {} in both reports:", targets(in_both))?;
        writeln!(formatter, "  overall: {}", moved(&self.overall))?;
        for (dimension, change) in &self.by_dimension {
            writeln!(formatter, "  {}: {}", dimension, moved(change))?;
        }
        let (before, after) = (percent(self.reported.before), percent(self.reported.after));
        writeln!(formatter, "Over all targets of each report: {before}, now {after}")
    }

    fn counts(&self, formatter: &mut Formatter<'_>) -> Result {
        let classes = [
            (self.added.len(), "added"),
            (self.removed.len(), "removed"),
            (self.redefined.len(), "asking for something else under the same id"),
        ];
        let told: Vec<String> = classes
            .iter()
            .filter(|(count, _)| *count > 0)
            .map(|(count, class)| format!("{count} {class}"))
            .collect();
        if told.is_empty() {
            return Ok(());
        }
        writeln!(formatter, "\nTargets that cannot be compared: {}", told.join(", "))
    }
}

fn list<T>(
    formatter: &mut Formatter<'_>,
    title: &str,
    items: &[T],
    tell: impl Fn(&T) -> String,
) -> Result {
    if items.is_empty() {
        return Ok(());
    }
    writeln!(formatter, "\n{title} ({}):", items.len())?;
    for item in items.iter().take(MOST) {
        writeln!(formatter, "  {}", tell(item))?;
    }
    if items.len() > MOST {
        writeln!(formatter, "  and {} more", items.len() - MOST)?;
    }
    Ok(())
}

/// A target by its id, with the member if it is one of an enumeration.
fn called(target: &TargetEntry) -> String {
    let member = target.params.as_ref().filter(|params| params.contains_key("enumIndex"));
    match member.and_then(|params| short(params.get("value")?)) {
        Some(member) => format!("{} ({member})", target.id),
        None => target.id.clone(),
    }
}

fn gap(target: &TargetEntry) -> String {
    let is_out_of_reach = target.status == Status::Unreachable;
    called(target) + if is_out_of_reach { ", unreachable" } else { "" }
}

/// A target that was hit before, with what hit it and why it is missed now.
fn lost(target: &TargetEntry) -> String {
    let mut told = called(target);
    if let Some(example) = target.meta.example.as_ref().and_then(short) {
        told += &format!("\n    was hit by {example}");
    }
    if let Some(reason) = &target.meta.reason {
        told += &format!("\n    {reason}");
    }
    told
}

fn short(value: &Value) -> Option<String> {
    let text = value.to_string();
    (text.chars().count() <= LONGEST_VALUE).then_some(text)
}

fn moved(change: &RatioChange) -> String {
    let tell = |permille: i128| format!("{}.{} %", permille / 10, permille % 10);
    let (before, after) =
        (tell(change.ratio_before().permille()), tell(change.ratio_after().permille()));
    let counts = format!("{} of {} targets", change.hit_after, change.targets_after);
    if !change.is_drop() && !change.is_rise() {
        return format!("{after} ({counts})");
    }
    format!("{before}, now {after} ({counts}; {})", points(change.delta))
}

fn points(delta: f64) -> String {
    let points = delta * 100.0;
    if points.abs() < 0.05 {
        let way = if delta < 0.0 { "down" } else { "up" };
        return format!("{way} by less than 0.1 points");
    }
    format!("{points:+.1} points")
}

fn targets(number: usize) -> String {
    count(number as u64, "target")
}
