//! Texts straight from an expression, for what no automaton could be built of.
//!
//! A sketch matches its expression and aims at the window; everything else is for the caller to
//! check.

use regex_syntax::hir::{Class, Hir, HirKind, Look};

use super::{
    alphabet::{self, Letter},
    window::Window,
    words::WORDS,
};
use crate::Source;

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
    pub(super) fn of(expression: &Hir, window: Window) -> Self {
        let properties = expression.properties();
        Self {
            part: Part::of(expression),
            window,
            starts_free: !properties.look_set_prefix().contains(Look::Start),
            ends_free: !properties.look_set_suffix().contains(Look::End),
        }
    }

    pub(super) fn draw(&self, source: &mut impl Source) -> String {
        let mut text = String::new();
        let mut pen = Pen { window: self.window, length: 0, text: &mut text };
        pen.write(&self.part, source);
        let mut length = pen.length;
        while length < self.window.least.min(LONGEST) && (self.starts_free || self.ends_free) {
            let word = *source.pick(WORDS);
            let at = if self.ends_free { text.len() } else { 0 };
            text.insert_str(at, word);
            length += word.len();
        }
        text
    }
}

impl Part {
    fn of(expression: &Hir) -> Self {
        let each = |parts: &[Hir]| parts.iter().map(Self::of).collect();
        match expression.kind() {
            HirKind::Empty | HirKind::Look(_) => Self::Nothing,
            HirKind::Literal(literal) => {
                Self::Literal(String::from_utf8_lossy(&literal.0).into_owned())
            }
            HirKind::Class(class) => Self::class(class),
            HirKind::Repetition(it) => Self::Repeat {
                part: Box::new(Self::of(&it.sub)),
                least: it.min.into(),
                most: it.max.map_or(u64::MAX, u64::from),
            },
            HirKind::Capture(it) => Self::of(&it.sub),
            HirKind::Concat(parts) => Self::Sequence(each(parts)),
            HirKind::Alternation(parts) => Self::Choice(each(parts)),
        }
    }

    fn class(class: &Class) -> Self {
        let ranges: Vec<(char, char)> = match class {
            Class::Unicode(class) => {
                class.ranges().iter().map(|range| (range.start(), range.end())).collect()
            }
            Class::Bytes(class) => {
                let ranges = class.ranges().iter();
                ranges.map(|range| (range.start().into(), range.end().into())).collect()
            }
        };
        Self::Class(Box::new(alphabet::letter(&ranges)))
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
