//! Ten valid instances of every tenth schema of the corpus. `cargo xtask generate` does all of them
//! and prints the table.

use foolproof_contract::with_large_stack;
use xtask::{findings::Choice, generation::Generation};

#[test]
fn a_tenth_of_the_corpus_is_generated() {
    let Some(folder) = foolproof_corpus::folder() else { return };
    let made = with_large_stack(|| Generation::of(&folder, Choice::Every(10)));
    println!("{made}");
    assert!(made.len() > 130, "only {} schemas were found", made.len());
    assert_eq!(made.failures(), [] as [String; 0]);
    assert!(made.share_of_full() >= 0.995, "{:.4} of the schemas", made.share_of_full());
    assert!(made.share_of_names() >= 0.97, "{:.4} of the names", made.share_of_names());
    assert!(made.share_of_distinct() >= 0.9, "{:.4} of the instances", made.share_of_distinct());
}
