//! Changes of bytes: flips, cuts, repetitions, words, and parts of other seeds.

use foolproof_generate::Source;

use super::{Mutation, words::WORDS};

/// The longest part that is cut, repeated or taken from elsewhere.
const MAX_PART: usize = 64;

/// How often a part is repeated at most.
const MAX_COPIES: usize = 40;

impl Mutation<'_> {
    pub(super) fn change_bytes(&mut self, text: &mut Vec<u8>) {
        let at = self.source.index(text.len() + 1);
        let length = (1 + self.source.index(MAX_PART)).min(text.len() - at);
        match self.source.below(9) {
            0 if length > 0 => text[at] ^= 1 << self.source.below(8),
            1 => drop(text.drain(at..at + length)),
            2 => text.truncate(at),
            3 => {
                let part = text[at..at + length].repeat(1 + self.source.index(MAX_COPIES));
                text.splice(at..at, part);
            }
            4 => {
                let part = self.part_of_seed();
                text.splice(at..at + length, part);
            }
            5 => {
                let byte = u8::try_from(self.source.below(256)).unwrap_or(0);
                text.insert(at, byte);
            }
            6 => self.change_line(text),
            7 => {
                let word = self.word();
                text.splice(at..at + length.min(word.len()), word.iter().copied());
            }
            _ => {
                let word = self.word();
                text.splice(at..at, word.iter().copied());
            }
        }
    }

    fn word(&mut self) -> &'static [u8] {
        self.source.pick(&WORDS).as_bytes()
    }

    fn part_of_seed(&mut self) -> Vec<u8> {
        let seed = self.seed();
        if seed.is_empty() {
            return Vec::new();
        }
        let start = self.source.index(seed.len());
        let end = (start + 1 + self.source.index(4 * MAX_PART)).min(seed.len());
        seed[start..end].to_vec()
    }

    /// Removes, repeats or moves a line.
    fn change_line(&mut self, text: &mut Vec<u8>) {
        let mut lines: Vec<Vec<u8>> =
            text.split_inclusive(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect();
        if lines.is_empty() {
            return;
        }
        let (from, to) = (self.source.index(lines.len()), self.source.index(lines.len()));
        match self.source.below(3) {
            0 => drop(lines.remove(from)),
            1 => lines.insert(to, lines[from].clone()),
            _ => lines.swap(from, to),
        }
        *text = lines.concat();
    }
}
