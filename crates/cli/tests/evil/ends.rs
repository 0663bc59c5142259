//! However the command ends, it ends soon, says what it has found until then, and leaves nothing of its server.

use std::{
    fs,
    os::unix::fs::PermissionsExt as _,
    thread,
    time::{Duration, Instant},
};

use rustix::process::Signal;

use crate::machine::{GRACE, Machine, each, python, wait_until};

/// What the command has to end: a way of `server.py`, and the moment that a session must have reached.
#[derive(Clone, Copy)]
struct Server {
    name: &'static str,
    moment: &'static str,
}

const fn server(name: &'static str, moment: &'static str) -> Server {
    Server { name, moment }
}

const SERVERS: [Server; 13] = [
    server("ignores-everything", "end"),
    server("flood-at-the-end", "end"),
    server("detached-children", "call"),
    server("detached-children-with-the-pipes", "call"),
    server("respawning", "call"),
    server("child-keeps-the-pipes", "call"),
    server("bomb", "call"),
    server("stops-itself", "call"),
    server("drip", "call"),
    server("flood-of-junk", "call"),
    server("endless-progress", "call"),
    server("stderr-flood", "call"),
    server("closed-folders", "call"),
];

/// Phases of a run in which a server drips: it sends something all the time, and never a whole line.
const PHASES: [Server; 6] = [
    server("drip-at-start", "initialize"),
    server("drip-of-the-list", "list"),
    server("drip", "call"),
    server("drip-when-shrunk", "shrunk"),
    server("drip-at-the-end", "end"),
    server("closes-stdout", "call"),
];

/// Whether the sandbox is on.
const SANDBOXED: &[&str] = &[];
const BARE: &[&str] = &["--no-sandbox"];

/// How long the command may take to end.
const LIMIT: Duration = Duration::from_secs(2);

/// Starts a run that lasts long, and sends it a signal at the moment.
fn interrupt(
    machine: &Machine,
    server: Server,
    signal: Signal,
    options: &[&str],
    command: &[String],
) -> Result<(), String> {
    let outputs = machine.outputs();
    let long = ["--cases=1000000", "--protocol=2025-11-25", "--seed=1", "--value=alpha"];
    let args = ["mcp", "stdio"].into_iter().chain(long).chain(options.iter().copied());
    let args = args.chain(outputs.iter().map(String::as_str)).chain(["--"]);
    let args: Vec<&str> = args.chain(command.iter().map(String::as_str)).collect();
    let mut running = machine.start(&args);
    running.wait_until(|machine| machine.reached(server.moment) > 0)?;
    running.signal(signal);
    let begun = Instant::now();
    if signal == Signal::KILL {
        drop(running);
        return without_trace(machine);
    }
    let ended = running.wait(Duration::from_secs(30))?;
    let time = begun.elapsed();
    machine.census()?;
    let (code, text) = (128 + signal.as_raw(), ended.text());
    if ended.code != code || time > LIMIT {
        return Err(format!("code {} after {time:?}: {text:.3000}", ended.code));
    }
    let (says, stdout) = match server.moment {
        "initialize" | "list" | "prepare" | "reset" => ("the server had not started yet", ""),
        _ => ("interrupted: this is about the", "evil 1, protocol 2025-11-25"),
    };
    if !ended.stderr.contains(says) || !ended.stdout.contains(stdout) {
        return Err(format!("it does not report what it has found: {text:.3000}"));
    }
    if ended.stdout.contains("FLAKY") {
        return Err(format!("what was cut off counts as passed: {text:.3000}"));
    }
    Ok(())
}

/// After the command was killed, its processes end by themselves; folders are left to the next run at the latest.
fn without_trace(machine: &Machine) -> Result<(), String> {
    if !wait_until(GRACE, || machine.processes().is_empty()) {
        return Err(format!("left: {:?}", machine.processes()));
    }
    if !machine.leftovers().is_empty() {
        let next = machine.start(&["mcp", "demo"]).wait(Duration::from_secs(20))?;
        if next.code != 0 {
            return Err(next.text());
        }
    }
    machine.census()
}

fn test_each(servers: &[Server], signals: &[Signal], options: &[&str]) {
    let Some(python) = python() else { return };
    let cases: Vec<(Server, Signal)> =
        servers.iter().flat_map(|server| signals.iter().map(|signal| (*server, *signal))).collect();
    let name = |(server, signal): &(Server, Signal)| format!("{} {signal:?}", server.name);
    each(&cases, 4, name, |(server, signal)| {
        let machine = Machine::new();
        let command = [&python[..], &[server.name.to_owned()]].concat();
        interrupt(&machine, *server, *signal, options, &command)
    });
}

#[test]
fn nothing_of_a_server_is_left_after_any_signal() {
    let signals = [Signal::TERM, Signal::HUP, Signal::QUIT, Signal::INT, Signal::KILL];
    test_each(&SERVERS, &signals, SANDBOXED);
}

#[test]
fn nothing_of_a_server_without_a_sandbox_is_left() {
    test_each(&SERVERS, &[Signal::INT, Signal::KILL], BARE);
}

#[test]
fn the_first_interrupt_ends_every_phase() {
    test_each(&PHASES, &[Signal::INT], SANDBOXED);
    test_each(&PHASES, &[Signal::TERM], BARE);
}

#[test]
fn an_interrupt_ends_what_runs_before_the_first_session() {
    let stubborn =
        "trap '' TERM INT HUP; : >\"$TMPDIR/MOMENT\"; while :; do printf x; sleep 0.05; done";
    let script = |moment: &str| stubborn.replace("MOMENT", moment);
    let cases = ["prepare", "reset"];
    each(
        &cases,
        2,
        |case| (*case).to_owned(),
        |case| {
            let machine = Machine::new();
            let cargo = machine.at("bin/cargo");
            fs::write(&cargo, format!("#!/bin/sh\n{}\n", script("prepare"))).unwrap();
            fs::set_permissions(&cargo, fs::Permissions::from_mode(0o755)).unwrap();
            let reset = script("reset");
            let reset = ["--reset-command", &reset];
            let (options, command) =
                if *case == "reset" { (&reset[..], "cat") } else { (&[][..], "cargo run") };
            let command: Vec<String> = command.split(' ').map(str::to_owned).collect();
            interrupt(&machine, server("", case), Signal::INT, options, &command)
        },
    );
}

#[test]
fn a_second_run_does_not_touch_the_folders_of_the_first() {
    let Some(python) = python() else { return };
    let machine = Machine::new();
    let command = [&python[..], &["silence".to_owned()]].concat();
    let args = ["mcp", "stdio", "--cases=1000000", "--protocol=2025-11-25", "--"];
    let args: Vec<&str> = args.into_iter().chain(command.iter().map(String::as_str)).collect();
    let mut running = machine.start(&args);
    running.wait_until(|machine| machine.reached("call") > 0).unwrap();
    let demo = machine.start(&["mcp", "demo"]);
    assert_eq!(demo.wait(Duration::from_secs(20)).unwrap().code, 0);
    assert!(machine.reached("call") > 0);
    running.signal(Signal::INT);
    thread::yield_now();
    running.wait(Duration::from_secs(20)).unwrap();
    machine.census().unwrap();
}
