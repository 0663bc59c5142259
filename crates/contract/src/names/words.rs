//! The names of a condition, one after the other.
//!
//! For each length that has names, only ways that lead to the end of one are taken, lowest byte
//! first, which is the order of characters.

use std::collections::BTreeSet;

use super::{
    Limit,
    product::{Edge, Product, StateId},
    utf8::Utf8,
    walk::{Goal, Layer, Walk},
};

/// The names of a condition in shortlex order.
#[derive(Debug)]
pub(super) struct Words<'a> {
    walk: Walk<'a>,
    layers: Vec<Layer>,
    /// By number of characters, the states that still lead to the end of a name of this length.
    alive: Vec<BTreeSet<StateId>>,
    /// The way to the current name: in each state, the edges not yet taken.
    path: Vec<Frame<'a>>,
    name: Vec<u8>,
}

#[derive(Debug)]
struct Frame<'a> {
    characters: usize,
    edges: &'a [Edge],
    /// The next byte to take of the first edge, if one of it was taken already.
    resume: Option<u8>,
}

impl<'a> Words<'a> {
    pub(super) fn new(product: &'a Product, goal: Goal) -> Self {
        let walk = Walk::new(product, goal);
        Self { walk, layers: Vec::new(), alive: Vec::new(), path: Vec::new(), name: Vec::new() }
    }

    /// The next name, nothing after the last one, or the limit that was hit.
    pub(super) fn next(&mut self) -> Result<Option<String>, Limit> {
        loop {
            if let Some(name) = self.descend()? {
                return Ok(Some(name));
            }
            let layer = match self.layers.last_mut() {
                None => self.walk.first(),
                Some(last) => self.walk.next(last)?,
            };
            if layer.ends.is_empty() {
                return Ok(None);
            }
            self.layers.push(layer);
            self.revive()?;
        }
    }

    /// Finds the ways to names of the current length, from their ends back to the start.
    fn revive(&mut self) -> Result<(), Limit> {
        let length = self.walk.length();
        let (product, goal) = (self.walk.product, self.walk.goal);
        let last = self.layers.len() - 1;
        let ends = self.layers[last].ends.keys().copied();
        let ends: BTreeSet<_> =
            ends.filter(|state| goal.admits(product.verdict(*state, length))).collect();
        if ends.is_empty() {
            return Ok(());
        }
        self.alive = vec![BTreeSet::new(); last];
        self.alive.push(ends);
        for characters in (0..last).rev() {
            self.revive_layer(characters)?;
        }
        if last == 0 || self.alive[0].contains(&Product::START) {
            self.turn(Product::START, 0)?;
        }
        Ok(())
    }

    fn revive_layer(&mut self, characters: usize) -> Result<(), Limit> {
        let layer = &self.layers[characters];
        let mut states: Vec<_> = layer.ends.keys().chain(layer.inside.keys()).copied().collect();
        let product = self.walk.product;
        // What lacks one byte comes first, and the start of the character last.
        states.sort_by_key(|state| match product.utf8(*state).missing() {
            0 => u8::MAX,
            missing => missing,
        });
        for state in states {
            let edges = self.walk.edges(state)?;
            if edges.iter().any(|edge| self.leads_on(*edge, characters)) {
                self.alive[characters].insert(state);
            }
        }
        Ok(())
    }

    fn leads_on(&self, edge: Edge, characters: usize) -> bool {
        self.alive[self.characters_after(edge, characters)].contains(&edge.target)
    }

    fn characters_after(&self, edge: Edge, characters: usize) -> usize {
        characters + usize::from(self.walk.product.utf8(edge.target) == Utf8::Boundary)
    }

    fn turn(&mut self, state: StateId, characters: usize) -> Result<(), Limit> {
        // At the end of a name there is no way on to be looked at, explored or not.
        let at_end = characters + 1 == self.layers.len();
        let edges = if at_end { &[] } else { self.walk.edges(state)? };
        self.path.push(Frame { characters, edges, resume: None });
        Ok(())
    }

    /// Follows the path to the end of the next name of the current length.
    fn descend(&mut self) -> Result<Option<String>, Limit> {
        while let Some(turn) = self.path.last() {
            if turn.characters + 1 == self.layers.len() {
                let name = self.name.clone();
                self.retreat();
                return Ok(Some(String::from_utf8(name).expect("walks stay on UTF-8")));
            }
            match self.advance() {
                Some((target, characters)) => self.turn(target, characters)?,
                None => self.retreat(),
            }
        }
        Ok(None)
    }

    fn retreat(&mut self) {
        self.path.pop();
        self.name.pop();
    }

    /// Takes the next byte that leads on.
    fn advance(&mut self) -> Option<(StateId, usize)> {
        loop {
            let turn = self.path.last()?;
            let (edge, rest) = turn.edges.split_first()?;
            let (edge, characters) = (*edge, turn.characters);
            let byte = turn.resume.unwrap_or(edge.first);
            let taken = self.leads_on(edge, characters);
            let turn = self.path.last_mut()?;
            if !taken || byte == edge.last {
                (turn.edges, turn.resume) = (rest, None);
            } else {
                turn.resume = Some(byte + 1);
            }
            if taken {
                self.name.push(byte);
                return Some((edge.target, self.characters_after(edge, characters)));
            }
        }
    }
}
