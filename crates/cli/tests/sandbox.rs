//! A server under test cannot change what is not its own.
#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::{
    collections::BTreeMap,
    fs,
    os::unix::fs::{MetadataExt as _, PermissionsExt as _},
    path::{Path, PathBuf},
    process::{Command, Output},
};

use foolproof_live::Support;
use serde_json::Value;
use tempfile::TempDir;

const FOOLPROOF: &str = env!("CARGO_BIN_EXE_foolproof");
const SERVER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/sandbox/server.sh");
const STARTER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/sandbox/start.sh");

/// A machine of a user: home, temporary files, a project and some other folders, each with files that must not change.
struct Machine {
    root: TempDir,
    /// A folder in the folder for temporary files that outlive a restart, which is the same for everybody.
    var_tmp: TempDir,
}

impl Machine {
    /// `None` after reporting that what needs a sandbox is skipped.
    fn new() -> Option<Self> {
        if !Support::of_this_system().files {
            return foolproof_corpus::skip("no sandbox on this system (Linux with Landlock ABI 3)");
        }
        let (root, var_tmp) = (tempfile::tempdir().unwrap(), TempDir::new_in("/var/tmp").unwrap());
        let machine = Self { root, var_tmp };
        for folder in machine.folders() {
            fs::create_dir_all(folder.join("sub")).unwrap();
            for name in ["old", "kept", "sub/deep"] {
                fs::write(folder.join(name), "precious").unwrap();
            }
        }
        Some(machine)
    }

    fn at(&self, name: &str) -> PathBuf {
        self.root.path().join(name)
    }

    /// The folders with files.
    fn folders(&self) -> Vec<PathBuf> {
        let own = ["home", "tmp", "project", "canary"].map(|name| self.at(name));
        own.into_iter().chain([self.var_tmp.path().to_owned()]).collect()
    }

    /// Every name outside of our own cache, with what is there.
    fn state(&self) -> BTreeMap<PathBuf, String> {
        let mut state = BTreeMap::new();
        let mut left = vec![self.root.path().to_owned(), self.var_tmp.path().to_owned()];
        while let Some(path) = left.pop() {
            let found = fs::symlink_metadata(&path).unwrap();
            let content = if found.is_dir() {
                let entries = fs::read_dir(&path).unwrap();
                left.extend(entries.map(|entry| entry.unwrap().path()));
                "folder".to_owned()
            } else {
                // Opening a pipe would wait for its other end.
                let content = if found.is_file() { read(&path) } else { String::new() };
                format!("{:?} {} {content}", found.file_type(), found.nlink())
            };
            state.insert(path, content);
        }
        state.retain(|path, _| !path.starts_with(self.at("cache")));
        state
    }

    fn foolproof(&self, args: &[&str]) -> Output {
        let mut command = Command::new(FOOLPROOF);
        command.args(args).current_dir(self.at("project"));
        command.env("HOME", self.at("home")).env("TMPDIR", self.at("tmp"));
        command.env("FOOLPROOF_CACHE_DIR", self.at("cache"));
        command.env_remove("XDG_CACHE_HOME").env_remove("GITHUB_ACTIONS");
        command.output().unwrap()
    }

    /// Tests a server that does what `script` says whenever it is started, with `argument` as `$1`.
    fn start(&self, options: &[&str], script: &str, argument: &Path) -> Output {
        let few = ["mcp", "stdio", "--seed", "1", "--cases", "2", "--max-steps", "3"];
        let server = ["--", "/bin/sh", STARTER, script, argument.to_str().unwrap()];
        self.foolproof(&[&few[..], options, &server].concat())
    }

    /// Tests the server that wrecks all of these folders.
    fn test(&self, options: &[&str]) -> Output {
        let folders: Vec<String> =
            self.folders().iter().map(|folder| folder.display().to_string()).collect();
        let data = ["--env", "DATA={tmp}/data"];
        let server = ["--", "/bin/sh", SERVER];
        let folders: Vec<&str> = folders.iter().map(String::as_str).collect();
        self.foolproof(&[&["mcp", "stdio"], options, &data[..], &server[..], &folders[..]].concat())
    }
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_default()
}

fn text(output: &Output) -> String {
    [&output.stdout[..], &output.stderr[..]].map(String::from_utf8_lossy).concat()
}

fn json(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{}", text(output)))
}

#[test]
fn nothing_outside_of_its_folder_changes_in_20_of_20_runs() {
    let Some(machine) = Machine::new() else { return };
    let before = machine.state();
    for seed in 0..20 {
        let seed = seed.to_string();
        // Once as a user types it, then with fewer calls.
        let few = ["--cases", "3", "--max-steps", "4"];
        let options = [&["--seed", &seed][..], if seed == "0" { &[][..] } else { &few }].concat();
        let output = machine.test(&options);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output));
        assert_eq!(machine.state(), before, "seed {seed}");
    }
}

#[test]
fn the_same_tools_work_in_its_own_folders() {
    let Some(machine) = Machine::new() else { return };
    let options = ["--seed", "1", "--cases", "2", "--errors", "forbid", "--dump-corpus"];
    let corpus = machine.at("corpus.json");
    let corpus = corpus.to_str().unwrap();
    let output = machine.test(&[&options[..], &[corpus]].concat());
    let own = "create overwrite append rename link hard-link folder fifo truncate delete ";
    let answer = format!("worked: {}null", own.repeat(4));
    assert!(read(Path::new(corpus)).contains(&answer), "{}", text(&output));
    // Where it may not write, nothing worked.
    assert!(read(Path::new(corpus)).contains("\"worked:\""), "{}", read(Path::new(corpus)));
}

#[test]
fn a_path_that_is_allowed_can_be_written_and_no_other() {
    let Some(machine) = Machine::new() else { return };
    let before = machine.state();
    let canary = machine.at("canary");
    let allowed = ["--cases", "2", "--seed", "1", "--allow-write", canary.to_str().unwrap()];
    let output = machine.test(&[&allowed[..], &["--json"]].concat());
    let report = json(&output);
    assert_eq!(report["sandbox"]["inForce"], true);
    assert_eq!(report["sandbox"]["writable"][0], canary.to_str().unwrap());
    let after = machine.state();
    let is_outside = |(path, _): &(&PathBuf, &String)| !path.starts_with(&canary);
    assert!(!canary.join("kept").exists() && canary.join("renamed").exists());
    assert!(before.iter().filter(is_outside).eq(after.iter().filter(is_outside)));
    let missing = machine.test(&["--allow-write", "/nowhere"]);
    assert_eq!(missing.status.code(), Some(2));
    assert!(text(&missing).contains("--allow-write /nowhere"), "{}", text(&missing));
}

#[test]
fn a_reset_command_is_confined_too() {
    let Some(machine) = Machine::new() else { return };
    let before = machine.state();
    let reset = format!("echo x >{{tmp}}/own && rm -rf {}/kept", machine.at("canary").display());
    let output = machine.test(&["--cases", "1", "--reset-command", &reset]);
    assert_eq!(output.status.code(), Some(5), "{}", text(&output));
    assert!(text(&output).contains("the reset command failed"), "{}", text(&output));
    assert_eq!(machine.state(), before);
}

#[test]
fn the_report_the_json_and_the_repro_say_what_is_in_force() {
    let Some(machine) = Machine::new() else { return };
    let repro = machine.at("repro.json");
    let repro = repro.to_str().unwrap();
    let options =
        ["mcp", "stdio", "--seed", "1", "--value", "alpha", "--value", "1500", "--repro", repro];
    let server = ["--", FOOLPROOF, "mcp", "serve", "--bugs", "threshold"];
    let output = machine.foolproof(&[&options[..], &server].concat());
    let shown = String::from_utf8_lossy(&output.stdout).into_owned();
    let second = shown.lines().nth(1).unwrap_or_default();
    assert!(second.starts_with("sandbox: on: writes only below its session's folder"), "{shown}");
    let repro: Value = serde_json::from_str(&read(Path::new(repro))).unwrap();
    assert_eq!(repro["sandbox"]["inForce"], true);
    let off = machine.test(&["--cases", "1", "--no-sandbox", "--json", "--tools", "none*"]);
    assert_eq!(off.status.code(), Some(2), "{}", text(&off));
}

#[test]
fn without_a_sandbox_tools_that_promise_nothing_are_skipped() {
    let Some(machine) = Machine::new() else { return };
    let before = machine.state();
    let output = machine.test(&["--no-sandbox", "--json"]);
    let report = json(&output);
    assert_eq!(report["sandbox"]["inForce"], false);
    assert_eq!(report["skipped"].as_array().map(Vec::len), Some(2), "{report}");
    // A run that tests nothing does not pass.
    assert_eq!(report["outcome"]["code"], "every_tool_skipped");
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(machine.state(), before);
    let told = text(&machine.test(&["--no-sandbox"]));
    assert!(told.contains("sandbox: NONE") && told.contains("--allow-destructive"), "{told}");
    let allowed = machine.test(&["--no-sandbox", "--allow-destructive", "--cases", "2"]);
    assert_eq!(allowed.status.code(), Some(0), "{}", text(&allowed));
    assert_ne!(machine.state(), before);
    // Also then, its home and its temporary files are its own.
    assert_eq!(read(&machine.at("home/sub/deep")), "", "it was told to wreck this one by name");
}

#[test]
fn a_container_counts_as_no_sandbox() {
    let Some(machine) = Machine::new() else { return };
    let engine = machine.at("project/docker");
    fs::copy(SERVER, &engine).unwrap();
    fs::set_permissions(&engine, fs::Permissions::from_mode(0o755)).unwrap();
    let output = machine.foolproof(&["mcp", "stdio", "--", "./docker", "run", "-i", "image"]);
    let shown = text(&output);
    assert!(shown.contains("sandbox: NONE: `./docker` runs the server outside of it"), "{shown}");
    assert_eq!(output.status.code(), Some(1), "{shown}");
}

#[test]
fn a_server_without_network_can_neither_connect_nor_listen() {
    let Some(machine) = Machine::new() else { return };
    if !Support::of_this_system().network {
        return foolproof_corpus::skip("no rules for TCP on this system").unwrap_or_default();
    }
    let serve = ["--", FOOLPROOF, "mcp", "serve", "--http", "127.0.0.1:0"];
    let options = ["mcp", "stdio", "--cases", "1", "--start-timeout", "2s"];
    let closed = machine.foolproof(&[&options[..], &["--no-network"], &serve].concat());
    assert_eq!(closed.status.code(), Some(5));
    assert!(text(&closed).contains("Permission denied"), "{}", text(&closed));
    let open = machine.foolproof(&[&options[..], &serve].concat());
    assert!(!text(&open).contains("Permission denied"), "{}", text(&open));
}

#[test]
fn a_refused_write_is_a_hint_and_no_failure() {
    let Some(machine) = Machine::new() else { return };
    let store = machine.at("canary/store.json");
    let script = machine.at("project/server.sh");
    let refused = format!(
        r#"while IFS= read -r line; do
id=$(printf '%s' "$line" | sed -n 's/.*"id":\([0-9]*\).*/\1/p')
case $line in
*'"initialize"'*) result='{{"protocolVersion":"2025-11-25","capabilities":{{"tools":{{}}}},"serverInfo":{{"name":"s","version":"1"}}}}' ;;
*'"tools/list"'*) result='{{"tools":[{{"name":"save","inputSchema":{{"type":"object"}}}}]}}' ;;
*'"tools/call"'*) result='{{"isError":true,"content":[{{"type":"text","text":"EACCES: permission denied, open '"'{0}'"'"}}]}}' ;;
*) continue ;;
esac
[ -n "$id" ] && printf '{{"jsonrpc":"2.0","id":%s,"result":%s}}\n' "$id" "$result"
done"#,
        store.display()
    );
    fs::write(&script, refused).unwrap();
    let options =
        ["mcp", "stdio", "--cases", "2", "--seed", "1", "--check", "nothing_succeeded=warn"];
    let server = ["--", "/bin/sh", script.to_str().unwrap()];
    let output = machine.foolproof(&[&options[..], &server].concat());
    let hint = format!("--allow-write {}", machine.at("canary").display());
    assert!(text(&output).contains(&hint), "{}", text(&output));
    assert_eq!(text(&output).matches(&hint).count(), 1, "{}", text(&output));
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
}

/// Asserts that a run tested its server without finding anything.
fn assert_passed(output: &Output) {
    assert_eq!(output.status.code(), Some(0), "{}", text(output));
}

#[test]
fn terminals_are_out_of_reach() {
    let Some(machine) = Machine::new() else { return };
    let transcript = machine.at("transcript");
    let attack = "for tty in /dev/tty /dev/pts/*; do echo INTRUDER 2>/dev/null >$tty; done";
    let command =
        format!("{FOOLPROOF} mcp stdio --seed 1 --cases 1 --quiet -- /bin/sh {STARTER} '{attack}'");
    let mut script = Command::new("script");
    script.args(["--quiet", "--return", "--command", &command]).arg(&transcript);
    script.env("FOOLPROOF_CACHE_DIR", machine.at("cache")).stdout(std::process::Stdio::null());
    let Ok(status) = script.status() else {
        return foolproof_corpus::skip("no command `script`").unwrap_or_default();
    };
    let shown = read(&transcript);
    assert!(status.success() && !shown.contains("\nINTRUDER"), "{shown}");
}

#[test]
fn a_link_in_place_of_its_home_leads_nowhere() {
    let Some(machine) = Machine::new() else { return };
    let before = machine.state();
    let script = r#"rm -rf "$HOME" "$TMPDIR"; ln -s "$1" "$HOME"; ln -s "$1/new" "$TMPDIR""#;
    // The first start is for the list of tools; those after it find the links.
    assert_passed(&machine.start(&["--reuse-session"], script, &machine.at("canary")));
    assert_passed(&machine.start(&[], script, &machine.at("canary")));
    assert_eq!(machine.state(), before);
}

#[test]
fn links_in_an_allowed_folder_allow_nothing_else() {
    let Some(machine) = Machine::new() else { return };
    let (allowed, nested) = (machine.at("project"), machine.at("project/sub"));
    let script = r#"rm -rf sub; ln -s "$1" sub; echo changed >sub/kept"#;
    let options =
        ["--allow-write", allowed.to_str().unwrap(), "--allow-write", nested.to_str().unwrap()];
    // In the second run, the link is there from the start.
    for _ in 0..2 {
        assert_passed(&machine.start(&options, script, &machine.at("canary")));
        assert_eq!(fs::read_link(&nested).unwrap(), machine.at("canary"));
        assert_eq!(read(&machine.at("canary/kept")), "precious");
    }
}

#[test]
fn outputs_are_not_written_where_the_server_may_write() {
    let Some(machine) = Machine::new() else { return };
    let canary = machine.at("canary");
    for (option, file) in [("--junit", "canary/j.xml"), ("--repro", "canary/sub/r.json")] {
        let file = machine.at(file);
        let options = ["--allow-write", canary.to_str().unwrap(), option, file.to_str().unwrap()];
        let output = machine.start(&options, "", &canary);
        assert_eq!(output.status.code(), Some(2), "{}", text(&output));
        assert!(text(&output).contains("which the server may write"), "{}", text(&output));
        assert!(!file.exists());
    }
}

#[test]
fn a_program_that_is_called_like_a_launcher_is_confined() {
    let Some(machine) = Machine::new() else { return };
    let before = machine.state();
    let script = format!("#!/bin/sh\necho x >{}/made\nexit 1\n", machine.at("canary").display());
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("cargo");
    fs::write(&program, script).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    let output = machine.foolproof(&["mcp", "stdio", "--", program.to_str().unwrap(), "run"]);
    assert_eq!(output.status.code(), Some(5), "{}", text(&output));
    assert_eq!(machine.state(), before);
}

#[test]
fn commands_do_not_find_what_others_left_in_their_caches() {
    let Some(machine) = Machine::new() else { return };
    let kept = |marker: &str| {
        let marks = format!(r#"mkdir -p "$npm_config_cache"; echo >"$npm_config_cache/{marker}""#);
        format!(
            r#"{marks}; ls "$npm_config_cache" >&2; [ "$(ls "$npm_config_cache")" = {marker} ]  || exit 3"#
        )
    };
    let canary = machine.at("canary");
    // What a command left is there again for the same one, and for no other.
    for (options, marker) in [
        (&[][..], "one"),
        (&[], "one"),
        (&[], "two"),
        (&["--no-sandbox", "--allow-destructive"], "one"),
        (&[], "one"),
    ] {
        assert_passed(&machine.start(options, &kept(marker), &canary));
    }
    let caches = fs::read_dir(machine.at("cache")).unwrap().count();
    assert_eq!(caches, 3, "two commands, one of them also without a sandbox");
}

#[test]
fn a_server_has_no_rights_of_an_administrator() {
    let Some(machine) = Machine::new() else { return };
    let before = machine.state();
    let script = r#"mknod "$TMPDIR/device" b 7 0 2>/dev/null && exit 3
        [ -e "$TMPDIR/device" ] && exit 4
        prlimit --pid $PPID --nofile=0:0 2>/dev/null && exit 5
        :"#;
    assert_passed(&machine.start(&[], script, &machine.at("canary")));
    assert_eq!(machine.state(), before);
}

#[test]
fn a_pipe_among_temporary_files_blocks_nothing() {
    let Some(machine) = Machine::new() else { return };
    let folder = machine.at("tmp/foolproof-planted");
    fs::create_dir(&folder).unwrap();
    let pipe = folder.join("in-use");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    assert_passed(&machine.start(&[], "", &machine.at("canary")));
    assert!(pipe.exists(), "it is none of ours");
}

#[test]
fn a_start_takes_no_longer_than_the_run_may() {
    let Some(machine) = Machine::new() else { return };
    let begin = std::time::Instant::now();
    let output = machine.start(&["--time", "2s"], "sleep 1000", &machine.at("canary"));
    assert_eq!(output.status.code(), Some(5), "{}", text(&output));
    assert!(begin.elapsed().as_secs() < 25, "the limit of a start is 30 s");
}

#[test]
fn a_refused_write_in_the_working_folder_is_a_hint_too() {
    let Some(machine) = Machine::new() else { return };
    let script = "echo \"PermissionError: [Errno 13] Permission denied: 'notes.txt'\" >&2; exit 3";
    let output = machine.start(&[], script, &machine.at("canary"));
    let hint = format!("--allow-write {}", machine.at("project").display());
    assert!(text(&output).contains(&hint), "{}", text(&output));
}
