//! Inputs of a target: input `i` is a function of the seed, the target and `i`.

use foolproof_generate::Seed;

use crate::{Target, mutate::Mutation, seeds};

/// The longest input, in bytes. Long inputs take long and rarely show anything that a short one does not.
pub const MAX_INPUT: usize = 4 * 1024;

/// The inputs of one target under one seed.
#[derive(Clone, Debug)]
pub struct Inputs {
    seed: Seed,
    target: &'static str,
    corpus: Vec<Vec<u8>>,
}

impl Inputs {
    /// The inputs of `target` under `seed`.
    ///
    /// # Panics
    /// If the repository has no seeds for the target.
    #[must_use]
    pub fn new(target: &Target, seed: u64) -> Self {
        let corpus = seeds::of(target);
        assert!(!corpus.is_empty(), "`{}` has no seeds", target.name);
        Self { seed: Seed::from_number(seed), target: target.name, corpus }
    }

    /// The inputs that all others are made from.
    #[must_use]
    pub fn corpus(&self) -> &[Vec<u8>] {
        &self.corpus
    }

    /// Input `index`: one of the corpus with a few changes.
    #[must_use]
    pub fn input(&self, index: u64) -> Vec<u8> {
        let source = self.seed.child(self.target, index).random();
        Mutation { source, corpus: &self.corpus }.input()
    }
}
