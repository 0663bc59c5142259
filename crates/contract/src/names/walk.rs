//! Walks over an explored automaton, from one length of names to the next.
//!
//! A layer holds the states in which a name of some length can end, or from which a longer one can
//! be completed. When a layer is empty there are no more names.

use std::collections::BTreeMap;

use super::{
    Limit,
    condition::Length,
    product::{Edge, Product, StateId},
    utf8::Utf8,
};
use crate::Verdict;

/// Characters of the longest name that is looked for.
const LENGTH: u64 = 1024;

/// Edges one walk may look at: a second at worst.
const STEPS: usize = 10_000_000;

/// Which names are walked to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Goal {
    /// All that the automaton does not exclude.
    Possible,
    /// All that it confirms.
    Certain,
}

impl Goal {
    pub(super) fn admits(self, verdict: Verdict) -> bool {
        match self {
            Self::Possible => verdict != Verdict::No,
            Self::Certain => verdict == Verdict::Yes,
        }
    }
}

/// The states that names of one length lead to.
#[derive(Clone, Debug, Default)]
pub(super) struct Layer {
    /// At the end of that many characters, with the number of names that lead there.
    pub(super) ends: BTreeMap<StateId, u128>,
    /// Inside the next character.
    pub(super) inside: BTreeMap<StateId, u128>,
}

/// Goes from one length to the next.
#[derive(Debug)]
pub(super) struct Walk<'a> {
    pub(super) product: &'a Product,
    pub(super) goal: Goal,
    greatest_bound: u64,
    /// From which states a name may be completed, at some length.
    live: Vec<bool>,
    /// The same beyond the greatest bound on lengths.
    live_beyond: Vec<bool>,
    length: u64,
    steps: usize,
}

impl<'a> Walk<'a> {
    pub(super) fn new(product: &'a Product, goal: Goal) -> Self {
        // Of what is not explored, anything may come.
        let live_for = |goal: Goal, length| {
            product.reaching(|state| {
                !product.is_explored(state) || goal.admits(product.verdict(state, length))
            })
        };
        Self {
            product,
            goal,
            greatest_bound: product.greatest_bound(),
            // A verdict that awaits the length is not certain yet.
            live: live_for(Goal::Possible, Length::Unknown),
            live_beyond: live_for(goal, Length::Beyond),
            length: 0,
            steps: 0,
        }
    }

    /// The number of characters so far.
    pub(super) fn length(&self) -> Length {
        Length::Exactly(self.length)
    }

    /// Whether lengths make no difference any more.
    pub(super) fn is_beyond_bounds(&self) -> bool {
        self.length > self.greatest_bound
    }

    pub(super) fn first(&self) -> Layer {
        let mut layer = Layer::default();
        if self.is_live(Product::START) {
            layer.ends.insert(Product::START, 1);
        }
        layer
    }

    /// The layer one character on; `layer` remembers what it went through.
    pub(super) fn next(&mut self, layer: &mut Layer) -> Result<Layer, Limit> {
        if self.length >= LENGTH && !layer.ends.is_empty() {
            return Err(Limit::Length);
        }
        self.length += 1;
        let mut next = Layer::default();
        for (&state, &names) in &layer.ends {
            for edge in self.edges(state)? {
                self.enter(edge, names, &mut layer.inside, &mut next);
            }
        }
        // A state inside a character leads to states that lack fewer bytes, or to its end.
        for missing in (1..=3).rev() {
            let inside: Vec<_> =
                layer.inside.iter().map(|(state, names)| (*state, *names)).collect();
            for (state, names) in inside {
                if self.product.utf8(state).missing() == missing {
                    for edge in self.edges(state)? {
                        self.enter(edge, names, &mut layer.inside, &mut next);
                    }
                }
            }
        }
        Ok(next)
    }

    fn enter(
        &self,
        edge: &Edge,
        names: u128,
        inside: &mut BTreeMap<StateId, u128>,
        next: &mut Layer,
    ) {
        if !self.is_live(edge.target) {
            return;
        }
        let at_end = self.product.utf8(edge.target) == Utf8::Boundary;
        let states = if at_end { &mut next.ends } else { inside };
        let count = states.entry(edge.target).or_default();
        *count = count.saturating_add(names.saturating_mul(edge.width()));
    }

    fn is_live(&self, state: StateId) -> bool {
        if self.is_beyond_bounds() { self.live_beyond[state] } else { self.live[state] }
    }

    /// The ways on from `state`, each counted as a step.
    pub(super) fn edges(&mut self, state: StateId) -> Result<&'a [Edge], Limit> {
        let edges = self.product.edges(state)?;
        self.steps += edges.len();
        if self.steps > STEPS { Err(Limit::Steps) } else { Ok(edges) }
    }
}
