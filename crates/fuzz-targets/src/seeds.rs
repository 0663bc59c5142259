//! The inputs that mutants are made from.

use std::{
    fs,
    path::{Path, PathBuf},
};

use crate::{MAX_INPUT, Target};

/// The seeds of `target`: the files in its folders, folder by folder, in the order of their paths.
pub(crate) fn of(target: &Target) -> Vec<Vec<u8>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let files = target.corpus.iter().flat_map(|folder| files_in(root.join(folder)));
    let seeds = files.filter_map(|file| fs::read(file).ok());
    seeds.filter(|seed| seed.len() <= MAX_INPUT).collect()
}

/// The length of the names that `cargo fuzz` gives to inputs that it adds: hashes in hexadecimal. They are not part of the
/// repository, and here input `i` must be the same everywhere.
const ADDED_NAME: usize = 40;

/// The files of the repository below `folder`, by path.
fn files_in(folder: PathBuf) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut pending = vec![folder];
    while let Some(folder) = pending.pop() {
        for path in fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()) {
            if path.is_dir() {
                pending.push(path);
            } else if !is_no_seed(&path) {
                files.push(path);
            }
        }
    }
    files.sort();
    files
}

/// Whether a file is no seed: a text about them, or added by `cargo fuzz`.
fn is_no_seed(path: &Path) -> bool {
    path.extension().is_some_and(|it| it == "md")
        || path.file_name().is_none_or(|it| it.len() == ADDED_NAME)
}
