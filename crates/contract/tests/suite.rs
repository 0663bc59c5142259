//! Checks the oracle with the JSON Schema Test Suite: every required test of the five drafts and the
//! optional ones with formats as annotations, and the optional format tests with formats asserted.
//! The graph of every schema in it can be built.
#![expect(clippy::print_stdout, reason = "a test says what it compared, or why it was skipped")]

use foolproof_contract::{Draft, Error, FormatPolicy, Graph, Oracle};
use foolproof_corpus::suite::{self, Group, Part};
use serde_json::Value;

/// The optional tests that the oracle does not agree with, by how their names start, and why.
const OPTIONAL_EXCEPTIONS: [(&str, &str); 5] = [
    ("7/optional/cross-draft: refs to future drafts", ONE_DRAFT),
    ("2019-09/optional/cross-draft: refs to future drafts", ONE_DRAFT),
    ("2019-09/optional/cross-draft: refs to historic drafts", ONE_DRAFT),
    ("2020-12/optional/cross-draft: refs to historic drafts", ONE_DRAFT),
    ("2020-12/optional/format-assertion: ", POLICY),
];
const ONE_DRAFT: &str = "the remotes of a draft are not available under another";
const POLICY: &str = "whether formats are asserted is the caller's choice, not the meta-schema's";

#[test]
fn every_required_test_agrees() {
    let Some(outcome) = compare(Part::Required, FormatPolicy::Annotate) else {
        return;
    };
    assert_eq!(outcome.disagreements, Vec::<String>::new());
    assert!(outcome.compared >= 4_900, "only {} required tests were compared", outcome.compared);
}

#[test]
fn every_format_test_agrees() {
    let Some(outcome) = compare(Part::Formats, FormatPolicy::Assert) else {
        return;
    };
    assert_eq!(outcome.disagreements, Vec::<String>::new());
    assert!(outcome.compared >= 2_700, "only {} format tests were compared", outcome.compared);
}

#[test]
fn optional_tests_agree_but_for_the_listed() {
    let Some(outcome) = compare(Part::Optional, FormatPolicy::Annotate) else {
        return;
    };
    let is_listed =
        |name: &String| OPTIONAL_EXCEPTIONS.iter().any(|(listed, _)| name.starts_with(listed));
    let unlisted: Vec<_> = outcome.disagreements.iter().filter(|name| !is_listed(name)).collect();
    assert_eq!(unlisted, Vec::<&String>::new());
    for (listed, reason) in OPTIONAL_EXCEPTIONS {
        let disagrees = outcome.disagreements.iter().any(|name| name.starts_with(listed));
        assert!(disagrees, "`{listed}` agrees now; it is listed because {reason}");
    }
    assert!(outcome.compared >= 600, "only {} optional tests were compared", outcome.compared);
}

struct Outcome {
    compared: usize,
    disagreements: Vec<String>,
}

/// Checks every test of `part` with the oracle; `None` if the suite is absent.
fn compare(part: Part, formats: FormatPolicy) -> Option<Outcome> {
    let folder = suite::folder()?;
    let mut outcome = Outcome { compared: 0, disagreements: Vec::new() };
    for draft in Draft::ALL {
        let remotes = suite::remotes(&folder, draft);
        for group in suite::groups(&folder, draft, part) {
            match oracle(&group, &remotes, formats) {
                Ok(oracle) => outcome.add(&group, &oracle),
                Err(error) => outcome.disagreements.push(format!("{}: {error}", group.name)),
            }
        }
    }
    let Outcome { compared, disagreements } = &outcome;
    println!("{part:?}: compared {compared} tests, {} disagree", disagreements.len());
    Some(outcome)
}

fn oracle(
    group: &Group,
    remotes: &[(String, Value)],
    formats: FormatPolicy,
) -> Result<Oracle, Error> {
    let document = group.document(remotes)?;
    Graph::of(&document)?;
    Oracle::new(&document, formats)
}

impl Outcome {
    fn add(&mut self, group: &Group, oracle: &Oracle) {
        for test in &group.tests {
            self.compared += 1;
            let valid = oracle.is_valid(&test.data);
            // Both methods must agree.
            assert_eq!(oracle.violations(&test.data).is_empty(), valid, "{}", group.name);
            if valid != test.valid {
                self.disagreements.push(format!("{}: {}", group.name, test.description));
            }
        }
    }
}
