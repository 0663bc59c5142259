//! Deterministic automata over bytes, built within limits.

use regex_automata::{
    Anchored,
    dfa::{Automaton as _, StartKind, dense},
    nfa::thompson::{self, WhichCaptures},
    util::{primitives::StateID, start},
};

use super::Expression;

/// Bytes one automaton may take. `^[^\s]{1,255}$` takes half of it; what does not fit is mostly
/// exponential in its pattern and would not fit ten times as much either.
const AUTOMATON_BYTES: usize = 2 << 20;

/// Bytes of what an automaton is built from. Exponential patterns reach this limit within
/// milliseconds, Unicode classes under large counts too.
const WORKING_BYTES: usize = 1 << 20;

/// An automaton that finds out whether one of some expressions matches anywhere in a text.
#[derive(Debug)]
pub(super) struct Dfa(dense::DFA<Vec<u32>>);

/// The state of a [`Dfa`] after some bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum DfaState {
    /// No match yet.
    Open(StateID),
    /// A match was found; nothing that follows can undo it.
    Matched,
}

impl Dfa {
    /// The automaton of a match of at least one expression; nothing if a limit is exceeded.
    pub(super) fn build(expressions: &[&Expression]) -> Option<Self> {
        let trees: Vec<_> = expressions.iter().map(|expression| expression.hir()).collect();
        let nfa = thompson::Compiler::new()
            .configure(
                thompson::Config::new()
                    .which_captures(WhichCaptures::None)
                    .nfa_size_limit(Some(WORKING_BYTES)),
            )
            .build_many_from_hir(&trees)
            .ok()?;
        let dfa = dense::Builder::new()
            .configure(
                dense::Config::new()
                    .start_kind(StartKind::Unanchored)
                    .accelerate(false)
                    .dfa_size_limit(Some(AUTOMATON_BYTES))
                    .determinize_size_limit(Some(WORKING_BYTES)),
            )
            .build_from_nfa(&nfa)
            .ok()?;
        Some(Self(dfa))
    }

    /// The state of the empty text.
    pub(super) fn start(&self) -> Option<DfaState> {
        let config = start::Config::new().anchored(Anchored::No);
        self.0.start_state(&config).ok().map(DfaState::Open)
    }

    pub(super) fn next(&self, state: DfaState, byte: u8) -> DfaState {
        match state {
            DfaState::Matched => DfaState::Matched,
            DfaState::Open(state) => {
                // A match is reported one byte late.
                let next = self.0.next_state(state, byte);
                if self.0.is_match_state(next) { DfaState::Matched } else { DfaState::Open(next) }
            }
        }
    }

    /// Whether a text that ends in `state` matches.
    pub(super) fn matches_at_end(&self, state: DfaState) -> bool {
        match state {
            DfaState::Matched => true,
            DfaState::Open(state) => self.0.is_match_state(self.0.next_eoi_state(state)),
        }
    }

    /// Whether no text that goes on from `state` matches.
    pub(super) fn is_dead(&self, state: DfaState) -> bool {
        match state {
            DfaState::Matched => false,
            DfaState::Open(state) => self.0.is_dead_state(state),
        }
    }

    /// Whether the automaton distinguishes two bytes.
    pub(super) fn distinguishes(&self, left: u8, right: u8) -> bool {
        let classes = self.0.byte_classes();
        classes.get(left) != classes.get(right)
    }
}
