//! Guided runs over every tenth OpenAPI document of the corpus, and over all of our own. `cargo xtask apis` does
//! all of them and prints the table.
#![expect(clippy::print_stdout, reason = "a test says what it found")]

use foolproof_contract::with_large_stack;
use foolproof_corpus::Contracts;
use xtask::apis::Apis;

fn check(apis: &Apis, least_documents: usize) {
    println!("{apis}");
    assert!(apis.len() >= least_documents, "only {} documents were found", apis.len());
    assert_eq!(apis.failures(), [] as [String; 0]);
    assert!(apis.median() >= 0.98, "{:.4} of the targets", apis.median());
    assert_eq!(apis.below(0.95), [] as [String; 0]);
}

#[test]
fn a_tenth_of_the_documents_of_the_corpus_is_covered() {
    let contracts = Contracts::find();
    let stride = contracts.either(10, 1);
    check(&with_large_stack(|| Apis::of(&contracts, stride, "")), 4);
}

#[test]
fn our_own_documents_are_covered() {
    check(&with_large_stack(|| Apis::of(&Contracts::own(), 1, "")), 8);
}
