//! `contains` and its counts: the oracle says that they are violated and nothing else, so the items
//! are put to an oracle of the contained schema.

use foolproof_contract::{Oracle, Violation};
use serde_json::{Map, Value};

use super::{array, contract::beside, search::Search, variants::smallest};
use crate::{Source, size::size};

/// Oracles of contained schemas that one search makes.
const ORACLES: usize = 4;

/// Checks that the repair of one item may take.
const ITEM_CHECKS: usize = 200;

/// Searches inside searches: an item that has to contain something, and so on.
const LEVELS: usize = 2;

/// Items to add where nothing says how many.
const GUESSED: usize = 4;

/// How many items are too few or too many.
enum Lack {
    Exhausted(usize),
    /// The indices of what is there.
    Surplus(Vec<usize>),
    Unknown,
}

impl<S: Source> Search<'_, S> {
    /// Arrays with as many contained items as asked for.
    pub(super) fn containing(&mut self, items: &[Value], violation: &Violation) -> Vec<Value> {
        let schema = self.contract.and_then(|contract| contract.around(violation));
        let oracle = self.contained(violation);
        let lack = lack(items, schema, oracle.as_ref());
        let options = match &oracle {
            Some(oracle) => self.contained_values(items, oracle),
            None => smallest().to_vec(),
        };
        match lack {
            Lack::Exhausted(count) => with_more(items, &options, count, schema),
            Lack::Surplus(surplus) => with_fewer(items, &surplus),
            Lack::Unknown => {
                let mut found: Vec<Value> = (1..=GUESSED)
                    .flat_map(|count| with_more(items, &options, count, schema))
                    .collect();
                found.extend(array::without_one(items));
                found
            }
        }
    }

    /// The oracle of what is to be contained.
    fn contained(&mut self, violation: &Violation) -> Option<Oracle> {
        let contract = self.contract?;
        let place = beside(violation, "contains")?;
        if let Some((_, oracle)) = self.contained.iter().find(|(known, _)| known == &place) {
            return oracle.clone();
        }
        if self.contained.len() >= ORACLES {
            return None;
        }
        let oracle = contract.oracle_beside(violation, "contains");
        self.contained.push((place, oracle.clone()));
        oracle
    }

    /// Values that may be contained: one that is, the last one repaired, and the smallest.
    fn contained_values(&mut self, items: &[Value], oracle: &Oracle) -> Vec<Value> {
        let contained = items.iter().rfind(|item| oracle.is_valid(item)).cloned();
        let mut found: Vec<Value> = contained.into_iter().collect();
        if self.level < LEVELS {
            for start in items.last().cloned().into_iter().chain([Value::Null]) {
                found.push(self.item(start, oracle));
            }
        }
        found.extend(smallest());
        found.retain(|value| oracle.is_valid(value));
        found
    }

    /// The value, repaired towards `oracle` as far as it goes.
    fn item(&mut self, start: Value, oracle: &Oracle) -> Value {
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

fn lack(items: &[Value], schema: Option<&Map<String, Value>>, oracle: Option<&Oracle>) -> Lack {
    let (Some(schema), Some(oracle)) = (schema, oracle) else {
        return Lack::Unknown;
    };
    let limit = |keyword: &str| schema.get(keyword)?.as_number().map(size);
    let contained: Vec<usize> =
        (0..items.len()).filter(|index| oracle.is_valid(&items[*index])).collect();
    let least = limit("minContains").unwrap_or(1);
    let most = limit("maxContains").unwrap_or(usize::MAX);
    if contained.len() < least {
        Lack::Exhausted(least - contained.len())
    } else {
        Lack::Surplus(contained[most.min(contained.len())..].to_vec())
    }
}

/// `count` more of each of `options`: appended, or in place of the last items. An array that is as
/// short as it may be stays so.
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

/// Without the surplus, or with something small in its place.
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
