//! Tasks that simplify the characters of a string and keep their number.

use std::ops::Range;

use num_bigint::BigUint;
use serde_json::Value;

use super::{
    order::{character_of, rank_of},
    search::Search,
    tasks::{Ranges, Task},
};

/// Replaces ranges of characters by plain ones.
#[derive(Debug)]
pub(super) struct Plain {
    ranges: Ranges,
    plain: fn(char) -> char,
}

impl Plain {
    pub(super) fn new(length: usize, plain: fn(char) -> char) -> Self {
        Self { ranges: Ranges::of(length), plain }
    }
}

impl Task for Plain {
    fn next(&mut self, value: &Value) -> Option<Value> {
        let characters: Vec<char> = value.as_str()?.chars().collect();
        let range = self.ranges.next(characters.len())?;
        let plain = |(index, character): (usize, &char)| {
            if range.contains(&index) { (self.plain)(*character) } else { *character }
        };
        Some(Value::String(characters.iter().enumerate().map(plain).collect()))
    }

    fn record(&mut self, _worked: bool) {}
}

/// Lowers each character of a string as far as possible.
#[derive(Debug, Default)]
pub(super) struct Letters {
    index: usize,
    search: Option<Search>,
}

impl Task for Letters {
    fn next(&mut self, value: &Value) -> Option<Value> {
        let mut characters: Vec<char> = value.as_str()?.chars().collect();
        loop {
            let rank = rank_of(*characters.get(self.index)?);
            let search = self.search.get_or_insert_with(|| Search::below(rank.into()));
            let Some(rank) = search.next() else {
                (self.index, self.search) = (self.index + 1, None);
                continue;
            };
            if let Some(character) = u32::try_from(rank).ok().and_then(character_of) {
                characters[self.index] = character;
                return Some(Value::String(characters.into_iter().collect()));
            }
            search.record(false);
        }
    }

    fn record(&mut self, worked: bool) {
        if let Some(search) = &mut self.search {
            search.record(worked);
        }
    }
}

/// Lowers each run of digits in a string towards zero, as a number of the same width:
/// of `10` and `01` the second is simpler, and no change of one digit leads there.
#[derive(Debug, Default)]
pub(super) struct Digits {
    /// Runs before this index are done.
    from: usize,
    run: Option<(Range<usize>, Search)>,
}

impl Task for Digits {
    fn next(&mut self, value: &Value) -> Option<Value> {
        let text = value.as_str()?;
        loop {
            let (run, search) = match &mut self.run {
                Some(run) => run,
                run @ None => run.insert(first_number(text, self.from)?),
            };
            if let Some(number) = search.next() {
                let width = run.len();
                return Some(Value::String(format!(
                    "{}{:0>width$}{}",
                    &text[..run.start],
                    number.to_string(),
                    &text[run.end..]
                )));
            }
            (self.from, self.run) = (run.end, None);
        }
    }

    fn record(&mut self, worked: bool) {
        if let Some((_, search)) = &mut self.run {
            search.record(worked);
        }
    }
}

/// The first run of digits in `text` that starts at `from` or later.
fn first_number(text: &str, from: usize) -> Option<(Range<usize>, Search)> {
    let rest = text.get(from..)?;
    let start = from + rest.find(|character: char| character.is_ascii_digit())?;
    let length = text[start..].find(|character: char| !character.is_ascii_digit());
    let run = start..length.map_or(text.len(), |length| start + length);
    let number = text[run.clone()].parse::<BigUint>().ok()?;
    Some((run, Search::below(number)))
}
