//! Ten valid instances of every tenth schema of the corpus. `cargo xtask generate` does all of them
//! and prints the table.

use foolproof_contract::with_large_stack;
use foolproof_corpus::{Contracts, Origin};
use xtask::{findings::Choice, generation::Generation};

#[test]
fn a_tenth_of_the_corpus_is_generated() {
    let contracts = Contracts::find();
    let made = with_large_stack(|| Generation::of(&contracts, Choice::Every(10)));
    println!("{made}");
    assert!(made.len() > contracts.either(130, 40), "only {} schemas were found", made.len());
    assert_eq!(made.failures(), [] as [String; 0]);
    assert!(made.share_of_full() >= 0.995, "{:.4} of the schemas", made.share_of_full());
    let names = match contracts.origin() {
        Origin::Corpus => 0.97,
        // Some declare properties that no value can have.
        Origin::Own => 0.96,
    };
    assert!(made.share_of_names() >= names, "{:.4} of the names", made.share_of_names());
    assert!(made.share_of_distinct() >= 0.9, "{:.4} of the instances", made.share_of_distinct());
}
