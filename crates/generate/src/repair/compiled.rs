//! Sets of strings that were compiled a moment ago.
//!
//! A repair asks for strings of the same few shapes thousands of times, and compiling one, or finding out
//! that no draw gives a string, may take longer than all questions to the oracle together. What is compiled
//! depends on its shape alone, so remembering it changes no answer. It is kept by thread: handing it down
//! would add a parameter to every function between a search and its strings.

use std::{cell::RefCell, rc::Rc};

use foolproof_contract::StringShape;

use crate::{Source, Strings};

/// How many are remembered: a few shapes, each for a few lengths. One may take megabytes.
const REMEMBERED: usize = 16;

/// A set of strings, and the simplest of them.
#[derive(Debug)]
pub(super) struct CompiledStrings {
    strings: Strings,
    simplest: Option<String>,
}

impl CompiledStrings {
    /// A string of the set; nothing if the simplest was not found. Finding none takes hundreds of tries,
    /// which are not worth repeating.
    pub(super) fn draw(&self, source: &mut impl Source) -> Option<String> {
        self.simplest.as_ref()?;
        self.strings.draw(source)
    }

    /// The simplest string of the set.
    pub(super) fn simplest(&self) -> Option<String> {
        self.simplest.clone()
    }
}

thread_local! {
    /// Those asked for last stand last.
    static COMPILED: RefCell<Vec<(StringShape, Rc<CompiledStrings>)>> =
        const { RefCell::new(Vec::new()) };
}

/// The strings of `shape`.
pub(super) fn strings(shape: StringShape) -> Rc<CompiledStrings> {
    COMPILED.with_borrow_mut(|compiled| {
        let known = compiled.iter().position(|(other, _)| *other == shape);
        let entry = if let Some(index) = known {
            compiled.remove(index)
        } else {
            let strings = Strings::compile(&shape);
            let simplest = strings.simplest();
            (shape, Rc::new(CompiledStrings { strings, simplest }))
        };
        if compiled.len() == REMEMBERED {
            compiled.remove(0);
        }
        let strings = Rc::clone(&entry.1);
        compiled.push(entry);
        strings
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_asked_for_last_is_not_compiled_again() {
        let shape = |length: usize| StringShape {
            max_length: Some(length.into()),
            ..StringShape::default()
        };
        let first = strings(shape(0));
        for length in 1..REMEMBERED {
            strings(shape(length));
        }
        assert!(Rc::ptr_eq(&first, &strings(shape(0))));
        for length in 1..=REMEMBERED {
            strings(shape(length + REMEMBERED));
        }
        assert!(!Rc::ptr_eq(&first, &strings(shape(0))), "only so many are remembered");
    }
}
