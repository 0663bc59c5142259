//! The HTML pages that the commands write, opened in a browser where there is one.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
    process::{Command, Output},
};

use foolproof_corpus::{Contracts, browser};
use serde_json::{Value, json};
use tempfile::TempDir;

const ORDER: &str = include_str!("cmd/coverage.in/order.json");
const SHOP: &str = include_str!("cmd/openapi.in/shop.yaml");

fn foolproof(folder: &Path, arguments: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_foolproof"));
    command.current_dir(folder).args(arguments.split_whitespace()).output().unwrap()
}

fn run(folder: &Path, arguments: &str) {
    let output = foolproof(folder, arguments);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments}: {errors}");
}

/// A folder with a schema, an API and their pages.
fn pages() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    fs::write(at.join("order.json"), ORDER).unwrap();
    fs::write(at.join("shop.yaml"), SHOP).unwrap();
    let measure = "--coverage measure --seed 1 --out data.jsonl --coverage-html";
    run(
        at,
        &format!(
            "generate order.json --n 3 {measure} order.html --coverage-report order.report.json"
        ),
    );
    run(
        at,
        &format!("generate shop.yaml --n 4 {measure} shop.html --coverage-report shop.report.json"),
    );
    folder
}

fn read(folder: &Path, name: &str) -> String {
    fs::read_to_string(folder.join(name)).unwrap()
}

fn report(folder: &Path, name: &str) -> Value {
    serde_json::from_str(&read(folder, name)).unwrap()
}

/// What the browser checks of a page with all targets of `report`; a link shows its last one.
fn check(folder: &Path, page: &str, report: &Value) -> Value {
    let targets = report["targets"].as_array().unwrap();
    let link = targets.last().unwrap()["id"].clone();
    let mut check = json!({ "file": folder.join(page), "targets": targets.len(), "link": link });
    let mut reached: BTreeMap<&str, usize> = BTreeMap::new();
    for target in targets {
        let own = target["operationKey"].as_str();
        let others = target["meta"]["operations"].as_array().into_iter().flatten();
        let keys: BTreeSet<&str> =
            own.into_iter().chain(others.filter_map(Value::as_str)).collect();
        for key in keys {
            *reached.entry(key).or_default() += 1;
        }
    }
    if let (Some((key, targets)), 2..) = (reached.last_key_value(), reached.len()) {
        check["operation"] = json!({ "key": key, "targets": targets });
    }
    check
}

#[test]
fn a_stored_report_has_the_page_of_its_run() {
    let folder = pages();
    let at = folder.path();
    for (page, contract) in [("order", "order.json"), ("shop", "shop.yaml")] {
        run(at, &format!("coverage html {page}.report.json --contract {contract} -o again.html"));
        assert_eq!(read(at, "again.html"), read(at, &format!("{page}.html")));
    }
    // The same run has the same page.
    fs::rename(at.join("order.html"), at.join("first.html")).unwrap();
    run(
        at,
        "generate order.json --n 3 --coverage measure --seed 1 --threads 3 --out data.jsonl --coverage-html order.html",
    );
    assert_eq!(read(at, "order.html"), read(at, "first.html"));
    // A report that is cut to a summary has a page with all targets.
    run(
        at,
        "coverage measure order.json data.jsonl --coverage-report-mode summary --coverage-html cut.html",
    );
    assert_eq!(read(at, "cut.html").matches("<li id=").count(), 26);
    // To standard output, where the report does not go.
    let output = foolproof(at, "coverage measure order.json data.jsonl --coverage-html - --quiet");
    assert_eq!(String::from_utf8(output.stdout).unwrap(), read(at, "cut.html"));
}

#[test]
fn a_file_that_the_contract_refers_to_has_its_own_text() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    fs::write(at.join("size.yaml"), "enum:\n  - S\n  - M\n").unwrap();
    let order = r#"{ "properties": { "size": { "$ref": "size.yaml" } } }"#;
    fs::write(at.join("order.json"), order).unwrap();
    run(
        at,
        "generate order.json --n 2 --allow-file-refs --coverage measure --out data --coverage-html page.html",
    );
    let page = read(at, "page.html");
    assert!(page.contains("<small>line 1</small><pre>enum:\n  - S\n  - M</pre>"), "{page}");
    run(at, "coverage html coverage-report.json --contract order.json --allow-file-refs");
    assert_eq!(read(at, "coverage.html"), page);
}

#[test]
fn the_tools_of_a_server_are_a_contract() {
    let folder = tempfile::tempdir().unwrap();
    let server = env!("CARGO_BIN_EXE_foolproof");
    let options = "mcp stdio --cases 2 --seed 1 --value alpha --coverage-html page.html --";
    run(folder.path(), &format!("{options} {server} mcp serve"));
    let page = read(folder.path(), "page.html");
    assert!(page.contains("Coverage of <span>the tools of the server</span>"), "{page}");
    assert!(page.contains("<li id=\"op:create_task:request\""), "{page}");
    assert!(page.contains("<code>create_task</code>"), "{page}");
    assert!(page.contains("<small>line "), "the schemas of tools are shown");
    let twice = "mcp stdio --coverage-report a.json --coverage-html ./a.json -- no-server";
    let output = foolproof(folder.path(), twice);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{errors}");
    assert!(errors.contains("`a.json` and `./a.json` are the same file"), "{errors}");
}

#[test]
fn pages_work_in_a_browser() {
    let Some(mut checker) = browser::checker() else { return };
    let folder = pages();
    let at = folder.path();
    let mut checks = vec![
        check(at, "order.html", &report(at, "order.report.json")),
        check(at, "shop.html", &report(at, "shop.report.json")),
    ];
    checks.push(largest_api(at));
    checks.push(twenty_thousand(at));
    fs::write(at.join("checks.json"), Value::from(checks).to_string()).unwrap();
    let output = checker.arg(at.join("checks.json")).output().unwrap();
    let [said, problems] =
        [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap());
    assert!(output.status.success(), "{problems}\n{said}");
}

/// The largest OpenAPI document of the corpus.
fn largest_api(folder: &Path) -> Value {
    let size = |path: &Path| fs::metadata(path).map_or(0, |found| found.len());
    let all = Contracts::find().openapi();
    let path = all.iter().map(foolproof_corpus::Entry::path).max_by_key(|path| size(path)).unwrap();
    let path = path.canonicalize().unwrap();
    run(
        folder,
        &format!(
            "generate {} --n 200 --coverage measure --out data --quiet --coverage-html api.html --coverage-report api.report.json",
            path.display()
        ),
    );
    let mut checks = check(folder, "api.html", &report(folder, "api.report.json"));
    checks["seconds"] = json!(2);
    checks["axe"] = json!(false);
    checks
}

/// A report of 20,000 targets. It is written here, since nothing but the page is of interest.
fn twenty_thousand(folder: &Path) -> Value {
    let mut large = report(folder, "order.report.json");
    let mut groups = serde_json::Map::new();
    let mut targets = Vec::new();
    for number in 0..2_000 {
        let (group, name) = (format!("group{}", number / 40), format!("property{}", number % 40));
        let path = format!("#/properties/{group}/properties/{name}");
        let group = groups.entry(group).or_insert_with(|| json!({ "properties": {} }));
        group["properties"][&name] = json!({ "enum": ["a", "b", "c"], "description": path });
        for index in 0..10 {
            let instance = (number + index) % 300;
            let example = json!({ "instance": instance, "text": "long enough for a section of its own ".repeat(3) });
            let is_hit = (number + index) % 3 > 0;
            let meta = if is_hit {
                json!({ "example": example, "instance": instance })
            } else {
                json!({ "reason": "the run was not guided" })
            };
            targets.push(json!({
                "id": format!("enum:{path}:{index}"), "dimension": "enum", "kind": "ENUM_VALUE_HIT",
                "canonPath": path, "params": { "enumIndex": index, "value": format!("value {index}") },
                "hit": is_hit, "meta": meta,
            }));
        }
    }
    large["targets"] = Value::Array(targets);
    large["uncoveredTargets"] = json!([]);
    large["run"].as_object_mut().unwrap().remove("contractFingerprint");
    fs::write(folder.join("large.json"), json!({ "properties": groups }).to_string()).unwrap();
    fs::write(folder.join("large.report.json"), large.to_string()).unwrap();
    run(folder, "coverage html large.report.json --contract large.json -o large.html");
    let mut checks = check(folder, "large.html", &large);
    // Under 2 s on a machine that does nothing else.
    checks["seconds"] = json!(4);
    checks["axe"] = json!(false);
    checks
}
