//! CPU time of this process: what other processes do to the clock on the wall does not count.

use std::{fs, thread, time::Duration};

/// CPU time spent so far, by all threads of the process.
#[cfg(unix)]
pub(crate) fn now() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    let seconds = u64::try_from(time.tv_sec).unwrap_or(0);
    Duration::new(seconds, u32::try_from(time.tv_nsec).unwrap_or(0))
}

/// Where there is no such clock, wall time is the nearest thing.
#[cfg(not(unix))]
pub(crate) fn now() -> Duration {
    static START: std::sync::OnceLock<std::time::Instant> = std::sync::OnceLock::new();
    START.get_or_init(std::time::Instant::now).elapsed()
}

/// The CPU time that `work` takes.
pub(crate) fn of<T>(work: impl FnOnce() -> T) -> (Duration, T) {
    let start = now();
    let result = work();
    (now().saturating_sub(start), result)
}

/// What a reader must know about the machine to judge the numbers.
pub(crate) fn machine() -> String {
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let load = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let clock = if cfg!(unix) { "CPU time" } else { "wall time, for want of CPU time" };
    match load.split(' ').next().filter(|load| !load.is_empty()) {
        Some(load) => format!("{cores} cores, load {load} at the start; times are {clock}"),
        None => format!("{cores} cores; times are {clock}"),
    }
}
