//! One enumeration: listed names and those of the automaton, merged in shortlex order.
//!
//! Every name is checked exactly before it is given out, so automata decide which names are tried
//! and when there are no more, never whether a name is admissible.

use std::{cmp::Ordering, collections::BTreeSet, iter::Peekable, slice};

use super::{Cap, Name, NameIndex, rules::shortlex, walk::Goal, words::Words};

/// Candidates that may fail the exact check. Automata leave few to it, unless a format or a
/// look-around decides; then even many tries seldom help.
pub(super) const TRIES: usize = 10_000;

pub(super) struct Search<'a> {
    index: &'a NameIndex,
    limit: usize,
    listed: Peekable<slice::Iter<'a, String>>,
    words: Words<'a>,
    failed: usize,
    pub(super) names: Vec<Name>,
    /// The limit that ended the automaton's part.
    pub(super) cut: Option<Cap>,
}

impl<'a> Search<'a> {
    pub(super) fn new(index: &'a NameIndex, limit: usize) -> Self {
        Self {
            index,
            limit,
            listed: index.0.rules.listed.iter().peekable(),
            words: Words::new(index.product(), Goal::Possible),
            failed: 0,
            names: Vec::new(),
            cut: None,
        }
    }

    /// Finds names up to the limit.
    pub(super) fn run(&mut self) {
        self.merge();
        if self.cut.is_some() {
            self.add_certain();
        }
    }

    fn merge(&mut self) {
        while self.names.len() < self.limit {
            let Some(word) = self.next_word() else { break };
            self.take_listed(|listed| shortlex(listed) < shortlex(&word));
            if self.names.len() < self.limit {
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
        while self.names.len() < self.limit && self.failed <= TRIES {
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
            let cap = self.index.product().blur();
            self.cut = Some(if cap == Cap::PatternSize { cap } else { Cap::Tries });
            return None;
        }
        match self.words.next() {
            Ok(word) => word,
            Err(cap) => {
                self.cut = Some(cap);
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
        while self.names.len() < self.limit {
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
