//! Texts straight from an expression, for what no automaton could be built of.
//!
//! A sketch matches its expression and aims at the window; everything else is for the caller to
//! check.

use foolproof_contract::language::{Expression, Syntax};

use super::{letter::Letter, window::Window};
use crate::{Source, words::WORDS};

/// Characters of one sketch at most.
const LONGEST: usize = 200_000;

/// How often an open repetition usually repeats at most.
const REPEATS: u64 = 12;

/// An expression to draw from.
#[derive(Clone, Debug)]
pub(super) struct Sketch {
    part: Part,
    window: Window,
    starts_free: bool,
    ends_free: bool,
}

#[derive(Clone, Debug)]
enum Part {
    Nothing,
    Literal(String),
    Class(Box<Letter>),
    Repeat { part: Box<Part>, least: u64, most: u64 },
    Sequence(Vec<Part>),
    Choice(Vec<Part>),
}

impl Sketch {
    /// Nothing if the window asks for more than a sketch has.
    pub(super) fn of(expression: &Expression, window: Window) -> Option<Self> {
        (window.least <= LONGEST).then(|| Self {
            part: Part::of(expression.syntax()),
            window,
            starts_free: !expression.is_anchored_at_start(),
            ends_free: !expression.is_anchored_at_end(),
        })
    }

    /// Writes a text to `text`, which is empty.
    pub(super) fn draw(&self, text: &mut String, source: &mut impl Source) {
        let mut pen = Pen { window: self.window, length: 0, text };
        pen.write(&self.part, source);
        let mut length = pen.length;
        while length < self.window.least.min(LONGEST) && (self.starts_free || self.ends_free) {
            let word = *source.pick(WORDS);
            let at = if self.ends_free { text.len() } else { 0 };
            text.insert_str(at, word);
            length += word.len();
        }
    }
}

impl Part {
    fn of(syntax: Syntax) -> Self {
        let each = |parts: Vec<Syntax>| parts.into_iter().map(Self::of).collect();
        match syntax {
            Syntax::Empty => Self::Nothing,
            Syntax::Literal(literal) => Self::Literal(literal),
            Syntax::Class(class) => Self::Class(Box::new(Letter::of(&class))),
            Syntax::Repeat { part, min, max } => Self::Repeat {
                part: Box::new(Self::of(*part)),
                least: min.into(),
                most: max.map_or(u64::MAX, u64::from),
            },
            Syntax::Concat(parts) => Self::Sequence(each(parts)),
            Syntax::Alternation(parts) => Self::Choice(each(parts)),
        }
    }
}

struct Pen<'a> {
    window: Window,
    length: usize,
    text: &'a mut String,
}

impl Pen<'_> {
    fn write(&mut self, part: &Part, source: &mut impl Source) {
        match part {
            Part::Nothing => {}
            Part::Literal(literal) => {
                self.text.push_str(literal);
                self.length += literal.chars().count();
            }
            Part::Class(letter) => {
                self.text.push(letter.draw(source));
                self.length += 1;
            }
            Part::Repeat { part, least, most } => self.repeat(part, *least, *most, source),
            Part::Sequence(parts) => parts.iter().for_each(|part| self.write(part, source)),
            Part::Choice(parts) => {
                let index = source.index(parts.len());
                self.write(&parts[index], source);
            }
        }
    }

    fn repeat(&mut self, part: &Part, least: u64, most: u64, source: &mut impl Source) {
        let missing = self.window.least.saturating_sub(self.length) as u64;
        let room = self.window.most.saturating_sub(self.length) as u64;
        let usual = least.saturating_add(source.below(REPEATS)).max(missing);
        let count = usual.min(most).min(room.max(least));
        for done in 0..count {
            // What is left out here is missed by the check, not by the reader of a huge text.
            if self.length > LONGEST || (done >= least && self.length >= self.window.most) {
                break;
            }
            self.write(part, source);
        }
    }
}
