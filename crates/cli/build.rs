//! Builds what has to run before the Rust runtime does: see `src/closed_stdout.c`.

fn main() {
    println!("cargo::rerun-if-changed=src/closed_stdout.c");
    if std::env::var_os("CARGO_CFG_UNIX").is_none() {
        return;
    }
    // As objects, since from a library nothing would be linked: no symbol of it is used.
    for object in cc::Build::new().file("src/closed_stdout.c").compile_intermediates() {
        println!("cargo::rustc-link-arg-bins={}", object.display());
    }
}
