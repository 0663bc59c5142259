//! Laws of repair, on the invalid instances of the test suite and on broken instances of real schemas:
//! the result is valid or no worse, and undoing its edits gives the rejected value.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use foolproof_contract::{Canonicalizer, Draft, FormatPolicy, Oracle, Pointer, Rejected, Verdict};
use foolproof_corpus::{
    Contracts,
    suite::{self, Group, Part},
};
use foolproof_generate::{EditKind, Generator, Repair, RepairedValue, Seed, Source};
use serde_json::{Value, json};

/// How often a law applied.
#[derive(Debug, Default)]
struct Count {
    rejected: usize,
    repaired: usize,
    /// Not repaired, and proven to have no value.
    impossible: usize,
}

impl Count {
    /// Repairs, and checks the guarantees of repair.
    fn check(&mut self, name: &str, repair: &Repair, oracle: &Oracle, rejected: Rejected) -> bool {
        let (before, violations) = (rejected.value().clone(), rejected.violations().len());
        self.rejected += 1;
        match repair.run(rejected, &mut Seed::from_number(1).random()) {
            Ok(repaired) => {
                assert!(oracle.is_valid(repaired.accepted().value()), "{name}");
                assert_edits(&before, &repaired, name);
                self.repaired += 1;
                true
            }
            Err(rest) => {
                assert!(rest.violations().len() <= violations, "{name}: {rest:?}");
                assert!(!oracle.is_valid(rest.value()), "{name}");
                false
            }
        }
    }
}

/// Every edit describes its change, and undoing all of them gives the rejected value.
#[track_caller]
fn assert_edits(before: &Value, repaired: &RepairedValue, name: &str) {
    let after = repaired.accepted().value();
    let mut undone = after.clone();
    for edit in repaired.edits() {
        let (old, new) = (edit.instance().resolve(before), edit.instance().resolve(after));
        assert!(!edit.keyword().is_empty(), "{name}: {edit:?}");
        match edit.kind() {
            EditKind::Added => assert!(old.is_none() && new.is_some(), "{name}: {edit:?}"),
            EditKind::Removed(value) => {
                assert!(old == Some(value) && new.is_none(), "{name}: {edit:?}");
            }
            EditKind::Replaced(value) => {
                assert!(old == Some(value) && new.is_some() && old != new, "{name}: {edit:?}");
                *undone.pointer_mut(edit.instance().as_str()).unwrap() = value.clone();
            }
        }
    }
    for edit in repaired.edits().iter().rev().filter(|edit| edit.kind() == &EditKind::Added) {
        set(&mut undone, edit.instance(), None);
    }
    for edit in repaired.edits() {
        if let EditKind::Removed(value) = edit.kind() {
            set(&mut undone, edit.instance(), Some(value.clone()));
        }
    }
    assert_eq!(&undone, before, "{name}: {:?}", repaired.edits());
}

fn set(root: &mut Value, path: &Pointer, value: Option<Value>) {
    let Some(parent) = path.parent() else {
        *root = value.unwrap();
        return;
    };
    let last = path.segments().last().unwrap().into_owned();
    match (root.pointer_mut(parent.as_str()).unwrap(), value) {
        (Value::Object(members), Some(value)) => drop(members.insert(last, value)),
        (Value::Object(members), None) => drop(members.remove(&last)),
        (Value::Array(items), Some(value)) => {
            items.insert(last.parse::<usize>().unwrap().min(items.len()), value);
        }
        (Value::Array(items), None) => drop(items.remove(last.parse().unwrap())),
        (other, _) => panic!("{other} has no members"),
    }
}

#[test]
fn every_invalid_instance_of_the_test_suite_is_repaired_unless_nothing_is_valid() {
    let Some(folder) = suite::folder() else { return };
    let mut count = Count::default();
    for draft in Draft::ALL {
        let remotes = suite::remotes(&folder, draft);
        for part in [Part::Required, Part::Formats] {
            for group in suite::groups(&folder, draft, part) {
                check_group(&group, &remotes, &mut count);
            }
        }
    }
    println!("{count:?}");
    assert!(count.rejected > 3_400 && count.impossible < 200, "{count:?}");
    assert_eq!(count.repaired + count.impossible, count.rejected, "{count:?}");
}

fn check_group(group: &Group, remotes: &[(String, Value)], count: &mut Count) {
    let document = group.document(remotes).unwrap();
    let oracle = Oracle::new(&document, FormatPolicy::Assert).unwrap();
    let repair = Repair::new(oracle.clone()).reading(&document, FormatPolicy::Assert);
    for test in &group.tests {
        let Err(rejected) = oracle.check(test.data.clone()) else { continue };
        let name = format!("{}: {}", group.name, test.description);
        if !count.check(&name, &repair, &oracle, rejected) {
            let forms = Canonicalizer::new(&document, FormatPolicy::Assert).unwrap();
            assert_eq!(forms.root().satisfiable(), Verdict::No, "{name} was not repaired");
            count.impossible += 1;
        }
    }
}

/// One schema of this many in the corpus is tested.
const STRIDE: usize = 12;

#[test]
fn broken_instances_of_real_schemas_are_repaired() {
    let contracts = Contracts::find();
    let mut count = Count::default();
    for entry in contracts.schemas_every(STRIDE) {
        let Ok(document) = entry.read() else { continue };
        let Ok(generator) = Generator::new(&document, FormatPolicy::Assert) else { continue };
        let oracle = Oracle::new(&document, FormatPolicy::Assert).unwrap();
        let repair = Repair::new(oracle.clone()).reading(&document, FormatPolicy::Assert);
        for index in 0..6 {
            let seed = Seed::from_number(3);
            let Some(instance) = generator.instance(seed, index) else { continue };
            let broken = broken(instance.into_value(), &mut seed.child("break", index).random());
            let Err(rejected) = oracle.check(broken) else { continue };
            if !count.check(&entry.name, &repair, &oracle, rejected) {
                println!("{}: instance {index} was not repaired", entry.name);
            }
        }
    }
    println!("{count:?}");
    assert!(count.rejected > contracts.either(440, 150), "{count:?}");
    assert!(count.repaired * 100 >= count.rejected * 99, "{count:?}");
}

/// The value with one to three of its parts removed or replaced.
fn broken(mut value: Value, source: &mut impl Source) -> Value {
    for _ in 0..source.between(1, 3) {
        let mut paths = Vec::new();
        collect(&value, Pointer::root(), &mut paths);
        let path = source.pick(&paths).clone();
        let junk = [
            json!(null),
            json!(true),
            json!(-7),
            json!(0.25),
            json!(""),
            json!("?!"),
            json!([]),
            json!([1, 1]),
            json!({}),
            json!({ "?": 1 }),
        ];
        if path.is_root() || source.chance(2, 3) {
            *value.pointer_mut(path.as_str()).unwrap() = source.pick(&junk).clone();
        } else {
            set(&mut value, &path, None);
        }
    }
    value
}

fn collect(value: &Value, at: Pointer, paths: &mut Vec<Pointer>) {
    if let Value::Object(members) = value {
        members.iter().for_each(|(name, member)| collect(member, at.key(name), paths));
    }
    if let Value::Array(items) = value {
        items.iter().enumerate().for_each(|(index, item)| collect(item, at.index(index), paths));
    }
    paths.push(at);
}
