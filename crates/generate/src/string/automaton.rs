//! The automaton of several conditions: all of them read side by side, a character at a time.
//!
//! States are explored breadth first from the empty text, within limits; a state from which no
//! text satisfies every condition is left out. Lengths are no part of a state.

use std::collections::{BTreeMap, VecDeque};

use regex_automata::{
    Anchored,
    dfa::{Automaton as _, StartKind, dense},
    nfa::thompson::{self, WhichCaptures},
    util::{primitives::StateID, start},
};
use regex_syntax::hir::Hir;

use super::{
    alphabet::{self, Letter},
    regular::{Condition, Side},
};

/// Bytes one condition may take. What does not fit is mostly exponential in its pattern and would
/// not fit ten times as much either.
const CONDITION_BYTES: usize = 2 << 20;

/// Bytes of what a condition is built from; exponential patterns meet this within milliseconds.
const WORKING_BYTES: usize = 1 << 20;

/// States of all conditions together.
const STATES: usize = 10_000;

/// Characters read while exploring.
const STEPS: usize = 2_000_000;

/// An explored automaton. State 0 is that of the empty text.
#[derive(Clone, Debug)]
pub(super) struct Automaton {
    pub(super) letters: Vec<Letter>,
    /// By state; empty if no text satisfies the conditions.
    pub(super) states: Vec<State>,
}

#[derive(Clone, Debug, Default)]
pub(super) struct State {
    pub(super) accepting: bool,
    /// Which letter leads to which state.
    pub(super) edges: Vec<(usize, usize)>,
}

/// A limit was hit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TooLarge;

impl Automaton {
    pub(super) fn explore(conditions: &[Condition]) -> Result<Self, TooLarge> {
        let readers: Vec<Reader> =
            conditions.iter().map(Reader::build).collect::<Option<_>>().ok_or(TooLarge)?;
        let letters = alphabet::letters(conditions.iter().map(|it| &it.expression));
        let mut explorer = Explorer::new(&readers, &letters);
        explorer.run()?;
        let states = trim(explorer.states);
        Ok(Self { letters, states })
    }

    /// How many ways on there are in all states together.
    pub(super) fn edges(&self) -> usize {
        self.states.iter().map(|state| state.edges.len()).sum()
    }

    /// Whether every text is accepted from some state on, as after an unanchored match.
    pub(super) fn is_open_ended(&self) -> bool {
        self.states.iter().enumerate().any(|(index, state)| {
            let stays = state.edges.iter().all(|(_, target)| *target == index);
            state.accepting && state.edges.len() == self.letters.len() && stays
        })
    }
}

/// One condition, compiled.
struct Reader {
    dfa: dense::DFA<Vec<u32>>,
    side: Side,
}

/// What a reader has read so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    At(StateID),
    /// A match lies behind; nothing that follows can undo it.
    Matched,
}

impl Reader {
    fn build(condition: &Condition) -> Option<Self> {
        let nfa = thompson::Compiler::new()
            .configure(
                thompson::Config::new()
                    .which_captures(WhichCaptures::None)
                    .nfa_size_limit(Some(WORKING_BYTES)),
            )
            .build_from_hir(&condition.expression)
            .ok()?;
        let dfa = dense::Builder::new()
            .configure(
                dense::Config::new()
                    .start_kind(StartKind::Unanchored)
                    .accelerate(false)
                    .dfa_size_limit(Some(CONDITION_BYTES))
                    .determinize_size_limit(Some(WORKING_BYTES)),
            )
            .build_from_nfa(&nfa)
            .ok()?;
        Some(Self { dfa, side: condition.side })
    }

    fn start(&self) -> Option<Place> {
        let config = start::Config::new().anchored(Anchored::No);
        self.dfa.start_state(&config).ok().map(Place::At)
    }

    fn step(&self, place: Place, text: &str) -> Place {
        text.bytes().fold(place, |place, byte| match place {
            Place::Matched => Place::Matched,
            Place::At(state) => {
                // A match is reported one byte late.
                let next = self.dfa.next_state(state, byte);
                if self.dfa.is_match_state(next) { Place::Matched } else { Place::At(next) }
            }
        })
    }

    /// Whether a text that ends here satisfies the condition.
    fn accepts(&self, place: Place) -> bool {
        let matched = match place {
            Place::Matched => true,
            Place::At(state) => self.dfa.is_match_state(self.dfa.next_eoi_state(state)),
        };
        matched == (self.side == Side::Matches)
    }

    /// Whether no text that goes on from here satisfies the condition.
    fn is_hopeless(&self, place: Place) -> bool {
        match (self.side, place) {
            (Side::Fails, Place::Matched) => true,
            (Side::Matches, Place::At(state)) => self.dfa.is_dead_state(state),
            (Side::Matches, Place::Matched) | (Side::Fails, Place::At(_)) => false,
        }
    }
}

struct Explorer<'a> {
    readers: &'a [Reader],
    letters: Vec<String>,
    ids: BTreeMap<Vec<Place>, usize>,
    states: Vec<State>,
    queue: VecDeque<(usize, Vec<Place>)>,
}

impl<'a> Explorer<'a> {
    fn new(readers: &'a [Reader], letters: &[Letter]) -> Self {
        Self {
            readers,
            letters: letters.iter().map(|it| it.representative().to_string()).collect(),
            ids: BTreeMap::new(),
            states: Vec::new(),
            queue: VecDeque::new(),
        }
    }

    fn run(&mut self) -> Result<(), TooLarge> {
        let start: Option<Vec<Place>> = self.readers.iter().map(Reader::start).collect();
        self.state_for(start.ok_or(TooLarge)?)?;
        let mut steps = 0;
        while let Some((state, places)) = self.queue.pop_front() {
            steps += self.letters.len() * self.readers.len();
            if steps > STEPS {
                return Err(TooLarge);
            }
            for letter in 0..self.letters.len() {
                if let Some(next) = self.next(&places, letter) {
                    let target = self.state_for(next)?;
                    self.states[state].edges.push((letter, target));
                }
            }
        }
        Ok(())
    }

    fn next(&self, places: &[Place], letter: usize) -> Option<Vec<Place>> {
        let mut next = Vec::with_capacity(places.len());
        for (reader, place) in self.readers.iter().zip(places) {
            let place = reader.step(*place, &self.letters[letter]);
            if reader.is_hopeless(place) {
                return None;
            }
            next.push(place);
        }
        Some(next)
    }

    fn state_for(&mut self, places: Vec<Place>) -> Result<usize, TooLarge> {
        if let Some(state) = self.ids.get(&places) {
            return Ok(*state);
        }
        let state = self.states.len();
        if state >= STATES {
            return Err(TooLarge);
        }
        let accepting = self.readers.iter().zip(&places).all(|(it, place)| it.accepts(*place));
        self.states.push(State { accepting, edges: Vec::new() });
        self.ids.insert(places.clone(), state);
        self.queue.push_back((state, places));
        Ok(state)
    }
}

/// The states that lead to an accepting one, renumbered; none if the first does not.
fn trim(states: Vec<State>) -> Vec<State> {
    let mut sources = vec![Vec::new(); states.len()];
    for (index, state) in states.iter().enumerate() {
        state.edges.iter().for_each(|(_, target)| sources[*target].push(index));
    }
    let mut useful: Vec<bool> = states.iter().map(|state| state.accepting).collect();
    let mut queue: Vec<usize> = (0..states.len()).filter(|index| useful[*index]).collect();
    while let Some(state) = queue.pop() {
        for &source in &sources[state] {
            if !std::mem::replace(&mut useful[source], true) {
                queue.push(source);
            }
        }
    }
    if useful.first() != Some(&true) {
        return Vec::new();
    }
    let number: Vec<usize> = useful
        .iter()
        .scan(0, |count, is_useful| {
            Some(std::mem::replace(count, *count + usize::from(*is_useful)))
        })
        .collect();
    let kept = states.into_iter().zip(&useful).filter(|(_, is_useful)| **is_useful);
    kept.map(|(state, _)| {
        let edges = state.edges.into_iter().filter(|(_, target)| useful[*target]);
        let edges = edges.map(|(letter, target)| (letter, number[target])).collect();
        State { accepting: state.accepting, edges }
    })
    .collect()
}

/// The expression with every count cut to `extra` above its minimum: a part of the language,
/// small enough to explore.
pub(super) fn clamp(expression: &Hir, extra: u32) -> Hir {
    use regex_syntax::hir::{Capture, HirKind, Repetition};
    match expression.kind() {
        HirKind::Empty | HirKind::Literal(_) | HirKind::Class(_) | HirKind::Look(_) => {
            expression.clone()
        }
        HirKind::Repetition(it) => Hir::repetition(Repetition {
            min: it.min,
            max: it.max.map(|max| max.min(it.min.saturating_add(extra))),
            greedy: it.greedy,
            sub: Box::new(clamp(&it.sub, extra)),
        }),
        HirKind::Capture(it) => Hir::capture(Capture {
            index: it.index,
            name: None,
            sub: Box::new(clamp(&it.sub, extra)),
        }),
        HirKind::Concat(parts) => {
            Hir::concat(parts.iter().map(|part| clamp(part, extra)).collect())
        }
        HirKind::Alternation(parts) => {
            Hir::alternation(parts.iter().map(|part| clamp(part, extra)).collect())
        }
    }
}
