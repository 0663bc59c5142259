//! What repair promises: by keyword, about boundaries and the trace, and as laws on the test suite.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use foolproof_contract::{Document, Draft, Formats, Oracle};
use foolproof_corpus::suite::{self, Group, Part};
use foolproof_generate::{Change, Repair, Repaired, Seed, repair};
use serde_json::{Value, json};

fn oracle(schema: &Value) -> (Document, Oracle) {
    let document = Document::from_value(schema.clone()).unwrap();
    let oracle = Oracle::new(&document, Formats::Assert).unwrap();
    (document, oracle)
}

/// Repairs by violations alone.
fn repaired(schema: &Value, value: &Value) -> Repaired {
    let (_, oracle) = oracle(schema);
    let rejected = oracle.check(value.clone()).unwrap_err();
    repair(&oracle, rejected, &mut Seed::from_number(1).random())
        .unwrap_or_else(|rest| panic!("{schema}: {value} became {rest:?}"))
}

fn value_of(repaired: &Repaired) -> Value {
    repaired.accepted().value().clone()
}

/// How often a law had something to say.
#[derive(Debug, Default)]
struct Count {
    rejected: usize,
    repaired: usize,
}

#[test]
fn laws_hold_on_what_the_test_suite_calls_invalid() {
    let Some(folder) = foolproof_corpus::folder() else { return };
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
}

fn check(group: &Group, remotes: &[(String, Value)], count: &mut Count) {
    let document = group.document(remotes).unwrap();
    let oracle = Oracle::new(&document, Formats::Assert).unwrap();
    let repair = Repair::new(oracle.clone()).reading(&document, Formats::Assert);
    for test in &group.tests {
        let Err(rejected) = oracle.check(test.data.clone()) else { continue };
        let name = format!("{}: {}", group.name, test.description);
        let before = rejected.violations().len();
        count.rejected += 1;
        let start = std::time::Instant::now();
        match repair.run(rejected, &mut Seed::from_number(1).random()) {
            Ok(repaired) => {
                count.repaired += 1;
                assert!(oracle.is_valid(repaired.accepted().value()), "{name}");
                assert_trace(&test.data, &repaired, &name);
                if std::env::var_os("SHOW").is_some() {
                    println!("OK {name}\n   {} -> {}", test.data, repaired.accepted().value());
                }
            }
            Err(rest) => {
                println!("FAIL {name}\n   {} in {}\n   {}", test.data, group.schema, rest.violations()[0]);
                assert!(rest.violations().len() <= before, "{name}");
            }
        }
        let took = start.elapsed().as_millis();
        if took > 200 { println!("SLOW {took} {name}"); }
    }
}

fn assert_trace(_before: &Value, _repaired: &Repaired, _name: &str) {}
