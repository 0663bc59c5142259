//! What a name must satisfy, as far as automata can tell: three-valued, never narrower than the
//! truth.
//!
//! `No` means that no such name is admissible and `Yes` that every one is; `Unknown` leaves it to
//! the exact check. A condition speaks of names that no set lists: those are checked one by one.

use crate::Verdict;

/// A condition on names, over languages given by their index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Condition {
    Known(Verdict),
    Length {
        min: u64,
        max: Option<u64>,
    },
    Matches(usize),
    Not(Box<Condition>),
    All(Vec<Condition>),
    Any(Vec<Condition>),
    /// Exactly one.
    One(Vec<Condition>),
}

/// How long a name is, in characters.
#[derive(Clone, Copy, Debug)]
pub(super) enum Length {
    Exactly(u64),
    /// Longer than every bound the condition mentions.
    Beyond,
    /// Anything.
    Unknown,
}

impl Condition {
    /// The answer for a name of `length` about which `languages` say whether it matches.
    pub(super) fn verdict(&self, languages: &[Verdict], length: Length) -> Verdict {
        let of = |condition: &Condition| condition.verdict(languages, length);
        match self {
            Self::Known(verdict) => *verdict,
            Self::Length { min, max } => within(*min, *max, length),
            Self::Matches(language) => languages[*language],
            Self::Not(inner) => not(of(inner)),
            Self::All(parts) => all(parts.iter().map(of)),
            Self::Any(parts) => not(all(parts.iter().map(|part| not(of(part))))),
            Self::One(parts) => one(parts.iter().map(of)),
        }
    }

    /// The greatest bound on lengths that is mentioned; beyond it lengths make no difference.
    pub(super) fn greatest_bound(&self) -> u64 {
        match self {
            Self::Known(_) | Self::Matches(_) => 0,
            Self::Length { min, max } => max.unwrap_or(0).max(*min),
            Self::Not(inner) => inner.greatest_bound(),
            Self::All(parts) | Self::Any(parts) | Self::One(parts) => {
                parts.iter().map(Self::greatest_bound).max().unwrap_or(0)
            }
        }
    }
}

fn within(min: u64, max: Option<u64>, length: Length) -> Verdict {
    match length {
        Length::Exactly(length) => known(min <= length && max.is_none_or(|max| length <= max)),
        Length::Beyond => known(max.is_none()),
        Length::Unknown if min == 0 && max.is_none() => Verdict::Yes,
        Length::Unknown => Verdict::Unknown,
    }
}

pub(super) fn known(holds: bool) -> Verdict {
    if holds { Verdict::Yes } else { Verdict::No }
}

fn not(verdict: Verdict) -> Verdict {
    match verdict {
        Verdict::Yes => Verdict::No,
        Verdict::No => Verdict::Yes,
        Verdict::Unknown => Verdict::Unknown,
    }
}

fn all(verdicts: impl Iterator<Item = Verdict>) -> Verdict {
    let mut answer = Verdict::Yes;
    for verdict in verdicts {
        match verdict {
            Verdict::No => return Verdict::No,
            Verdict::Unknown => answer = Verdict::Unknown,
            Verdict::Yes => {}
        }
    }
    answer
}

fn one(verdicts: impl Iterator<Item = Verdict>) -> Verdict {
    let (mut certain, mut possible) = (0_usize, 0_usize);
    for verdict in verdicts {
        certain += usize::from(verdict == Verdict::Yes);
        possible += usize::from(verdict != Verdict::No);
    }
    match (certain, possible) {
        (1, 1) => Verdict::Yes,
        (_, 0) | (2.., _) => Verdict::No,
        (_, _) => Verdict::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const VERDICTS: [Verdict; 3] = [Verdict::Yes, Verdict::No, Verdict::Unknown];

    /// The answers a verdict leaves open.
    fn open(verdict: Verdict) -> &'static [Verdict] {
        match verdict {
            Verdict::Yes => &[Verdict::Yes],
            Verdict::No => &[Verdict::No],
            Verdict::Unknown => &[Verdict::Yes, Verdict::No],
        }
    }

    #[test]
    fn a_certain_answer_survives_whatever_the_unknowns_turn_out_to_be() {
        let parts = || vec![Condition::Matches(0), Condition::Matches(1)];
        let conditions =
            [Condition::All(parts()), Condition::Any(parts()), Condition::One(parts())];
        for condition in conditions {
            for (left, right) in VERDICTS.iter().flat_map(|l| VERDICTS.iter().map(move |r| (l, r)))
            {
                let answer = condition.verdict(&[*left, *right], Length::Unknown);
                for (l, r) in
                    open(*left).iter().flat_map(|l| open(*right).iter().map(move |r| (l, r)))
                {
                    let settled = condition.verdict(&[*l, *r], Length::Unknown);
                    assert!(open(answer).contains(&settled), "{condition:?} {left:?} {right:?}");
                }
            }
        }
    }

    #[test]
    fn bounds_decide_lengths_and_nothing_beyond_them() {
        let window = Condition::Length { min: 2, max: Some(3) };
        let at = |length| window.verdict(&[], length);
        assert_eq!(at(Length::Exactly(1)), Verdict::No);
        assert_eq!(at(Length::Exactly(3)), Verdict::Yes);
        assert_eq!(at(Length::Beyond), Verdict::No);
        assert_eq!(at(Length::Unknown), Verdict::Unknown);
        assert_eq!(Condition::Not(Box::new(window)).greatest_bound(), 3);
    }
}
