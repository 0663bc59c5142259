//! Look-around at the ends of a pattern, as conditions of their own.

use fancy_regex::{Assertion, Expr, LookAround};

/// What becomes of a look-around that wants a match and stands where it cannot be split off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LookAroundPolicy {
    /// It is left out: more texts than match.
    Drop,
    /// It is read as if it consumed what it matches, which is a good guess for `(?<=\$)\d+`.
    Consume,
}

/// Whether a look-around wants a match or forbids it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sense {
    Positive,
    Negative,
}

/// The pattern without the look-around at its ends, and each of those as an expression of its own:
/// `^(?=A)(?!B)C(?<!D)$` is `^C$`, `^A`, not `^B` and not `D$`.
pub(super) fn split(expression: Expr) -> (Expr, Vec<(Expr, Sense)>) {
    let Expr::Concat(parts) = expression else {
        return (expression, Vec::new());
    };
    let start = Expr::Assertion(Assertion::StartText);
    let end = Expr::Assertion(Assertion::EndText);
    let mut split = Vec::new();
    let leading = match parts.first() {
        Some(first) if *first == start => {
            parts[1..].iter().take_while(|part| look_ahead(part).is_some()).count()
        }
        _ => 0,
    };
    for (inner, sense) in parts.iter().skip(1).take(leading).filter_map(look_ahead) {
        split.push((Expr::Concat(vec![start.clone(), group(inner)]), sense));
    }
    let mut rest: Vec<Expr> = Vec::with_capacity(parts.len());
    rest.extend(parts.iter().take(1).cloned());
    rest.extend(parts.into_iter().skip(1 + leading));
    if rest.len() > 1 && rest.last() == Some(&end) {
        rest.pop();
        while let Some((inner, sense)) = rest.last().and_then(look_behind) {
            split.push((Expr::Concat(vec![group(inner), end.clone()]), sense));
            rest.pop();
        }
        rest.push(end);
    }
    (Expr::Concat(rest), split)
}

fn look_ahead(part: &Expr) -> Option<(&Expr, Sense)> {
    let Expr::LookAround(inner, kind) = part else {
        return None;
    };
    match kind {
        LookAround::LookAhead => Some((inner, Sense::Positive)),
        LookAround::LookAheadNeg => Some((inner, Sense::Negative)),
        LookAround::LookBehind | LookAround::LookBehindNeg => None,
    }
}

fn look_behind(part: &Expr) -> Option<(&Expr, Sense)> {
    let Expr::LookAround(inner, kind) = part else {
        return None;
    };
    match kind {
        LookAround::LookBehind => Some((inner, Sense::Positive)),
        LookAround::LookBehindNeg => Some((inner, Sense::Negative)),
        LookAround::LookAhead | LookAround::LookAheadNeg => None,
    }
}

fn group(inner: &Expr) -> Expr {
    Expr::Group(inner.clone().into())
}
