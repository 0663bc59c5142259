//! The repository's own rules. Those of the manual are in `book.rs`.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::{
    fs,
    path::{Path, PathBuf},
};

use cargo_metadata::{DependencyKind, MetadataCommand};

/// Every edge the architecture allows, `(crate, what it may use)`. Adding a line here is an
/// architecture decision: change ARCHITECTURE.md in the same commit.
const LAYERS: &[(&str, &[&str])] = &[
    ("foolproof-contract", &[]),
    ("foolproof-generate", &["foolproof-contract"]),
    ("foolproof-coverage", &["foolproof-contract", "foolproof-generate"]),
    ("foolproof-http", &["foolproof-contract"]),
    (
        "foolproof-cli",
        &[
            "foolproof-contract",
            "foolproof-coverage",
            "foolproof-generate",
            "foolproof-http",
            "foolproof-live",
            "foolproof-mcp",
            "foolproof-stateful",
        ],
    ),
    // It knows no JSON.
    ("foolproof-stateful", &[]),
    // Processes, which know neither what is said to them nor what it means.
    ("foolproof-live", &[]),
    (
        "foolproof-mcp",
        &[
            "foolproof-contract",
            "foolproof-coverage",
            "foolproof-generate",
            "foolproof-live",
            "foolproof-stateful",
        ],
    ),
    // What people depend on; each feature brings one crate.
    (
        "foolproof",
        &[
            "foolproof-contract",
            "foolproof-coverage",
            "foolproof-generate",
            "foolproof-http",
            "foolproof-live",
            "foolproof-mcp",
            "foolproof-stateful",
        ],
    ),
    ("foolproof-corpus", &["foolproof-contract"]),
    // Laws for any input, of everything that reads what strangers write.
    (
        "foolproof-fuzz-targets",
        &[
            "foolproof-contract",
            "foolproof-coverage",
            "foolproof-generate",
            "foolproof-http",
            "foolproof-mcp",
        ],
    ),
    // Tests only.
    ("foolproof-compile-tests", &[]),
    ("foolproof-stateful-tests", &[]),
    (
        "xtask",
        &[
            "foolproof-contract",
            "foolproof-corpus",
            "foolproof-coverage",
            "foolproof-fuzz-targets",
            "foolproof-generate",
            "foolproof-http",
        ],
    ),
];

#[test]
fn crates_only_use_the_layers_below() {
    let metadata = MetadataCommand::new().no_deps().exec().unwrap();
    for package in metadata.workspace_packages() {
        let name = package.name.as_str();
        let allowed = LAYERS.iter().find(|(krate, _)| *krate == name);
        let (_, allowed) = allowed.unwrap_or_else(|| panic!("{name} has no line in LAYERS"));
        let used = package.dependencies.iter().filter(|dep| dep.kind == DependencyKind::Normal);
        let mut ours = used.map(|dep| dep.name.as_str()).filter(|dep| dep.starts_with("foolproof"));
        assert_eq!(ours.find(|dep| !allowed.contains(dep)), None, "{name} reaches too far");
    }
}

/// The validator and the libraries for patterns have one user, so that moving their pinned versions
/// touches one crate. Benches and tests may compare with them.
#[test]
fn only_contract_depends_on_the_validator() {
    let metadata = MetadataCommand::new().no_deps().exec().unwrap();
    let is_reserved = |name: &str| {
        name.starts_with("jsonschema")
            || ["referencing", "fancy-regex", "regex-automata", "regex-syntax"].contains(&name)
    };
    let mut users = Vec::new();
    for package in metadata.workspace_packages() {
        let mut dependencies = package.dependencies.iter();
        if dependencies.any(|it| it.kind != DependencyKind::Development && is_reserved(&it.name)) {
            users.push(package.name.as_str());
        }
    }
    assert_eq!(users, ["foolproof-contract"]);
}

/// Crates with many integration tests have them in one binary: one that is not listed there would never run.
#[test]
fn every_integration_test_is_built() {
    let mut merged = 0;
    for path in sources().into_iter().filter(|path| path.ends_with("tests/all.rs")) {
        let listed = fs::read_to_string(&path).unwrap();
        let files = fs::read_dir(path.parent().unwrap()).unwrap().map(|it| it.unwrap().path());
        for file in files.filter(|file| file.extension().is_some_and(|it| it == "rs")) {
            let name = file.file_stem().unwrap().to_str().unwrap();
            let is_listed = listed.lines().any(|line| line == format!("mod {name};"));
            assert!(is_listed || name == "all", "{} does not list `{name}`", path.display());
        }
        merged += 1;
    }
    assert_eq!(merged, 4);
}

/// What only fuzz targets may use: a published crate that switched it on would make it part of its interface.
#[test]
fn only_fuzz_targets_use_features_for_fuzzing() {
    let metadata = MetadataCommand::new().no_deps().exec().unwrap();
    let mut users = Vec::new();
    for package in metadata.workspace_packages() {
        let uses = package.dependencies.iter().any(|it| it.features.iter().any(|it| it == "_fuzz"));
        if uses {
            assert_eq!(package.publish, Some(Vec::new()), "{} is published", package.name);
            users.push(package.name.as_str());
        }
    }
    assert_eq!(users, ["foolproof-fuzz-targets"]);
}

#[test]
fn every_source_file_says_what_it_is_for() {
    let mut count = 0;
    for path in sources() {
        let text = fs::read_to_string(&path).unwrap();
        assert!(text.starts_with("//! "), "{} has no header", path.display());
        count += 1;
    }
    assert!(count > 40, "only {count} source files were found");
}

/// The map of ARCHITECTURE.md leads a reader to the right file.
#[test]
fn every_place_that_the_architecture_names_is_there() {
    let map = fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    let (_, table) = map.split_once("## Where is").unwrap();
    let (table, _) = table.split_once("\n## ").unwrap();
    let mut rows = 0;
    for row in table.lines().filter(|line| line.contains("| `crates/")) {
        let cells: Vec<&str> = row.split('|').map(|cell| cell.trim().trim_matches('`')).collect();
        let [_, question, file, item, _] = cells[..] else { panic!("{row} has not three cells") };
        let text = fs::read_to_string(root().join(file));
        let text = text.unwrap_or_else(|error| panic!("{question}: {file}: {error}"));
        assert!(text.contains(item), "{question}: {file} has no `{item}`");
        rows += 1;
    }
    assert!(rows >= 12, "only {rows} rows were found");
}

#[test]
fn the_changelog_knows_the_version() {
    let changelog = fs::read_to_string(root().join("CHANGELOG.md")).unwrap();
    let metadata = MetadataCommand::new().no_deps().exec().unwrap();
    let cli = metadata.packages.iter().find(|package| package.name == "foolproof-cli").unwrap();
    assert!(changelog.contains(&format!("## {}", cli.version)), "no entry for {}", cli.version);
}

/// Members of an object are written in the order of their names, on every build: if a dependency
/// switched on `serde_json/preserve_order`, the bytes of reports and data would change.
#[test]
fn objects_are_written_in_the_order_of_their_names() {
    let document =
        foolproof_contract::Document::from_text("a.json", r#"{"b": 1, "a": 2}"#).unwrap();
    assert_eq!(document.value().to_string(), r#"{"a":2,"b":1}"#);
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The Rust files of the workspace's own code.
fn sources() -> Vec<PathBuf> {
    let mut files = Vec::new();
    let folders = ["crates", "fuzz/fuzz_targets", "xtask"];
    let mut pending: Vec<PathBuf> = folders.map(|folder| root().join(folder)).into();
    while let Some(folder) = pending.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            if path.is_dir() && name != "target" && name != "node_modules" {
                pending.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                files.push(path);
            }
        }
    }
    files
}
