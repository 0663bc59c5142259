//! Finding and ending every descendant of this process, which must be a child subreaper.
//!
//! As a subreaper inherits all orphans, "no child is left" means that no descendant is left. Only this module reaps, so the
//! number of a child cannot be given to another process between finding and ending it.

use std::{
    collections::BTreeMap,
    fs, thread,
    time::{Duration, Instant},
};

use rustix::{
    io::Errno,
    process::{
        Pid, PidfdFlags, Signal, WaitOptions, WaitStatus, getpid, pidfd_open, pidfd_send_signal,
        wait,
    },
};

/// How long descendants may take to clean up after `SIGTERM`, before they are killed: `npx` holds a lock in its cache while it
/// starts a package, and one that it does not release blocks the next `npx` for a minute.
const GRACE: Duration = Duration::from_millis(400);

/// How long ending everything may take. Only a process that hangs in the kernel takes longer than some milliseconds.
const PATIENCE: Duration = Duration::from_secs(5);

/// Reaps the children that have ended. Returns the status of `awaited` if it was one of them.
pub(super) fn reap(awaited: Pid) -> Reaped {
    let mut status = None;
    loop {
        match wait(WaitOptions::NOHANG) {
            Ok(Some((pid, ended))) if pid == awaited => status = Some(ended),
            Ok(Some(_)) | Err(Errno::INTR) => {}
            Ok(None) => return Reaped { status, is_childless: false },
            Err(_) => return Reaped { status, is_childless: true },
        }
    }
}

/// What reaping found.
pub(super) struct Reaped {
    /// How the awaited child ended, if it was reaped.
    pub(super) status: Option<WaitStatus>,
    /// Whether no child, and so no descendant, is left.
    pub(super) is_childless: bool,
}

/// Ends every descendant: asks them to, and kills those that do not end in time. Returns the status of `awaited` if it was one
/// of them.
pub(super) fn end_all(awaited: Pid) -> Option<WaitStatus> {
    let end = Instant::now() + GRACE;
    let mut reaped = reap(awaited);
    let mut status = reaped.status;
    let mut pause = Duration::from_micros(100);
    if !reaped.is_childless {
        signal_all(Signal::TERM);
        while !reaped.is_childless && Instant::now() < end {
            thread::sleep(pause);
            pause = (pause * 2).min(Duration::from_millis(5));
            reaped = reap(awaited);
            status = status.or(reaped.status);
        }
    }
    if reaped.is_childless { status } else { status.or(kill_all(awaited)) }
}

/// Kills every descendant until none is left. Returns the status of `awaited` if it was one of them.
///
/// A process that forks and exits all the time has another number each time it is looked for, so this looks again and again.
pub(super) fn kill_all(awaited: Pid) -> Option<WaitStatus> {
    let end = Instant::now() + PATIENCE;
    let mut status = None;
    loop {
        signal_all(Signal::KILL);
        let reaped = reap(awaited);
        status = status.or(reaped.status);
        if reaped.is_childless || Instant::now() >= end {
            return status;
        }
        // The killed ones need a moment of the processor to end.
        thread::sleep(Duration::from_micros(50));
    }
}

/// Sends a signal to every descendant.
pub(super) fn signal_all(signal: Signal) {
    let mut parents = BTreeMap::new();
    for (pid, parent) in processes() {
        parents.insert(pid, parent);
        // Processes come in the order of their numbers, so most parents come before their children; the others are
        // found when they are looked for again.
        if is_descendant(pid, &parents) {
            send(pid, parent, signal);
        }
    }
}

/// Whether the ancestors of a process lead to this one.
fn is_descendant(mut pid: i32, parents: &BTreeMap<i32, i32>) -> bool {
    let own = getpid().as_raw_nonzero().get();
    // Numbers wrap around, so a cycle of stale entries is possible in theory.
    for _ in 0..parents.len() {
        match parents.get(&pid) {
            Some(parent) if *parent == own => return true,
            Some(parent) => pid = *parent,
            None => return false,
        }
    }
    false
}

/// Signals a process if it is still the child of `parent`: its number may have been given to another one.
fn send(pid: i32, parent: i32, signal: Signal) {
    let Some(process) = Pid::from_raw(pid) else { return };
    // From here on the descriptor means this process and no other.
    let Ok(process) = pidfd_open(process, PidfdFlags::empty()) else { return };
    let own = getpid().as_raw_nonzero().get();
    if parent_of(pid).is_some_and(|now| now == parent || now == own) {
        let _ = pidfd_send_signal(process, signal);
    }
}

/// Every process with its parent.
fn processes() -> impl Iterator<Item = (i32, i32)> {
    let entries = fs::read_dir("/proc").into_iter().flatten().filter_map(Result::ok);
    let numbers = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    numbers.filter_map(|pid| Some((pid, parent_of(pid)?)))
}

fn parent_of(pid: i32) -> Option<i32> {
    let stat = fs::read(format!("/proc/{pid}/stat")).ok()?;
    // The name of the program is in parentheses, and may have any bytes.
    let after_name = stat.iter().rposition(|byte| *byte == b')')?;
    let fields = str::from_utf8(&stat[after_name + 1..]).ok()?;
    fields.split_ascii_whitespace().nth(1)?.parse().ok()
}
