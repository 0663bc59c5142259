//! Inputs from the inputs of a corpus: JSON is changed as JSON, and everything else, and some of the JSON, as bytes.

use foolproof_generate::{Random, Source};
use serde_json::Value;

use crate::MAX_INPUT;

mod bytes;
mod json;
mod words;

/// One in so many JSON texts is changed as bytes too.
const RAW: u64 = 6;

/// One in so many JSON texts is written with line breaks.
const INDENTED: u64 = 8;

/// The most changes of one input. Half of the inputs have one, a quarter has two: what was changed often is mostly refused.
const MAX_CHANGES: u64 = 8;

/// The making of one input.
pub(crate) struct Mutation<'c> {
    pub(crate) source: Random,
    pub(crate) corpus: &'c [Vec<u8>],
}

impl<'c> Mutation<'c> {
    /// One of the corpus with a few changes; it is not longer than [`MAX_INPUT`].
    pub(crate) fn input(mut self) -> Vec<u8> {
        let mut input = self.seed().to_vec();
        let document = serde_json::from_slice::<Value>(&input);
        let is_json = document.is_ok();
        if let Ok(mut document) = document {
            for _ in 0..self.changes() {
                self.change_json(&mut document);
            }
            let is_indented = self.source.chance(1, INDENTED);
            let text = if is_indented { format!("{document:#}") } else { document.to_string() };
            // What has grown too long stays what it was.
            if text.len() <= MAX_INPUT {
                input = text.into_bytes();
            }
        }
        if !is_json || self.source.chance(1, RAW) {
            for _ in 0..self.changes() {
                self.change_bytes(&mut input);
            }
        }
        input.truncate(MAX_INPUT);
        input
    }

    fn changes(&mut self) -> u64 {
        let mut changes = 1;
        while changes < MAX_CHANGES && self.source.chance(1, 2) {
            changes += 1;
        }
        changes
    }

    fn seed(&mut self) -> &'c [u8] {
        let seed: &Vec<u8> = self.source.pick(self.corpus);
        seed
    }
}
