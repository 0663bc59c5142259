//! Which states of an automaton accept after exactly how many more characters.
//!
//! Level 0 has the accepting states, and each further level follows from the one before it alone. There are finitely many
//! levels, so from some length on they repeat: a table of those before that, and of one period, has them all. The
//! automata of patterns repeat after a few dozen characters, mostly with a period of one, and so a text of a million
//! characters costs no more than its characters.

use foolproof_contract::language::TooLarge;

use super::walk::State;

/// Steps to fill the table with. It takes an automaton without a short period to need them.
const STEPS: usize = 30_000_000;

/// The levels of an automaton, as far as they are known.
#[derive(Clone, Debug)]
pub(super) struct Levels {
    rows: Vec<Level>,
    edges: usize,
    /// How many levels there are before those that repeat, if they are known to.
    start: Option<usize>,
    /// The row that later ones are compared with: the last one whose number is a power of two.
    mark: usize,
}

/// A set of states: one bit for each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Level(Vec<u64>);

impl Levels {
    pub(super) fn new(states: &[State]) -> Self {
        let edges = states.iter().map(|state| state.edges.len()).sum::<usize>().max(1);
        Self { rows: vec![Level::first(states)], edges, start: None, mark: 0 }
    }

    /// Makes the level of `length` known.
    pub(super) fn extend(&mut self, states: &[State], length: usize) -> Result<(), TooLarge> {
        while self.start.is_none() && self.rows.len() <= length {
            if self.rows.len().saturating_mul(self.edges) > STEPS {
                return Err(TooLarge);
            }
            let next = self.rows[self.rows.len() - 1].next(states);
            // Brent's algorithm: a period is found within twice the number of rows that it needs.
            if next == self.rows[self.mark] {
                self.start = Some(self.mark);
                break;
            }
            self.rows.push(next);
            let last = self.rows.len() - 1;
            if last.is_power_of_two() {
                self.mark = last;
            }
        }
        Ok(())
    }

    /// The level of a length that is known.
    pub(super) fn at(&self, length: usize) -> &Level {
        // A division for every character would show, and most are of the rows at hand or repeat the last.
        if let Some(level) = self.rows.get(length) {
            return level;
        }
        let start = self.start.expect("levels that are not in the table repeat");
        match self.rows.len() - start {
            1 => &self.rows[start],
            period => &self.rows[start + (length - start) % period],
        }
    }

    /// Whether a text of `length` characters, which is known, leads from `state` to acceptance.
    pub(super) fn accepts(&self, length: usize, state: usize) -> bool {
        self.at(length).has(state)
    }

    /// Whether no text of `length` characters or more is accepted from the first state, as far as that shows without
    /// going on: nothing is reached any more, or the levels repeat without it.
    pub(super) fn is_last(&self, length: usize) -> bool {
        let repeats_without_it = self.start.is_some_and(|start| {
            length >= start && self.rows[start..].iter().all(|level| !level.has(0))
        });
        repeats_without_it || self.at(length).is_empty()
    }
}

impl Level {
    fn first(states: &[State]) -> Self {
        Self::of(states, |state| state.accepting)
    }

    /// The states that lead to this level by one character.
    fn next(&self, states: &[State]) -> Self {
        Self::of(states, |state| state.edges.iter().any(|(_, target)| self.has(*target)))
    }

    fn of(states: &[State], is_in: impl Fn(&State) -> bool) -> Self {
        let mut words = vec![0; states.len().div_ceil(64)];
        for (index, _) in states.iter().enumerate().filter(|(_, state)| is_in(state)) {
            words[index / 64] |= 1 << (index % 64);
        }
        Self(words)
    }

    pub(super) fn has(&self, state: usize) -> bool {
        self.0[state / 64] >> (state % 64) & 1 == 1
    }

    fn is_empty(&self) -> bool {
        self.0.iter().all(|word| *word == 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A state with edges to `targets`, each by a letter of its own.
    fn state(accepting: bool, targets: &[usize]) -> State {
        State { accepting, edges: targets.iter().copied().enumerate().collect() }
    }

    /// The lengths up to 40 that are accepted from the first state, and how many rows were needed.
    fn lengths(states: &[State]) -> (Vec<usize>, usize) {
        let mut levels = Levels::new(states);
        let accepted = (0..=40).filter(|length| {
            levels.extend(states, *length).unwrap();
            levels.accepts(*length, 0)
        });
        (accepted.collect(), levels.rows.len())
    }

    #[test]
    fn levels_repeat_with_the_period_of_the_automaton() {
        // aa(bbb)*
        let states = [
            state(false, &[1]),
            state(false, &[2]),
            state(true, &[3]),
            state(false, &[4]),
            state(false, &[2]),
        ];
        let (accepted, rows) = lengths(&states);
        assert_eq!(accepted, (2..=40).step_by(3).collect::<Vec<_>>());
        assert!(rows < 12, "{rows}");
    }

    #[test]
    fn levels_of_a_finite_language_end() {
        // ab?
        let states = [state(false, &[1]), state(true, &[2]), state(true, &[])];
        assert_eq!(lengths(&states).0, [1, 2]);
    }

    #[test]
    fn far_levels_cost_nothing() {
        // a+
        let states = [state(false, &[1]), state(true, &[1])];
        let mut levels = Levels::new(&states);
        levels.extend(&states, usize::MAX).unwrap();
        assert!(levels.accepts(usize::MAX, 0) && levels.rows.len() < 4);
    }
}
