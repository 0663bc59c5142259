//! The shrink passes, in the order in which they run: large simplifications first.

use std::sync::Arc;

use foolproof_contract::json_equal;
use serde_json::{Map, Value};

use super::{
    Contract, candidates, number,
    path::{self, PathSegment},
    schema_hints::SchemaNodes,
    tasks::{LeaveOut, List, Lower, Share, Shorten, Task},
    text::{Digits, Letters, Plain},
};
use crate::{decimal::Decimal, repair::without};

/// The largest object whose members are first checked, one by one, for whether they can be left out.
const MAX_CHECKED_MEMBERS: usize = 64;

/// One shrink pass: a kind of simplification.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pass {
    /// The whole value replaced by the simplest values of the contract.
    Whole,
    /// Objects without some of their members, arrays without some of their items.
    Prune,
    /// A value replaced by a part of it.
    Hoist,
    /// A part replaced by the simplest values.
    Replace,
    /// Objects without two of their members.
    PrunePairs,
    /// Listed values replaced by those listed before them.
    Choose,
    /// Strings without some of their characters.
    ShortenText,
    /// Strings in which no single character can be removed, without longer pieces.
    CutText,
    /// Runs of characters replaced by the plainest.
    Plain,
    /// Runs of characters replaced by the plainest of their kind.
    PlainOfKind,
    /// Runs of digits, lowered as numbers.
    Digits,
    /// Single characters, lowered in the order of characters.
    Letters,
    /// Numbers with fewer decimal places, or without their sign.
    Round,
    /// Numbers towards zero in steps of the divisors of the contract.
    LowerByDivisor,
    /// Numbers towards zero in steps of their last decimal place.
    Lower,
    /// Simpler names for undeclared members.
    Rename,
    /// Arrays with their items sorted.
    Sort,
    /// A part of a number moved to the number after it.
    Share,
}

/// Which parts a simplification changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scope {
    /// One part of the value.
    OnePart,
    /// All equal parts, where there are several: a test may fail only while they are equal.
    EqualParts,
}

/// The passes of one round.
pub(super) const PASSES: [(Scope, Pass); 23] = [
    (Scope::OnePart, Pass::Whole),
    (Scope::OnePart, Pass::Prune),
    (Scope::OnePart, Pass::Hoist),
    (Scope::OnePart, Pass::Replace),
    (Scope::OnePart, Pass::PrunePairs),
    (Scope::OnePart, Pass::Choose),
    (Scope::OnePart, Pass::ShortenText),
    (Scope::OnePart, Pass::CutText),
    (Scope::OnePart, Pass::Plain),
    (Scope::OnePart, Pass::PlainOfKind),
    (Scope::OnePart, Pass::Digits),
    (Scope::OnePart, Pass::Letters),
    (Scope::OnePart, Pass::Round),
    (Scope::OnePart, Pass::LowerByDivisor),
    (Scope::OnePart, Pass::Lower),
    (Scope::OnePart, Pass::Rename),
    (Scope::OnePart, Pass::Sort),
    (Scope::OnePart, Pass::Share),
    (Scope::EqualParts, Pass::Replace),
    (Scope::EqualParts, Pass::ShortenText),
    (Scope::EqualParts, Pass::Plain),
    (Scope::EqualParts, Pass::Round),
    (Scope::EqualParts, Pass::Lower),
];

/// A part of a value at which a pass is tried.
#[derive(Clone, Copy)]
pub(super) struct Site<'a> {
    pub(super) contract: &'a Arc<Contract>,
    pub(super) whole: &'a Value,
    pub(super) path: &'a [PathSegment],
    pub(super) part: &'a Value,
}

impl Pass {
    /// The task of this pass at `site`, if it has any candidates there.
    pub(super) fn start(self, site: Site<'_>) -> Option<Box<dyn Task>> {
        match self {
            Self::Whole | Self::Replace => Some(site.replace()),
            Self::Prune => site.prune(),
            Self::PrunePairs => site.list_of_object(candidates::without_pairs),
            Self::Rename => {
                let (contract, nodes) = (Arc::clone(site.contract), site.nodes());
                site.list_of_object(move |value| {
                    candidates::renamed(&contract.hints, &nodes, value)
                })
            }
            Self::Hoist => (path::count(site.part) > 1)
                .then(|| -> Box<dyn Task> { Box::new(List::new(candidates::hoisted)) }),
            Self::Choose => site.choose(),
            Self::ShortenText => site.text(|length| Box::new(Shorten::new(length))),
            Self::Plain => site.text(|length| Box::new(Plain::new(length, candidates::plainest))),
            Self::PlainOfKind => {
                site.text(|length| Box::new(Plain::new(length, candidates::plain_of_kind)))
            }
            Self::CutText => site.cut_text(),
            Self::Digits => site.text(|_| Box::new(Digits::default())),
            Self::Letters => site.text(|_| Box::new(Letters::default())),
            Self::Round => {
                site.number().map(|_| -> Box<dyn Task> { Box::new(List::new(candidates::rounded)) })
            }
            Self::Lower => {
                let number = site.number()?;
                Some(Box::new(Lower::new(&number, &number.unit())?))
            }
            Self::LowerByDivisor => site.lower_by_divisor(),
            Self::Sort => site.sort(),
            Self::Share => {
                site.part.is_array().then(|| -> Box<dyn Task> { Box::new(Share::default()) })
            }
        }
    }
}

impl Site<'_> {
    fn nodes(&self) -> SchemaNodes {
        self.contract.hints.at(self.path)
    }

    fn replace(&self) -> Box<dyn Task> {
        let mut simple = candidates::constants();
        simple.extend(candidates::simple_parts(self.contract.simple_values(), self.path));
        Box::new(List::new(move |value: &Value| {
            simple.iter().cloned().chain(candidates::uniform(value)).collect()
        }))
    }

    fn prune(&self) -> Option<Box<dyn Task>> {
        match self.part {
            Value::Array(items) if !items.is_empty() => Some(Box::new(Shorten::new(items.len()))),
            Value::Object(members) if !members.is_empty() => {
                Some(Box::new(LeaveOut::new(self.dispensable(members))))
            }
            Value::Null
            | Value::Bool(_)
            | Value::Number(_)
            | Value::String(_)
            | Value::Array(_)
            | Value::Object(_) => None,
        }
    }

    /// The members that can be left out one by one: halving works better without required members.
    fn dispensable(&self, members: &Map<String, Value>) -> Vec<String> {
        let is_dispensable = |name: &&String| {
            let part = without(members, std::slice::from_ref(*name));
            let whole = path::with_part(self.whole, self.path, part);
            self.contract.oracle.is_valid(&whole)
        };
        if members.len() > MAX_CHECKED_MEMBERS {
            return members.keys().cloned().collect();
        }
        members.keys().filter(is_dispensable).cloned().collect()
    }

    fn list_of_object(
        &self,
        candidates: impl Fn(&Value) -> Vec<Value> + Send + Sync + 'static,
    ) -> Option<Box<dyn Task>> {
        self.part.is_object().then(|| -> Box<dyn Task> { Box::new(List::new(candidates)) })
    }

    /// Whether the schema lists the value: then it has no simpler form of its own.
    fn is_listed(&self) -> bool {
        let choices = self.contract.hints.choices(&self.nodes());
        choices.iter().any(|choice| json_equal(choice, self.part))
    }

    fn choose(&self) -> Option<Box<dyn Task>> {
        if !self.is_listed() {
            return None;
        }
        let (contract, nodes) = (Arc::clone(self.contract), self.nodes());
        Some(Box::new(List::new(move |value: &Value| {
            candidates::earlier_choices(&contract.hints, &nodes, value)
        })))
    }

    fn text(&self, task: impl Fn(usize) -> Box<dyn Task>) -> Option<Box<dyn Task>> {
        let text = self.part.as_str().filter(|text| !text.is_empty() && !self.is_listed())?;
        Some(task(text.chars().count()))
    }

    fn cut_text(&self) -> Option<Box<dyn Task>> {
        let text = self.part.as_str().filter(|_| !self.is_listed())?;
        let is_rigid = text.char_indices().all(|(start, character)| {
            let cut = [&text[..start], &text[start + character.len_utf8()..]].concat();
            let whole = path::with_part(self.whole, self.path, Value::String(cut));
            !self.contract.oracle.is_valid(&whole)
        });
        is_rigid.then(|| -> Box<dyn Task> { Box::new(List::new(candidates::without_pieces)) })
    }

    fn sort(&self) -> Option<Box<dyn Task>> {
        self.part.as_array().filter(|items| items.len() > 1)?;
        let (contract, nodes) = (Arc::clone(self.contract), self.nodes());
        Some(Box::new(List::new(move |value: &Value| {
            candidates::ordered(&contract.hints, &nodes, value)
        })))
    }

    fn number(&self) -> Option<Decimal> {
        let number = self.part.as_number().filter(|_| !self.is_listed())?;
        number::read(number)
    }

    fn lower_by_divisor(&self) -> Option<Box<dyn Task>> {
        let number = self.number()?;
        let divisors = self.contract.hints.divisors(&self.nodes());
        let mut kept = divisors.iter().filter(|divisor| number.quotient(divisor).is_some());
        let unit = kept.next()?.clone();
        let unit = kept.try_fold(unit, |unit, divisor| unit.least_common_multiple(divisor))?;
        Some(Box::new(Lower::new(&number, &unit)?))
    }
}
