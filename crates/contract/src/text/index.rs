//! A text that was read, with the positions of all its values.
//!
//! One error has one position, which a single pass over the text finds. An API may have an error in each of thousands
//! of operations, and a pass for each takes time quadratic in the text. So the first question makes an index of the
//! whole text, which everything that was read from the text shares.

use std::{
    hash::{DefaultHasher, Hash as _, Hasher as _},
    ops::ControlFlow,
    sync::{Arc, OnceLock},
};

use super::{
    Syntax,
    compose::{self, Place},
    json, yaml,
};
use crate::{Pointer, Position, position::PositionTable};

/// The text of a document, and where its values are.
#[derive(Debug)]
pub(crate) struct IndexedText {
    text: Arc<str>,
    syntax: Syntax,
    index: OnceLock<Index>,
}

#[derive(Debug)]
struct Index {
    /// Every value of the text, by the hash of its pointer, then by its place in the text. The pointers themselves would
    /// take several times as much memory as the text; should two have one hash, a message names the wrong line.
    values: Vec<IndexedValue>,
    positions: PositionTable,
}

#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct IndexedValue {
    hash: u64,
    offset: usize,
    is_alias: bool,
}

impl IndexedText {
    pub(crate) fn new(text: impl Into<Arc<str>>, syntax: Syntax) -> Self {
        Self { text: text.into(), syntax, index: OnceLock::new() }
    }

    pub(crate) fn text(&self) -> &Arc<str> {
        &self.text
    }

    pub(crate) fn syntax(&self) -> Syntax {
        self.syntax
    }

    /// The position at which the value at `pointer` starts; that of the alias if an alias stands for it or for what it
    /// is in. `None` if the text does not contain it.
    pub(crate) fn position(&self, pointer: &Pointer) -> Option<Position> {
        let index = self.index.get_or_init(|| Index::of(&self.text, self.syntax));
        let own = index.find(pointer);
        let found = own.or_else(|| {
            let mut around = std::iter::successors(pointer.parent(), Pointer::parent);
            around.find_map(|outer| index.find(&outer)).filter(|outer| outer.is_alias)
        });
        Some(index.positions.position(&self.text, found?.offset))
    }
}

impl Index {
    fn of(text: &str, syntax: Syntax) -> Self {
        let mut values = Vec::new();
        let see = |Place { pointer, offset, is_alias }: Place<'_>| {
            values.push(IndexedValue { hash: hash(pointer), offset, is_alias });
            ControlFlow::Continue(())
        };
        match syntax {
            Syntax::Json => compose::each_place(json::Events::new(text), see),
            Syntax::Yaml => compose::each_place(yaml::Events::new(text), see),
        }
        values.sort_unstable();
        Self { values, positions: PositionTable::of(text) }
    }

    /// The first value of the text at `pointer`.
    fn find(&self, pointer: &Pointer) -> Option<&IndexedValue> {
        let hash = hash(pointer.as_str());
        let at = self.values.partition_point(|value| value.hash < hash);
        self.values.get(at).filter(|value| value.hash == hash)
    }
}

fn hash(pointer: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    pointer.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::locate;

    #[test]
    fn an_index_has_the_positions_that_a_search_finds() {
        let yaml = "base: &base {a: 1, b: [x, {c: 2}]}\none: *base\ntwo: {<<: *base, b: 3}\n\"a/b\": [*base]\n";
        let json = "{\"base\": {\"a\": 1, \"b\": [\"x\"]},\n \"a/b\": [{}]}";
        let pointers = [
            "",
            "/base",
            "/base/a",
            "/base/b/1/c",
            "/one",
            "/one/b/1/c",
            "/one/none",
            "/two/a",
            "/two/b",
            "/a~1b",
            "/a~1b/0/b",
            "/a~1b/1",
            "/none",
        ];
        for (text, syntax) in [(yaml, Syntax::Yaml), (json, Syntax::Json)] {
            let indexed = IndexedText::new(text, syntax);
            let mut found = 0;
            for pointer in pointers {
                let pointer: Pointer = pointer.parse().unwrap();
                let searched = locate(text, syntax, [&pointer]).into_values().next();
                assert_eq!(indexed.position(&pointer), searched, "{pointer}");
                found += usize::from(searched.is_some());
            }
            assert!(found >= 4, "only {found} were found");
        }
    }
}
