//! Common mistakes do not compile, and the compiler says what to do instead.
//!
//! `TRYBUILD=overwrite cargo test --package foolproof-stateful --test compile` writes the expected
//! messages anew; read the difference before it is committed.

#[test]
fn mistakes_are_explained() {
    trybuild::TestCases::new().compile_fail("tests/compile/*.rs");
}
