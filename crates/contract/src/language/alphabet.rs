//! The characters that some expressions distinguish.
//!
//! Two characters that lie in the same classes of every expression are equivalent: an automaton
//! needs to read only one of them. `^\p{L}+$` has two classes of characters, not a million.

use std::collections::{BTreeMap, BTreeSet};

use regex_syntax::hir::{ClassUnicode, ClassUnicodeRange, Hir, HirKind, Look};

use super::{Expression, expression};

/// A set of characters, as ranges with both ends included. No range reaches across the surrogates,
/// which are no characters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CharacterClass(Vec<(char, char)>);

impl CharacterClass {
    /// The characters in `ranges`.
    pub(super) fn new(ranges: &[(char, char)]) -> Self {
        let around_surrogates = [('\0', '\u{d7ff}'), ('\u{e000}', char::MAX)];
        let parts = around_surrogates.iter().flat_map(|&(first, last)| {
            ranges.iter().map(move |range| (range.0.max(first), range.1.min(last)))
        });
        Self(parts.filter(|(first, last)| first <= last).collect())
    }

    /// The ranges, ascending.
    #[must_use]
    pub fn ranges(&self) -> &[(char, char)] {
        &self.0
    }

    /// The ranges without the characters in `others`, ascending. Neighbours are joined, also those
    /// on both sides of the surrogates.
    #[must_use]
    pub fn without(&self, others: &[(char, char)]) -> Vec<(char, char)> {
        let class = |ranges: &[(char, char)]| {
            ClassUnicode::new(ranges.iter().map(|range| ClassUnicodeRange::new(range.0, range.1)))
        };
        let mut left = class(&self.0);
        left.difference(&class(others));
        left.ranges().iter().map(|range| (range.start(), range.end())).collect()
    }

    /// A character to read in place of all.
    pub(super) fn representative(&self) -> Option<char> {
        self.0.first().map(|range| range.0)
    }
}

/// The classes of equivalent characters of some expressions. Every character is in one of them.
pub(super) fn classes<'a>(
    expressions: impl Iterator<Item = &'a Expression>,
) -> Vec<CharacterClass> {
    let mut named = BTreeSet::new();
    expressions.for_each(|expression| collect(expression.hir(), &mut named));
    let mut borders: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    for (index, class) in named.iter().enumerate() {
        for (first, last) in class {
            borders.entry(*first as u32).or_default().push(index);
            borders.entry(*last as u32 + 1).or_default().push(index);
        }
    }
    // No character is a surrogate, so a range of characters must not reach across them.
    for border in [0, 0xD800, 0xE000] {
        borders.entry(border).or_default();
    }
    let mut ends: Vec<u32> = borders.keys().copied().skip(1).collect();
    ends.push(0x11_0000);
    let mut inside: BTreeSet<usize> = BTreeSet::new();
    let mut classes: BTreeMap<Vec<usize>, Vec<(char, char)>> = BTreeMap::new();
    for ((first, changes), end) in borders.into_iter().zip(ends) {
        for class in changes {
            if !inside.remove(&class) {
                inside.insert(class);
            }
        }
        if let (Some(first), Some(last)) = (char::from_u32(first), char::from_u32(end - 1)) {
            classes.entry(inside.iter().copied().collect()).or_default().push((first, last));
        }
    }
    classes.into_values().map(CharacterClass).collect()
}

type Ranges = Vec<(char, char)>;

/// Adds the classes that `expression` names. Their ranges are joined where they are adjacent, so
/// that a border is in one class once.
fn collect(expression: &Hir, classes: &mut BTreeSet<Ranges>) {
    let single = |character: char| {
        classes.insert(vec![(character, character)]);
    };
    match expression.kind() {
        HirKind::Empty | HirKind::Look(Look::Start | Look::End) => {}
        HirKind::Literal(literal) => {
            String::from_utf8_lossy(&literal.0).chars().for_each(single);
        }
        HirKind::Look(_) => ['\n', '\r'].into_iter().for_each(single),
        HirKind::Class(class) => {
            classes.insert(expression::ranges(class));
        }
        HirKind::Repetition(repetition) => collect(&repetition.sub, classes),
        HirKind::Capture(capture) => collect(&capture.sub, classes),
        HirKind::Concat(parts) | HirKind::Alternation(parts) => {
            for part in parts {
                collect(part, classes);
            }
        }
    }
}
