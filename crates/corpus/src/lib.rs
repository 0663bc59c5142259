//! Real contracts that nobody here wrote, for tests and surveys: the corpus that stands beside the
//! workspace, in `../shared/corpus`.
//!
//! A checkout without it is fine: tests then say in one line that they were skipped. In CI nothing
//! is skipped. This crate only reads; no product code depends on it.

use std::{
    env, fs,
    path::{Path, PathBuf},
};

use foolproof_contract::Document;
use serde_json::Value;

pub mod suite;

/// One file of the corpus, not yet read.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Its path below the corpus.
    pub name: String,
    /// The part of the corpus it belongs to.
    pub set: &'static str,
    path: PathBuf,
    draft: Option<String>,
}

impl Entry {
    /// Reads the document; one that turns out to be of another draft than the corpus says is an
    /// error.
    pub fn read(&self) -> Result<Document, String> {
        let document = Document::open(&self.path).map_err(|error| error.to_string())?;
        match &self.draft {
            Some(draft) if document.draft().name() != draft => {
                Err(format!("read as {}, but the corpus says {draft}", document.draft()))
            }
            Some(_) | None => Ok(document),
        }
    }
}

/// The folder of the corpus, or `None` after saying that the test is skipped.
///
/// # Panics
/// In CI, where nothing is skipped.
#[must_use]
pub fn folder() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus");
    folder.is_dir().then_some(folder).or_else(|| skip("`../shared/corpus` is not there"))
}

/// Says in one line that a test is skipped and why.
///
/// # Panics
/// In CI, where nothing is skipped.
#[must_use]
#[expect(clippy::print_stderr, reason = "a test that is skipped has to say so")]
pub fn skip<T>(why: &str) -> Option<T> {
    assert!(env::var_os("CI").is_none(), "nothing is skipped in CI: {why}");
    eprintln!("skipped: {why}");
    None
}

/// The real-world JSON Schemas, in the order of the corpus's index.
///
/// # Panics
/// If the corpus does not have the layout its README describes.
#[must_use]
pub fn schemas(folder: &Path) -> Vec<Entry> {
    let index = fs::read_to_string(folder.join("index.jsonl")).expect("the corpus has an index");
    let entry = |line: &str| {
        let line: Value = serde_json::from_str(line).expect("the index is JSON lines");
        let text = |key: &str| line[key].as_str().expect("a string").to_owned();
        let name = text("path");
        let is_store = name.starts_with("schemastore");
        Entry {
            set: if is_store { "schemastore" } else { "jsonschemabench" },
            path: folder.join(&name),
            draft: Some(text("draft")),
            name,
        }
    };
    index.lines().map(entry).collect()
}

/// The OpenAPI documents, by name.
///
/// # Panics
/// If the corpus does not have the layout its README describes.
#[must_use]
pub fn openapi(folder: &Path) -> Vec<Entry> {
    let entries = fs::read_dir(folder.join("openapi")).expect("the corpus has OpenAPI documents");
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    let entry = |path: PathBuf| {
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
        let name = format!("openapi/{}", name.unwrap_or_default());
        Entry { name, set: "openapi", path, draft: None }
    };
    paths.into_iter().map(entry).collect()
}
