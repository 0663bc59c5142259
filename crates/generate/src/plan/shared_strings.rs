//! Sets of strings that several plans share.
//!
//! The entries of an API, and the planned instances of one contract, have plans of their own, in which the same
//! few shapes occur again and again: identifiers, dates, what a URL may hold. What is compiled of one may take
//! megabytes and milliseconds, and depends on its shape alone, so those compiled last are remembered. They
//! are kept by thread, as plans are compiled one after the other on each.

use std::{cell::RefCell, sync::Arc};

use foolproof_contract::StringShape;

use crate::Strings;

/// How many are remembered.
const REMEMBERED: usize = 32;

thread_local! {
    /// Those asked for last stand last.
    static COMPILED: RefCell<Vec<(StringShape, Arc<Strings>)>> = const { RefCell::new(Vec::new()) };
}

/// The strings of `shape`.
pub(super) fn shared_strings(shape: &StringShape) -> Arc<Strings> {
    COMPILED.with_borrow_mut(|compiled| {
        let known = compiled.iter().rposition(|(other, _)| other == shape);
        let entry = match known {
            Some(index) => compiled.remove(index),
            None => (shape.clone(), Arc::new(Strings::compile(shape))),
        };
        if compiled.len() == REMEMBERED {
            compiled.remove(0);
        }
        let strings = Arc::clone(&entry.1);
        compiled.push(entry);
        strings
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_shapes_share_what_was_compiled() {
        let shape = |length: usize| StringShape {
            max_length: Some(length.into()),
            ..StringShape::default()
        };
        let first = shared_strings(&shape(0));
        for length in 1..REMEMBERED {
            shared_strings(&shape(length));
        }
        assert!(Arc::ptr_eq(&first, &shared_strings(&shape(0))));
        for length in 1..=REMEMBERED {
            shared_strings(&shape(length + REMEMBERED));
        }
        assert!(!Arc::ptr_eq(&first, &shared_strings(&shape(0))), "only so many are remembered");
    }
}
