//! The help of every command: short enough, with an example, and recorded in `cmd/help.trycmd`.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::process::Command;

/// Two screens.
const MAX_LINES: usize = 60;

fn help(command: &[String], option: &str) -> String {
    let output =
        Command::new(env!("CARGO_BIN_EXE_foolproof")).args(command).arg(option).output().unwrap();
    assert!(output.status.success(), "{command:?} {option}");
    String::from_utf8(output.stdout).unwrap()
}

/// The commands that the help of `command` lists, and those below them.
fn below(command: &[String]) -> Vec<Vec<String>> {
    let help = help(command, "-h");
    let mut all = vec![command.to_vec()];
    let Some((_, list)) = help.split_once("Commands:\n") else { return all };
    let list = list.split("\n\n").next().unwrap();
    // The lines of a description that is wrapped are indented further.
    let names = list.lines().filter_map(|line| line.strip_prefix("  "));
    let names = names.filter(|line| !line.starts_with(' '));
    for name in names.map(|line| line.split(' ').next().unwrap()).filter(|name| *name != "help") {
        let child: Vec<String> = command.iter().cloned().chain([name.to_owned()]).collect();
        all.extend(below(&child));
    }
    all
}

#[test]
fn every_command_has_a_short_help_with_an_example() {
    let commands = below(&[]);
    assert!(commands.len() >= 20, "only {} commands were found", commands.len());
    for command in commands {
        for option in ["-h", "--help"] {
            assert!(help(&command, option).contains("Example"), "{command:?} {option}");
        }
        let lines = help(&command, "-h").lines().count();
        assert!(lines <= MAX_LINES, "the help of {command:?} has {lines} lines");
    }
}

#[test]
fn the_help_of_every_command_is_recorded() {
    let recorded = include_str!("cmd/help.trycmd");
    for command in below(&[]) {
        let line =
            ["$ foolproof".to_owned()].into_iter().chain(command).chain(["--help".to_owned()]);
        let line = line.collect::<Vec<_>>().join(" ");
        assert!(recorded.lines().any(|it| it == line), "`{line}` is not in cmd/help.trycmd");
    }
}
