//! Strings that satisfy requirements.
//!
//! The length is kept where possible, and otherwise changed only to the nearest limit: a string whose
//! length is a limit keeps it although its characters change.

use foolproof_contract::StringShape;

use super::{compiled, observed::Requirements};
use crate::Source;

/// The longest string that is padded to.
const LONGEST: usize = 1 << 20;

/// Strings that satisfy the requirements, those most like `current` first.
pub(super) fn satisfying(
    current: &str,
    requirements: &Requirements<'_>,
    source: &mut impl Source,
) -> Vec<String> {
    let least = requirements.counts("minLength").max().unwrap_or(0);
    let most = requirements.counts("maxLength").min().unwrap_or(usize::MAX);
    if least > most.min(LONGEST) {
        return Vec::new();
    }
    let length = current.chars().count().clamp(least, most);
    let wanted = StringShape {
        patterns: requirements.texts("pattern"),
        formats: requirements.texts("format"),
        content_media_types: requirements.texts("contentMediaType"),
        content_encodings: requirements.texts("contentEncoding"),
        ..StringShape::default()
    };
    let mut found = vec![resized(current, length)];
    if wanted != StringShape::default() {
        found.extend(drawn(&wanted, length, length, source));
        found.extend(drawn(&wanted, least, most, source));
    }
    found.dedup();
    found
}

fn drawn(wanted: &StringShape, least: usize, most: usize, source: &mut impl Source) -> Vec<String> {
    let strings = compiled::strings(StringShape {
        min_length: Some(least.into()),
        max_length: (most < usize::MAX).then(|| most.into()),
        ..wanted.clone()
    });
    strings.draw(source).into_iter().chain(strings.simplest()).collect()
}

/// The text, cut or continued with its own characters.
fn resized(text: &str, length: usize) -> String {
    let text = if text.is_empty() { "a" } else { text };
    text.chars().cycle().take(length).collect()
}
