//! From patterns to automata.
//!
//! A pattern is ECMA-262 and may match anywhere in a name. It is translated and parsed by the
//! libraries that the validator uses, so the automaton means what the validator does. What no
//! automaton can express (look-around, back-references, word boundaries over Unicode) is widened
//! to a regular language that contains it; [`Regular::exact`] tells the two apart.

use std::slice;

use fancy_regex::{Assertion, Expr};
use regex_automata::{
    Anchored,
    dfa::{Automaton, StartKind, dense},
    nfa::thompson::{self, WhichCaptures},
    util::{alphabet::ByteClasses, primitives::StateID, start},
};

use crate::Verdict;

/// Bytes one automaton may take. `^[^\s]{1,255}$` takes half of it; what does not fit is mostly
/// exponential in its pattern and would not fit ten times as much either.
const AUTOMATON_BYTES: usize = 2 << 20;

/// Bytes of what an automaton is built from. Exponential patterns meet this within milliseconds,
/// Unicode classes under large counts too.
const WORKING_BYTES: usize = 1 << 20;

/// A pattern in the syntax of `regex`, as itself or widened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Regular {
    pub(super) text: String,
    pub(super) exact: bool,
}

impl Regular {
    /// The pattern, widened where it must be; nothing if it cannot be read.
    pub(super) fn of(pattern: &str) -> Option<Self> {
        let translated = jsonschema_regex::to_rust_regex(pattern).ok()?;
        let tree = Expr::parse_tree(&translated).ok()?;
        let mut exact = true;
        let widened = widen(tree.expr, &mut exact);
        let mut text = String::new();
        widened.to_str(&mut text, 0);
        Some(Self { text, exact })
    }
}

/// The expression without what is not regular: conditions on the surroundings become empty, and
/// whatever has no simple bound any text at all.
fn widen(expression: Expr, exact: &mut bool) -> Expr {
    match expression {
        Expr::Empty
        | Expr::Any { .. }
        | Expr::Literal { .. }
        | Expr::Delegate { .. }
        | Expr::Assertion(
            Assertion::StartText
            | Assertion::EndText
            | Assertion::StartLine { .. }
            | Assertion::EndLine { .. },
        ) => expression,
        Expr::Concat(parts) => Expr::Concat(widen_each(parts, exact)),
        Expr::Alt(parts) => Expr::Alt(widen_each(parts, exact)),
        Expr::Group(inner) => Expr::Group(widen((*inner).clone(), exact).into()),
        Expr::Repeat { child, lo, hi, greedy } => {
            Expr::Repeat { child: Box::new(widen(*child, exact)), lo, hi, greedy }
        }
        Expr::AtomicGroup(inner) => {
            *exact = false;
            // The capturing group keeps the precedence of the atomic one.
            Expr::Group(widen(*inner, exact).into())
        }
        Expr::Assertion(_)
        | Expr::LookAround(..)
        | Expr::KeepOut
        | Expr::ContinueFromPreviousMatchEnd => {
            *exact = false;
            Expr::Group(Expr::Empty.into())
        }
        Expr::GeneralNewline { .. }
        | Expr::Backref { .. }
        | Expr::BackrefWithRelativeRecursionLevel { .. }
        | Expr::BackrefExistsCondition { .. }
        | Expr::Conditional { .. }
        | Expr::SubroutineCall(_)
        | Expr::BacktrackingControlVerb(_)
        | Expr::Absent(_)
        | Expr::DefineGroup { .. }
        | Expr::AstNode(..) => {
            *exact = false;
            any_text()
        }
    }
}

fn widen_each(parts: Vec<Expr>, exact: &mut bool) -> Vec<Expr> {
    parts.into_iter().map(|part| widen(part, exact)).collect()
}

fn any_text() -> Expr {
    let character = Box::new(Expr::Any { newline: true, crlf: false });
    let text = Expr::Repeat { child: character, lo: 0, hi: usize::MAX, greedy: true };
    Expr::Group(text.into())
}

/// The names that match at least one of some patterns.
#[derive(Debug)]
pub(super) struct Language {
    /// Absent if it outgrew its limits; then nothing is known.
    automaton: Option<dense::DFA<Vec<u32>>>,
    reading: Reading,
}

/// What to conclude from the automaton.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reading {
    /// Both answers are right.
    Exact,
    /// It is widened: only what it leaves out is certain.
    Widened,
    /// Patterns that outgrew their limits are missing: only a match is certain.
    Partial,
    /// Nothing.
    Blind,
}

/// What an automaton has read so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Place {
    At(StateID),
    /// A match lies behind; nothing that follows can undo it.
    Matched,
    /// There is no automaton.
    Lost,
}

impl Language {
    /// The union of `texts`, all of them as exact as `exact` says.
    pub(super) fn compile(texts: &[String], exact: bool) -> Self {
        let reading = if exact { Reading::Exact } else { Reading::Widened };
        if let Some(automaton) = build(texts) {
            return Self { automaton: Some(automaton), reading };
        }
        match part(texts).filter(|_| exact) {
            Some(automaton) => Self { automaton: Some(automaton), reading: Reading::Partial },
            None => Self { automaton: None, reading: Reading::Blind },
        }
    }

    /// Whether a pattern outgrew its limits.
    pub(super) fn is_lossy(&self) -> bool {
        matches!(self.reading, Reading::Partial | Reading::Blind)
    }

    /// Which bytes the automaton tells apart.
    pub(super) fn classes(&self) -> Option<&ByteClasses> {
        self.automaton.as_ref().map(dense::DFA::byte_classes)
    }

    pub(super) fn start(&self) -> Place {
        let config = start::Config::new().anchored(Anchored::No);
        let state = self.automaton.as_ref().and_then(|dfa| dfa.start_state(&config).ok());
        state.map_or(Place::Lost, Place::At)
    }

    pub(super) fn step(&self, place: Place, byte: u8) -> Place {
        let (Some(dfa), Place::At(state)) = (&self.automaton, place) else {
            return place;
        };
        // A match is reported one byte late.
        let next = dfa.next_state(state, byte);
        if dfa.is_match_state(next) { Place::Matched } else { Place::At(next) }
    }

    /// Whether a name that ends here is in the language.
    pub(super) fn at_end(&self, place: Place) -> Verdict {
        match (&self.automaton, place) {
            (Some(dfa), Place::At(state)) => {
                self.conclude(dfa.is_match_state(dfa.next_eoi_state(state)))
            }
            (_, place) => self.so_far(place),
        }
    }

    /// What is certain of every name that goes on from here.
    pub(super) fn so_far(&self, place: Place) -> Verdict {
        match (&self.automaton, place) {
            (_, Place::Matched) => self.conclude(true),
            (Some(dfa), Place::At(state)) if dfa.is_dead_state(state) => self.conclude(false),
            (_, Place::At(_) | Place::Lost) => Verdict::Unknown,
        }
    }

    fn conclude(&self, matched: bool) -> Verdict {
        match (self.reading, matched) {
            (Reading::Exact | Reading::Partial, true) => Verdict::Yes,
            (Reading::Exact | Reading::Widened, false) => Verdict::No,
            (Reading::Widened | Reading::Blind, true)
            | (Reading::Partial | Reading::Blind, false) => Verdict::Unknown,
        }
    }
}

/// The union without the patterns that are too large alone: one must not hide the others.
fn part(texts: &[String]) -> Option<dense::DFA<Vec<u32>>> {
    if texts.len() < 2 {
        return None;
    }
    let fits = |text: &&String| build(slice::from_ref(*text)).is_some();
    let small: Vec<String> = texts.iter().filter(fits).cloned().collect();
    let is_part = !small.is_empty() && small.len() < texts.len();
    if is_part { build(&small) } else { None }
}

fn build(texts: &[String]) -> Option<dense::DFA<Vec<u32>>> {
    dense::Builder::new()
        .configure(
            dense::Config::new()
                .start_kind(StartKind::Unanchored)
                .accelerate(false)
                .dfa_size_limit(Some(AUTOMATON_BYTES))
                .determinize_size_limit(Some(WORKING_BYTES)),
        )
        .thompson(
            thompson::Config::new()
                .which_captures(WhichCaptures::None)
                .nfa_size_limit(Some(WORKING_BYTES)),
        )
        .build_many(texts)
        .ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(pattern: &str, name: &str) -> Verdict {
        let regular = Regular::of(pattern).unwrap();
        let language = Language::compile(&[regular.text], regular.exact);
        let end = name.bytes().fold(language.start(), |place, byte| language.step(place, byte));
        language.at_end(end)
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
        let regular = Regular::of("(a|b)*a(a|b){20}").unwrap();
        assert!(Language::compile(&[regular.text], true).is_lossy());
    }

    #[test]
    fn a_pattern_that_is_given_up_does_not_hide_the_others() {
        let texts = ["^x-", "(a|b)*a(a|b){20}"].map(|pattern| Regular::of(pattern).unwrap().text);
        let language = Language::compile(&texts, true);
        let end = |name: &str| {
            language.at_end(name.bytes().fold(language.start(), |at, byte| language.step(at, byte)))
        };
        assert!(language.is_lossy());
        assert_eq!((end("x-y"), end("y")), (Verdict::Yes, Verdict::Unknown));
    }

    #[test]
    fn long_names_over_unicode_classes_fit() {
        for pattern in [r"^[^\s]{1,255}$", r"^\w{1,1000}$", r"^[^/]{1,255}(/[^/]{1,255}){3}$"] {
            let regular = Regular::of(pattern).unwrap();
            assert!(!Language::compile(&[regular.text], true).is_lossy(), "{pattern}");
        }
    }
}
