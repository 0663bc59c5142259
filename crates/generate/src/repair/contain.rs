//! `contains` and its counts: their violations have no operands, so the items are checked by an oracle
//! of the contained schema.

use foolproof_contract::{Oracle, Violation};
use serde_json::{Map, Value};

use super::{array, contract::sibling, search::Search, variants::smallest};
use crate::{Source, size::size};

/// Checks that the repair of one item may use.
const ITEM_CHECKS: usize = 200;

/// Nested searches: an item that must contain another, and so on.
const LEVELS: usize = 2;

/// Items to add where the number is unknown.
const GUESSED: usize = 4;

/// How the number of contained items differs from the required one.
enum CountMismatch {
    /// This many are missing.
    TooFew(usize),
    /// The indices of the surplus items.
    TooMany(Vec<usize>),
    Unknown,
}

impl<S: Source> Search<'_, S> {
    /// Arrays with as many contained items as required.
    pub(super) fn containing(&mut self, items: &[Value], violation: &Violation) -> Vec<Value> {
        let schema = self.contract.and_then(|contract| contract.enclosing_schema(violation));
        let oracle = self.contains_oracle(violation);
        let mismatch = mismatch(items, schema, oracle.as_ref());
        let options = match &oracle {
            Some(oracle) => self.contained_values(items, oracle),
            None => smallest().to_vec(),
        };
        match mismatch {
            CountMismatch::TooFew(count) => with_more(items, &options, count, schema),
            CountMismatch::TooMany(surplus) => with_fewer(items, &surplus),
            CountMismatch::Unknown => {
                let mut found: Vec<Value> = (1..=GUESSED)
                    .flat_map(|count| with_more(items, &options, count, schema))
                    .collect();
                found.extend(array::without_one(items));
                found
            }
        }
    }

    /// The oracle of the schema of `contains`.
    fn contains_oracle(&mut self, violation: &Violation) -> Option<Oracle> {
        self.oracle_at(&sibling(violation, "contains")?)
    }

    /// Values that may be contained: one that is, the last one repaired, and the smallest.
    fn contained_values(&mut self, items: &[Value], oracle: &Oracle) -> Vec<Value> {
        let contained = items.iter().rfind(|item| oracle.is_valid(*item)).cloned();
        let mut found: Vec<Value> = contained.into_iter().collect();
        if self.may_nest() {
            for start in items.last().cloned().into_iter().chain([Value::Null]) {
                found.push(self.item(start, oracle));
            }
        }
        found.extend(smallest());
        found.retain(|value| oracle.is_valid(value));
        found
    }

    /// Whether another search may be started inside this one.
    pub(super) fn may_nest(&self) -> bool {
        self.level < LEVELS
    }

    /// The value, repaired for `oracle` as far as possible.
    pub(super) fn item(&mut self, start: Value, oracle: &Oracle) -> Value {
        let rejected = match oracle.check(start) {
            Ok(accepted) => return accepted.into_value(),
            Err(rejected) => rejected,
        };
        let checks = self.left.min(ITEM_CHECKS);
        let mut inner = Search::new(oracle, self.contract, self.source, checks);
        inner.level = self.level + 1;
        let (value, _) = inner.run(rejected);
        self.left -= checks - inner.left;
        value
    }
}

fn mismatch(
    items: &[Value],
    schema: Option<&Map<String, Value>>,
    oracle: Option<&Oracle>,
) -> CountMismatch {
    let (Some(schema), Some(oracle)) = (schema, oracle) else {
        return CountMismatch::Unknown;
    };
    let limit = |keyword: &str| schema.get(keyword)?.as_number().map(size);
    let contained: Vec<usize> =
        (0..items.len()).filter(|index| oracle.is_valid(&items[*index])).collect();
    let least = limit("minContains").unwrap_or(1);
    let most = limit("maxContains").unwrap_or(usize::MAX);
    if contained.len() < least {
        CountMismatch::TooFew(least - contained.len())
    } else {
        CountMismatch::TooMany(contained[most.min(contained.len())..].to_vec())
    }
}

/// `count` more of each of `options`: appended, or instead of the last items. An array of the minimum
/// length keeps its length if possible.
fn with_more(
    items: &[Value],
    options: &[Value],
    count: usize,
    schema: Option<&Map<String, Value>>,
) -> Vec<Value> {
    let least = schema.and_then(|schema| schema.get("minItems")?.as_number()).map(size);
    let is_least = least.is_some_and(|least| least == items.len());
    let appended = options.iter().map(|option| extended(items, option, count));
    let replaced = options
        .iter()
        .filter(|_| items.len() >= count)
        .map(|option| extended(&items[..items.len() - count], option, count));
    if is_least { replaced.chain(appended).collect() } else { appended.chain(replaced).collect() }
}

fn extended(items: &[Value], option: &Value, count: usize) -> Value {
    items.iter().cloned().chain(std::iter::repeat_n(option.clone(), count)).collect()
}

/// Without the surplus items, or with small values instead of them.
fn with_fewer(items: &[Value], surplus: &[usize]) -> Vec<Value> {
    let kept = items.iter().enumerate().filter(|(index, _)| !surplus.contains(index));
    let mut found: Vec<Value> = vec![kept.map(|(_, item)| item.clone()).collect()];
    for value in smallest() {
        let mut changed = items.to_vec();
        for index in surplus {
            changed[*index].clone_from(&value);
        }
        found.push(Value::Array(changed));
    }
    found
}
