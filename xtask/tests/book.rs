//! The manual: its pages are in the book, its links lead somewhere, and its reference has what the code has.
//!
//! Each test of the reference fails in both directions: if the code has a name that the page lacks, and if the page lists
//! one that the code lacks. Names that no list in the code provides are read from its source.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

use foolproof::mcp::{Check, example_server::ExampleServer};
use foolproof_coverage::{Dimension, Profile, ReasonCode, TargetKind, plan_schema, report_schema};
use serde_json::Value;

type Names = BTreeSet<String>;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The files below `folder` whose name ends with `ending`, as paths below the root, sorted.
fn files(folder: &str, ending: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut pending = vec![folder.to_owned()];
    while let Some(folder) = pending.pop() {
        for entry in fs::read_dir(root().join(&folder)).unwrap() {
            let entry = entry.unwrap();
            let path = format!("{folder}/{}", entry.file_name().to_string_lossy());
            if entry.path().is_dir() {
                pending.push(path);
            } else if path.ends_with(ending) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// The part of a page below a heading of the second level.
fn section<'a>(page: &'a str, heading: &str) -> &'a str {
    let start = format!("\n## {heading}\n");
    let (_, rest) = page.split_once(&start).unwrap_or_else(|| panic!("no section `{heading}`"));
    rest.split("\n## ").next().unwrap()
}

/// A table: the cells of its header, and those of its rows.
struct Table {
    header: Vec<String>,
    rows: Vec<Vec<String>>,
}

fn tables(text: &str) -> Vec<Table> {
    let cells = |line: &str| -> Vec<String> {
        let line = line.trim().trim_start_matches('|').trim_end_matches('|');
        line.split('|').map(|cell| cell.trim().to_owned()).collect()
    };
    let mut tables = Vec::new();
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        let is_header =
            line.starts_with('|') && lines.peek().is_some_and(|it| it.starts_with("|--"));
        if !is_header {
            continue;
        }
        lines.next();
        let mut rows = Vec::new();
        while let Some(row) = lines.next_if(|line| line.starts_with('|')) {
            rows.push(cells(row));
        }
        tables.push(Table { header: cells(line), rows });
    }
    tables
}

/// The names in a cell: what stands between backticks.
fn names_in(cell: &str) -> Vec<String> {
    cell.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

/// The rows of the only table of a section.
fn rows(page: &str, heading: &str) -> Vec<Vec<String>> {
    let mut tables = tables(section(&read(page), heading));
    assert_eq!(tables.len(), 1, "{page}: tables below `{heading}`");
    tables.remove(0).rows
}

/// The names in the first column of the only table of a section. None of them is there twice.
fn listed(page: &str, heading: &str) -> Names {
    first_column(page, &rows(page, heading))
}

fn first_column(page: &str, rows: &[Vec<String>]) -> Names {
    let mut names = Names::new();
    for name in rows.iter().flat_map(|row| names_in(&row[0])) {
        assert!(names.insert(name.clone()), "{page} lists `{name}` twice");
    }
    names
}

fn assert_same(page: &str, listed: &Names, in_code: &Names) {
    assert!(!in_code.is_empty(), "nothing was found in the code for {page}");
    let lacking: Vec<_> = in_code.difference(listed).collect();
    assert!(lacking.is_empty(), "{page} lacks {lacking:?}");
    let unknown: Vec<_> = listed.difference(in_code).collect();
    assert!(unknown.is_empty(), "{page} lists {unknown:?}, which the code does not have");
}

fn names<'a>(all: impl IntoIterator<Item = &'a str>) -> Names {
    all.into_iter().map(str::to_owned).collect()
}

/// The body of a method, in a file of the source: what is below `holder`, from `function` to its end.
fn body(file: &str, holder: &str, function: &str) -> String {
    let text = read(file);
    let missing = || panic!("{file} has no `{holder}` with `{function}`");
    let (_, text) = text.split_once(holder).unwrap_or_else(missing);
    let (_, text) = text.split_once(function).unwrap_or_else(missing);
    text.split("\n    }\n").next().unwrap().to_owned()
}

/// The string literals of a text without escapes.
fn literals(text: &str) -> Names {
    names(text.split('"').skip(1).step_by(2))
}

/// What follows `before` and is between quotation marks, everywhere in a file.
fn literals_after(file: &str, before: &str) -> Names {
    names(read(file).split(before).skip(1).map(|rest| rest.split('"').next().unwrap()))
}

/// The variants of an enum, in snake case.
fn variants(file: &str, name: &str) -> Names {
    let text = read(file);
    let (_, text) = text.split_once(&format!("pub enum {name} {{")).unwrap();
    let lines = text.split("\n}").next().unwrap().lines().map(str::trim);
    let variants = lines.filter(|line| line.starts_with(|first: char| first.is_ascii_uppercase()));
    let snake_case = |variant: &str| -> String {
        let mut name = String::new();
        for letter in variant.trim_end_matches(',').chars() {
            if letter.is_ascii_uppercase() && !name.is_empty() {
                name.push('_');
            }
            name.push(letter.to_ascii_lowercase());
        }
        name
    };
    variants.map(snake_case).collect()
}

#[test]
fn dimensions_and_kinds_are_those_of_the_code() {
    let page = "docs/targets.md";
    let dimensions = names(Dimension::ALL.map(Dimension::as_str));
    assert_same(page, &listed(page, "Dimensions"), &dimensions);

    let kinds = names(TargetKind::KNOWN.iter().map(TargetKind::as_str));
    let rows = rows(page, "Kinds");
    assert_same(page, &first_column(page, &rows), &kinds);
    for row in rows {
        let kind = TargetKind::from(names_in(&row[0])[0].as_str());
        let dimension = kind.dimension().map(|dimension| format!("`{dimension}`"));
        assert_eq!(Some(&row[1]), dimension.as_ref(), "{page}: the dimension of `{kind}`");
    }
    let with_id: Names = self::rows(page, "Ids").iter().flat_map(|row| names_in(&row[0])).collect();
    assert_same(page, &with_id, &kinds);
}

#[test]
fn statuses_are_those_of_the_code() {
    let in_code = literals(&body("crates/coverage/src/target.rs", "impl Status {", "fn as_str"));
    assert_same("docs/targets.md", &listed("docs/targets.md", "Statuses"), &in_code);
}

#[test]
fn reasons_are_those_of_the_code() {
    let page = "docs/reason-codes.md";
    let codes = names(ReasonCode::ALL.map(ReasonCode::as_str));
    assert_same(page, &listed(page, "Hints that were not satisfied"), &codes);

    let mut reasons =
        literals(&body("crates/coverage/src/plan.rs", "impl Unplanned {", "fn reason"));
    let report = "crates/coverage/src/run/report.rs";
    reasons.extend(literals_after(report, "const ELSEWHERE: &str = \""));
    reasons.extend(literals_after(report, "return Some(\""));
    // A sentence between backticks cannot have backticks itself.
    let reasons = reasons.iter().map(|reason| reason.replace('`', "")).collect();
    assert_same(page, &listed(page, "Targets that were missed"), &reasons);
}

#[test]
fn hints_are_those_of_the_code() {
    let schema = report_schema();
    let kinds = schema["$defs"]["unsatisfiedHint"]["properties"]["kind"]["enum"].as_array();
    let kinds = names(kinds.unwrap().iter().filter_map(Value::as_str));
    let coverage = read("docs/coverage.md");
    let (_, hints) = coverage.split_once("\n### Hints\n").unwrap();
    assert_same(
        "docs/coverage.md",
        &first_column("docs/coverage.md", &tables(hints)[0].rows),
        &kinds,
    );
}

#[test]
fn diagnostics_are_those_of_the_code() {
    let file = "crates/contract/src/canonical/diagnose.rs";
    let in_code = literals(&body(file, "impl DiagnosticCode {", "fn as_str"));
    let page = "docs/diagnostics.md";
    assert_same(page, &first_column(page, &tables(&read(page))[0].rows), &in_code);
}

#[test]
fn error_codes_are_those_of_the_code() {
    let mut in_code = Names::new();
    for file in files("crates", ".rs").iter().filter(|file| file.contains("/src/")) {
        let is_of_a_code =
            |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == '-';
        let is_code = |text: &&str| {
            let parts = text.split_once("::");
            let areas = ["ajv", "contract", "coverage", "http"];
            parts
                .is_some_and(|(area, rest)| areas.contains(&area) && rest.chars().all(is_of_a_code))
        };
        in_code.extend(read(file).split('"').filter(is_code).map(str::to_owned));
    }
    let page = "docs/error-codes.md";
    assert_same(page, &first_column(page, &tables(&read(page))[0].rows), &in_code);
}

#[test]
fn exit_codes_are_those_of_the_code() {
    let file = "crates/cli/src/exit.rs";
    let code = |arm: &str| match arm.split(',').next().unwrap() {
        "interrupted(signal)" => "128 + n".to_owned(),
        path if path.ends_with("::CRASH_STATUS") => ExampleServer::CRASH_STATUS.to_string(),
        number => number.parse::<u8>().unwrap().to_string(),
    };
    let body = body(file, "impl From<Exit> for ExitCode", "fn from(");
    let in_code: Names = body.split("=> ").skip(1).map(code).collect();
    let rows = tables(&read("docs/exit-codes.md")).remove(0).rows;
    let listed = rows.into_iter().map(|mut row| row.remove(0)).collect();
    assert_same("docs/exit-codes.md", &listed, &in_code);
}

#[test]
fn checks_and_findings_are_those_of_the_code() {
    let page = "docs/mcp-checks.md";
    let rows = rows(page, "Checks");
    let in_code = names(Check::ALL.map(Check::code));
    assert_same(page, &first_column(page, &rows), &in_code);
    for row in rows {
        let check: Check = names_in(&row[0])[0].parse().unwrap();
        let severity = format!("{:?}", check.default_severity()).to_lowercase();
        assert_eq!(row[1], severity, "{page}: the severity of `{check}`");
    }
    let findings = "crates/mcp/src/wire/finding.rs";
    let findings = literals(&body(findings, "impl FindingKind {", "fn code"));
    assert_same(page, &listed(page, "Findings"), &findings);
}

#[test]
fn verdicts_and_reasons_of_mcp_are_those_of_the_code() {
    let page = "docs/mcp-checks.md";
    let verdicts = variants("crates/mcp/src/report.rs", "ToolVerdict");
    assert_same(page, &listed(page, "Verdicts on tools"), &verdicts);
    let run = "crates/mcp/src/run.rs";
    let skipped = literals_after(run, "skipped(tool, \"");
    assert_same(page, &listed(page, "Why a tool was skipped"), &skipped);
    let is_missing = |text: &&str| text.starts_with("missing_");
    let missing = read(run).split('"').filter(is_missing).map(str::to_owned).collect();
    assert_same(page, &listed(page, "Why a tool could not be called"), &missing);
    let mut outcomes = literals_after(run, "code: Some(\"");
    outcomes.extend(literals_after("crates/mcp/src/tool_coverage.rs", "RuleFailure { code: \""));
    assert_same(page, &listed(page, "Outcomes of a run"), &outcomes);
}

/// The fields of a schema by their dotted paths, without brackets of arrays.
fn fields(root: &Value, schema: &Value, path: &str, found: &mut Names) {
    let schema = match schema["$ref"].as_str() {
        Some(reference) => root.pointer(reference.trim_start_matches('#')).unwrap(),
        None => schema,
    };
    let parts = schema["allOf"].as_array().into_iter().flatten();
    for part in parts.filter(|part| part.get("$ref").is_some()).chain(schema.get("items")) {
        fields(root, part, path, found);
    }
    for (name, schema) in schema["properties"].as_object().into_iter().flatten() {
        let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
        fields(root, schema, &path, found);
        found.insert(path);
    }
}

/// Compares the tables of a section with a schema. The header of a table is `field`, or `in` and what its fields are
/// in. A field that is listed stands for all below it, unless these have a table of their own.
fn assert_fields(page: &str, heading: &str, schema: &Value) {
    let mut in_schema = Names::new();
    fields(schema, schema, "", &mut in_schema);
    let text = read(page).replace("[]", "");
    let mut listed = Names::new();
    let mut with_table = Names::new();
    for table in tables(section(&text, heading)) {
        let prefix = match table.header[0].strip_prefix("in ") {
            Some(prefix) => format!("{}.", prefix.trim_matches('`')),
            None if table.header[0] == "field" => String::new(),
            None => continue,
        };
        with_table.insert(prefix.trim_end_matches('.').to_owned());
        for name in first_column(page, &table.rows) {
            assert!(
                listed.insert(format!("{prefix}{name}")),
                "{page} lists `{prefix}{name}` twice"
            );
        }
    }
    let unknown: Vec<_> = listed.difference(&in_schema).collect();
    assert!(unknown.is_empty(), "{page} lists {unknown:?}, which the schema does not have");
    let is_above = |above: &str, path: &str| {
        path.strip_prefix(above).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    };
    let is_explained = |path: &&String| {
        let is_whole = |field: &&String| *field == *path || !with_table.contains(*field);
        let is_part = |field: &String| is_above(path, field);
        listed.iter().filter(is_whole).any(|field| is_above(field, path))
            || listed.iter().any(is_part)
    };
    let lacking: Vec<_> = in_schema.iter().filter(|path| !is_explained(path)).collect();
    assert!(lacking.is_empty(), "{page} lacks {lacking:?}");
}

#[test]
fn fields_of_reports_are_those_of_their_schemas() {
    assert_fields("docs/coverage-report.md", "Fields", &report_schema());
    assert_fields("docs/coverage-report.md", "The plan of a guided run", &plan_schema());
    let report = serde_json::from_str(&read("crates/mcp/src/formats/report.json")).unwrap();
    assert_fields("docs/mcp-report.md", "Fields", &report);
}

/// The options in a text: `--name`.
fn options(text: &str) -> Names {
    let is_part = |it: char| it.is_ascii_lowercase() || it == '-';
    let mut found = Names::new();
    for (start, _) in text.match_indices("--") {
        let is_inside = text[..start].ends_with(|it: char| it.is_alphanumeric() || it == '-');
        let name: String = text[start + 2..].chars().take_while(|it| is_part(*it)).collect();
        if !is_inside && name.starts_with(|it: char| it.is_ascii_lowercase()) {
            found.insert(format!("--{}", name.trim_end_matches('-')));
        }
    }
    found
}

#[test]
fn options_are_those_of_the_command() {
    // Those of cargo, of servers under test, and those that every program has.
    const OTHERS: &[&str] = &[
        "--bench",
        "--example",
        "--locked",
        "--mcp",
        "--nocapture",
        "--package",
        "--path",
        "--release",
        "--stdio",
        "--test",
        "--workspace",
    ];
    const USUAL: &[&str] = &["--help", "--version"];
    let help = read("crates/cli/tests/cmd/help.trycmd");
    // The sessions with misspelt options are not help.
    let help: String = help.split("```").filter(|it| it.contains("--help\n")).collect();
    let in_code = options(&help);
    let pages = files("docs", ".md").into_iter().filter(|page| !page.starts_with("docs/design/"));
    let in_docs: Names =
        pages.chain(["README.md".to_owned()]).flat_map(|page| options(&read(&page))).collect();
    let listed = in_docs.difference(&names(OTHERS.iter().copied())).cloned().collect();
    let usual = names(USUAL.iter().copied());
    assert_same("the manual", &(&listed | &usual), &in_code);
}

/// The constants of all crates: by name, what they are set to.
fn constants() -> BTreeMap<String, Vec<String>> {
    let mut constants = BTreeMap::<String, Vec<String>>::new();
    for file in files("crates", ".rs").into_iter().filter(|file| file.contains("/src/")) {
        for definition in read(&file).split("const ").skip(1) {
            let Some((name, value)) = definition.split_once(": ") else { continue };
            let value = value.split(';').next().unwrap();
            let Some((_, value)) = value.split_once(" = ") else { continue };
            constants.entry(name.to_owned()).or_default().push(value.replace('_', ""));
        }
    }
    constants
}

/// The numbers that the value of a constant may be called by: itself, seconds, KiB.
fn number_of(value: &str) -> Option<u64> {
    let value = value.trim_start_matches("Duration::fromsecs(").trim_end_matches(')');
    value.trim_end_matches(" * 1024").parse().ok()
}

/// The last number in a text, as pages write it: `1,000`.
fn last_number(text: &str) -> Option<u64> {
    let words = text.split(' ').rev();
    words.map(|word| word.replace(',', "")).find_map(|word| word.parse().ok())
}

#[test]
fn limits_of_the_architecture_are_those_of_the_code() {
    let constants = constants();
    let page = read("ARCHITECTURE.md");
    let is_constant = |it: char| it.is_ascii_uppercase() || it == '_';
    let mut checked = 0;
    for (start, _) in page.match_indices("(`") {
        let before = page[..start].rsplit(['|', ';', '(', '\n']).next().unwrap();
        let before = before.rsplit(", ").next().unwrap().trim();
        let inside = page[start + 1..].split(')').next().unwrap();
        let named: Vec<String> = names_in(inside)
            .into_iter()
            .filter(|name| !name.is_empty() && name.chars().all(is_constant))
            .collect();
        for name in &named {
            assert!(constants.contains_key(name), "no constant is named `{name}` any more");
        }
        let ([name], Some(number)) = (&named[..], last_number(before)) else { continue };
        let values = &constants[name];
        let is_right = values.iter().any(|value| number_of(value) == Some(number));
        assert!(is_right, "`{name}` is not {number}, but {values:?}");
        checked += 1;
    }
    assert!(checked >= 30, "only {checked} limits were found");
}

#[test]
fn limits_of_the_manual_are_those_of_the_code() {
    /// A page, what is before and behind a number, and the constant that has it.
    const LIMITS: &[(&str, &str, &str, &str, &str)] = &[
        ("docs/coverage.md", "the length of a route (", " steps)", "plan/routes.rs", "MAX_STEPS"),
        ("docs/coverage.md", "array (", " items)", "plan/routes/targets.rs", "MAX_SIZE"),
        ("docs/coverage.md", "string (", " characters)", "plan/routes/targets.rs", "MAX_LENGTH"),
        ("docs/html-report.md", "shows its first ", " bytes", "html/examples.rs", "LONGEST"),
    ];
    for (page, before, behind, file, constant) in LIMITS {
        let text = read(page).replace('\n', " ");
        let (_, rest) = text.split_once(before).unwrap_or_else(|| panic!("{page}: {before}"));
        let (number, _) = rest.split_once(behind).unwrap();
        let source = read(&format!("crates/coverage/src/{file}"));
        let (_, value) = source.split_once(&format!("const {constant}: ")).unwrap();
        let value = value.split(['=', ';']).nth(1).unwrap().trim().replace('_', "");
        assert_eq!(number.replace(',', ""), value, "{page}: {before}…{behind}");
    }
}

#[test]
fn profiles_are_those_of_the_code() {
    let text = read("docs/coverage.md");
    let (_, text) = text.split_once("### Profiles").unwrap();
    let table = tables(text).remove(0);
    let number = |it: usize| -> String {
        let digits = it.to_string();
        let (head, tail) = digits.split_at(digits.len().saturating_sub(3));
        if it == usize::MAX {
            "all".to_owned()
        } else if head.is_empty() {
            tail.to_owned()
        } else {
            format!("{head},{tail}")
        }
    };
    let order = [Dimension::Branches, Dimension::Enum, Dimension::Structure, Dimension::Boundaries];
    for (profile, row) in Profile::ALL.into_iter().zip(&table.rows) {
        assert_eq!(names_in(&row[0]), [profile.as_str()]);
        assert_eq!(row[1], number(usize::try_from(profile.instances()).unwrap()));
        let caps: Vec<String> = order.map(|it| number(profile.cap(it))).to_vec();
        assert_eq!(row[3..], caps, "{}", profile.as_str());
    }
}

#[test]
fn every_page_is_in_the_summary() {
    let summary = read("docs/SUMMARY.md");
    let mut listed = BTreeMap::new();
    for (_, target) in links(&summary) {
        *listed.entry(format!("docs/{target}")).or_insert(0) += 1;
    }
    for page in files("docs", ".md").into_iter().filter(|page| page != "docs/SUMMARY.md") {
        assert_eq!(listed.remove(&page), Some(1), "{page} is once in docs/SUMMARY.md");
    }
    assert_eq!(listed, BTreeMap::new(), "docs/SUMMARY.md lists what is not there");
}

/// The links of a page with their lines, without those in code.
fn links(text: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    let mut is_code = false;
    for (number, line) in (1..).zip(text.lines()) {
        if line.trim_start().starts_with("```") {
            is_code = !is_code;
        }
        if is_code {
            continue;
        }
        let prose: String = line.split('`').step_by(2).collect::<Vec<_>>().join("`");
        for rest in prose.split("](").skip(1) {
            found.push((number, rest.split(')').next().unwrap().to_owned()));
        }
    }
    found
}

/// The anchors of the headings of a page, as `mdbook` and GitHub make them.
fn anchors(text: &str) -> Names {
    let mut anchors = Names::new();
    let mut is_code = false;
    for line in text.lines() {
        is_code ^= line.starts_with("```");
        if is_code || !line.starts_with('#') {
            continue;
        }
        let heading = line.trim_start_matches('#').trim().to_lowercase();
        let kept = |letter: &char| letter.is_alphanumeric() || " -_".contains(*letter);
        anchors.insert(heading.chars().filter(kept).collect::<String>().replace(' ', "-"));
    }
    anchors
}

#[test]
fn every_link_leads_somewhere() {
    let mut pages = files("docs", ".md");
    pages.extend(
        ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md"]
            .map(str::to_owned),
    );
    let mut checked = 0;
    for page in pages {
        let text = read(&page);
        for (line, link) in links(&text) {
            if link.starts_with("https://") {
                continue;
            }
            let place = format!("{page}:{line}: `{link}`");
            let (path, anchor) = link.split_once('#').unwrap_or((&link, ""));
            let folder = Path::new(&page).parent().unwrap();
            let target = if path.is_empty() { PathBuf::from(&page) } else { folder.join(path) };
            assert!(root().join(&target).exists(), "{place}: no such file");
            if page.starts_with("docs/") {
                let is_inside =
                    !path.split('/').any(|part| part == "..") || page.starts_with("docs/design/");
                assert!(is_inside, "{place}: the book has no such page");
            }
            if !anchor.is_empty() {
                let there = anchors(&read(target.to_str().unwrap()));
                assert!(there.contains(anchor), "{place}: no such heading; there are {there:?}");
            }
            checked += 1;
        }
    }
    assert!(checked > 50, "only {checked} links were found");
}
