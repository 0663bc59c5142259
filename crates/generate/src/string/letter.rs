//! Letters: sets of characters to draw from, the plausible ones first.

use foolproof_contract::language::CharacterClass;

use crate::Source;

/// Characters that no expression distinguishes, the plausible ones first.
#[derive(Clone, Debug)]
pub(super) struct Letter {
    tiers: [Run; 4],
    /// How likely each tier is: zero where it has no characters.
    weights: [u32; 4],
    /// The tier, if only one has characters.
    only: Option<usize>,
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
    pub(super) fn of(class: &CharacterClass) -> Self {
        let [first, second, third] = TIERS.map(|tier| Run::of(intersect(class.ranges(), tier)));
        let rest = Run::of(class.without(&TIERS.concat()));
        let size = |run: &Run, most: u32| u32::try_from(run.size).unwrap_or(most).min(most);
        // A sign that an expression names on its own separates something; any other is noise.
        let sign = if second.size == 1 { 40 } else { 2 };
        let weight =
            size(&first, 62) * 16 + size(&second, 33) * sign + size(&third, 8) + size(&rest, 1);
        let tiers = [first, second, third, rest];
        let mut weights = TIER_WEIGHTS;
        for (weight, run) in weights.iter_mut().zip(&tiers) {
            if run.size == 0 {
                *weight = 0;
            }
        }
        let mut present = (0..tiers.len()).filter(|tier| weights[*tier] > 0);
        let only = present.next().filter(|_| present.next().is_none());
        Self { tiers, weights, only, weight }
    }

    /// A character to stand for all.
    fn representative(&self) -> char {
        self.tiers.iter().find_map(|run| run.nth(0)).unwrap_or('a')
    }

    fn representative_of(&self, run: &Run) -> char {
        run.nth(0).unwrap_or_else(|| self.representative())
    }

    /// Lower case before upper case before digits before the rest. No two classes of an automaton
    /// have the same rank.
    pub(super) fn rank(&self) -> (usize, usize, char) {
        let tier = self.tiers.iter().position(|run| run.size > 0).unwrap_or(0);
        let first = self.representative();
        let range = TIERS[0].iter().position(|range| (range.0..=range.1).contains(&first));
        (tier, range.unwrap_or(0), first)
    }

    /// The character at `index`, the plausible ones first.
    pub(super) fn nth(&self, mut index: u64) -> Option<char> {
        for run in &self.tiers {
            match index.checked_sub(run.size) {
                Some(rest) => index = rest,
                None => return run.nth(index),
            }
        }
        None
    }

    pub(super) fn draw(&self, source: &mut impl Source) -> char {
        let tier = self.only.unwrap_or_else(|| source.weighted(&self.weights));
        let run = &self.tiers[tier];
        if run.size < 2 {
            return self.representative_of(run);
        }
        let index = source.below(run.size);
        source.note_spread(run.size.ilog2());
        run.nth(index).unwrap_or_else(|| self.representative())
    }
}

/// Ranges of characters, counted.
#[derive(Clone, Debug, Default)]
struct Run {
    ranges: Vec<(char, char)>,
    size: u64,
    /// The first characters one by one: most sets have no more.
    first: Vec<char>,
}

/// How many characters of a set are listed.
const LISTED: usize = 64;

impl Run {
    fn of(ranges: Vec<(char, char)>) -> Self {
        let size = ranges.iter().map(|range| width(*range)).sum();
        let first = ranges.iter().flat_map(|range| range.0..=range.1).take(LISTED).collect();
        Self { ranges, size, first }
    }

    fn nth(&self, index: u64) -> Option<char> {
        let listed = usize::try_from(index).ok().and_then(|index| self.first.get(index));
        listed.copied().or_else(|| self.far(index))
    }

    fn far(&self, mut index: u64) -> Option<char> {
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

/// In the order of `wanted`, which is the order of preference.
fn intersect(ranges: &[(char, char)], wanted: &[(char, char)]) -> Vec<(char, char)> {
    let overlap = |left: (char, char), right: (char, char)| {
        let (first, last) = (left.0.max(right.0), left.1.min(right.1));
        (first <= last).then_some((first, last))
    };
    let pairs = wanted.iter().flat_map(|left| ranges.iter().map(move |right| (*left, *right)));
    pairs.filter_map(|(left, right)| overlap(left, right)).collect()
}
