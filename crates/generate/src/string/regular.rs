//! From an ECMA-262 pattern to regular conditions.
//!
//! A pattern is translated and parsed by the libraries that the validator uses. Look-around at
//! either end becomes a condition of its own; what is still not regular is widened to a language
//! that contains it, and [`Regular::exact`] says so.

use fancy_regex::{Assertion, Expr, LookAround};
use regex_syntax::hir::Hir;

/// Whether a text has to match or must not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    Matches,
    Fails,
}

/// One condition: a regular expression that matches somewhere in the text, or nowhere.
#[derive(Clone, Debug)]
pub(super) struct Condition {
    pub(super) expression: Hir,
    pub(super) side: Side,
}

/// What becomes of a look-around that wants a match and stands where it cannot be split off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Looks {
    /// It is left out: more texts than match.
    Dropped,
    /// It is read as if it were written out, which is a good guess for `(?<=\$)\d+`.
    Consumed,
}

/// A pattern as conditions that hold together.
#[derive(Clone, Debug)]
pub(super) struct Regular {
    pub(super) conditions: Vec<Condition>,
    /// Whether they hold for no text beside those that match.
    pub(super) exact: bool,
}

impl Regular {
    /// The conditions of a match; nothing if the pattern cannot be read.
    pub(super) fn of(pattern: &str, looks: Looks) -> Option<Self> {
        let translated = jsonschema_regex::to_rust_regex(pattern).ok()?;
        let tree = Expr::parse_tree(&translated).ok()?;
        let mut groups = Vec::new();
        collect_groups(&tree.expr, &mut groups);
        let mut widening = Widening { groups, looks, exact: true };
        let (core, looks) = split(tree.expr);
        let mut conditions = vec![condition(&widening.widen(core), Side::Matches)?];
        for (expression, side) in looks {
            let so_far = std::mem::replace(&mut widening.exact, true);
            let widened = widening.widen(expression);
            // A widened condition that must fail would forbid too much.
            if side == Side::Matches || widening.exact {
                conditions.push(condition(&widened, side)?);
            }
            widening.exact &= so_far;
        }
        Some(Self { conditions, exact: widening.exact })
    }

    /// The condition of a mismatch, where it is one condition.
    pub(super) fn complement(self) -> Option<Condition> {
        let [Condition { expression, side }] = <[Condition; 1]>::try_from(self.conditions).ok()?;
        (self.exact && side == Side::Matches).then_some(Condition { expression, side: Side::Fails })
    }
}

fn condition(expression: &Expr, side: Side) -> Option<Condition> {
    let mut text = String::new();
    expression.to_str(&mut text, 0);
    Some(Condition { expression: regex_syntax::parse(&text).ok()?, side })
}

/// `^(?=A)(?!B)C(?<!D)$` is `^C$`, `^A`, not `^B` and not `D$`, each on its own.
fn split(expression: Expr) -> (Expr, Vec<(Expr, Side)>) {
    let Expr::Concat(parts) = expression else {
        return (expression, Vec::new());
    };
    let start = Expr::Assertion(Assertion::StartText);
    let end = Expr::Assertion(Assertion::EndText);
    let mut looks = Vec::new();
    let leading = match parts.first() {
        Some(first) if *first == start => {
            parts[1..].iter().take_while(|part| ahead(part).is_some()).count()
        }
        _ => 0,
    };
    for (inner, side) in parts.iter().skip(1).take(leading).filter_map(ahead) {
        looks.push((Expr::Concat(vec![start.clone(), group(inner)]), side));
    }
    let mut rest: Vec<Expr> = Vec::with_capacity(parts.len());
    rest.extend(parts.iter().take(1).cloned());
    rest.extend(parts.into_iter().skip(1 + leading));
    if rest.len() > 1 && rest.last() == Some(&end) {
        rest.pop();
        while let Some((inner, side)) = rest.last().and_then(behind) {
            looks.push((Expr::Concat(vec![group(inner), end.clone()]), side));
            rest.pop();
        }
        rest.push(end);
    }
    (Expr::Concat(rest), looks)
}

fn ahead(part: &Expr) -> Option<(&Expr, Side)> {
    let Expr::LookAround(inner, look) = part else {
        return None;
    };
    match look {
        LookAround::LookAhead => Some((inner, Side::Matches)),
        LookAround::LookAheadNeg => Some((inner, Side::Fails)),
        LookAround::LookBehind | LookAround::LookBehindNeg => None,
    }
}

fn behind(part: &Expr) -> Option<(&Expr, Side)> {
    let Expr::LookAround(inner, look) = part else {
        return None;
    };
    match look {
        LookAround::LookBehind => Some((inner, Side::Matches)),
        LookAround::LookBehindNeg => Some((inner, Side::Fails)),
        LookAround::LookAhead | LookAround::LookAheadNeg => None,
    }
}

fn group(inner: &Expr) -> Expr {
    Expr::Group(inner.clone().into())
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

struct Widening {
    groups: Vec<Expr>,
    looks: Looks,
    exact: bool,
}

impl Widening {
    /// The expression without what is not regular: conditions on the surroundings become empty,
    /// a back-reference repeats its group, and whatever has no simple bound is any text at all.
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
                if self.looks == Looks::Consumed =>
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

    fn sides(pattern: &str) -> (Vec<Side>, bool) {
        let regular = Regular::of(pattern, Looks::Dropped).unwrap();
        (regular.conditions.iter().map(|condition| condition.side).collect(), regular.exact)
    }

    #[test]
    fn look_around_at_the_ends_becomes_conditions() {
        let all = vec![Side::Matches, Side::Matches, Side::Fails, Side::Fails];
        assert_eq!(sides(r"^(?=.*\d)(?!x)\w+(?<!-)$"), (all, true));
        assert_eq!(sides("a(?=b)"), (vec![Side::Matches], false));
    }

    #[test]
    fn a_condition_that_must_fail_is_never_widened() {
        assert_eq!(sides(r"^(?!(a)\1)(?!\b)a\b"), (vec![Side::Matches], false));
        assert!(Regular::of(r"a\b", Looks::Dropped).unwrap().complement().is_none());
    }
}
