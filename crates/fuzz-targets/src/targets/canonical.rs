//! Canonical forms.
//!
//! - A form admits every value that its schema admits; where nothing was relaxed, it admits no other.
//! - What is proven to admit no value admits none.
//! - What a diagnosis names is in the contract, and admits no value.

use foolproof_contract::{
    Canonical, Canonicalizer, Document, FormatPolicy, Oracle, ReadOptions, Verdict,
    with_large_stack,
};

use super::subject::Subject;
use crate::Reached;

/// Checks the laws of canonical forms.
pub fn canonical(data: &[u8]) -> Reached {
    with_large_stack(|| check(data))
}

fn check(data: &[u8]) -> Reached {
    let Some(subject) = Subject::of(data) else { return Reached::Refused };
    let Subject { document, oracle, values } = &subject;
    let Ok(mut forms) = Canonicalizer::new(document, FormatPolicy::Assert) else {
        return Reached::Refused;
    };
    let root = forms.root();
    let is_exact = forms.relaxed().is_empty();
    let is_empty = root.satisfiable() == Verdict::No || root.is_proven_empty();
    let form = oracle_of(&root);
    for value in values {
        let is_accepted = oracle.is_valid(value);
        assert!(!(is_accepted && is_empty), "{value} is accepted by what is proven empty");
        let Some(form) = &form else { continue };
        let is_in_form = form.is_valid(value);
        assert!(is_in_form || !is_accepted, "{value} is accepted, and not in {root:?}");
        assert!(!is_in_form || is_accepted || !is_exact, "{value} is refused, and in {root:?}");
    }
    for diagnostic in forms.diagnose() {
        let at = diagnostic.pointer();
        assert!(at.resolve(document.value()).is_some(), "{at} is not in the contract");
        let Ok(oracle) = Oracle::at(document, at, FormatPolicy::Assert) else { continue };
        let accepted = values.iter().find(|value| oracle.is_valid(*value));
        assert_eq!(accepted, None, "{at} is diagnosed as {}", diagnostic.code().as_str());
    }
    if form.is_some() { Reached::Checked } else { Reached::Refused }
}

/// The oracle of the schema that a form is written as.
fn oracle_of(form: &Canonical) -> Option<Oracle> {
    let options = ReadOptions::default().draft(form.draft());
    let document = Document::from_value_with(form.to_schema(), &options).ok()?;
    Oracle::new(&document, FormatPolicy::Assert).ok()
}
