//! Executes every command of `README.md` and of the pages in `docs/`, and checks what their other blocks hold.
//!
//! In a block `console`, a line that begins with `$ ` is a command; one that ends with `\` goes on in the next
//! line. The commands of a page run in their order in one folder, which holds the files of `tests/docs/` and
//! `examples/`. If other lines follow a command, they are what it prints, standard output and standard error
//! together: a line `…` stands for any number of lines, and `…` inside a line for any text.
//!
//! The exit code is 0, unless a comment in the command says `# exit code N`, or `<!-- exit N -->` stands before the
//! block: that is for its last command, and readers of the page do not see it.
#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::{
    env, fmt, fs,
    io::{self, BufRead as _, BufReader, Read as _},
    os::unix::fs::symlink,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    thread,
};

use serde::Deserialize as _;
use serde_json::Value;
use tempfile::TempDir;

/// A command that is not executed here.
struct NotRun {
    /// The command, without its comment.
    command: &'static str,
    /// Why it is not executed here.
    reason: &'static str,
    /// The file that has what it prints, if a page shows that.
    output: Option<&'static str>,
}

const fn not_run(command: &'static str, reason: &'static str) -> NotRun {
    NotRun { command, reason, output: None }
}

/// All commands that are not executed here.
const NOT_RUN: &[NotRun] = &[
    not_run("cargo test --workspace", "CI runs it, and this test is part of it"),
    not_run("cargo install --path crates/cli", "it would install what is tested here"),
    not_run("cargo test", "it is for a crate of the reader"),
    not_run("FOOLPROOF_TIME=600 cargo test --test store", "it is for a crate of the reader"),
    not_run("FOOLPROOF_SEED=1763330032 cargo test --test store", "it is for a crate of the reader"),
    not_run(
        "foolproof mcp stdio -- npx -y @modelcontextprotocol/server-everything",
        "it fetches a server; `tools/mcp-servers/run.py` tests the same one in CI",
    ),
    not_run("tools/mcp-servers/install buggy", "CI runs it before the tests"),
    NotRun {
        command: "cargo run --package foolproof-stateful --example buggy",
        reason: "`crates/stateful/tests/examples.rs` runs it",
        output: Some("crates/stateful/examples/buggy.txt"),
    },
    NotRun {
        command: "cargo test --package foolproof-stateful-tests --test real_crates -- --nocapture im::the_sequences_of_the_manual",
        reason: "CI runs it, with all tests",
        output: Some("crates/stateful-tests/tests/real_crates/im.txt"),
    },
];

/// What a command that is executed begins with. Anything else could fetch, install or wait, so it must be in
/// [`NOT_RUN`].
const RUN: &[&str] = &["foolproof ", FROM_SOURCE, "cat ", "echo "];

/// A command with this in it needs the released servers, which may be absent.
const NEEDS_SERVERS: &str = "tools/mcp-servers/buggy/";

/// Stands for the address of a server over HTTP, which is started for the command.
const HTTP_SERVER: &str = "http://localhost:3000/mcp";

/// What a reader types in the repository, before `foolproof` is installed.
const FROM_SOURCE: &str = "cargo run --release -- ";

const FOOLPROOF: &str = env!("CARGO_BIN_EXE_foolproof");

/// A fenced block of a page.
struct Block {
    /// The line of the opening fence, from 1.
    line: usize,
    /// What follows the fence: `console`, `rust`, `json`; may be empty.
    tag: String,
    lines: Vec<String>,
    /// The exit code that a comment before the block says.
    exit: Option<i32>,
}

/// A command of a block.
struct Step {
    /// `README.md:12`.
    place: String,
    command: String,
    /// What it prints; nothing if the page does not show it.
    expected: Vec<String>,
    exit: i32,
}

/// A page: its path below the root of the repository, and its blocks.
struct Page {
    path: String,
    blocks: Vec<Block>,
}

impl fmt::Display for Step {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: `{}`", self.place, self.command)
    }
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// README.md and every page in `docs/`, in the order of their paths.
fn pages() -> Vec<Page> {
    let mut paths = vec!["README.md".to_owned()];
    let mut folders = vec!["docs".to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(root().join(&folder)).unwrap() {
            let entry = entry.unwrap();
            let path = format!("{folder}/{}", entry.file_name().to_string_lossy());
            if entry.path().is_dir() {
                folders.push(path);
            } else if entry.path().extension().is_some_and(|extension| extension == "md") {
                paths.push(path);
            }
        }
    }
    paths.sort();
    let page = |path: String| {
        let blocks = blocks(&fs::read_to_string(root().join(&path)).unwrap());
        Page { path, blocks }
    };
    paths.into_iter().map(page).collect()
}

fn blocks(text: &str) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut open: Option<Block> = None;
    let mut before = "";
    for (number, line) in (1..).zip(text.lines()) {
        let fence = line.trim_start().strip_prefix("```");
        match (&mut open, fence) {
            (None, Some(tag)) => {
                let exit = before.strip_prefix("<!-- exit ").and_then(|it| it.strip_suffix(" -->"));
                let exit = exit.map(|code| code.parse().unwrap());
                open = Some(Block { line: number, tag: tag.to_owned(), lines: Vec::new(), exit });
            }
            (Some(_), Some(_)) => blocks.extend(open.take()),
            (Some(block), None) => block.lines.push(line.to_owned()),
            (None, None) => {}
        }
        if !line.trim().is_empty() {
            before = line;
        }
    }
    assert!(open.is_none(), "a block has no end");
    blocks
}

/// The commands of a block `console`.
fn steps(page: &Page, block: &Block) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    for (number, line) in (block.line + 1..).zip(&block.lines) {
        let goes_on = |step: &&mut Step| step.command.ends_with('\\') && step.expected.is_empty();
        if let Some(step) = steps.last_mut().filter(goes_on) {
            step.command.pop();
            step.command.push_str(line.trim_start());
        } else if let Some(command) = line.strip_prefix("$ ") {
            let place = format!("{}:{number}", page.path);
            steps.push(Step { place, command: command.to_owned(), expected: Vec::new(), exit: 0 });
        } else {
            let step = steps.last_mut();
            let step =
                step.unwrap_or_else(|| panic!("{}:{number}: output of no command", page.path));
            step.expected.push(line.trim_end().to_owned());
        }
    }
    if let (Some(last), Some(exit)) = (steps.last_mut(), block.exit) {
        last.exit = exit;
    }
    for step in &mut steps {
        if let Some((_, code)) = step.command.split_once("# exit code ") {
            step.exit = code
                .split(|letter: char| !letter.is_ascii_digit())
                .next()
                .unwrap()
                .parse()
                .unwrap();
        }
        while step.expected.last().is_some_and(String::is_empty) {
            step.expected.pop();
        }
    }
    steps
}

fn all_steps(page: &Page) -> Vec<Step> {
    let consoles = page.blocks.iter().filter(|block| block.tag == "console");
    consoles.flat_map(|block| steps(page, block)).collect()
}

/// The command without the comment after it.
fn without_comment(command: &str) -> &str {
    command.split(" # ").next().unwrap_or_default().trim_end()
}

fn exception(step: &Step) -> Option<&'static NotRun> {
    NOT_RUN.iter().find(|not_run| not_run.command == without_comment(&step.command))
}

/// Whether lines are those that a page shows.
fn are_shown(expected: &[String], found: &[&str]) -> bool {
    match expected {
        [] => found.is_empty(),
        [first, rest @ ..] if first == "…" => {
            (0..=found.len()).any(|skipped| are_shown(rest, &found[skipped..]))
        }
        [first, rest @ ..] => match found {
            [line, others @ ..] => is_shown(first, line) && are_shown(rest, others),
            [] => false,
        },
    }
}

/// Whether a line is the one that a page shows.
fn is_shown(expected: &str, line: &str) -> bool {
    let mut parts = expected.split('…');
    let first = parts.next().unwrap_or_default();
    let parts: Vec<&str> = parts.collect();
    let Some(mut rest) = line.strip_prefix(first) else { return false };
    let Some((last, middle)) = parts.split_last() else { return rest.is_empty() };
    for part in middle {
        let Some((_, after)) = rest.split_once(part) else { return false };
        rest = after;
    }
    rest.ends_with(last)
}

/// Whether what was printed is what the page shows, if it shows it.
fn is_as_shown(step: &Step, printed: &str) -> bool {
    let found: Vec<&str> = printed.trim_end().lines().map(str::trim_end).collect();
    step.expected.is_empty() || are_shown(&step.expected, &found)
}

/// Where the commands of one page run.
struct Session {
    folder: TempDir,
    /// For temporary files of the commands.
    temporary: TempDir,
}

impl Session {
    /// A folder with the files that pages speak of, and the released servers if they are there.
    fn new(servers: Option<&Path>) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let at = folder.path();
        copy(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/docs"), at);
        copy(&root().join("examples"), &at.join("examples"));
        if let Some(servers) = servers {
            fs::create_dir(at.join("tools")).unwrap();
            symlink(fs::canonicalize(servers).unwrap(), at.join("tools/mcp-servers")).unwrap();
        }
        Self { folder, temporary: tempfile::tempdir().unwrap() }
    }

    /// What is wrong with a step, if anything is.
    fn check(&self, step: &Step) -> Result<(), String> {
        if !RUN.iter().any(|start| step.command.starts_with(start)) {
            return Err(format!("{step} is neither executed here nor in `NOT_RUN`"));
        }
        let server = step.command.contains(HTTP_SERVER).then(HttpServer::start);
        let mut line = step.command.clone();
        if let Some(server) = &server {
            line = line.replace(HTTP_SERVER, &server.address);
        }
        if let Some(arguments) = line.strip_prefix(FROM_SOURCE) {
            line = format!("foolproof {arguments}");
        }
        let (exit, printed) = self.run(&line);
        let shown = step.expected.join("\n");
        if exit != Some(step.exit) {
            let ended = exit.map_or("by a signal".to_owned(), |code| format!("with {code}"));
            return Err(format!("{step} ended {ended} instead of {}:\n{printed}", step.exit));
        }
        if !is_as_shown(step, &printed) {
            return Err(format!("{step} printed:\n{printed}\nThe page shows:\n{shown}"));
        }
        Ok(())
    }

    /// Runs a line of a shell that finds the program under test: its exit code, and what it printed.
    fn run(&self, line: &str) -> (Option<i32>, String) {
        let own = Path::new(FOOLPROOF).parent().unwrap().to_owned();
        let paths = env::var_os("PATH").unwrap_or_default();
        let paths = env::join_paths(std::iter::once(own).chain(env::split_paths(&paths))).unwrap();
        let (mut reader, writer) = io::pipe().unwrap();
        let mut command = Command::new("sh");
        command
            .args(["-c", line])
            .current_dir(self.folder.path())
            .env("PATH", paths)
            .env("TMPDIR", self.temporary.path())
            .env("NO_COLOR", "1")
            .env("LC_ALL", "C.UTF-8")
            .stdin(Stdio::null())
            .stdout(writer.try_clone().unwrap())
            .stderr(writer);
        let is_own = |name: &str| name.starts_with("FOOLPROOF_") || name.starts_with("GITHUB_");
        for (name, _) in env::vars_os() {
            if name.to_str().is_some_and(|name| is_own(name) || name == "CI") {
                command.env_remove(name);
            }
        }
        let mut child = command.spawn().unwrap();
        // It holds the end of the pipe that is written to.
        drop(command);
        let mut printed = Vec::new();
        reader.read_to_end(&mut printed).unwrap();
        let status = child.wait().unwrap();
        (status.code(), String::from_utf8_lossy(&printed).into_owned())
    }
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        // It keeps the permission to be executed.
        fs::copy(entry.path(), to.join(entry.file_name())).unwrap();
    }
}

/// The server that is built in, over HTTP.
struct HttpServer {
    process: Child,
    address: String,
}

impl HttpServer {
    fn start() -> Self {
        let mut command = Command::new(FOOLPROOF);
        command.args(["mcp", "serve", "--http", "127.0.0.1:0"]).stderr(Stdio::piped());
        let mut process = command.spawn().unwrap();
        let mut address = String::new();
        let stderr = process.stderr.take().expect("it is piped");
        BufReader::new(stderr).read_line(&mut address).unwrap();
        Self { process, address: address.trim().to_owned() }
    }
}

impl Drop for HttpServer {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// How many commands of a page were executed, and what is wrong with the last of them: those after one that fails
/// may need what it makes.
fn check_page(page: &Page, servers: Option<&Path>) -> (usize, Result<(), String>) {
    let session = Session::new(servers);
    let is_skipped = |step: &Step| servers.is_none() && step.command.contains(NEEDS_SERVERS);
    let mut executed = 0;
    for step in all_steps(page) {
        if is_skipped(&step) || exception(&step).is_some() {
            continue;
        }
        executed += 1;
        let checked = session.check(&step);
        if checked.is_err() {
            return (executed, checked);
        }
    }
    (executed, Ok(()))
}

#[test]
fn every_command_runs_as_shown() {
    let pages = pages();
    let steps: Vec<Step> = pages.iter().flat_map(all_steps).collect();
    let need_servers = steps.iter().any(|step| step.command.contains(NEEDS_SERVERS));
    let servers = need_servers.then(foolproof_corpus::mcp_servers::with_bugs).flatten();
    let servers = servers.as_deref();
    let results: Vec<(usize, Result<(), String>)> = thread::scope(|scope| {
        let runs: Vec<_> =
            pages.iter().map(|page| scope.spawn(move || check_page(page, servers))).collect();
        runs.into_iter().map(|run| run.join().unwrap()).collect()
    });
    let executed: usize = results.iter().map(|(executed, _)| executed).sum();
    let problems: Vec<String> =
        results.into_iter().filter_map(|(_, result)| result.err()).collect();
    assert!(problems.is_empty(), "{}", problems.join("\n\n"));
    assert!(executed >= 40, "only {executed} commands were executed");
}

#[test]
fn every_command_that_is_not_run_is_on_a_page_and_shows_what_is_recorded() {
    let steps: Vec<Step> = pages().iter().flat_map(all_steps).collect();
    for not_run in NOT_RUN {
        let NotRun { command, reason, output } = not_run;
        let is_it = |step: &&Step| without_comment(&step.command) == *command;
        let mut uses = steps.iter().filter(is_it).peekable();
        assert!(uses.peek().is_some(), "`{command}` is on no page, so it needs no exception");
        assert!(!reason.is_empty(), "`{command}` has no reason");
        for step in uses {
            if let Some(file) = output {
                let recorded = fs::read_to_string(root().join(file)).unwrap();
                assert!(is_as_shown(step, &recorded), "{step}: {file} has another text");
            } else {
                assert!(step.expected.is_empty(), "{step}: nothing checks what is shown");
            }
        }
    }
}

/// Lines that look like commands are executed, so they are in blocks `console`.
#[test]
fn every_block_has_a_known_tag() {
    for page in pages() {
        for block in &page.blocks {
            let place = format!("{}:{}", page.path, block.line);
            match block.tag.as_str() {
                "console" => {
                    assert!(!steps(&page, block).is_empty(), "{place}: a block without a command");
                }
                "rust" | "json" | "yaml" | "toml" => {}
                "" | "text" => {
                    let is_command = |line: &String| line.trim_start().starts_with("$ ");
                    let has_command = block.lines.iter().any(is_command);
                    assert!(!has_command, "{place}: commands belong into a block `console`");
                }
                other => panic!("{place}: a block `{other}` is checked by nothing"),
            }
            assert!(
                block.exit.is_none() || block.tag == "console",
                "{place}: an exit code of what?"
            );
        }
    }
}

#[test]
fn every_block_of_data_can_be_parsed() {
    let mut parsed = 0;
    for page in pages() {
        for block in &page.blocks {
            let text = block.lines.join("\n");
            let problem = match block.tag.as_str() {
                "json" => parse_json(&text).err(),
                "yaml" => parse_yaml(&text).err(),
                "toml" => parse_toml(&block.lines).err(),
                _ => continue,
            };
            parsed += 1;
            assert_eq!(problem, None, "{}:{}", page.path, block.line);
        }
    }
    assert!(parsed > 3, "only {parsed} blocks were parsed");
}

/// One value, or several, one a line.
fn parse_json(text: &str) -> Result<(), String> {
    let mut values = serde_json::Deserializer::from_str(text).into_iter::<Value>();
    values.try_for_each(|value| value.map(drop).map_err(|error| error.to_string()))
}

fn parse_yaml(text: &str) -> Result<(), String> {
    let mut documents = yaml_serde::Deserializer::from_str(text);
    documents.try_for_each(|document| {
        Value::deserialize(document).map(drop).map_err(|error| error.to_string())
    })
}

/// Only that each line is a table, a key with a value, a comment, or inside of an array.
fn parse_toml(lines: &[String]) -> Result<(), String> {
    let mut depth = 0_i32;
    for line in lines {
        let line = line.split(" #").next().unwrap_or_default().trim();
        let is_table = line.starts_with('[') && line.ends_with(']');
        let is_key = line.split_once(" = ").is_some_and(|(_, value)| !value.is_empty());
        let is_empty = line.is_empty() || line.starts_with('#');
        if depth == 0 && !(is_table || is_key || is_empty) {
            return Err(format!("`{line}` is neither a table nor a key with a value"));
        }
        let count = |letters: [char; 2]| line.matches(letters).count().try_into().unwrap_or(0);
        depth += count(['[', '{']) - count([']', '}']);
    }
    if depth == 0 { Ok(()) } else { Err("brackets are not closed".to_owned()) }
}

/// Blocks `rust` are doc tests of the library.
#[test]
fn every_page_with_rust_is_part_of_the_doc_tests() {
    let library = fs::read_to_string(root().join("crates/foolproof/src/lib.rs")).unwrap();
    let mut included = 0;
    for page in pages() {
        let Some(block) = page.blocks.iter().find(|block| block.tag.starts_with("rust")) else {
            continue;
        };
        let is_included = library.contains(&format!("include_str!(\"../../../{}\")", page.path));
        assert!(is_included, "{}:{} is tested by nothing", page.path, block.line);
        included += 1;
    }
    assert!(included >= 4, "only {included} pages have Rust");
}

#[test]
fn three_dots_stand_for_text_and_for_lines() {
    assert!(is_shown("a … c … e", "a b c d e") && is_shown("…", "") && is_shown("a", "a"));
    assert!(!is_shown("a … c", "a b d") && !is_shown("a", "ab") && !is_shown("a…a", "a"));
    let lines = |text: &str| -> Vec<String> { text.lines().map(str::to_owned).collect() };
    assert!(are_shown(&lines("a\n…\nd"), &["a", "b", "c", "d"]));
    assert!(are_shown(&lines("…\na\n…"), &["a"]));
    assert!(!are_shown(&lines("a\nb"), &["a"]) && !are_shown(&lines("a"), &["a", "b"]));
    assert!(!are_shown(&lines("a\n…\nd"), &["a", "b"]));
}

#[test]
fn commands_are_read_with_their_output_and_exit_code() {
    let text = "<!-- exit 3 -->\n```console\n$ one \\\n  two\n$ three  # exit code 4: why\nit\n\n$ five\n```\n";
    let page = Page { path: "page.md".to_owned(), blocks: blocks(text) };
    let steps = all_steps(&page);
    let read: Vec<(&str, &str, usize, i32)> = steps
        .iter()
        .map(|step| (&*step.place, &*step.command, step.expected.len(), step.exit))
        .collect();
    assert_eq!(
        read,
        [
            ("page.md:3", "one two", 0, 0),
            ("page.md:5", "three  # exit code 4: why", 1, 4),
            ("page.md:8", "five", 0, 3),
        ]
    );
    assert_eq!(without_comment(&steps[1].command), "three");
}

#[test]
fn broken_data_is_noticed() {
    assert!(parse_json("{} []").is_ok() && parse_json("{").is_err());
    assert!(parse_yaml("a: 1\n---\nb: 2").is_ok() && parse_yaml("a: [").is_err());
    let lines = |text: &str| -> Vec<String> { text.lines().map(str::to_owned).collect() };
    assert!(parse_toml(&lines("[a]\n# b\nc = [\n  1,\n]")).is_ok());
    assert!(parse_toml(&lines("a")).is_err() && parse_toml(&lines("a = [")).is_err());
}
