//! The release build of the command line tool.

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::Command,
};

use crate::{schemas, schemas::Schema};

/// The binary to measure: the given one, or the one of this workspace, built if need be.
pub(crate) fn find(given: Option<&Path>) -> Option<PathBuf> {
    if let Some(given) = given {
        return given.exists().then(|| given.to_owned());
    }
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let built = Command::new(cargo)
        .args(["build", "--release", "--quiet", "--package", "foolproof-cli"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .status();
    if !built.is_ok_and(|status| status.success()) {
        println!("\nthe binary could not be built: what needs it is left out");
        return None;
    }
    // Benches lie in `release/deps`, two steps below what is sought.
    let folder = env::current_exe().ok()?.parent()?.parent()?.to_owned();
    let file = folder.join(format!("foolproof{}", env::consts::EXE_SUFFIX));
    file.exists().then_some(file)
}

/// The medium schema as a file beside the binary.
pub(crate) fn schema_file(schemas: &[Schema]) -> Option<PathBuf> {
    write_schema(schemas.iter().find(|schema| schema.name == schemas::MEDIUM)?)
}

/// A schema as a file beside the binary.
pub(crate) fn write_schema(schema: &Schema) -> Option<PathBuf> {
    let file = env::current_exe().ok()?.with_file_name(format!("bench-{}.json", schema.name));
    fs::write(&file, &schema.text).ok()?;
    Some(file)
}
