//! Every document of the corpus is read, graphed and canonicalised: no error, no hang, and next to
//! nothing relaxed. The table is printed with `cargo xtask corpus`.

use foolproof_contract::with_large_stack;
use foolproof_corpus::Contracts;
use xtask::survey::Survey;

#[test]
fn the_whole_corpus_is_understood() {
    let contracts = Contracts::find();
    let survey = with_large_stack(|| Survey::of(&contracts));
    println!("{survey}");
    assert!(
        survey.len() > contracts.either(2_500, 45),
        "only {} documents were found",
        survey.len()
    );
    assert_eq!(survey.failures(), [] as [String; 0]);
}
