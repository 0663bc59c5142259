//! One enumeration: listed names and those of the automaton, merged in shortlex order.
//!
//! Every name is checked exactly before it is given out, so automata decide which names are tried
//! and when there are no more, never whether a name is admissible.

use std::{cmp::Ordering, collections::BTreeSet, iter::Peekable, slice};

use super::{Limit, Name, NameIndex, rules::shortlex, walk::Goal, words::Words};

/// Candidates that may fail the exact check. Automata leave few to it, unless a format or a
/// look-around decides; then even many tries seldom help.
pub(super) const TRIES: usize = 10_000;

pub(super) struct Search<'a> {
    index: &'a NameIndex,
    /// How many names to find.
    wanted: usize,
    listed: Peekable<slice::Iter<'a, String>>,
    words: Words<'a>,
    failed: usize,
    pub(super) names: Vec<Name>,
    /// The limit that ended the automaton's part.
    pub(super) cut: Option<Limit>,
}

impl<'a> Search<'a> {
    pub(super) fn new(index: &'a NameIndex, wanted: usize) -> Self {
        Self {
            index,
            wanted,
            listed: index.0.rules.listed.iter().peekable(),
            words: Words::new(index.product(), Goal::Possible),
            failed: 0,
            names: Vec::new(),
            cut: None,
        }
    }

    /// Finds as many names as are wanted.
    pub(super) fn run(&mut self) {
        self.merge();
        if self.cut.is_some() {
            self.add_certain();
        }
    }

    fn merge(&mut self) {
        while self.names.len() < self.wanted {
            let Some(word) = self.next_word() else { break };
            self.take_listed(|listed| shortlex(listed) < shortlex(&word));
            if self.names.len() < self.wanted {
                self.take_word(&word);
            }
        }
        self.take_listed(|_| true);
    }

    /// What is out of reach for the search must not hide what is certain: adds names that need no
    /// luck.
    fn add_certain(&mut self) {
        let mut words = Words::new(self.index.product(), Goal::Certain);
        let found: BTreeSet<String> = self.names.iter().map(|name| name.text.clone()).collect();
        self.failed = 0;
        while self.names.len() < self.wanted && self.failed <= TRIES {
            let Ok(Some(word)) = words.next() else { break };
            if !found.contains(&word) {
                self.take_word(&word);
            }
        }
        self.names.sort_by(|left, right| shortlex(&left.text).cmp(&shortlex(&right.text)));
    }

    /// The next word of the automaton, unless it has no more or may not go on.
    fn next_word(&mut self) -> Option<String> {
        if self.failed > TRIES {
            let limit = self.index.product().undecided_reason();
            self.cut = Some(if limit == Limit::PatternSize { limit } else { Limit::Tries });
            return None;
        }
        match self.words.next() {
            Ok(word) => word,
            Err(limit) => {
                self.cut = Some(limit);
                None
            }
        }
    }

    fn take_word(&mut self, word: &str) {
        let mentioned = &self.index.0.rules.listed;
        let place = |listed: &String| -> Ordering { shortlex(listed).cmp(&shortlex(word)) };
        if mentioned.binary_search_by(place).is_ok() {
            // It has its turn among the listed names.
            return;
        }
        if !self.admit(word) {
            self.failed += 1;
        }
    }

    fn take_listed(&mut self, precedes: impl Fn(&str) -> bool) {
        while self.names.len() < self.wanted {
            let Some(listed) = self.listed.next_if(|listed| precedes(listed)) else {
                return;
            };
            self.admit(listed);
        }
    }

    fn admit(&mut self, name: &str) -> bool {
        let Some(provenance) = self.index.provenance(name) else {
            return false;
        };
        self.names.push(Name { text: name.to_owned(), provenance });
        true
    }
}
