//! Sequences in a process of their own: what ends, blocks or spins there is a failure like any other.
#![expect(clippy::exit, clippy::unwrap_used, reason = "systems that end the process are tested")]

use std::{
    num::NonZeroUsize,
    time::{Duration, Instant},
};

use foolproof_stateful::{
    Config, Failure, FaultKind, Isolation, Statistics, Test, stateful, stateful_shared,
};

fn isolated(seed: u64) -> Config {
    Config { seed: Some(seed), isolation: Isolation::Process, num_runs: 20, ..Config::default() }
}

fn steps(failure: &Failure) -> Vec<String> {
    failure.minimal().iter().map(ToString::to_string).collect()
}

/// A counter with a command that does something bad from the third step on.
fn counter(bad: fn()) -> Test<u8, ()> {
    stateful::<u8, ()>()
        .model(|| 0)
        .sut(|| ())
        .command("add", |c| c.forall("by", 0..9_u8).run(|_, model, ()| *model += 1))
        .command("act", move |c| {
            c.forall("much", 0..99_u8).run(move |much, model, ()| {
                if *model >= 2 && much >= 10 {
                    bad();
                }
            })
        })
}

/// How many processes that were started for `test` are still there.
#[cfg(target_os = "linux")]
fn workers(test: &str) -> usize {
    let own = std::process::id().to_string();
    let listed = std::process::Command::new("ps").args(["--ppid", &own, "-o", "args="]).output();
    let listed = listed.map(|output| String::from_utf8_lossy(&output.stdout).into_owned());
    let listed = listed.expect("`ps` is there");
    listed.lines().filter(|line| line.contains(test)).count()
}

#[test]
fn a_system_that_ends_the_process_is_a_failure_that_is_shrunk() {
    let failure = counter(|| std::process::abort()).check(isolated(1)).unwrap_err();
    assert_eq!(failure.fault().unwrap().kind(), FaultKind::Crash, "{failure}");
    assert_eq!(steps(&failure), ["add(by: 0)", "add(by: 0)", "act(much: 10)"], "{failure}");
    assert!(!failure.is_flaky(), "{failure}");
    let text = failure.to_string();
    assert!(text.contains("failed: the process ended: signal: 6"), "{failure}");
}

#[test]
fn a_system_that_exits_in_silence_is_a_failure() {
    let failure = counter(|| std::process::exit(0)).check(isolated(2)).unwrap_err();
    assert_eq!(failure.fault().unwrap().detail(), "exit status: 0");
    assert_eq!(steps(&failure), ["add(by: 0)", "add(by: 0)", "act(much: 10)"], "{failure}");
}

#[test]
fn a_system_that_spins_ends_at_the_timeout_and_leaves_no_process() {
    let start = Instant::now();
    let spin = || {
        loop {
            std::hint::spin_loop();
        }
    };
    let timeout = Some(Duration::from_millis(100));
    let config = Config { step_timeout: timeout, confirmations: 1, ..isolated(3) };
    let failure = counter(spin).check(config).unwrap_err();
    assert_eq!(failure.fault().unwrap().kind(), FaultKind::Timeout, "{failure}");
    assert_eq!(steps(&failure), ["add(by: 0)", "add(by: 0)", "act(much: 10)"], "{failure}");
    assert!(start.elapsed() < Duration::from_secs(60), "{:?}", start.elapsed());
    #[cfg(target_os = "linux")]
    assert_eq!(workers("a_system_that_spins_ends_at_the_timeout_and_leaves_no_process"), 0);
}

#[test]
fn a_panic_is_the_same_failure_as_in_process() {
    let test = counter(|| panic!("too much"));
    let inside = test.check(Config { isolation: Isolation::InProcess, ..isolated(4) });
    let outside = test.check(isolated(4)).unwrap_err();
    assert_eq!(outside.to_string(), inside.unwrap_err().to_string());
}

fn shared(threads: usize) -> Result<Statistics, Failure> {
    let threads = NonZeroUsize::new(threads).unwrap();
    stateful_shared::<u32, u32>()
        .given("start", 0..9_u32)
        .model(|start| start)
        .sut_from(|model| *model)
        .command("add", |c| {
            c.forall("by", 1..5_u32)
                .run(|by, model, system| {
                    (*model, *system) = (*model + by, *system + by);
                    *system
                })
                .label(|model, _| if *model < 20 { "small" } else { "large" })
        })
        .command("check", |c| c.oracle(|(), model| *model, |(), system| (*system).min(30)))
        .check(Config { threads, ..isolated(5) })
}

#[test]
fn several_threads_have_a_process_each() {
    let alone = shared(1).unwrap_err();
    assert_eq!(shared(3).unwrap_err().to_string(), alone.to_string());
    assert!(alone.statistics().unwrap().labels.counts.contains_key("large"), "{alone}");
}

#[tokio::test]
async fn an_asynchronous_system_can_have_a_process_of_its_own() {
    let test = stateful::<u8, ()>()
        .model(|| 0)
        .sut_async(async || tokio::task::yield_now().await)
        .command("wait", |c| {
            c.run_async(async |(), model, ()| {
                tokio::task::yield_now().await;
                *model += 1;
                if *model == 3 {
                    std::process::exit(7);
                }
            })
        });
    let failure = test.check_async(isolated(6)).await.unwrap_err();
    assert_eq!(failure.fault().unwrap().detail(), "exit status: 7");
    assert_eq!(failure.minimal().len(), 3, "{failure}");
}

#[test]
fn a_system_that_has_to_be_awaited_is_refused() {
    let test = stateful::<(), ()>()
        .model(|| ())
        .sut(|| ())
        .command("wait", |c| c.run_async(async |(), (), ()| std::future::pending::<()>().await));
    let failure = test.check(isolated(7)).unwrap_err();
    assert!(failure.is_misuse() && failure.to_string().contains("check_async"), "{failure}");
}

#[test]
fn the_test_must_be_known_by_its_name() {
    let outside = std::thread::spawn(|| counter(|| ()).check(isolated(8)).unwrap_err());
    let failure = outside.join().unwrap();
    assert!(failure.to_string().contains("only under `cargo test`"), "{failure}");
}
