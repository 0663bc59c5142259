//! Random walks through an automaton that end where they should.
//!
//! For every length it is known which states accept in exactly that many more characters
//! ([`Levels`]). A walk picks its length first and then only takes steps that keep it in reach, so
//! it never has to turn back, and every text of that length can be met.

use foolproof_contract::language::{Automaton, TooLarge};

use super::{
    letter::Letter,
    levels::Levels,
    window::{self, Window},
};
use crate::Source;

/// How many lengths beyond the shortest are usual.
const ROOM: usize = 64;

/// The longest length that is drawn although a shorter one would do.
const LONGEST_SPARE: usize = 10_000;

/// Steps that may be spent on lengths nobody asked for.
const SPARE_STEPS: usize = 2_000_000;

/// An automaton with the lengths its texts can have.
#[derive(Clone, Debug)]
pub(super) struct Walk {
    letters: Vec<Letter>,
    states: Vec<State>,
    /// The lengths in the window, ascending.
    lengths: Vec<usize>,
    /// Which states accept after how many characters.
    levels: Levels,
    open_ended: bool,
}

/// A state of the automaton, with letters for its classes of characters.
#[derive(Clone, Debug)]
pub(super) struct State {
    pub(super) accepting: bool,
    /// Which letter leads to which state, the plausible letters first.
    pub(super) edges: Vec<(usize, usize)>,
}

impl Walk {
    /// The texts of `automaton` in the window; nothing if there are none.
    pub(super) fn new(automaton: Automaton, window: Window) -> Result<Option<Self>, TooLarge> {
        if automaton.states.is_empty() {
            return Ok(None);
        }
        if window.least > window::LONGEST {
            return Err(TooLarge);
        }
        let (letters, states) = with_letters(automaton);
        let edges = states.iter().map(|state| state.edges.len()).sum::<usize>().max(1);
        let spare = (SPARE_STEPS / edges).min(LONGEST_SPARE);
        let spare = if window.most <= spare { window.most } else { 0 };
        let mut levels = Levels::new(&states);
        let mut lengths = Vec::new();
        for length in window.least..=window.most {
            match levels.extend(&states, length) {
                Ok(()) if levels.is_last(length) => break,
                Ok(()) => {}
                Err(TooLarge) if lengths.is_empty() => return Err(TooLarge),
                Err(TooLarge) => break,
            }
            if levels.accepts(length, 0) {
                lengths.push(length);
            }
            let enough = lengths.first().map(|first| (first + ROOM).max(spare));
            if enough.is_some_and(|enough| length >= enough) {
                break;
            }
        }
        let open_ended = is_open_ended(&states, letters.len());
        let is_empty = lengths.is_empty();
        Ok((!is_empty).then_some(Self { letters, states, lengths, levels, open_ended }))
    }

    /// Appends a text.
    pub(super) fn draw(&self, text: &mut String, source: &mut impl Source) {
        let length = self.lengths[self.pick_length(source)];
        text.reserve(length);
        let mut state = 0;
        for left in (0..length).rev() {
            let level = self.levels.at(left);
            let edges = &self.states[state].edges;
            if let [(letter, target)] = edges[..] {
                text.push(self.letters[letter].draw(source));
                state = target;
                continue;
            }
            let weight = |letter: usize| u64::from(self.letters[letter].weight);
            let usable = || edges.iter().filter(|(_, target)| level.has(*target));
            let total: u64 = usable().map(|(letter, _)| weight(*letter)).sum();
            let mut chosen = if total > 1 { source.below(total) } else { 0 };
            for (letter, target) in usable() {
                if let Some(rest) = chosen.checked_sub(weight(*letter)) {
                    chosen = rest;
                } else {
                    text.push(self.letters[*letter].draw(source));
                    state = *target;
                    break;
                }
            }
        }
    }

    /// The first `most` texts, the shortest first, of at most `characters` together.
    pub(super) fn texts(&self, most: usize, characters: usize) -> Vec<String> {
        let (mut found, mut written) = (Vec::new(), 0);
        for length in &self.lengths {
            let mut path = Path::new(*length);
            while found.len() < most && written < characters {
                let Some(text) = path.next(self) else { break };
                written += length;
                found.push(text);
            }
        }
        found
    }

    /// Mostly short, sometimes the shortest or the longest there is.
    fn pick_length(&self, source: &mut impl Source) -> usize {
        let count = self.lengths.len();
        if count == 1 {
            return 0;
        }
        let usual = count.min(ROOM / 2) as u64;
        let spread = |source: &mut _, width: u64| {
            let width = Source::below(source, width) + 1;
            usize::try_from(Source::below(source, width)).unwrap_or(0)
        };
        // After an unanchored match any text may follow; that is rarely what is meant.
        let weights = if self.open_ended { [30, 10, 7, 1] } else { [0, 24, 22, 2] };
        match source.weighted(&weights) {
            0 => spread(source, usual.min(3)),
            1 => spread(source, usual),
            2 => source.index(count.min(ROOM / 5)),
            _ => count - 1,
        }
    }
}

/// The texts of one length in order: a path through the automaton, and at each step the edge and the character that it
/// takes.
struct Path {
    length: usize,
    steps: Vec<Step>,
    /// Whether the first text was not given yet.
    is_new: bool,
}

#[derive(Clone, Copy)]
struct Step {
    state: usize,
    edge: usize,
    character: u64,
}

impl Path {
    fn new(length: usize) -> Self {
        Self { length, steps: Vec::new(), is_new: true }
    }

    fn next(&mut self, walk: &Walk) -> Option<String> {
        if !std::mem::take(&mut self.is_new) && !self.advance(walk) {
            return None;
        }
        while self.steps.len() < self.length {
            let state = self.state(walk);
            let first = Step { state, edge: 0, character: 0 };
            let first = self.usable(first, self.steps.len(), walk)?;
            self.steps.push(first);
        }
        self.steps.iter().map(|step| step.text(walk)).collect()
    }

    /// Takes the next character at the last step that has another, and drops those behind it; `false` after the last text.
    fn advance(&mut self, walk: &Walk) -> bool {
        while let Some(step) = self.steps.pop() {
            let next = Step { character: step.character + 1, ..step };
            if let Some(next) = self.usable(next, self.steps.len(), walk) {
                self.steps.push(next);
                return true;
            }
        }
        false
    }

    /// `step`, which is at `place`, or the first after it that leads to the end.
    fn usable(&self, mut step: Step, place: usize, walk: &Walk) -> Option<Step> {
        let level = walk.levels.at(self.length - place - 1);
        while let Some((letter, target)) = walk.states[step.state].edges.get(step.edge) {
            if level.has(*target) && walk.letters[*letter].nth(step.character).is_some() {
                return Some(step);
            }
            step = Step { edge: step.edge + 1, character: 0, ..step };
        }
        None
    }

    /// The state behind the last step.
    fn state(&self, walk: &Walk) -> usize {
        self.steps.last().map_or(0, |step| walk.states[step.state].edges[step.edge].1)
    }
}

impl Step {
    fn text(self, walk: &Walk) -> Option<char> {
        walk.letters[walk.states[self.state].edges[self.edge].0].nth(self.character)
    }
}

/// The letters of the automaton's classes, the plausible ones first, and its states with edges in
/// that order: a source without opinions takes the first.
fn with_letters(automaton: Automaton) -> (Vec<Letter>, Vec<State>) {
    let mut ranked: Vec<(usize, Letter)> =
        automaton.classes.iter().map(Letter::of).enumerate().collect();
    ranked.sort_by_key(|(_, letter)| letter.rank());
    let mut letter_of = vec![0; ranked.len()];
    for (letter, (class, _)) in ranked.iter().enumerate() {
        letter_of[*class] = letter;
    }
    let states = automaton.states.into_iter().map(|state| {
        let edges = state.edges.iter().map(|edge| (letter_of[edge.class], edge.target));
        let mut edges: Vec<(usize, usize)> = edges.collect();
        edges.sort_unstable();
        State { accepting: state.accepting, edges }
    });
    let states = states.collect();
    (ranked.into_iter().map(|(_, letter)| letter).collect(), states)
}

/// Whether every text is accepted from some state on, as after an unanchored match.
fn is_open_ended(states: &[State], letters: usize) -> bool {
    states.iter().enumerate().any(|(index, state)| {
        let stays = state.edges.iter().all(|(_, target)| *target == index);
        state.accepting && state.edges.len() == letters && stays
    })
}
