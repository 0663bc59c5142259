//! The laws hold on the seeds of every target and on some inputs made of them, and have something to say about them.

use std::{collections::BTreeSet, fs, path::PathBuf};

use foolproof_contract::with_large_stack;
use foolproof_fuzz_targets::{Inputs, MAX_INPUT, Reached, Target};

/// The inputs of a target of pace one. Many more are run by `.ci/run`.
const RUNS: u64 = 10;

#[test]
fn the_laws_hold_on_every_seed() {
    for target in Target::ALL {
        let inputs = Inputs::new(&target, 0);
        let reached = inputs.corpus().iter().map(|seed| with_large_stack(|| (target.run)(seed)));
        let checked = reached.filter(|reached| *reached == Reached::Checked).count();
        let seeds = inputs.corpus().len();
        assert!(seeds >= 3 && 2 * checked >= seeds, "{}: {checked} of {seeds}", target.name);
    }
}

#[test]
fn the_laws_hold_on_inputs_made_of_seeds() {
    for target in Target::ALL {
        let inputs = Inputs::new(&target, 1);
        let runs = RUNS * target.pace;
        let run = |index: u64| {
            let input = inputs.input(index);
            println!("{} --seed 1, input {index}", target.name);
            with_large_stack(|| (target.run)(&input))
        };
        let checked = (0..runs).map(run).filter(|reached| *reached == Reached::Checked).count();
        // A law that nearly never has anything to say proves nothing.
        assert!(checked as u64 * 6 >= runs, "{}: {checked} of {runs}", target.name);
    }
}

#[test]
fn an_input_depends_on_seed_target_and_number_alone() {
    let [text, graph, ..] = Target::ALL;
    let inputs = |target: &Target, seed| {
        let inputs = Inputs::new(target, seed);
        (0..50).map(|index| inputs.input(index)).collect::<Vec<_>>()
    };
    assert_eq!(inputs(&text, 7), inputs(&text, 7));
    assert_ne!(inputs(&text, 7), inputs(&text, 8));
    assert_ne!(inputs(&text, 7), inputs(&graph, 7));
    let distinct: BTreeSet<Vec<u8>> = inputs(&text, 7).into_iter().collect();
    assert!(distinct.len() > 40, "only {} differ", distinct.len());
}

#[test]
fn inputs_are_no_longer_than_they_may_be() {
    for target in Target::ALL {
        let inputs = Inputs::new(&target, 2);
        assert!((0..500).all(|index| inputs.input(index).len() <= MAX_INPUT), "{}", target.name);
    }
}

/// `cargo fuzz` runs what `cargo xtask fuzz-targets` runs.
#[test]
fn every_target_has_its_file_in_the_folder_of_cargo_fuzz() {
    let fuzz = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../fuzz");
    let manifest = fs::read_to_string(fuzz.join("Cargo.toml")).unwrap();
    for Target { name, .. } in Target::ALL {
        let path = format!("fuzz_targets/{name}.rs");
        let source = fs::read_to_string(fuzz.join(&path)).unwrap();
        assert!(source.contains(&format!("foolproof_fuzz_targets::{name}(data)")), "{path}");
        let binary = format!("[[bin]]\nname = \"{name}\"\npath = \"{path}\"\n");
        assert!(manifest.contains(&binary), "Cargo.toml does not list {path}");
    }
    let files = fs::read_dir(fuzz.join("fuzz_targets")).unwrap().count();
    assert_eq!(
        (files, manifest.matches("[[bin]]").count()),
        (Target::ALL.len(), Target::ALL.len())
    );
}

#[test]
fn every_folder_of_seeds_is_used() {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..");
    let used: BTreeSet<&str> =
        Target::ALL.iter().flat_map(|target| target.corpus).copied().collect();
    assert!(used.iter().all(|folder| root.join(folder).is_dir()), "{used:?}");
    for folder in fs::read_dir(root.join("fuzz/corpus")).unwrap() {
        let name = folder.unwrap().file_name().into_string().unwrap();
        assert!(used.contains(format!("fuzz/corpus/{name}").as_str()), "nothing reads {name}");
    }
}
