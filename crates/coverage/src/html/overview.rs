//! The top of the page: how much was covered, by dimension and by operation, and what the run notes.

use std::{collections::BTreeMap, fmt::Write as _};

use foolproof_contract::wording::{count, percent};
use serde_json::Value;

use super::{
    bars::{State, Tally, bar, share},
    escape::{fragment, text},
    target::marked_code,
    tree::Tree,
};
use crate::{Counts, CoverageMode, Dimension, Ratio, Report, TargetEntry};

/// The most operations that are listed without being asked for.
const MAX_OPEN: usize = 12;

/// The most missed targets, and the most limits of planning, that are listed.
const MAX_LISTED: usize = 10;

pub(super) fn write(report: &Report, name: &str, tree: &Tree, out: &mut String) {
    let Some(counts) = report.counts() else { return };
    out.push_str("<header>\n");
    let _ = writeln!(out, "<h1>Coverage of <span>{}</span></h1>", text(name));
    headline(report, &counts, tree.tally(), out);
    facts(report, out);
    out.push_str("</header>\n");
    dimensions(report, &counts, out);
    operations(report, &counts, out);
    missed(report, out);
    notes(report, out);
}

fn headline(report: &Report, counts: &Counts<'_>, tally: Tally, out: &mut String) {
    let Ratio { hit, total } = counts.overall;
    let _ = writeln!(
        out,
        "<p class=\"big\"><strong>{}</strong> {hit} of {} hit</p>{}",
        share(counts.overall),
        count(total as u64, "target"),
        bar(counts.overall),
    );
    out.push_str("<p>");
    tally.write(out);
    out.push_str("</p>\n");
    let minimum = report.metrics.thresholds.as_ref().and_then(|thresholds| thresholds.overall);
    if let Some(minimum) = minimum {
        let verdict = if report.is_ok() { "met" } else { "not met" };
        let class = if report.is_ok() { 'h' } else { 'm' };
        let _ = writeln!(
            out,
            "<p>The minimum of {} is <b class=\"{class}\">{verdict}</b>.</p>",
            percent(minimum)
        );
    }
}

fn facts(report: &Report, out: &mut String) {
    let run = &report.run;
    let mode = match report.engine.coverage_mode {
        CoverageMode::Off => "coverage off",
        CoverageMode::Measure => "measured",
        CoverageMode::Guided => "guided",
    };
    let oracle = report.engine.oracle.as_deref().unwrap_or("unknown");
    let instances = format!("{} of at most {}", run.actual_instances, run.max_instances);
    let seed = run.seed.to_string();
    let facts = [("Run", mode), ("Instances", &instances), ("Seed", &seed), ("Validator", oracle)];
    out.push_str("<dl>");
    for (name, value) in facts {
        let _ = write!(out, "<div><dt>{name}</dt><dd>{}</dd></div>", text(value));
    }
    out.push_str("</dl>\n");
}

/// A table of ratios, one for each row.
struct Table<'a> {
    /// The id of its heading.
    id: &'a str,
    /// The heading of its first column.
    subject: &'a str,
    rows: Vec<Row>,
}

struct Row {
    /// As markup.
    name: String,
    ratio: Ratio,
    tally: Tally,
}

impl Table<'_> {
    fn write(&self, out: &mut String) {
        let (id, subject) = (self.id, self.subject);
        let _ = write!(
            out,
            "<table aria-labelledby=\"{id}\"><thead><tr><th scope=\"col\">{subject}</th><th scope=\"col\" colspan=\"2\">Coverage</th>"
        );
        // Columns in which every row would have a 0 are left out.
        let is_used = |state: &State| self.rows.iter().any(|row| row.tally.of(*state) > 0);
        let states: Vec<State> = State::ALL.into_iter().filter(is_used).collect();
        for state in &states {
            let _ = write!(out, "<th scope=\"col\" class=\"n\">{}</th>", state.word());
        }
        out.push_str("</tr></thead><tbody>\n");
        for row in &self.rows {
            let (bar, share) = (bar(row.ratio), share(row.ratio));
            let name = &row.name;
            let _ = write!(
                out,
                "<tr><th scope=\"row\">{name}</th><td class=\"w\">{bar}</td><td class=\"n\">{share}</td>"
            );
            for state in &states {
                let _ = write!(out, "<td class=\"n\">{}</td>", row.tally.of(*state));
            }
            out.push_str("</tr>\n");
        }
        out.push_str("</tbody></table>\n");
    }
}

fn dimensions(report: &Report, counts: &Counts<'_>, out: &mut String) {
    let mut tallies: BTreeMap<Dimension, Tally> = BTreeMap::new();
    for target in &report.targets {
        tallies.entry(target.dimension).or_default().add(State::of(target));
    }
    let row = |(dimension, ratio): (&Dimension, &Ratio)| Row {
        name: dimension.as_str().to_owned(),
        ratio: *ratio,
        tally: tallies.get(dimension).copied().unwrap_or_default(),
    };
    let rows = counts.by_dimension.iter().map(row).collect();
    out.push_str(
        "<section aria-labelledby=\"dimensions\">\n<h2 id=\"dimensions\">Dimensions</h2>\n",
    );
    Table { id: "dimensions", subject: "Dimension", rows }.write(out);
    out.push_str("</section>\n");
}

fn operations(report: &Report, counts: &Counts<'_>, out: &mut String) {
    if counts.by_operation.is_empty() {
        return;
    }
    let mut tallies: BTreeMap<&str, Tally> = BTreeMap::new();
    let mut first: BTreeMap<&str, &TargetEntry> = BTreeMap::new();
    for target in &report.targets {
        for key in target.operations() {
            tallies.entry(key).or_default().add(State::of(target));
        }
        if let Some(key) = &target.operation_key {
            first.entry(key).or_insert(target);
        }
    }
    let name = |key: &str| match first.get(key) {
        Some(target) => format!("<a href=\"#{}\">{}</a>", fragment(&target.id), text(key)),
        None => text(key).to_string(),
    };
    let row = |(key, ratio): (&&str, &Ratio)| Row {
        name: name(key),
        ratio: *ratio,
        tally: tallies.get(key).copied().unwrap_or_default(),
    };
    let mut rows: Vec<Row> = counts.by_operation.iter().map(row).collect();
    // The least covered first; equal ones stay in the order of their keys.
    rows.sort_by_key(|row| row.ratio.permille());
    let number = rows.len();
    let open = if number <= MAX_OPEN { " open" } else { "" };
    out.push_str(
        "<section aria-labelledby=\"operations\">\n<h2 id=\"operations\">Operations</h2>\n",
    );
    let _ = writeln!(
        out,
        "<details{open}><summary>{}, the least covered first</summary>",
        count(number as u64, "operation")
    );
    Table { id: "operations", subject: "Operation", rows }.write(out);
    out.push_str("</details>\n</section>\n");
}

/// The most important of the missed targets, as links.
fn missed(report: &Report, out: &mut String) {
    let is_missed = |target: &&TargetEntry| State::of(target) == State::Missed;
    let missed: Vec<&TargetEntry> = report.uncovered_targets.iter().filter(is_missed).collect();
    if missed.is_empty() {
        return;
    }
    out.push_str("<section aria-labelledby=\"missed\">\n<h2 id=\"missed\">Missed</h2>\n<ol>\n");
    for target in missed.iter().take(MAX_LISTED) {
        let _ = writeln!(
            out,
            "<li><a href=\"#{}\"><code>{}</code></a></li>",
            fragment(&target.id),
            text(&target.id)
        );
    }
    out.push_str("</ol>\n");
    if let Some(more @ 1..) = missed.len().checked_sub(MAX_LISTED) {
        let more = count(more as u64, "more target");
        let _ = writeln!(out, "<p>These are the most important; {more} below.</p>");
    }
    out.push_str("</section>\n");
}

fn notes(report: &Report, out: &mut String) {
    let sentence = |note: &Value| note.as_str().map_or_else(|| note.to_string(), str::to_owned);
    let mut notes: Vec<String> = report.diagnostics.notes.iter().map(sentence).collect();
    let caps = &report.diagnostics.planner_caps_hit;
    notes.extend(caps.iter().take(MAX_LISTED).map(|cap| {
        format!(
            "planning left out {} of {} of dimension `{}` in `{}`",
            cap.unplanned_targets,
            count(cap.total_targets as u64, "target"),
            cap.dimension.as_str(),
            cap.scope_key
        )
    }));
    if let Some(more @ 1..) = caps.len().checked_sub(MAX_LISTED) {
        notes.push(format!("planning left out targets in {}", count(more as u64, "more scope")));
    }
    if notes.is_empty() {
        return;
    }
    out.push_str("<section aria-labelledby=\"notes\">\n<h2 id=\"notes\">Notes</h2>\n<ul>\n");
    for note in notes {
        let _ = writeln!(out, "<li>{}</li>", marked_code(&note));
    }
    out.push_str("</ul>\n</section>\n");
}
