//! Laws of canonical forms, on every schema and instance of the test suite.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use foolproof_contract::{Canonicalizer, Draft, FormatPolicy, Oracle, Verdict};
use foolproof_corpus::suite::{self, Group, Part};
use serde_json::Value;

/// How often a law applied.
#[derive(Debug, Default)]
struct Count {
    accepted: usize,
    rejected: usize,
    relaxed: usize,
}

/// A form is never narrower than its schema, and an unrelaxed one is no wider: it accepts what the
/// oracle accepts and, where nothing was relaxed, rejects what the oracle rejects. In particular,
/// nothing is called empty that has a value.
#[test]
fn forms_admit_what_their_schemas_admit() {
    let Some(folder) = suite::folder() else { return };
    let mut count = Count::default();
    for draft in Draft::ALL {
        let remotes = suite::remotes(&folder, draft);
        for part in [Part::Required, Part::Formats] {
            for group in suite::groups(&folder, draft, part) {
                check(&group, &remotes, &mut count);
            }
        }
    }
    println!("{count:?}");
    assert!(count.accepted > 2_500 && count.rejected > 2_000, "{count:?}");
    assert!((1..30).contains(&count.relaxed), "{count:?}");
}

fn check(group: &Group, remotes: &[(String, Value)], count: &mut Count) {
    let document = group.document(remotes).unwrap();
    let oracle = Oracle::new(&document, FormatPolicy::Assert).unwrap();
    let forms = Canonicalizer::new(&document, FormatPolicy::Assert).unwrap();
    let is_relaxed = !forms.relaxed().is_empty();
    count.relaxed += usize::from(is_relaxed);
    let schema = forms.root().to_schema();
    let form =
        jsonschema::options().should_validate_formats(true).offline().build(&schema).unwrap();
    for test in &group.tests {
        let name = format!("{}: {}", group.name, test.description);
        if oracle.is_valid(&test.data) {
            assert!(form.is_valid(&test.data), "{name}: {} is not in {schema}", test.data);
            assert_ne!(forms.root().satisfiable(), Verdict::No, "{name}");
            count.accepted += 1;
        } else if !is_relaxed {
            assert!(!form.is_valid(&test.data), "{name}: {} is in {schema}", test.data);
            count.rejected += 1;
        }
    }
}
