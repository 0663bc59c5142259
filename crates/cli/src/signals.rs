//! Signals that end the program: partial files are removed first.
//!
//! A thread waits for Ctrl-C, `SIGTERM`, `SIGHUP` and `SIGQUIT`. A signal ends the program as it would without this, unless a
//! command wants the first one to cancel its work. Signals that were ignored when the program started, as by `nohup`, still
//! are. Where there is no such thread, a signal ends the program and leaves its partial files to the next one.

use std::sync::{Arc, atomic::AtomicBool};

#[cfg(unix)]
use unix as system;

use crate::exit::INTERRUPT;

/// From here on, partial files are removed before a signal ends the program.
pub(crate) fn watch() {
    system::watch();
}

/// From here on, the first signal only sets `flag`, except `SIGQUIT`. Returns whether signals are watched at all.
pub(crate) fn cancel_first(flag: &Arc<AtomicBool>) -> bool {
    system::cancel_first(flag)
}

/// The number of the signal that has cancelled the work.
pub(crate) fn received() -> u8 {
    system::received().unwrap_or(INTERRUPT)
}

#[cfg(unix)]
mod unix {
    use std::{
        fs,
        sync::{
            Arc, OnceLock,
            atomic::{AtomicBool, AtomicU8, Ordering},
            mpsc,
        },
        thread,
    };

    use signal_hook::{
        consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM},
        iterator::{Handle, Signals},
        low_level,
    };

    use crate::{exit::interrupted, file};

    /// What it takes to watch one signal more.
    static WATCHER: OnceLock<Handle> = OnceLock::new();

    /// What the first signal sets.
    static CANCELLED: OnceLock<Arc<AtomicBool>> = OnceLock::new();

    /// The signal that came first, or 0.
    static FIRST: AtomicU8 = AtomicU8::new(0);

    pub(super) fn watch() {
        let (give, receive) = mpsc::channel::<Signals>();
        let wait = move || {
            if let Ok(mut signals) = receive.recv() {
                signals.forever().for_each(react);
            }
        };
        // Without the thread, a signal that is registered would do nothing at all.
        if thread::Builder::new().name("signals".to_owned()).spawn(wait).is_err() {
            return;
        }
        let ignored = ignored();
        let wanted = [SIGINT, SIGTERM, SIGHUP, SIGQUIT];
        if let Ok(signals) = Signals::new(wanted.into_iter().filter(|it| !ignored.contains(it))) {
            let _ = WATCHER.set(signals.handle());
            // The thread waits for it.
            let _ = give.send(signals);
        }
    }

    pub(super) fn cancel_first(flag: &Arc<AtomicBool>) -> bool {
        let Some(watcher) = WATCHER.get() else { return false };
        let _ = CANCELLED.set(Arc::clone(flag));
        // A shell ignores Ctrl-C for commands in the background, which can be cancelled all the same.
        watcher.add_signal(SIGINT).is_ok()
    }

    pub(super) fn received() -> Option<u8> {
        Some(FIRST.load(Ordering::SeqCst)).filter(|signal| *signal > 0)
    }

    fn react(signal: i32) {
        let number = u8::try_from(signal).unwrap_or_default();
        let is_first = FIRST.swap(number, Ordering::SeqCst) == 0;
        match CANCELLED.get() {
            Some(flag) if is_first && signal != SIGQUIT => flag.store(true, Ordering::SeqCst),
            Some(_) => {
                file::remove_partial_files();
                low_level::exit(interrupted(number).into());
            }
            None => {
                file::remove_partial_files();
                // Whoever waits for this process sees the signal.
                let _ = low_level::emulate_default_handler(signal);
                low_level::exit(interrupted(number).into());
            }
        }
    }

    /// The signals that were ignored when the program started.
    fn ignored() -> Vec<i32> {
        let all = [SIGINT, SIGTERM, SIGHUP, SIGQUIT];
        let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
        let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
        match mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()) {
            Some(mask) => all.into_iter().filter(|it| mask >> (it - 1) & 1 == 1).collect(),
            // Not Linux: `nohup` must work.
            None => vec![SIGHUP],
        }
    }
}

#[cfg(not(unix))]
mod system {
    use super::{Arc, AtomicBool};

    pub(super) fn watch() {}

    pub(super) fn cancel_first(_flag: &Arc<AtomicBool>) -> bool {
        false
    }

    pub(super) fn received() -> Option<u8> {
        None
    }
}
