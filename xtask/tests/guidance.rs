//! Guided runs over every tenth schema of the corpus. `cargo xtask guide` does all of them and prints
//! the table.

use foolproof_contract::with_large_stack;
use foolproof_corpus::Contracts;
use xtask::{findings::Choice, guidance::Guidance};

#[test]
fn a_tenth_of_the_corpus_is_covered() {
    let contracts = Contracts::find();
    let covered = with_large_stack(|| Guidance::of(&contracts, Choice::Every(10)));
    println!("{covered}");
    assert!(covered.len() > contracts.either(130, 40), "only {} schemas were found", covered.len());
    assert_eq!(covered.failures(), [] as [String; 0]);
    assert!(covered.mean() >= 0.98, "{:.4} of the targets", covered.mean());
    assert!(covered.share_of_full() >= 0.95, "{:.4} of the schemas", covered.share_of_full());
    assert!(covered.mean() > covered.mean_by_chance(), "chance does as well");
    let ratio = covered.median_ratio();
    // The median of the whole corpus is 0.25; that of a tenth is a fraction of few instances (3 of 7), and varies more.
    assert!(ratio <= 0.45, "{ratio:.3} instances for one that chance takes");
}
