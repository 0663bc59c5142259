//! The kinds of simplification, in the order in which they are tried: big steps first.

use std::sync::Arc;

use foolproof_contract::json_equal;
use serde_json::{Map, Value};

use super::{
    Contract, candidates, number,
    path::{self, PathSegment},
    schema_hints::SchemaNodes,
    tasks::{LeaveOut, List, Lower, Share, Shorten, Task, without},
    text::{Digits, Letters, Plain},
};
use crate::decimal::Decimal;

/// The largest object whose members are first asked, one by one, whether they can be left out.
const ASKED: usize = 64;

/// One kind of simplification.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Move {
    /// The simplest values of the contract in place of the whole.
    Whole,
    /// Objects without some of their members, arrays without some of their items.
    Prune,
    /// A value replaced by a part of it.
    Hoist,
    /// A value replaced by the simplest there are.
    Replace,
    /// Objects without two of their members.
    PrunePairs,
    /// Listed values replaced by those listed before them.
    Choose,
    /// Strings without some of their characters.
    ShortenText,
    /// Strings that can lose no single character without pieces of some length.
    CutText,
    /// Runs of characters replaced by the plainest.
    Plain,
    /// Runs of characters replaced by the plainest of their kind.
    PlainOfKind,
    /// Digits, as the numbers that they are.
    Digits,
    /// Single characters, as far down as they go.
    Letters,
    /// Numbers with fewer places, or without their sign.
    Round,
    /// Numbers towards zero in steps of the divisors of the contract.
    LowerByDivisor,
    /// Numbers towards zero in steps of their last place.
    Lower,
    /// Simpler names for members that nobody declared.
    Rename,
    /// Items in order.
    Sort,
    /// What a number has moved to the one after it.
    Share,
}

/// What a simplification changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reach {
    /// One part of the value.
    Part,
    /// All parts that are equal, where there are several: a test may ask that they stay so.
    Equals,
}

/// A round.
pub(super) const MOVES: [(Reach, Move); 23] = [
    (Reach::Part, Move::Whole),
    (Reach::Part, Move::Prune),
    (Reach::Part, Move::Hoist),
    (Reach::Part, Move::Replace),
    (Reach::Part, Move::PrunePairs),
    (Reach::Part, Move::Choose),
    (Reach::Part, Move::ShortenText),
    (Reach::Part, Move::CutText),
    (Reach::Part, Move::Plain),
    (Reach::Part, Move::PlainOfKind),
    (Reach::Part, Move::Digits),
    (Reach::Part, Move::Letters),
    (Reach::Part, Move::Round),
    (Reach::Part, Move::LowerByDivisor),
    (Reach::Part, Move::Lower),
    (Reach::Part, Move::Rename),
    (Reach::Part, Move::Sort),
    (Reach::Part, Move::Share),
    (Reach::Equals, Move::Replace),
    (Reach::Equals, Move::ShortenText),
    (Reach::Equals, Move::Plain),
    (Reach::Equals, Move::Round),
    (Reach::Equals, Move::Lower),
];

/// Where a simplification starts: a part of a value.
#[derive(Clone, Copy)]
pub(super) struct Site<'a> {
    pub(super) contract: &'a Arc<Contract>,
    pub(super) whole: &'a Value,
    pub(super) path: &'a [PathSegment],
    pub(super) part: &'a Value,
}

impl Move {
    /// The task that does this at `site`, if it can do anything there.
    pub(super) fn open(self, site: Site<'_>) -> Option<Box<dyn Task>> {
        match self {
            Self::Whole | Self::Replace => Some(site.replace()),
            Self::Prune => site.prune(),
            Self::PrunePairs => site.list_of_object(candidates::without_pairs),
            Self::Rename => {
                let (contract, place) = (Arc::clone(site.contract), site.place());
                site.list_of_object(move |value| {
                    candidates::renamed(&contract.places, &place, value)
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
    fn place(&self) -> SchemaNodes {
        self.contract.places.at(self.path)
    }

    fn replace(&self) -> Box<dyn Task> {
        let mut simple = candidates::constants();
        simple.extend(candidates::model_parts(self.contract.models(), self.path));
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

    /// The members that can be left out: with them alone, halving is not thwarted by required ones.
    fn dispensable(&self, members: &Map<String, Value>) -> Vec<String> {
        let is_dispensable = |name: &&String| {
            let part = without(members, std::slice::from_ref(*name));
            let whole = path::with_part(self.whole, self.path, part);
            self.contract.oracle.is_valid(&whole)
        };
        if members.len() > ASKED {
            return members.keys().cloned().collect();
        }
        members.keys().filter(is_dispensable).cloned().collect()
    }

    fn list_of_object(
        &self,
        make: impl Fn(&Value) -> Vec<Value> + Send + Sync + 'static,
    ) -> Option<Box<dyn Task>> {
        self.part.is_object().then(|| -> Box<dyn Task> { Box::new(List::new(make)) })
    }

    /// Whether the schema lists the value: then it has no simpler form of its own.
    fn is_listed(&self) -> bool {
        self.contract
            .places
            .choices(&self.place())
            .iter()
            .any(|choice| json_equal(choice, self.part))
    }

    fn choose(&self) -> Option<Box<dyn Task>> {
        if !self.is_listed() {
            return None;
        }
        let (contract, place) = (Arc::clone(self.contract), self.place());
        Some(Box::new(List::new(move |value: &Value| {
            candidates::earlier_choices(&contract.places, &place, value)
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
        let (contract, place) = (Arc::clone(self.contract), self.place());
        Some(Box::new(List::new(move |value: &Value| {
            candidates::ordered(&contract.places, &place, value)
        })))
    }

    fn number(&self) -> Option<Decimal> {
        let number = self.part.as_number().filter(|_| !self.is_listed())?;
        number::read(number)
    }

    fn lower_by_divisor(&self) -> Option<Box<dyn Task>> {
        let number = self.number()?;
        let divisors = self.contract.places.divisors(&self.place());
        let mut kept = divisors.iter().filter(|divisor| number.quotient(divisor).is_some());
        let unit = kept.next()?.clone();
        let unit = kept.try_fold(unit, |unit, divisor| unit.least_common_multiple(divisor))?;
        Some(Box::new(Lower::new(&number, &unit)?))
    }
}
