//! The laws of coverage on a sample of the corpus: `cargo xtask laws` checks all of it.

use foolproof_contract::with_large_stack;
use foolproof_corpus::Contracts;
use xtask::{findings::Choice, laws::Laws};

#[test]
fn the_laws_of_coverage_hold() {
    let contracts = Contracts::find();
    let laws = with_large_stack(|| Laws::of(&contracts, Choice::Every(150)));
    assert_eq!(laws.failures(), [] as [String; 0]);
    assert!(laws.len() >= contracts.either(50, 40), "only {} schemas", laws.len());
}
