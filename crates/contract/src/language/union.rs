//! The union of some patterns, and what can be concluded where parts of it are widened or missing.

use super::{
    Expression,
    dfa::{Dfa, DfaState},
};
use crate::Verdict;

/// The texts that match at least one of some patterns.
#[derive(Debug)]
pub(crate) struct PatternUnion {
    /// Absent if it exceeded its limits; then nothing is known.
    dfa: Option<Dfa>,
    fidelity: Fidelity,
}

/// What to conclude from the automaton.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fidelity {
    /// Both answers are right.
    Exact,
    /// It is widened: only a mismatch is certain.
    Widened,
    /// Patterns that exceeded their limits are missing: only a match is certain.
    Partial,
    /// Nothing.
    Absent,
}

impl PatternUnion {
    /// The union of `texts`, all of them as exact as `exact` says.
    pub(crate) fn compile(texts: &[String], exact: bool) -> Self {
        let parsed: Vec<Option<Expression>> =
            texts.iter().map(|text| Expression::parse(text)).collect();
        let known: Vec<&Expression> = parsed.iter().flatten().collect();
        let whole = if known.len() == texts.len() { Dfa::build(&known) } else { None };
        if let Some(dfa) = whole {
            let fidelity = if exact { Fidelity::Exact } else { Fidelity::Widened };
            return Self { dfa: Some(dfa), fidelity };
        }
        match partial(&known, texts.len()).filter(|_| exact) {
            Some(dfa) => Self { dfa: Some(dfa), fidelity: Fidelity::Partial },
            None => Self { dfa: None, fidelity: Fidelity::Absent },
        }
    }

    /// Whether a pattern exceeded its limits.
    pub(crate) fn is_lossy(&self) -> bool {
        matches!(self.fidelity, Fidelity::Partial | Fidelity::Absent)
    }

    /// Whether the automaton distinguishes two bytes.
    pub(crate) fn distinguishes(&self, left: u8, right: u8) -> bool {
        self.dfa.as_ref().is_some_and(|dfa| dfa.distinguishes(left, right))
    }

    /// The state of the empty text, if there is an automaton.
    pub(crate) fn start(&self) -> Option<DfaState> {
        self.dfa.as_ref().and_then(Dfa::start)
    }

    pub(crate) fn next(&self, state: Option<DfaState>, byte: u8) -> Option<DfaState> {
        let dfa = self.dfa.as_ref()?;
        state.map(|state| dfa.next(state, byte))
    }

    /// Whether a text that ends in `state` is in the union.
    pub(crate) fn at_end(&self, state: Option<DfaState>) -> Verdict {
        match (&self.dfa, state) {
            (Some(dfa), Some(state)) => self.conclude(dfa.matches_at_end(state)),
            _ => Verdict::Unknown,
        }
    }

    /// What is certain of every text that goes on from `state`.
    pub(crate) fn so_far(&self, state: Option<DfaState>) -> Verdict {
        match (&self.dfa, state) {
            (_, Some(DfaState::Matched)) => self.conclude(true),
            (Some(dfa), Some(state)) if dfa.is_dead(state) => self.conclude(false),
            _ => Verdict::Unknown,
        }
    }

    fn conclude(&self, matched: bool) -> Verdict {
        match (self.fidelity, matched) {
            (Fidelity::Exact | Fidelity::Partial, true) => Verdict::Yes,
            (Fidelity::Exact | Fidelity::Widened, false) => Verdict::No,
            (Fidelity::Widened | Fidelity::Absent, true)
            | (Fidelity::Partial | Fidelity::Absent, false) => Verdict::Unknown,
        }
    }
}

/// The union without the patterns that are too large alone: one must not hide the others. Nothing
/// if those are none or all of the `count` patterns.
fn partial(known: &[&Expression], count: usize) -> Option<Dfa> {
    if count < 2 {
        return None;
    }
    let fits = |expression: &&Expression| Dfa::build(&[*expression]).is_some();
    let small: Vec<&Expression> = known.iter().copied().filter(fits).collect();
    let is_part = !small.is_empty() && small.len() < count;
    if is_part { Dfa::build(&small) } else { None }
}

#[cfg(test)]
mod tests {
    use super::{super::WidenedPattern, *};

    fn verdict(pattern: &str, name: &str) -> Verdict {
        let widened = WidenedPattern::of(pattern).unwrap();
        let union = PatternUnion::compile(&[widened.text], widened.exact);
        let end = name.bytes().fold(union.start(), |state, byte| union.next(state, byte));
        union.at_end(end)
    }

    #[test]
    fn a_pattern_matches_anywhere_unless_it_is_anchored() {
        assert_eq!(verdict("b", "abc"), Verdict::Yes);
        assert_eq!(verdict("^b", "abc"), Verdict::No);
        assert_eq!(verdict("b$", "ab"), Verdict::Yes);
        assert_eq!(verdict("b$", "ab\n"), Verdict::No);
        assert_eq!(verdict("", ""), Verdict::Yes);
        assert_eq!(verdict("^é+$", "éé"), Verdict::Yes);
    }

    #[test]
    fn classes_are_those_of_ecma_262() {
        assert_eq!(verdict(r"^\d$", "٣"), Verdict::No);
        assert_eq!(verdict(r"^\s$", "\u{feff}"), Verdict::Yes);
    }

    #[test]
    fn a_widened_pattern_excludes_but_never_confirms() {
        for pattern in [r"^(?!x)[a-z]$", r"^\b[a-z]\b$", r"^(?=.)[a-z](?<!q)$", "^[a-z]++$"] {
            assert_eq!(verdict(pattern, "a"), Verdict::Unknown, "{pattern}");
            assert_eq!(verdict(pattern, "A"), Verdict::No, "{pattern}");
        }
        assert_eq!(verdict(r"^(a|b)\1c$", "aac"), Verdict::Unknown);
        assert_eq!(verdict(r"^(a|b)\1c$", "aad"), Verdict::No);
    }

    #[test]
    fn an_exponential_pattern_is_given_up() {
        let widened = WidenedPattern::of("(a|b)*a(a|b){20}").unwrap();
        assert!(PatternUnion::compile(&[widened.text], true).is_lossy());
    }

    #[test]
    fn a_pattern_that_is_given_up_does_not_hide_the_others() {
        let texts =
            ["^x-", "(a|b)*a(a|b){20}"].map(|pattern| WidenedPattern::of(pattern).unwrap().text);
        let union = PatternUnion::compile(&texts, true);
        let end = |name: &str| {
            union.at_end(name.bytes().fold(union.start(), |state, byte| union.next(state, byte)))
        };
        assert!(union.is_lossy());
        assert_eq!((end("x-y"), end("y")), (Verdict::Yes, Verdict::Unknown));
    }

    #[test]
    fn long_names_over_unicode_classes_fit() {
        for pattern in [r"^[^\s]{1,255}$", r"^\w{1,1000}$", r"^[^/]{1,255}(/[^/]{1,255}){3}$"] {
            let widened = WidenedPattern::of(pattern).unwrap();
            assert!(!PatternUnion::compile(&[widened.text], true).is_lossy(), "{pattern}");
        }
    }
}
