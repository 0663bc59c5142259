//! One thread against two, by the clock on the wall: what a user waits for.

use std::{
    path::Path,
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use crate::{binary, schemas::Schema};

/// Rounds alternate between the two, so that other load on the machine affects both.
const ROUNDS: usize = 3;

/// Instances for each one of the ratio: start-up must not count.
const FACTOR: u64 = 4;

pub(crate) fn table(schemas: &[Schema], n: u64, binary: Option<&Path>) {
    let Some((binary, schema)) = binary.zip(binary::schema_file(schemas)) else {
        println!("skipped: there is no binary to run");
        return;
    };
    if !has_threads(binary) {
        println!("skipped: `foolproof generate` has no option `--threads`");
        return;
    }
    let n = n.saturating_mul(FACTOR);
    let mut times = [Vec::new(), Vec::new()];
    for _ in 0..ROUNDS {
        for (index, times) in times.iter_mut().enumerate() {
            let Some(time) = run(binary, &schema, n, index + 1) else {
                println!("skipped: a run on {} thread(s) failed", index + 1);
                return;
            };
            times.push(time);
        }
    }
    let [one, two] = times.map(median);
    println!("{:>9} {:>14} {:>14} {:>9}", "n", "one thread, s", "two threads, s", "speed-up");
    let (one, two) = (one.as_secs_f64(), two.as_secs_f64());
    println!("{n:>9} {one:>14.2} {two:>14.2} {:>8.2}x", one / two);
    println!("wall time, start-up included; a busy machine hides the second thread");
}

fn has_threads(binary: &Path) -> bool {
    let help = Command::new(binary).args(["generate", "--help"]).output();
    help.is_ok_and(|help| String::from_utf8_lossy(&help.stdout).contains("--threads"))
}

/// Standard output rather than `--out`, which renames a finished file into place: `/dev/null` is not
/// to be replaced.
fn run(binary: &Path, schema: &Path, n: u64, threads: usize) -> Option<Duration> {
    let start = Instant::now();
    let status = Command::new(binary)
        .arg("generate")
        .arg(schema)
        .args(["--n", &n.to_string(), "--threads", &threads.to_string()])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    status.is_ok_and(|status| status.success()).then(|| start.elapsed())
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}
