//! The laws of coverage on our own contracts and on a sample of the corpus: `cargo xtask laws` checks all of it.

use foolproof_contract::with_large_stack;
use foolproof_corpus::Contracts;
use xtask::{findings::Choice, laws::Laws};

fn check(contracts: &Contracts, stride: usize, least: usize) {
    let laws = with_large_stack(|| Laws::of(contracts, Choice::Every(stride)));
    assert_eq!(laws.failures(), [] as [String; 0]);
    assert!(laws.len() >= least, "only {} schemas", laws.len());
}

#[test]
fn the_laws_of_coverage_hold_on_our_own_contracts() {
    check(&Contracts::own(), 1, 40);
}

#[test]
fn the_laws_of_coverage_hold_on_a_sample_of_the_corpus() {
    let contracts = Contracts::find();
    check(&contracts, 150, contracts.either(8, 40));
}
