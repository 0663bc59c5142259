//! Every document of the corpus is read, graphed and canonicalised: no error, no hang, and next to
//! nothing relaxed. The table is printed with `cargo xtask corpus`.

use foolproof_contract::with_large_stack;
use xtask::survey::Survey;

#[test]
fn the_whole_corpus_is_understood() {
    let Some(folder) = foolproof_corpus::folder() else { return };
    let survey = with_large_stack(|| Survey::of(&folder));
    println!("{survey}");
    assert!(survey.len() > 2_500, "only {} documents were found", survey.len());
    assert_eq!(survey.failures(), [] as [String; 0]);
}
