//! The contract as a tree of `<details>`: at every level the counts, the targets of the location and what the
//! contract says there.

use std::{collections::BTreeMap, fmt::Write as _};

use foolproof_contract::{Pointer, SourceText, wording::count};

use super::{
    bars::{State, Tally},
    escape::text,
    examples::Examples,
    excerpt::Lines,
    operation_sets::OperationSets,
    target,
    tree::{Shown, Tree, split},
};
use crate::{Report, TargetEntry};

/// In a report with more targets, only the first levels of the tree are open at first.
const MAX_OPEN: usize = 150;

/// How many levels are open then.
const OPEN_LEVELS: usize = 2;

/// In a report with more targets, browsers render only what is in view. They guess how large the rest is, so
/// what is in view may move; smaller pages need none of that.
const MAX_RENDERED: usize = 2_000;

/// The most operations that are named at a location.
const MAX_OPERATIONS: usize = 3;

pub(super) fn write(
    report: &Report,
    texts: &[SourceText],
    tree: &Tree,
    examples: &mut Examples<'_>,
    out: &mut String,
) {
    out.push_str("<main id=\"contract\" tabindex=\"-1\" aria-labelledby=\"contract-h\">\n");
    out.push_str("<h2 id=\"contract-h\">Contract</h2>\n");
    let operations = OperationSets::new(&report.targets);
    filter(report, tree.tally(), &operations, out);
    let excerpts = excerpts(&report.targets, texts);
    let mut view = View { report, excerpts, tree, operations, examples };
    let class = if report.targets.len() > MAX_RENDERED { " class=\"large\"" } else { "" };
    let _ = writeln!(out, "<div id=\"tree\"{class}>");
    for root in &tree.roots {
        let name = texts.iter().find(|text| text.uri().unwrap_or("") == root.uri);
        let uri = if root.uri.is_empty() { "the contract" } else { &root.uri };
        let names = vec![name.map_or(uri, SourceText::name)];
        view.write(&Shown { names, node: root.node }, 0, &[], out);
    }
    if tree.roots.is_empty() {
        out.push_str("<p>The contract has no targets.</p>\n");
    }
    out.push_str("</div>\n</main>\n");
}

/// The form of the filter, which the script shows.
fn filter(report: &Report, tally: Tally, operations: &OperationSets<'_>, out: &mut String) {
    let total = tally.total();
    out.push_str(
        "<form id=\"filter\" role=\"search\" aria-label=\"Filter of targets\" hidden>\n\
        <label class=\"q\">Search <input type=\"search\" name=\"q\" autocomplete=\"off\" spellcheck=\"false\" placeholder=\"a name, a path, a reason\"></label>\n\
        <fieldset><legend>Status</legend>",
    );
    for state in State::ALL.into_iter().filter(|state| tally.of(*state) > 0) {
        let (class, word) = (state.class(), state.word());
        let _ = write!(
            out,
            "<label><input type=\"checkbox\" name=\"s\" value=\"{class}\" checked> {word}</label>"
        );
    }
    out.push_str(
        "</fieldset>\n<label>Dimension <select name=\"d\"><option value=\"\">all</option>",
    );
    for dimension in &report.run.dimensions_enabled {
        let _ = write!(out, "<option>{}</option>", dimension.as_str());
    }
    out.push_str("</select></label>");
    operations.write_field(out);
    let _ = writeln!(
        out,
        "\n\
        <span class=\"tools\"><button type=\"button\" name=\"open\">Expand all</button> <button type=\"button\" name=\"close\">Collapse all</button> <button type=\"reset\">Clear</button></span>\n\
        <output aria-live=\"polite\">{}</output>\n</form>",
        count(total as u64, "target")
    );
}

/// What the texts of the contract say at the locations of targets, as markup.
fn excerpts<'r>(targets: &'r [TargetEntry], texts: &[SourceText]) -> BTreeMap<&'r str, String> {
    let mut pointers: BTreeMap<&str, BTreeMap<&'r str, Pointer>> = BTreeMap::new();
    for target in targets {
        let (uri, pointer) = split(&target.canon_path);
        if let Ok(pointer) = pointer.parse() {
            pointers.entry(uri).or_default().insert(&target.canon_path, pointer);
        }
    }
    let mut excerpts = BTreeMap::new();
    for source in texts {
        let Some(wanted) = pointers.get(source.uri().unwrap_or("")) else { continue };
        let lines = Lines::new(source.text(), source.syntax());
        let offsets = source.offsets(wanted.values());
        for (location, pointer) in wanted {
            let found = offsets.get(pointer).and_then(|offset| lines.excerpt(*offset));
            if let Some(found) = found {
                let (line, excerpt) = (found.line, text(&found.text));
                let shown = format!(
                    "<div class=\"s\"><small>line {line}</small><pre>{excerpt}</pre></div>"
                );
                excerpts.insert(*location, shown);
            }
        }
    }
    excerpts
}

struct View<'r, 'e, 'x> {
    report: &'r Report,
    /// By location.
    excerpts: BTreeMap<&'r str, String>,
    tree: &'r Tree,
    operations: OperationSets<'r>,
    examples: &'e mut Examples<'x>,
}

impl View<'_, '_, '_> {
    /// Writes a node and all below it. `around` are the operations that reach the location around it. The
    /// recursion is as deep as the tree, which is bounded.
    fn write(&mut self, shown: &Shown<'_>, level: usize, around: &[String], out: &mut String) {
        let node = self.tree.node(shown.node);
        let is_open = self.report.targets.len() <= MAX_OPEN || level < OPEN_LEVELS;
        out.push_str(if is_open { "<details open><summary>" } else { "<details><summary>" });
        let _ = write!(out, "<code>{}</code> ", text(&shown.names.join(" › ")));
        node.tally.write(out);
        out.push_str("</summary>\n");
        let mut operations = around;
        if let Some(first) = node.targets.first() {
            let first = &self.report.targets[*first];
            self.write_location(first, &node.targets, around, out);
            operations = &first.meta.operations;
        }
        for below in self.tree.shown_below(shown.node) {
            self.write(&below, level + 1, operations, out);
        }
        out.push_str("</details>\n");
    }

    /// The targets of one location, of which `first` is the first, beside its text.
    fn write_location(
        &mut self,
        first: &TargetEntry,
        targets: &[usize],
        around: &[String],
        out: &mut String,
    ) {
        out.push_str("<div class=\"o\"><div><ul>\n");
        for index in targets {
            let target = &self.report.targets[*index];
            target::write(target, &self.operations, self.examples, out);
        }
        out.push_str("</ul>");
        // Most locations are reached by what reaches the location around them.
        if first.meta.operations != around {
            write_operations(first, out);
        }
        out.push_str("</div>");
        if let Some(excerpt) = self.excerpts.get(first.canon_path.as_str()) {
            out.push_str(excerpt);
        }
        out.push_str("</div>\n");
    }
}

/// Which operations reach a location, if it is not part of one.
fn write_operations(first: &TargetEntry, out: &mut String) {
    let keys = &first.meta.operations;
    if keys.is_empty() || first.operation_key.is_some() {
        return;
    }
    let listed = keys.iter().take(MAX_OPERATIONS);
    let listed: Vec<String> = listed.map(|key| format!("<code>{}</code>", text(key))).collect();
    let _ = write!(out, "<p>Reached by {}", listed.join(", "));
    if let Some(more @ 1..) = keys.len().checked_sub(MAX_OPERATIONS) {
        let _ = write!(out, " and {}", count(more as u64, "more operation"));
    }
    out.push_str("</p>");
}
