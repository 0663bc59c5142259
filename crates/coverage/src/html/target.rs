//! One target as an item of a list: its state, what it asks for, and the example or the reason.

use std::fmt::Write as _;

use serde_json::Value;

use super::{
    bars::State,
    escape::{cut, fragment, text},
    examples::Examples,
    operation_sets::OperationSets,
};
use crate::{TargetEntry, TargetKind};

/// The longest value of a parameter, in bytes.
const MAX_VALUE: usize = 120;

/// The most pointers to what contradicts itself that are listed.
const MAX_CONFLICTS: usize = 4;

pub(super) fn write(
    target: &TargetEntry,
    operations: &OperationSets<'_>,
    examples: &mut Examples<'_>,
    out: &mut String,
) {
    let state = State::of(target);
    let id = fragment(&target.id);
    let (class, word, dimension) = (state.class(), state.word(), target.dimension.as_str());
    let _ = write!(out, "<li id=\"{id}\" class=\"{class}\" data-d=\"{dimension}\"");
    operations.write_attribute(target, out);
    let _ = write!(out, "><b>{word}</b> <a href=\"#{id}\">{}</a>", description(target));
    if let Some(why) = explanation(target, examples) {
        let _ = write!(out, " <span>{why}</span>");
    }
    out.push_str("</li>\n");
}

/// The example of a target that was hit, the reason of one that was not.
fn explanation(target: &TargetEntry, examples: &mut Examples<'_>) -> Option<String> {
    if target.hit {
        return examples.of(target);
    }
    let reason = target.meta.reason.as_deref().or(match State::of(target) {
        State::Missed => Some("no instance hit it"),
        State::Hit | State::Unreachable | State::NotCounted => None,
    })?;
    let mut shown = marked_code(reason);
    if let Some(code) = &target.meta.diagnostic {
        let _ = write!(shown, " <small>{}</small>", text(code));
    }
    let conflicts = &target.meta.conflicts;
    if !conflicts.is_empty() {
        let listed = conflicts.iter().take(MAX_CONFLICTS);
        let listed: Vec<String> =
            listed.map(|pointer| format!("<code>{}</code>", text(pointer))).collect();
        let _ = write!(shown, "; see {}", listed.join(", "));
        if let Some(more @ 1..) = conflicts.len().checked_sub(MAX_CONFLICTS) {
            let _ = write!(shown, " and {more} more");
        }
    }
    Some(shown)
}

/// A sentence as markup: what is between backticks is code.
pub(super) fn marked_code(sentence: &str) -> String {
    let mut shown = String::new();
    let parts: Vec<&str> = sentence.split('`').collect();
    // Without a second backtick, the last one is just a character.
    let pairs = (parts.len() - 1) / 2;
    for (number, part) in parts.iter().enumerate() {
        let _ = match number {
            _ if number % 2 == 1 && number / 2 < pairs => {
                write!(shown, "<code>{}</code>", text(part))
            }
            _ if number > 2 * pairs => write!(shown, "`{}", text(part)),
            _ => write!(shown, "{}", text(part)),
        };
    }
    shown
}

/// What a target asks for, as markup.
fn description(target: &TargetEntry) -> String {
    let param = |name: &str| target.params.as_ref().and_then(|params| params.get(name));
    let value = |name: &str| param(name).map_or_else(String::new, code);
    let operation = || code_text(target.operation_key.as_deref().unwrap_or_default());
    match &target.kind {
        TargetKind::SchemaNode => "a value reached this schema".to_owned(),
        TargetKind::PropertyPresent => match param("name").and_then(Value::as_str) {
            Some(name) => format!("property {} present", code_text(name)),
            None => "property present".to_owned(),
        },
        TargetKind::OneOfBranch => format!("branch {} of <code>oneOf</code>", value("branchIndex")),
        TargetKind::AnyOfBranch => format!("branch {} of <code>anyOf</code>", value("branchIndex")),
        TargetKind::ConditionalPath => condition(param("path")),
        TargetKind::EnumValueHit => format!("value {}", value("value")),
        TargetKind::NumericMinHit => format!("least number, {}", value("value")),
        TargetKind::NumericMaxHit => format!("greatest number, {}", value("value")),
        TargetKind::StringMinLengthHit => format!("least length, {}", value("value")),
        TargetKind::StringMaxLengthHit => format!("greatest length, {}", value("value")),
        TargetKind::ArrayMinItemsHit => format!("fewest items, {}", value("value")),
        TargetKind::ArrayMaxItemsHit => format!("most items, {}", value("value")),
        TargetKind::OpRequestCovered => format!("request of {}", operation()),
        TargetKind::OpResponseCovered => format!("response of {}", operation()),
        TargetKind::SchemaReusedCovered => "several operations refer to it".to_owned(),
        TargetKind::Unknown(word) => format!("{} {}", text(word), code_text(&target.id)),
    }
}

fn condition(path: Option<&Value>) -> String {
    match path.and_then(Value::as_str) {
        Some("if+then") => "the condition held".to_owned(),
        Some("if+else") => "the condition did not hold".to_owned(),
        Some("active") => "the property was present, so that the schema applied".to_owned(),
        Some("inactive") => "the property was absent, so that the schema did not apply".to_owned(),
        Some(other) => code_text(other),
        None => "a condition".to_owned(),
    }
}

fn code(value: &Value) -> String {
    code_text(&value.to_string())
}

fn code_text(content: &str) -> String {
    let (start, is_cut) = cut(content, MAX_VALUE);
    format!("<code>{}{}</code>", text(start), if is_cut { "…" } else { "" })
}

#[cfg(test)]
mod tests {
    use super::marked_code;

    #[test]
    fn what_is_between_backticks_is_code() {
        assert_eq!(marked_code("no `<a>` at `b`"), "no <code>&lt;a&gt;</code> at <code>b</code>");
        assert_eq!(marked_code("`a` and ` alone"), "<code>a</code> and ` alone");
        assert_eq!(marked_code(""), "");
    }
}
