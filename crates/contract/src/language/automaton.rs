//! The automaton of several conditions: all of them read side by side, a character at a time.
//!
//! States are explored breadth first from the empty text, within limits; a state from which no
//! text satisfies every condition is left out. Lengths are no part of a state.

use std::collections::{BTreeMap, VecDeque};

use super::{
    CharacterClass, Condition, alphabet,
    dfa::{Dfa, DfaState},
};

/// States of all conditions together.
const STATES: usize = 10_000;

/// Characters read while exploring.
const STEPS: usize = 2_000_000;

/// The texts that satisfy some conditions.
///
/// ```
/// use foolproof_contract::language::{Automaton, LookAroundPolicy, PatternConditions};
///
/// let pattern = PatternConditions::of("^ab?$", LookAroundPolicy::Drop).unwrap();
/// let automaton = Automaton::explore(&pattern.conditions).unwrap();
/// let accepting: Vec<bool> = automaton.states.iter().map(|state| state.accepting).collect();
/// assert_eq!(accepting, [false, true, true]);
/// ```
#[derive(Clone, Debug)]
pub struct Automaton {
    /// The characters, by what the conditions distinguish.
    pub classes: Vec<CharacterClass>,
    /// The states from which some text is accepted; the first is that of the empty text. None if
    /// no text satisfies the conditions.
    pub states: Vec<State>,
}

/// A state of an [`Automaton`].
#[derive(Clone, Debug, Default)]
pub struct State {
    /// Whether a text that ends here satisfies the conditions.
    pub accepting: bool,
    /// The ways to go on, in the order of the classes.
    pub edges: Vec<Edge>,
}

/// A character of a class leads to a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge {
    /// The index of the class.
    pub class: usize,
    /// The index of the state.
    pub target: usize,
}

/// A limit on the size of an automaton was exceeded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooLarge;

impl Automaton {
    /// The automaton of the texts that satisfy all of `conditions`.
    pub fn explore(conditions: &[Condition]) -> Result<Self, TooLarge> {
        let readers: Vec<Reader> =
            conditions.iter().map(Reader::build).collect::<Option<_>>().ok_or(TooLarge)?;
        let classes = alphabet::classes(conditions.iter().map(Condition::expression));
        let mut explorer = Explorer::new(&readers, &classes);
        explorer.run()?;
        let states = trim(explorer.states);
        Ok(Self { classes, states })
    }
}

/// One condition, compiled.
struct Reader {
    dfa: Dfa,
    /// Whether a match satisfies the condition or breaks it.
    wants_match: bool,
}

impl Reader {
    fn build(condition: &Condition) -> Option<Self> {
        let dfa = Dfa::build(&[condition.expression()])?;
        Some(Self { dfa, wants_match: condition.is_match() })
    }

    fn step(&self, state: DfaState, text: &str) -> DfaState {
        text.bytes().fold(state, |state, byte| self.dfa.next(state, byte))
    }

    /// Whether a text that ends in `state` satisfies the condition.
    fn accepts(&self, state: DfaState) -> bool {
        self.dfa.matches_at_end(state) == self.wants_match
    }

    /// Whether no text that goes on from `state` satisfies the condition.
    fn is_hopeless(&self, state: DfaState) -> bool {
        match state {
            DfaState::Matched => !self.wants_match,
            DfaState::Open(_) => self.wants_match && self.dfa.is_dead(state),
        }
    }
}

/// The state of every reader.
type Key = Vec<DfaState>;

struct Explorer<'a> {
    readers: &'a [Reader],
    /// A character of each class, as text.
    letters: Vec<String>,
    ids: BTreeMap<Key, usize>,
    states: Vec<State>,
    queue: VecDeque<(usize, Key)>,
}

impl<'a> Explorer<'a> {
    fn new(readers: &'a [Reader], classes: &[CharacterClass]) -> Self {
        Self {
            readers,
            letters: classes
                .iter()
                .filter_map(|class| Some(class.representative()?.into()))
                .collect(),
            ids: BTreeMap::new(),
            states: Vec::new(),
            queue: VecDeque::new(),
        }
    }

    fn run(&mut self) -> Result<(), TooLarge> {
        let start: Option<Key> = self.readers.iter().map(|reader| reader.dfa.start()).collect();
        self.state_for(start.ok_or(TooLarge)?)?;
        let mut steps = 0;
        while let Some((state, key)) = self.queue.pop_front() {
            steps += self.letters.len() * self.readers.len();
            if steps > STEPS {
                return Err(TooLarge);
            }
            for class in 0..self.letters.len() {
                if let Some(next) = self.next(&key, class) {
                    let target = self.state_for(next)?;
                    self.states[state].edges.push(Edge { class, target });
                }
            }
        }
        Ok(())
    }

    fn next(&self, key: &[DfaState], class: usize) -> Option<Key> {
        let mut next = Vec::with_capacity(key.len());
        for (reader, state) in self.readers.iter().zip(key) {
            let state = reader.step(*state, &self.letters[class]);
            if reader.is_hopeless(state) {
                return None;
            }
            next.push(state);
        }
        Some(next)
    }

    fn state_for(&mut self, key: Key) -> Result<usize, TooLarge> {
        if let Some(state) = self.ids.get(&key) {
            return Ok(*state);
        }
        let state = self.states.len();
        if state >= STATES {
            return Err(TooLarge);
        }
        let accepting = self.readers.iter().zip(&key).all(|(it, state)| it.accepts(*state));
        self.states.push(State { accepting, edges: Vec::new() });
        self.ids.insert(key.clone(), state);
        self.queue.push_back((state, key));
        Ok(state)
    }
}

/// The states that lead to an accepting one, renumbered; none if the first does not.
fn trim(states: Vec<State>) -> Vec<State> {
    let edges = states.iter().enumerate();
    let edges =
        edges.flat_map(|(index, state)| state.edges.iter().map(move |it| (index, it.target)));
    let useful = states_leading_to(edges, states.iter().map(|state| state.accepting).collect());
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
        let edges = state.edges.into_iter().filter(|edge| useful[edge.target]);
        let edges = edges.map(|edge| Edge { target: number[edge.target], ..edge }).collect();
        State { accepting: state.accepting, edges }
    })
    .collect()
}

/// The states from which one of `goals` can be reached along `edges`, which lead from the first
/// state to the second. States are flags by index.
pub(crate) fn states_leading_to(
    edges: impl Iterator<Item = (usize, usize)>,
    goals: Vec<bool>,
) -> Vec<bool> {
    let mut sources = vec![Vec::new(); goals.len()];
    for (source, target) in edges {
        sources[target].push(source);
    }
    let mut queue: Vec<usize> = (0..goals.len()).filter(|state| goals[*state]).collect();
    let mut leading = goals;
    while let Some(state) = queue.pop() {
        for &source in &sources[state] {
            if !std::mem::replace(&mut leading[source], true) {
                queue.push(source);
            }
        }
    }
    leading
}
