//! The sessions in `tests/cmd/*.trycmd`: what a user types and sees, with the exit code.

#[test]
fn sessions_run_as_recorded() {
    trycmd::TestCases::new().case("tests/cmd/*.trycmd");
}
