//! The automaton of a condition: all its languages read side by side, a byte at a time.
//!
//! States are explored breadth first from the empty name and bounded; a state from which the
//! condition can no longer hold is left out. Lengths are no part of a state: whoever walks counts
//! characters, and asks for the verdict at that length.

use std::collections::{BTreeMap, VecDeque};

use super::{
    Limit,
    condition::{Condition, Length},
    utf8::{self, Utf8},
};
use crate::{
    Verdict,
    language::{DfaState, PatternUnion, states_leading_to},
};

/// States explored before the rest counts as unknown. A hundred times what real contracts need,
/// and still explored in a fraction of a second.
const STATES: usize = 10_000;

/// Steps of single automata while exploring: many languages side by side cost more a state.
const EXPLORATION: usize = 10_000_000;

/// An explored automaton.
#[derive(Debug)]
pub(super) struct Product {
    condition: Condition,
    states: Vec<State>,
    /// Why some states are not explored.
    cut: Option<Limit>,
    /// Whether a pattern outgrew its limit.
    lossy: bool,
}

/// A state, by its index.
pub(super) type StateId = usize;

#[derive(Debug)]
struct State {
    utf8: Utf8,
    /// What the languages say of a name that ends here.
    verdicts: Vec<Verdict>,
    /// In the order of bytes; absent if not explored.
    edges: Option<Vec<Edge>>,
}

/// The bytes from `first` to `last` lead to `target`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Edge {
    pub(super) first: u8,
    pub(super) last: u8,
    pub(super) target: StateId,
}

impl Edge {
    /// How many bytes lead this way.
    pub(super) fn width(self) -> u128 {
        u128::from(self.last - self.first) + 1
    }
}

impl Product {
    /// The state of the empty name.
    pub(super) const START: StateId = 0;

    pub(super) fn explore(condition: Condition, languages: &[PatternUnion]) -> Self {
        let mut explorer = Explorer::new(&condition, languages);
        let cut = explorer.run().err();
        let states = explorer.states;
        Self { condition, states, cut, lossy: languages.iter().any(PatternUnion::is_lossy) }
    }

    pub(super) fn len(&self) -> usize {
        self.states.len()
    }

    /// Whether every state is explored, or which limit was hit.
    pub(super) fn complete(&self) -> Result<(), Limit> {
        self.cut.map_or(Ok(()), Err)
    }

    /// Why the condition is not decided by automata alone.
    pub(super) fn undecided_reason(&self) -> Limit {
        if self.lossy { Limit::PatternSize } else { Limit::Inexpressible }
    }

    pub(super) fn greatest_bound(&self) -> u64 {
        self.condition.greatest_bound()
    }

    pub(super) fn utf8(&self, state: StateId) -> Utf8 {
        self.states[state].utf8
    }

    /// Whether a name of `length` that ends in `state` satisfies the condition.
    pub(super) fn verdict(&self, state: StateId, length: Length) -> Verdict {
        let State { utf8, verdicts, .. } = &self.states[state];
        match utf8.missing() {
            0 => self.condition.verdict(verdicts, length),
            _ => Verdict::No,
        }
    }

    /// Whether `name` is among those that the condition certainly admits.
    pub(super) fn counts(&self, name: &str) -> bool {
        let follow = |state: StateId, byte| {
            let edges = self.states[state].edges.as_ref()?;
            let edge = edges.iter().find(|edge| (edge.first..=edge.last).contains(&byte))?;
            Some(edge.target)
        };
        let length = Length::Exactly(name.chars().count() as u64);
        let end = name.bytes().try_fold(Self::START, follow);
        end.is_some_and(|state| self.verdict(state, length) == Verdict::Yes)
    }

    /// The ways on from `state`, or the limit that left it unexplored.
    pub(super) fn edges(&self, state: StateId) -> Result<&[Edge], Limit> {
        self.states[state].edges.as_deref().ok_or(self.cut.unwrap_or(Limit::States))
    }

    pub(super) fn is_explored(&self, state: StateId) -> bool {
        self.states[state].edges.is_some()
    }

    /// The states from which one of `goals` can be reached, each as a flag by index.
    pub(super) fn reaching(&self, goals: impl Fn(StateId) -> bool) -> Vec<bool> {
        let edges = self.states.iter().enumerate().flat_map(|(state, it)| {
            it.edges.iter().flatten().map(move |edge| (state, edge.target))
        });
        states_leading_to(edges, (0..self.len()).map(goals).collect())
    }
}

/// The state of every language; absent where there is no automaton.
type States = Vec<Option<DfaState>>;

type Key = (Utf8, States);

struct Explorer<'a> {
    condition: &'a Condition,
    languages: &'a [PatternUnion],
    /// Ranges of bytes that nothing tells apart.
    ranges: Vec<(u8, u8)>,
    ids: BTreeMap<Key, StateId>,
    states: Vec<State>,
    queue: VecDeque<(StateId, Key)>,
    steps: usize,
}

impl<'a> Explorer<'a> {
    fn new(condition: &'a Condition, languages: &'a [PatternUnion]) -> Self {
        Self {
            condition,
            languages,
            ranges: ranges(languages),
            ids: BTreeMap::new(),
            states: Vec::new(),
            queue: VecDeque::new(),
            steps: 0,
        }
    }

    fn run(&mut self) -> Result<(), Limit> {
        let start = self.languages.iter().map(PatternUnion::start).collect();
        self.state_for((Utf8::Boundary, start))?;
        while let Some((state, key)) = self.queue.pop_front() {
            let edges = self.expand(&key)?;
            self.states[state].edges = Some(edges);
        }
        Ok(())
    }

    fn expand(&mut self, (utf8, states): &Key) -> Result<Vec<Edge>, Limit> {
        let mut edges: Vec<Edge> = Vec::new();
        let mut previous = None;
        for (first, last) in self.ranges.clone() {
            let Some(next) = self.next(*utf8, states, first) else {
                previous = None;
                continue;
            };
            match edges.last_mut() {
                Some(edge) if previous.as_ref() == Some(&next) => edge.last = last,
                _ => {
                    let target = self.state_for(next.clone())?;
                    edges.push(Edge { first, last, target });
                    previous = Some(next);
                }
            }
        }
        self.steps += self.ranges.len() * (self.languages.len() + 1);
        if self.steps > EXPLORATION { Err(Limit::Steps) } else { Ok(edges) }
    }

    /// Where `byte` leads, unless the text ends to be UTF-8 or the condition can no longer hold.
    fn next(&self, utf8: Utf8, states: &[Option<DfaState>], byte: u8) -> Option<Key> {
        let utf8 = utf8.step(byte)?;
        let together = self.languages.iter().zip(states);
        let states: States =
            together.map(|(language, state)| language.next(*state, byte)).collect();
        let so_far = self.ask(&states, PatternUnion::so_far);
        let hopeless = self.condition.verdict(&so_far, Length::Unknown) == Verdict::No;
        (!hopeless).then_some((utf8, states))
    }

    fn ask(
        &self,
        states: &[Option<DfaState>],
        what: fn(&PatternUnion, Option<DfaState>) -> Verdict,
    ) -> Vec<Verdict> {
        let together = self.languages.iter().zip(states);
        together.map(|(language, state)| what(language, *state)).collect()
    }

    fn state_for(&mut self, key: Key) -> Result<StateId, Limit> {
        if let Some(state) = self.ids.get(&key) {
            return Ok(*state);
        }
        let state = self.states.len();
        if state >= STATES {
            return Err(Limit::States);
        }
        let verdicts = self.ask(&key.1, PatternUnion::at_end);
        self.states.push(State { utf8: key.0, verdicts, edges: None });
        self.ids.insert(key.clone(), state);
        self.queue.push_back((state, key));
        Ok(state)
    }
}

fn ranges(languages: &[PatternUnion]) -> Vec<(u8, u8)> {
    let mut ranges = vec![(0, 0)];
    for byte in 1..=u8::MAX {
        let differs = utf8::BORDERS.contains(&byte)
            || languages.iter().any(|language| language.distinguishes(byte - 1, byte));
        match ranges.last_mut() {
            Some((_, last)) if !differs => *last = byte,
            _ => ranges.push((byte, byte)),
        }
    }
    ranges
}
