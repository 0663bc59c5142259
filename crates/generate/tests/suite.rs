//! Every schema of the official test suite that admits a value gets valid instances, and every other
//! one a reason.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use foolproof_contract::{Canonicalizer, Draft, FormatPolicy, Oracle};
use foolproof_corpus::suite::{self, Group, Part};
use foolproof_generate::{Generator, Seed};
use serde_json::Value;

const INSTANCES: u64 = 10;

#[derive(Debug, Default)]
struct Count {
    satisfiable: usize,
    impossible: usize,
}

#[test]
fn every_group_gets_ten_valid_instances_or_a_reason() {
    let Some(folder) = suite::folder() else { return };
    let mut count = Count::default();
    let mut failures = Vec::new();
    for draft in Draft::ALL {
        let remotes = suite::remotes(&folder, draft);
        for part in [Part::Required, Part::Formats, Part::Optional] {
            for group in suite::groups(&folder, draft, part) {
                failures.extend(check(&group, &remotes, &mut count).err());
            }
        }
    }
    assert!(failures.is_empty(), "{} groups:\n{}", failures.len(), failures.join("\n"));
    assert!(count.satisfiable > 1_400 && count.impossible > 40, "{count:?}");
}

fn check(group: &Group, remotes: &[(String, Value)], count: &mut Count) -> Result<(), String> {
    // A few optional groups refer to the remotes of another draft.
    let Ok(document) = group.document(remotes) else { return Ok(()) };
    let oracle = Oracle::new(&document, FormatPolicy::Assert).unwrap();
    let generator = Generator::new(&document, FormatPolicy::Assert).unwrap();
    let generated: Vec<_> = generator.instances(Seed::from_number(1), INSTANCES).collect();
    for instance in &generated {
        assert!(oracle.is_valid(instance.value()), "{}: {}", group.name, instance.value());
    }
    let is_satisfiable = group.tests.iter().any(|test| oracle.is_valid(&test.data));
    let is_full = generated.len() as u64 == INSTANCES;
    count.satisfiable += usize::from(is_satisfiable);
    if is_satisfiable && !is_full {
        return Err(format!("{}: {} generated", group.name, generated.len()));
    }
    if !is_satisfiable && !is_full {
        count.impossible += 1;
        let mut forms = Canonicalizer::new(&document, FormatPolicy::Assert).unwrap();
        if forms.diagnose().is_empty() {
            return Err(format!(
                "{}: {} generated, without a diagnostic",
                group.name,
                generated.len()
            ));
        }
    }
    Ok(())
}
