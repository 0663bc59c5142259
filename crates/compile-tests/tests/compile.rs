//! Common mistakes do not compile, and the compiler says what to do instead.
//!
//! `TRYBUILD=overwrite cargo test --package foolproof-compile-tests` records the messages
//! again; read the difference before it is committed.

use std::{
    env,
    io::{self, Write as _},
    process::Command,
};

/// The compiler whose messages are recorded. Others word them differently.
const RECORDED_WITH: &str = "rustc 1.95.";

#[test]
fn mistakes_are_explained() {
    let version = rustc_version();
    if !version.starts_with(RECORDED_WITH) {
        skip(&format!("messages are recorded with {RECORDED_WITH}x, this is {version}"));
        return;
    }
    trybuild::TestCases::new().compile_fail("tests/compile/*.rs");
}

/// The version of the compiler that `trybuild` runs: that of `RUSTC`, or the one in the path, which
/// rustup resolves to the toolchain of this run.
fn rustc_version() -> String {
    let rustc = env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let output = Command::new(rustc)
        .arg("--version")
        .output()
        .expect("the compiler that built this test runs");
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}

/// Says why a test is skipped, also where the output of tests is captured. With
/// `FOOLPROOF_REQUIRE_ALL=1`, no test may be skipped.
fn skip(reason: &str) {
    assert!(
        env::var_os("FOOLPROOF_REQUIRE_ALL").is_none_or(|value| value != "1"),
        "a required test cannot run: {reason}"
    );
    let line = format!("skipped: {reason}\n");
    io::stderr().write_all(line.as_bytes()).expect("standard error is open");
}
