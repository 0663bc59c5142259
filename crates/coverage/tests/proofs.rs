//! The proofs of planning are correct: no target that it proves unreachable is hit by a valid instance of
//! the test suite, which is independent of it, nor by generated instances of the contract.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use foolproof_contract::{Accepted, Document, Draft, FormatPolicy, Oracle, with_large_stack};
use foolproof_corpus::suite::{self, Part};
use foolproof_coverage::{CompiledRun, Profile, Settings, Status};
use foolproof_generate::Meter;

/// How many plain instances of each schema are observed.
const INSTANCES: u64 = 20;

struct Proofs {
    compiled: CompiledRun,
    /// How many targets were proven unreachable by planning only.
    count: usize,
}

impl Proofs {
    fn of(document: &Document) -> Option<Self> {
        let settings = Settings { instances: 200, ..Settings::guided(Profile::Thorough) };
        let compiled = CompiledRun::new(document, settings, &mut Meter::counting()).ok()?;
        let count = compiled.plan().unwrap().unreachable().len();
        Some(Self { compiled, count })
    }

    fn check(&self, value: &Accepted, name: &str) {
        let hits = self.compiled.observer().unwrap().observe(value);
        let universe = self.compiled.observer().unwrap().universe();
        for target in hits.iter() {
            let target = &universe[target];
            let value = value.value();
            assert_eq!(target.status(), Status::Active, "{name}: {value} hits `{target}`");
        }
    }
}

#[test]
fn no_valid_instance_of_the_suite_hits_what_planning_proves_unreachable() {
    let Some(folder) = suite::folder() else { return };
    let (mut values, mut proofs) = (0, 0);
    for draft in Draft::ALL {
        let remotes = suite::remotes(&folder, draft);
        for part in [Part::Required, Part::Optional] {
            for group in suite::groups(&folder, draft, part) {
                let Ok(document) = group.document(&remotes) else { continue };
                let Ok(oracle) = Oracle::new(&document, FormatPolicy::Assert) else { continue };
                let Some(found) = with_large_stack(|| Proofs::of(&document)) else { continue };
                proofs += found.count;
                for value in group.tests.into_iter().filter_map(|test| oracle.accept(test.data)) {
                    values += 1;
                    found.check(&value, &group.name);
                }
                let plain = (0..INSTANCES).filter_map(|index| {
                    let seed = foolproof_generate::Seed::from_number(8);
                    found.compiled.generators().next().unwrap().instance(seed, index)
                });
                plain.for_each(|value| found.check(&value, &group.name));
            }
        }
    }
    assert!(values > 3_000, "only {values} values");
    assert!(proofs > 50, "only {proofs} proofs");
}
