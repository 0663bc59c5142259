//! From an ECMA-262 pattern to regular expressions.
//!
//! Look-around at either end of a pattern becomes a condition of its own; what is still not
//! regular is widened to a language that contains it, and `exact` says so.

use fancy_regex::{Assertion, Expr, LookAround};

use super::{
    Automaton, Expression,
    look_around::{self, LookAroundPolicy, Sense},
};

/// One condition on a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Condition {
    /// The expression matches somewhere in it.
    Match(Expression),
    /// The expression matches nowhere in it.
    NoMatch(Expression),
}

impl Condition {
    /// The expression.
    #[must_use]
    pub fn expression(&self) -> &Expression {
        match self {
            Self::Match(expression) | Self::NoMatch(expression) => expression,
        }
    }

    /// Whether the expression has to match.
    #[must_use]
    pub fn is_match(&self) -> bool {
        matches!(self, Self::Match(_))
    }
}

/// A pattern as conditions that hold together.
///
/// ```
/// use foolproof_contract::language::{LookAroundPolicy, PatternConditions};
///
/// let pattern = PatternConditions::of("^(?!x-)[a-z-]+$", LookAroundPolicy::Drop).unwrap();
/// assert!(pattern.exact && pattern.conditions.len() == 2);
/// ```
#[derive(Clone, Debug)]
pub struct PatternConditions {
    /// The conditions. Every text that matches the pattern satisfies them, unless look-around was
    /// read as consuming.
    pub conditions: Vec<Condition>,
    /// Whether they hold for no text beside those that match.
    pub exact: bool,
}

impl PatternConditions {
    /// The conditions of a match; nothing if the pattern cannot be read.
    #[must_use]
    pub fn of(pattern: &str, look_around: LookAroundPolicy) -> Option<Self> {
        let expression = parse(pattern)?;
        let mut widening = Widening::of(&expression, look_around);
        let (core, split) = look_around::split(expression);
        let core = widening.widen(core);
        let mut conditions = vec![Condition::Match(Expression::parse(&to_text(&core))?)];
        for (expression, sense) in split {
            let exact_before = std::mem::replace(&mut widening.exact, true);
            let text = to_text(&widening.widen(expression));
            match sense {
                Sense::Positive => conditions.push(Condition::Match(Expression::parse(&text)?)),
                // A widened condition that must fail would forbid too much.
                Sense::Negative if widening.exact => {
                    conditions.push(Condition::NoMatch(Expression::parse(&text)?));
                }
                Sense::Negative => {}
            }
            widening.exact &= exact_before;
        }
        Some(Self { conditions, exact: widening.exact })
    }

    /// The condition of a mismatch, where it is one condition.
    #[must_use]
    pub fn negate(self) -> Option<Condition> {
        match <[Condition; 1]>::try_from(self.conditions) {
            Ok([Condition::Match(expression)]) if self.exact => {
                Some(Condition::NoMatch(expression))
            }
            _ => None,
        }
    }
}

/// Whether every text matches `pattern`; not if that is not certain.
///
/// ```
/// use foolproof_contract::language::matches_every_text;
///
/// assert!(matches_every_text(".*") && matches_every_text("^"));
/// // A dot matches no line break.
/// assert!(!matches_every_text("^.*$"));
/// ```
#[must_use]
pub fn matches_every_text(pattern: &str) -> bool {
    let read = PatternConditions::of(pattern, LookAroundPolicy::Drop);
    let mismatch = read.and_then(PatternConditions::negate);
    let automaton = mismatch.and_then(|mismatch| Automaton::explore(&[mismatch]).ok());
    automaton.is_some_and(|automaton| automaton.states.is_empty())
}

/// A pattern as one regular expression, in the syntax of the `regex` crate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct WidenedPattern {
    pub(crate) text: String,
    /// Whether it matches no text beside those that the pattern matches.
    pub(crate) exact: bool,
}

impl WidenedPattern {
    /// The pattern, widened where it must be; nothing if it cannot be read.
    pub(crate) fn of(pattern: &str) -> Option<Self> {
        let expression = parse(pattern)?;
        let mut widening = Widening::of(&expression, LookAroundPolicy::Drop);
        let text = to_text(&widening.widen(expression));
        Some(Self { text, exact: widening.exact })
    }
}

/// The pattern as the validator reads it.
fn parse(pattern: &str) -> Option<Expr> {
    let translated = jsonschema_regex::to_rust_regex(pattern).ok()?;
    Some(Expr::parse_tree(&translated).ok()?.expr)
}

fn to_text(expression: &Expr) -> String {
    let mut text = String::new();
    expression.to_str(&mut text, 0);
    text
}

/// The capturing groups in the order of their numbers.
fn collect_groups(expression: &Expr, groups: &mut Vec<Expr>) {
    if let Expr::Group(inner) = expression {
        groups.push((**inner).clone());
    }
    for child in expression.children_iter() {
        collect_groups(child, groups);
    }
}

/// What widening an expression needs to know, and whether anything was widened.
struct Widening {
    groups: Vec<Expr>,
    look_around: LookAroundPolicy,
    exact: bool,
}

impl Widening {
    fn of(expression: &Expr, look_around: LookAroundPolicy) -> Self {
        let mut groups = Vec::new();
        collect_groups(expression, &mut groups);
        Self { groups, look_around, exact: true }
    }

    /// The expression without what is not regular: conditions on the surroundings become empty,
    /// a back-reference repeats its group, and whatever else has no regular form is any text at all.
    fn widen(&mut self, expression: Expr) -> Expr {
        match expression {
            Expr::Empty
            | Expr::Any { .. }
            | Expr::Literal { .. }
            | Expr::Delegate { .. }
            | Expr::Assertion(
                Assertion::StartText
                | Assertion::EndText
                | Assertion::StartLine { .. }
                | Assertion::EndLine { .. },
            ) => expression,
            Expr::Concat(parts) => Expr::Concat(self.widen_each(parts)),
            Expr::Alt(parts) => Expr::Alt(self.widen_each(parts)),
            Expr::Group(inner) => Expr::Group(self.widen((*inner).clone()).into()),
            Expr::Repeat { child, lo, hi, greedy } => {
                Expr::Repeat { child: Box::new(self.widen(*child)), lo, hi, greedy }
            }
            Expr::AtomicGroup(inner) => {
                self.exact = false;
                // The capturing group keeps the precedence of the atomic one.
                Expr::Group(self.widen(*inner).into())
            }
            Expr::LookAround(inner, LookAround::LookAhead | LookAround::LookBehind)
                if self.look_around == LookAroundPolicy::Consume =>
            {
                self.exact = false;
                Expr::Group(self.widen(*inner).into())
            }
            Expr::Assertion(_)
            | Expr::LookAround(..)
            | Expr::KeepOut
            | Expr::ContinueFromPreviousMatchEnd => {
                self.exact = false;
                Expr::Group(Expr::Empty.into())
            }
            Expr::Backref { group, casei: false } => self.repeat_group(group),
            Expr::GeneralNewline { .. }
            | Expr::Backref { .. }
            | Expr::BackrefWithRelativeRecursionLevel { .. }
            | Expr::BackrefExistsCondition { .. }
            | Expr::Conditional { .. }
            | Expr::SubroutineCall(_)
            | Expr::BacktrackingControlVerb(_)
            | Expr::Absent(_)
            | Expr::DefineGroup { .. }
            | Expr::AstNode(..) => {
                self.exact = false;
                any_text()
            }
        }
    }

    fn widen_each(&mut self, parts: Vec<Expr>) -> Vec<Expr> {
        parts.into_iter().map(|part| self.widen(part)).collect()
    }

    fn repeat_group(&mut self, number: usize) -> Expr {
        self.exact = false;
        let group = number.checked_sub(1).and_then(|index| self.groups.get(index)).cloned();
        match group {
            // A group that refers to groups could refer to itself.
            Some(inner) if !refers(&inner) => Expr::Group(self.widen(inner).into()),
            _ => any_text(),
        }
    }
}

fn refers(expression: &Expr) -> bool {
    matches!(expression, Expr::Backref { .. }) || expression.children_iter().any(refers)
}

fn any_text() -> Expr {
    let character = Box::new(Expr::Any { newline: true, crlf: false });
    let text = Expr::Repeat { child: character, lo: 0, hi: usize::MAX, greedy: true };
    Expr::Group(text.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Which conditions have to match, and whether they are exact.
    fn read(pattern: &str) -> (Vec<bool>, bool) {
        let read = PatternConditions::of(pattern, LookAroundPolicy::Drop).unwrap();
        (read.conditions.iter().map(Condition::is_match).collect(), read.exact)
    }

    #[test]
    fn look_around_at_the_ends_becomes_conditions() {
        assert_eq!(read(r"^(?=.*\d)(?!x)\w+(?<!-)$"), (vec![true, true, false, false], true));
        assert_eq!(read("a(?=b)"), (vec![true], false));
    }

    #[test]
    fn a_condition_that_must_fail_is_never_widened() {
        assert_eq!(read(r"^(?!(a)\1)(?!\b)a\b"), (vec![true], false));
        let widened = PatternConditions::of(r"a\b", LookAroundPolicy::Drop).unwrap();
        assert!(widened.negate().is_none());
    }

    #[test]
    fn a_back_reference_repeats_its_group() {
        let widened = WidenedPattern::of(r"^(a|b)\1c$").unwrap();
        assert_eq!((widened.text.as_str(), widened.exact), ("^(a|b)(a|b)c$", false));
    }
}
