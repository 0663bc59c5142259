//! What became of targets, counted, and shares as bars.

use std::fmt::Write as _;

use foolproof_contract::wording::percent;

use crate::{Ratio, Status, TargetEntry};

/// What became of a target, as the page tells it apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    Hit,
    Missed,
    /// Proven that no valid value can hit it.
    Unreachable,
    /// Listed, but no ratio counts it.
    NotCounted,
}

impl State {
    pub(super) const ALL: [Self; 4] =
        [Self::Hit, Self::Missed, Self::Unreachable, Self::NotCounted];

    pub(super) fn of(target: &TargetEntry) -> Self {
        match (target.status, target.hit) {
            (Status::Deprecated, _) => Self::NotCounted,
            (Status::Active | Status::Unreachable, true) => Self::Hit,
            (Status::Active, false) => Self::Missed,
            (Status::Unreachable, false) => Self::Unreachable,
        }
    }

    /// The class of elements that are about it.
    pub(super) fn class(self) -> char {
        match self {
            Self::Hit => 'h',
            Self::Missed => 'm',
            Self::Unreachable => 'u',
            Self::NotCounted => 'd',
        }
    }

    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Hit => "hit",
            Self::Missed => "missed",
            Self::Unreachable => "unreachable",
            Self::NotCounted => "not counted",
        }
    }
}

/// How many targets there are of each state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Tally([usize; 4]);

impl Tally {
    pub(super) fn add(&mut self, state: State) {
        self.0[state as usize] += 1;
    }

    pub(super) fn add_all(&mut self, other: Self) {
        for (sum, number) in self.0.iter_mut().zip(other.0) {
            *sum += number;
        }
    }

    pub(super) fn of(self, state: State) -> usize {
        self.0[state as usize]
    }

    pub(super) fn total(self) -> usize {
        self.0.iter().sum()
    }

    /// The counts that are not 0, as markup.
    pub(super) fn write(self, out: &mut String) {
        out.push_str("<span class=\"c\">");
        for state in State::ALL.into_iter().filter(|state| self.of(*state) > 0) {
            let (number, class, word) = (self.of(state), state.class(), state.word());
            let _ = write!(out, "<i class=\"{class}\">{number} {word}</i> ");
        }
        out.truncate(out.trim_end().len());
        out.push_str("</span>");
    }
}

/// A ratio as a bar. It says nothing that the text beside it does not say.
pub(super) fn bar(ratio: Ratio) -> String {
    if ratio.total == 0 {
        return String::new();
    }
    // Hundredths of a percent: finer than a pixel.
    let width = ratio.hit as u128 * 10_000 / ratio.total as u128;
    let (whole, part) = (width / 100, width % 100);
    format!(
        "<svg class=\"bar\" viewBox=\"0 0 100 1\" preserveAspectRatio=\"none\" aria-hidden=\"true\" focusable=\"false\">\
        <rect class=\"all\" width=\"100\" height=\"1\"/><rect class=\"part\" width=\"{whole}.{part:02}\" height=\"1\"/></svg>"
    )
}

/// A ratio as a percentage, rounded down.
pub(super) fn share(ratio: Ratio) -> String {
    if ratio.total == 0 { "no targets".to_owned() } else { percent(ratio.share()) }
}
