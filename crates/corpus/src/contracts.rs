//! The contracts that tests and surveys read: real ones if they are there, else our own.

use std::{
    fs,
    path::{Path, PathBuf},
};

use foolproof_contract::Document;
use serde_json::Value;

use crate::absent::{folder, note_replacement};

/// Where contracts come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The corpus: more than a thousand real contracts.
    Corpus,
    /// The repository: some dozens, written to use every keyword.
    Own,
}

/// A folder of contracts with an index.
#[derive(Clone, Debug)]
pub struct Contracts {
    origin: Origin,
    folder: PathBuf,
}

/// One contract, not yet read.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Its path below the folder of the contracts.
    pub name: String,
    path: PathBuf,
    draft: Option<String>,
}

impl Contracts {
    /// The corpus if it is there, else our own contracts after reporting that in one line.
    ///
    /// # Panics
    /// With `FOOLPROOF_REQUIRE_ALL=1`, if the corpus is absent.
    #[must_use]
    pub fn find() -> Self {
        if let Some(folder) = corpus_folder() {
            return Self { origin: Origin::Corpus, folder };
        }
        note_replacement("runs on `contracts/`, since the corpus is absent");
        Self::own()
    }

    /// Our own contracts, in `contracts/`.
    #[must_use]
    pub fn own() -> Self {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../contracts");
        Self { origin: Origin::Own, folder }
    }

    /// The contracts in `folder`, which has the layout of the corpus.
    #[must_use]
    pub fn in_folder(folder: impl Into<PathBuf>) -> Self {
        Self { origin: Origin::Corpus, folder: folder.into() }
    }

    /// Where they come from.
    #[must_use]
    pub fn origin(&self) -> Origin {
        self.origin
    }

    /// The folder that names are relative to.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The one of two numbers that belongs to these contracts, such as what a test has to see at least.
    #[must_use]
    pub fn either(&self, corpus: usize, own: usize) -> usize {
        match self.origin {
            Origin::Corpus => corpus,
            Origin::Own => own,
        }
    }

    /// The JSON Schemas, in the order of the index.
    ///
    /// # Panics
    /// If the folder does not have the layout of the corpus.
    #[must_use]
    pub fn schemas(&self) -> Vec<Entry> {
        let index = fs::read_to_string(self.folder.join("index.jsonl")).expect("there is an index");
        let entry = |line: &str| {
            let line: Value = serde_json::from_str(line).expect("the index is JSON lines");
            let text = |key: &str| line[key].as_str().expect("a string").to_owned();
            let name = text("path");
            Entry { path: self.folder.join(&name), draft: Some(text("draft")), name }
        };
        index.lines().map(entry).collect()
    }

    /// One in `stride` of the JSON Schemas of the corpus; our own are few, so all of them.
    #[must_use]
    pub fn schemas_every(&self, stride: usize) -> Vec<Entry> {
        self.schemas().into_iter().step_by(self.either(stride, 1)).collect()
    }

    /// `count` of the JSON Schemas, spread over the index; all of them if there are no more.
    #[must_use]
    pub fn sample(&self, count: usize) -> Vec<Entry> {
        let schemas = self.schemas();
        let stride = (schemas.len() / count).max(1);
        schemas.into_iter().step_by(stride).take(count).collect()
    }

    /// The OpenAPI documents of all versions, by folder and name.
    ///
    /// # Panics
    /// If the folder does not have the layout of the corpus.
    #[must_use]
    pub fn openapi(&self) -> Vec<Entry> {
        let of_folder = |folder: &str| {
            // Only the corpus has more than one folder of them.
            let entries = fs::read_dir(self.folder.join(folder)).into_iter().flatten();
            let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
            paths.sort();
            let entry = |path: PathBuf| {
                let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
                let name = format!("{folder}/{}", name.unwrap_or_default());
                Entry { name, path, draft: None }
            };
            paths.into_iter().map(entry).collect::<Vec<_>>()
        };
        let found: Vec<Entry> = ["openapi", "openapi-features", "swagger-2.0"]
            .into_iter()
            .flat_map(of_folder)
            .collect();
        assert!(!found.is_empty(), "there is no OpenAPI document");
        found
    }
}

impl Entry {
    /// The folder it stands in, directly below that of the contracts.
    #[must_use]
    pub fn set(&self) -> &str {
        self.name.split('/').next().unwrap_or_default()
    }

    /// The file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Reads the document; one that turns out to be of another draft than the index says is an
    /// error.
    pub fn read(&self) -> Result<Document, String> {
        let document = Document::open(&self.path).map_err(|error| error.to_string())?;
        match &self.draft {
            Some(draft) if document.draft().name() != draft => {
                Err(format!("read as {}, but the index says {draft}", document.draft()))
            }
            Some(_) | None => Ok(document),
        }
    }
}

/// The folder of the corpus, if it is there.
pub(crate) fn corpus_folder() -> Option<PathBuf> {
    let folder = folder("FOOLPROOF_CORPUS", "../shared/corpus");
    folder.is_dir().then_some(folder)
}
