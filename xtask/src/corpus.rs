//! The documents of the corpus: real schemas, the official test suite, OpenAPI documents.

use std::{
    fs,
    path::{Path, PathBuf},
};

use foolproof_contract::{Document, Draft, Error, ReadOptions};
use serde_json::Value;

/// One document of the corpus, not yet read.
#[derive(Debug)]
pub struct Entry {
    /// What reports call it.
    pub name: String,
    /// The part of the corpus it belongs to.
    pub set: &'static str,
    origin: Origin,
}

#[derive(Debug)]
enum Origin {
    /// A file, and the draft it must turn out to be, if that is known.
    File(PathBuf, Option<String>),
    /// A schema of the test suite, with the draft it is read under.
    Suite(Value, Draft, std::rc::Rc<Vec<(String, Value)>>),
}

impl Entry {
    /// Reads the document; a draft other than the one the corpus names is an error in words.
    pub fn read(&self) -> Result<Document, String> {
        let read = || -> Result<Document, Error> {
            match &self.origin {
                Origin::File(path, _) => Document::open(path),
                Origin::Suite(schema, draft, remotes) => {
                    let options = remotes
                        .iter()
                        .fold(ReadOptions::default().draft(*draft), |options, (uri, value)| {
                            options.resource(uri.clone(), value.clone())
                        });
                    Document::from_value_with(schema.clone(), &options)
                }
            }
        };
        let document = read().map_err(|error| error.to_string())?;
        match &self.origin {
            Origin::File(_, Some(draft)) if document.draft().name() != draft => {
                Err(format!("read as {}, but the corpus says {draft}", document.draft()))
            }
            Origin::File(..) | Origin::Suite(..) => Ok(document),
        }
    }
}

/// The corpus beside the workspace, if it is there.
#[must_use]
pub fn folder() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/corpus");
    folder.is_dir().then_some(folder)
}

/// Every document below `folder`, in a fixed order.
///
/// # Panics
/// If the folder does not have the layout its README describes.
#[must_use]
pub fn documents(folder: &Path) -> Vec<Entry> {
    let mut entries = schemas(folder);
    entries.extend(files(&folder.join("openapi")).into_iter().map(|path| Entry {
        name: format!("openapi/{}", name_of(&path)),
        set: "openapi",
        origin: Origin::File(path, None),
    }));
    for (name, draft) in SUITES {
        entries.extend(suite(folder, name, draft));
    }
    entries
}

const SUITES: [(&str, Draft); 5] = [
    ("draft4", Draft::Draft4),
    ("draft6", Draft::Draft6),
    ("draft7", Draft::Draft7),
    ("draft2019-09", Draft::Draft201909),
    ("draft2020-12", Draft::Draft202012),
];

fn schemas(folder: &Path) -> Vec<Entry> {
    let index = fs::read_to_string(folder.join("index.jsonl")).expect("the corpus has an index");
    let entry = |line: &str| {
        let line: Value = serde_json::from_str(line).expect("the index is JSON lines");
        let text = |key: &str| line[key].as_str().expect("a string").to_owned();
        let set =
            if text("path").starts_with("schemastore") { "schemastore" } else { "jsonschemabench" };
        let path = folder.join(text("path"));
        Entry { name: text("path"), set, origin: Origin::File(path, Some(text("draft"))) }
    };
    index.lines().map(entry).collect()
}

fn suite(folder: &Path, name: &str, draft: Draft) -> Vec<Entry> {
    let remotes = std::rc::Rc::new(remotes(&folder.join("test-suite/remotes"), name));
    let mut entries = Vec::new();
    for file in files(&folder.join("test-suite/tests").join(name)) {
        let groups: Value = read_json(&file);
        for group in groups.as_array().into_iter().flatten() {
            let description = group["description"].as_str().unwrap_or_default();
            entries.push(Entry {
                name: format!("{name}/{}: {description}", name_of(&file)),
                set: "test-suite",
                origin: Origin::Suite(group["schema"].clone(), draft, std::rc::Rc::clone(&remotes)),
            });
        }
    }
    entries
}

/// The suite's remote documents that belong to a draft: its own folder, and those of no draft.
fn remotes(folder: &Path, draft: &str) -> Vec<(String, Value)> {
    let mut found = Vec::new();
    let mut pending = vec![folder.to_owned()];
    while let Some(next) = pending.pop() {
        for path in sorted(&next) {
            let name = name_of(&path);
            if path.is_dir() {
                let is_draft = name.starts_with("draft") || name == "v1";
                if next != folder || !is_draft || name == draft {
                    pending.push(path);
                }
            } else if path.extension().is_some_and(|extension| extension == "json") {
                let below = path.strip_prefix(folder).expect("it was found below").display();
                found.push((format!("http://localhost:1234/{below}"), read_json(&path)));
            }
        }
    }
    found.sort_by(|one, other| one.0.cmp(&other.0));
    found
}

fn read_json(path: &Path) -> Value {
    let text = fs::read_to_string(path).expect("a file of the corpus is readable");
    serde_json::from_str(&text).expect("a file of the test suite is JSON")
}

fn files(folder: &Path) -> Vec<PathBuf> {
    sorted(folder).into_iter().filter(|path| path.is_file()).collect()
}

fn sorted(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("a folder of the corpus is readable");
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    paths
}

fn name_of(path: &Path) -> String {
    path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}
