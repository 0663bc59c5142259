//! The official JSON Schema Test Suite, drafts 4 to 2020-12.

use std::{
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
};

use foolproof_contract::{Document, Draft, Error, ReadOptions};
use serde_json::Value;

use crate::{contracts::corpus_folder, skip};

/// The part of the suite to read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// What every implementation must agree with.
    Required,
    /// What an implementation that asserts formats should agree with.
    Formats,
    /// What an implementation may decide otherwise, but for formats.
    Optional,
}

/// One schema of the suite with its tests.
#[derive(Clone, Debug)]
pub struct Group {
    /// The draft of the folder it stands in.
    pub draft: Draft,
    /// File and description, as the lists of exceptions name it.
    pub name: String,
    /// The schema.
    pub schema: Value,
    /// The instances to judge by it.
    pub tests: Vec<Test>,
}

/// One instance and whether it is valid.
#[derive(Clone, Debug)]
pub struct Test {
    /// What it shows.
    pub description: String,
    /// The instance.
    pub data: Value,
    /// Whether the schema admits it.
    pub valid: bool,
}

/// The folder of the corpus if the suite is in it, or `None` after reporting that the test is skipped.
///
/// # Panics
/// With `FOOLPROOF_REQUIRE_ALL=1`, if the suite is absent.
#[must_use]
pub fn folder() -> Option<PathBuf> {
    let folder = corpus_folder().filter(|folder| folder.join("test-suite").is_dir());
    folder.or_else(|| skip("the JSON Schema Test Suite is absent"))
}

/// Every group of `part` for `draft`, by file name, then in file order; `folder` is the corpus.
///
/// # Panics
/// If the suite does not have its usual layout.
#[must_use]
pub fn groups(folder: &Path, draft: Draft, part: Part) -> Vec<Group> {
    let (below, prefix) = match part {
        Part::Required => (".", ""),
        Part::Formats => ("optional/format", "format/"),
        Part::Optional => ("optional", "optional/"),
    };
    let folder = folder.join("test-suite/tests").join(folder_of(draft)).join(below);
    let mut groups = Vec::new();
    for path in json_files(&folder) {
        let stem = path.file_stem().expect("a JSON file has a name").to_string_lossy();
        for group in read(&path).as_array().expect("a suite file is an array") {
            let description = group["description"].as_str().expect("a group has a description");
            groups.push(Group {
                draft,
                name: format!("{}/{prefix}{stem}: {description}", draft.name()),
                schema: group["schema"].clone(),
                tests: tests_of(group),
            });
        }
    }
    groups
}

impl Group {
    /// The schema, with the remotes of its draft at hand. Drafts 4 to 7 are told by the folder
    /// alone; a later schema names its own draft or a meta-schema of its own, which is what the
    /// vocabulary tests are about.
    pub fn document(&self, remotes: &[(String, Value)]) -> Result<Document, Error> {
        let mut options = ReadOptions::default();
        if self.schema.get("$schema").is_none() {
            options = options.draft(self.draft);
        }
        for (uri, value) in remotes {
            options = options.resource(uri, value.clone());
        }
        Document::from_value_with(self.schema.clone(), &options)
    }
}

/// What the suite expects to find at `http://localhost:1234/` under `draft`: the folder of the
/// draft and, before 2019-09, the files that stand beside the folders.
///
/// # Panics
/// If the suite does not have its usual layout.
#[must_use]
pub fn remotes(folder: &Path, draft: Draft) -> Vec<(String, Value)> {
    let root = folder.join("test-suite/remotes");
    let mut files = files_below(&root.join(folder_of(draft)));
    if draft < Draft::Draft201909 {
        files.extend(json_files(&root));
        for folder in
            ["baseUriChange", "baseUriChangeFolder", "baseUriChangeFolderInSubschema", "nested"]
        {
            files.extend(files_below(&root.join(folder)));
        }
    }
    files.sort();
    let uri = |path: &Path| {
        let mut uri = "http://localhost:1234".to_owned();
        for segment in path.strip_prefix(&root).expect("the file was found below the root") {
            write!(uri, "/{}", segment.to_string_lossy()).expect("writing to a string succeeds");
        }
        uri
    };
    files.iter().map(|path| (uri(path), read(path))).collect()
}

fn folder_of(draft: Draft) -> String {
    format!("draft{}", draft.name())
}

fn tests_of(group: &Value) -> Vec<Test> {
    let tests = group["tests"].as_array().expect("a group has tests");
    let test = |test: &Value| Test {
        description: test["description"].as_str().expect("a test has a description").to_owned(),
        data: test["data"].clone(),
        valid: test["valid"].as_bool().expect("a test says whether its data is valid"),
    };
    tests.iter().map(test).collect()
}

fn read(path: &Path) -> Value {
    let text = fs::read_to_string(path).expect("a file of the suite can be read");
    serde_json::from_str(&text).expect("a file of the suite is JSON")
}

/// The JSON files in `folder` itself, by name.
fn json_files(folder: &Path) -> Vec<PathBuf> {
    let is_json = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "json");
    entries(folder).into_iter().filter(is_json).collect()
}

fn files_below(folder: &Path) -> Vec<PathBuf> {
    let mut files = json_files(folder);
    for entry in entries(folder) {
        if entry.is_dir() {
            files.extend(files_below(&entry));
        }
    }
    files
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else {
        return Vec::new();
    };
    let mut paths: Vec<_> =
        entries.map(|entry| entry.expect("a folder of the suite can be listed").path()).collect();
    paths.sort();
    paths
}
