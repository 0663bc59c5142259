//! The characters that some expressions tell apart.
//!
//! Two characters that lie in the same classes of every expression are one letter: an automaton
//! needs to read only one of them. `^\p{L}+$` has two letters, not a million.

use std::collections::{BTreeMap, BTreeSet};

use regex_syntax::hir::{Class, Hir, HirKind, Look};

use crate::Source;

/// Characters that no expression tells apart, the plausible ones first.
#[derive(Clone, Debug)]
pub(super) struct Letter {
    tiers: [Run; 4],
    /// How often to prefer this letter over others.
    pub(super) weight: u32,
}

/// Letters and digits; other printable ASCII; common characters beyond; the rest.
const TIERS: [&[(char, char)]; 3] = [
    &[('a', 'z'), ('A', 'Z'), ('0', '9')],
    &[(' ', '/'), (':', '@'), ('[', '`'), ('{', '~')],
    &[
        ('\u{c0}', '\u{d6}'),
        ('\u{d8}', '\u{f6}'),
        ('\u{f8}', '\u{17f}'),
        ('\u{391}', '\u{3a1}'),
        ('\u{3b1}', '\u{3c9}'),
        ('\u{410}', '\u{44f}'),
        ('\u{5d0}', '\u{5ea}'),
        ('\u{621}', '\u{63a}'),
        ('\u{3041}', '\u{3096}'),
        ('\u{4e00}', '\u{9fa5}'),
        ('\u{ac00}', '\u{d7a3}'),
        ('\u{1f600}', '\u{1f64f}'),
    ],
];

/// How likely each tier is, where a letter has characters in several.
const TIER_WEIGHTS: [u32; 4] = [360, 40, 5, 1];

impl Letter {
    fn of(ranges: &[(char, char)]) -> Self {
        let [first, second, third] = TIERS.map(|tier| Run::of(intersect(ranges, tier)));
        let known: Vec<(char, char)> = TIERS.concat();
        let rest = Run::of(subtract(ranges, &known));
        let size = |run: &Run, most: u32| u32::try_from(run.size).unwrap_or(most).min(most);
        // A sign that an expression names on its own separates something; any other is noise.
        let sign = if second.size == 1 { 40 } else { 2 };
        let weight =
            size(&first, 62) * 16 + size(&second, 33) * sign + size(&third, 8) + size(&rest, 1);
        Self { tiers: [first, second, third, rest], weight }
    }

    /// A character to stand for all.
    pub(super) fn representative(&self) -> char {
        self.tiers.iter().find_map(|run| run.nth(0)).unwrap_or('a')
    }

    pub(super) fn draw(&self, source: &mut impl Source) -> char {
        let mut weights = TIER_WEIGHTS;
        for (weight, run) in weights.iter_mut().zip(&self.tiers) {
            if run.size == 0 {
                *weight = 0;
            }
        }
        let present = weights.iter().filter(|weight| **weight > 0).count();
        let tier = match present {
            0 | 1 => weights.iter().position(|weight| *weight > 0).unwrap_or(0),
            _ => source.weighted(&weights),
        };
        let run = &self.tiers[tier];
        let index = if run.size > 1 { source.below(run.size) } else { 0 };
        run.nth(index).unwrap_or_else(|| self.representative())
    }
}

/// Ranges of characters, counted.
#[derive(Clone, Debug, Default)]
struct Run {
    ranges: Vec<(char, char)>,
    size: u64,
}

impl Run {
    fn of(ranges: Vec<(char, char)>) -> Self {
        let size = ranges.iter().map(|range| width(*range)).sum();
        Self { ranges, size }
    }

    fn nth(&self, mut index: u64) -> Option<char> {
        for range in &self.ranges {
            match index.checked_sub(width(*range)) {
                Some(rest) => index = rest,
                None => return char::from_u32(range.0 as u32 + u32::try_from(index).ok()?),
            }
        }
        None
    }
}

fn width((first, last): (char, char)) -> u64 {
    u64::from(last as u32 - first as u32) + 1
}

/// A letter of one class alone.
pub(super) fn letter(ranges: &[(char, char)]) -> Letter {
    // Ranges reach across the surrogates, which are no characters.
    let whole = [('\0', '\u{d7ff}'), ('\u{e000}', char::MAX)];
    Letter::of(&intersect(ranges, &whole))
}

/// In the order of `wanted`, which is the order of preference.
fn intersect(ranges: &[(char, char)], wanted: &[(char, char)]) -> Vec<(char, char)> {
    let overlap = |left: (char, char), right: (char, char)| {
        let (first, last) = (left.0.max(right.0), left.1.min(right.1));
        (first <= last).then_some((first, last))
    };
    let pairs = wanted.iter().flat_map(|left| ranges.iter().map(move |right| (*left, *right)));
    pairs.filter_map(|(left, right)| overlap(left, right)).collect()
}

fn subtract(ranges: &[(char, char)], known: &[(char, char)]) -> Vec<(char, char)> {
    let points = |ranges: &[(char, char)]| {
        let ranges = ranges.iter();
        ranges
            .map(|range| regex_syntax::hir::ClassUnicodeRange::new(range.0, range.1))
            .collect::<Vec<_>>()
    };
    let mut class = regex_syntax::hir::ClassUnicode::new(points(ranges));
    class.difference(&regex_syntax::hir::ClassUnicode::new(points(known)));
    class.ranges().iter().map(|range| (range.start(), range.end())).collect()
}

/// The letters of some expressions, the plausible ones first. All characters are in one of them.
pub(super) fn letters<'a>(expressions: impl Iterator<Item = &'a Hir>) -> Vec<Letter> {
    let mut classes = BTreeSet::new();
    expressions.for_each(|expression| collect(expression, &mut classes));
    let mut borders: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    for (index, class) in classes.iter().enumerate() {
        for (first, last) in class {
            borders.entry(*first).or_default().push(index);
            borders.entry(last + 1).or_default().push(index);
        }
    }
    // No character is a surrogate, so a range of characters must not reach across them.
    for border in [0, 0xD800, 0xE000] {
        borders.entry(border).or_default();
    }
    let mut ends: Vec<u32> = borders.keys().copied().skip(1).collect();
    ends.push(0x11_0000);
    let mut inside: BTreeSet<usize> = BTreeSet::new();
    let mut letters: BTreeMap<Vec<usize>, Vec<(char, char)>> = BTreeMap::new();
    for ((first, changes), end) in borders.into_iter().zip(ends) {
        for class in changes {
            if !inside.remove(&class) {
                inside.insert(class);
            }
        }
        if let (Some(first), Some(last)) = (char::from_u32(first), char::from_u32(end - 1)) {
            letters.entry(inside.iter().copied().collect()).or_default().push((first, last));
        }
    }
    let mut letters: Vec<Letter> = letters.values().map(|ranges| Letter::of(ranges)).collect();
    letters.sort_by_key(rank);
    letters
}

/// Lower case before upper case before digits before the rest.
fn rank(letter: &Letter) -> (usize, usize, char) {
    let tier = letter.tiers.iter().position(|run| run.size > 0).unwrap_or(0);
    let first = letter.representative();
    let range = TIERS[0].iter().position(|range| (range.0..=range.1).contains(&first));
    (tier, range.unwrap_or(0), first)
}

type Ranges = Vec<(u32, u32)>;

fn collect(expression: &Hir, classes: &mut BTreeSet<Ranges>) {
    let single = |character: char| {
        classes.insert(vec![(character as u32, character as u32)]);
    };
    match expression.kind() {
        HirKind::Empty | HirKind::Look(Look::Start | Look::End) => {}
        HirKind::Literal(literal) => {
            String::from_utf8_lossy(&literal.0).chars().for_each(single);
        }
        HirKind::Look(_) => ['\n', '\r'].into_iter().for_each(single),
        HirKind::Class(Class::Unicode(class)) => {
            let ranges = class.ranges().iter();
            // Adjacent ranges are merged, so a border toggles a class once.
            classes.insert(ranges.map(|it| (it.start() as u32, it.end() as u32)).collect());
        }
        HirKind::Class(Class::Bytes(class)) => {
            let ranges = class.ranges().iter();
            classes.insert(ranges.map(|it| (it.start().into(), it.end().into())).collect());
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
