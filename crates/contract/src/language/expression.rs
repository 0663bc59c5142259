//! One regular expression.

use regex_syntax::hir::{Capture, Class, Hir, HirKind, Look, Repetition};

use super::CharacterClass;

/// A regular expression without look-around or back-references, which may match anywhere in a
/// text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expression(Hir);

/// The parts of an expression, without its anchors.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Syntax {
    /// The empty text.
    Empty,
    /// This text.
    Literal(String),
    /// One of these characters.
    Class(CharacterClass),
    /// The part, repeated.
    Repeat {
        /// What is repeated.
        part: Box<Syntax>,
        /// How often at least.
        min: u32,
        /// How often at most, if that is bounded.
        max: Option<u32>,
    },
    /// All of these, in this order.
    Concat(Vec<Syntax>),
    /// One of these.
    Alternation(Vec<Syntax>),
}

impl Expression {
    /// The expression that `text` is, in the syntax of the `regex` crate.
    pub(super) fn parse(text: &str) -> Option<Self> {
        regex_syntax::parse(text).ok().map(Self)
    }

    pub(super) fn hir(&self) -> &Hir {
        &self.0
    }

    /// The expression with every count limited to `extra` above its minimum: a part of the
    /// language whose automaton is smaller.
    #[must_use]
    pub fn limit_counts(&self, extra: u32) -> Self {
        Self(limit_counts(&self.0, extra))
    }

    /// Whether it can match at the start of a text only.
    #[must_use]
    pub fn is_anchored_at_start(&self) -> bool {
        self.0.properties().look_set_prefix().contains(Look::Start)
    }

    /// Whether it can match at the end of a text only.
    #[must_use]
    pub fn is_anchored_at_end(&self) -> bool {
        self.0.properties().look_set_suffix().contains(Look::End)
    }

    /// A number of bytes that no text which matches is shorter than.
    #[must_use]
    pub fn least_length(&self) -> usize {
        self.0.properties().minimum_len().unwrap_or(0)
    }

    /// The parts of the expression.
    #[must_use]
    pub fn syntax(&self) -> Syntax {
        Syntax::of(&self.0)
    }
}

fn limit_counts(expression: &Hir, extra: u32) -> Hir {
    let each = |parts: &[Hir]| parts.iter().map(|part| limit_counts(part, extra)).collect();
    match expression.kind() {
        HirKind::Empty | HirKind::Literal(_) | HirKind::Class(_) | HirKind::Look(_) => {
            expression.clone()
        }
        HirKind::Repetition(it) => Hir::repetition(Repetition {
            min: it.min,
            max: it.max.map(|max| max.min(it.min.saturating_add(extra))),
            greedy: it.greedy,
            sub: Box::new(limit_counts(&it.sub, extra)),
        }),
        HirKind::Capture(it) => Hir::capture(Capture {
            index: it.index,
            name: None,
            sub: Box::new(limit_counts(&it.sub, extra)),
        }),
        HirKind::Concat(parts) => Hir::concat(each(parts)),
        HirKind::Alternation(parts) => Hir::alternation(each(parts)),
    }
}

impl Syntax {
    fn of(expression: &Hir) -> Self {
        let each = |parts: &[Hir]| parts.iter().map(Self::of).collect();
        match expression.kind() {
            HirKind::Empty | HirKind::Look(_) => Self::Empty,
            HirKind::Literal(literal) => {
                Self::Literal(String::from_utf8_lossy(&literal.0).into_owned())
            }
            HirKind::Class(class) => Self::Class(CharacterClass::new(&ranges(class))),
            HirKind::Repetition(it) => {
                Self::Repeat { part: Box::new(Self::of(&it.sub)), min: it.min, max: it.max }
            }
            HirKind::Capture(it) => Self::of(&it.sub),
            HirKind::Concat(parts) => Self::Concat(each(parts)),
            HirKind::Alternation(parts) => Self::Alternation(each(parts)),
        }
    }
}

/// The ranges of a class, ascending. Adjacent ones are joined.
pub(super) fn ranges(class: &Class) -> Vec<(char, char)> {
    match class {
        Class::Unicode(class) => {
            class.ranges().iter().map(|range| (range.start(), range.end())).collect()
        }
        Class::Bytes(class) => {
            let ranges = class.ranges().iter();
            ranges.map(|range| (range.start().into(), range.end().into())).collect()
        }
    }
}
