//! The instances that hit targets, each in the page once.
//!
//! Many targets have the same first instance. A short one stands beside each of them; a long one stands in
//! a section of its own, and targets link to it.

use std::{collections::BTreeMap, fmt::Write as _, sync::Arc};

use serde_json::Value;

use super::escape::{cut, text};
use crate::TargetEntry;

/// The longest text of an instance, in bytes, that stands beside a target.
const INLINE: usize = 72;

/// The longest text, in bytes, of an instance in the section.
const LONGEST: usize = 2_000;

pub(super) struct Examples<'r> {
    /// The beginnings of instances that are too long for a report.
    texts: &'r BTreeMap<u64, Arc<str>>,
    /// For each instance in the section, its number there.
    numbers: BTreeMap<(u64, String), usize>,
    /// The instances in the section, in the order of their numbers.
    section: Vec<(u64, String)>,
}

impl<'r> Examples<'r> {
    pub(super) fn new(texts: &'r BTreeMap<u64, Arc<str>>) -> Self {
        Self { texts, numbers: BTreeMap::new(), section: Vec::new() }
    }

    /// The example of `target` as markup, if it has one.
    pub(super) fn of(&mut self, target: &TargetEntry) -> Option<String> {
        let instance = target.meta.instance.unwrap_or_default();
        let Some(value) = &target.meta.example else {
            // Values of recorded traffic are left out of reports.
            return target.meta.instance.map(|index| format!("by instance {index}"));
        };
        let shown = match self.texts.get(&instance) {
            _ if !is_truncated(value) => {
                let short = value.to_string();
                if short.len() <= INLINE {
                    return Some(format!("by instance {instance} <code>{}</code>", text(&short)));
                }
                pretty(value)
            }
            Some(start) if value["bytes"] == start.len() => start.to_string(),
            Some(start) => format!("{start}…"),
            None => {
                let size = &value["bytes"];
                return Some(format!(
                    "by instance {instance}, of {size} bytes: too long for a report file; <code>--coverage-html</code> shows the beginning"
                ));
            }
        };
        let number = self.number(instance, shown);
        Some(format!("by <a class=\"e\" href=\"#i{number}\">instance {instance}</a>"))
    }

    fn number(&mut self, instance: u64, shown: String) -> usize {
        let key = (instance, shown);
        if let Some(number) = self.numbers.get(&key) {
            return *number;
        }
        let number = self.section.len();
        self.numbers.insert(key.clone(), number);
        self.section.push(key);
        number
    }

    /// Writes the section, if any target refers to it.
    pub(super) fn write(&self, out: &mut String) {
        if self.section.is_empty() {
            return;
        }
        let count = self.section.len();
        out.push_str(
            "<section id=\"examples\" aria-labelledby=\"examples-h\">\n<h2 id=\"examples-h\">Instances</h2>\n",
        );
        let _ = writeln!(
            out,
            "<details><summary>{count} that were the first to hit a target</summary>"
        );
        for (number, (instance, shown)) in self.section.iter().enumerate() {
            let shown = text(shown);
            let _ = writeln!(
                out,
                "<div class=\"x\" id=\"i{number}\"><h3>Instance {instance}</h3><pre>{shown}</pre></div>"
            );
        }
        out.push_str("</details>\n</section>\n");
    }
}

/// Whether a report has the size of a value in its place.
fn is_truncated(value: &Value) -> bool {
    value["truncated"] == true && value["bytes"].is_u64() && value["instance"].is_u64()
}

fn pretty(value: &Value) -> String {
    let text = format!("{value:#}");
    let (start, is_cut) = cut(&text, LONGEST);
    if is_cut { format!("{start}…") } else { text }
}
