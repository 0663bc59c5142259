//! The contracts that mutants are made from.

use std::{
    fs,
    path::{Path, PathBuf},
};

use foolproof_contract::Document;
use serde_json::Value;

/// The largest file that is mutated: large ones take long to analyse and rarely show anything that a
/// small one does not.
const LARGEST: u64 = 24 * 1024;

/// The contracts in `folders`, in the order of their paths.
///
/// A file that holds a list of objects with a `schema` (the JSON Schema Test Suite, files of cases) is
/// one contract for each of them.
pub(super) fn read(folders: &[PathBuf]) -> Vec<Value> {
    let mut contracts = Vec::new();
    for path in files(folders) {
        let is_small = fs::metadata(&path).is_ok_and(|metadata| metadata.len() <= LARGEST);
        if !is_small {
            continue;
        }
        let Ok(text) = fs::read_to_string(&path) else { continue };
        if is_yaml(&path) {
            let document = Document::from_text("contract.yaml", &text);
            contracts.extend(document.map(|document| document.original().clone()));
            continue;
        }
        match serde_json::from_str(&text) {
            Ok(Value::Array(cases)) => {
                contracts.extend(cases.iter().filter_map(|case| case.get("schema")).cloned());
            }
            Ok(contract @ Value::Object(_)) => contracts.push(contract),
            Ok(_) | Err(_) => {}
        }
    }
    contracts
}

/// Where contracts are, if the caller does not say: the corpus, or what the repository has.
pub(super) fn default_folders() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let corpus = root.join("../shared/corpus");
    if corpus.is_dir() {
        return vec![corpus];
    }
    let crates = ["contract", "generate", "coverage", "cli"];
    let tests = crates.map(|name| root.join("crates").join(name).join("tests"));
    [root.join("examples"), root.join("contracts")].into_iter().chain(tests).collect()
}

fn is_yaml(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "yaml")
}

/// The JSON and YAML files below `folders`, by path.
fn files(folders: &[PathBuf]) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut pending = folders.to_vec();
    while let Some(folder) = pending.pop() {
        let Ok(entries) = fs::read_dir(&folder) else { continue };
        for path in entries.flatten().map(|entry| entry.path()) {
            if path.is_dir() {
                pending.push(path);
            } else if is_yaml(&path) || path.extension().is_some_and(|it| it == "json") {
                files.push(path);
            }
        }
    }
    files.sort();
    files
}
