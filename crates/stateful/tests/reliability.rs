//! Nothing is lost on the way from a test to its report: parts of the test, failures that do not come back,
//! kinds of errors, recorded sequences, what was picked, who hangs.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::{
    cell::Cell,
    collections::HashSet,
    num::NonZeroUsize,
    path::Path,
    process::Command as Process,
    rc::Rc,
    sync::atomic::{AtomicU64, Ordering},
    time::{Duration, Instant},
};

use foolproof_stateful::{
    Command, Config, Failure, FaultKind, Regressions, Statistics, stateful, stateful_shared,
};
use proptest::prelude::*;

fn seeded(seed: u64) -> Config {
    Config { seed: Some(seed), ..Config::default() }
}

fn steps(failure: &Failure) -> Vec<String> {
    failure.minimal().iter().map(ToString::to_string).collect()
}

static SHARED: AtomicU64 = AtomicU64::new(0);

#[test]
fn no_order_of_calls_loses_a_part_of_the_test() {
    let seen: Rc<[Cell<u32>; 4]> = Rc::default();
    let count = |part: usize| {
        let seen = Rc::clone(&seen);
        move || seen[part].set(seen[part].get() + 1)
    };
    let (setup, teardown, invariant, run) = (count(0), count(1), count(2), count(3));
    stateful::<(), ()>()
        .command("run", move |c| c.run(move |(), (), ()| run()))
        .invariant("checked", move |(), ()| {
            invariant();
            true
        })
        .teardown(move |(), ()| teardown())
        .setup(move |(), ()| setup())
        .sut(|| ())
        .model(|| ())
        .check(seeded(1))
        .unwrap();
    assert!(seen.iter().all(|part| part.get() >= 100), "{seen:?}");
    let count = || SHARED.fetch_add(1, Ordering::Relaxed);
    let statistics = stateful_shared::<(), ()>()
        .command("run", move |c| c.run(move |(), (), ()| count()))
        .setup(move |(), ()| {
            count();
        })
        .model(|| ())
        .sut(|| ())
        .check(seeded(1))
        .unwrap();
    assert_eq!(SHARED.load(Ordering::Relaxed), statistics.runs + statistics.steps);
}

/// A system that fails at its hundredth call in all, and never again.
fn fails_once(config: Config) -> Failure {
    let calls = Rc::new(Cell::new(0));
    stateful::<(), ()>()
        .model(|| ())
        .sut(|| ())
        .command("call", |c| {
            c.forall("number", 0..1_000_u32).run(move |number, (), ()| {
                calls.set(calls.get() + 1);
                assert_ne!(calls.get(), 100, "it happens");
                number
            })
        })
        .check(config)
        .unwrap_err()
}

#[test]
fn a_failure_that_does_not_come_back_is_reported_as_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("once.txt");
    let config = Config { regressions: Regressions::File(path.clone()), ..seeded(1) };
    let failure = fails_once(config);
    assert!(failure.is_flaky(), "{failure}");
    assert!(failure.fault().unwrap().detail().contains("it happens"), "{failure}");
    assert!(!failure.minimal().is_empty());
    assert_eq!(failure.minimal(), failure.original());
    let results = failure.minimal().iter().filter(|step| step.result.is_some()).count();
    assert_eq!(results, failure.minimal().len() - 1, "all but the last step had a result");
    assert_eq!(failure.confirmations(), (0, 20));
    let text = failure.to_string();
    assert!(text.starts_with("FLAKY: a sequence failed once, and passed the 20 times"), "{text}");
    assert_eq!(failure.replay().split("; ").count(), failure.minimal().len());
    let kept = std::fs::read_to_string(&path).unwrap();
    assert!(kept.contains(failure.replay().split("; ").next().unwrap()), "{kept}");
}

#[derive(Debug)]
#[expect(dead_code, reason = "the fields are for the report")]
enum DiskError {
    Busy { retries: u8 },
    Corrupt(u32),
}

fn read(by: u32, sector: &mut u32) -> Result<u32, DiskError> {
    let before = *sector;
    *sector += by;
    match *sector {
        40.. => Err(DiskError::Corrupt(*sector)),
        _ if before > 0 && by == 1 => Err(DiskError::Busy { retries: 3 }),
        sector => Ok(sector),
    }
}

/// A disk that is busy now and then, and corrupt from sector 40 on.
fn disk(command: Command<u32, ()>, seed: u64) -> Failure {
    let test = stateful::<u32, ()>().model(|| 0).sut(|| ()).commands([command]);
    test.check(Config { num_runs: 1_000, ..seeded(seed) }).unwrap_err()
}

#[test]
fn an_error_is_not_replaced_by_one_of_another_variant() {
    let typed = || {
        Command::new("read", |c| c.forall("by", 0..9_u32).try_run(|by, model, ()| read(by, model)))
    };
    let plain =
        || Command::new("read", |c| c.forall("by", 0..9_u32).run(|by, model, ()| read(by, model)));
    let mut found = [0, 0];
    for seed in 0..40 {
        for command in [typed(), plain()] {
            let failure = disk(command, seed);
            let fault = failure.fault().unwrap();
            assert_eq!(fault.kind(), FaultKind::Error);
            if fault.detail().starts_with("Corrupt") {
                found[0] += 1;
                // Five steps of eight, if an eight was drawn.
                assert!((5..=6).contains(&failure.minimal().len()), "{failure}");
            } else {
                found[1] += 1;
                assert_eq!(steps(&failure), ["read(by: 1)", "read(by: 1)"], "{failure}");
            }
        }
    }
    assert!(found[0] > 5 && found[1] > 5, "{found:?}");
}

/// How many sequences of a protocol were empty, of those that have a length.
#[test]
fn swarm_never_excludes_every_command_that_can_run() {
    let statistics = stateful::<bool, ()>()
        .model(|| false)
        .sut(|| ())
        .command("connect", |c| {
            c.pre(|is_open, ()| !is_open).run(|(), is_open, ()| *is_open = true)
        })
        .command("send", |c| c.pre(|is_open, ()| *is_open).run(|(), _, ()| ()))
        .command("close", |c| c.pre(|is_open, ()| *is_open).run(|(), is_open, ()| *is_open = false))
        .check(Config { num_runs: 10_000, ..seeded(1) })
        .unwrap();
    assert_eq!(statistics.cut_short, 0, "{statistics}");
    let average = statistics.steps as f64 / statistics.runs as f64;
    assert!((31.0..34.0).contains(&average), "{average}");
}

#[test]
fn a_command_of_weight_zero_is_never_drawn() {
    let statistics = stateful::<u8, ()>()
        .model(|| 0)
        .sut(|| ())
        .command("three times", |c| c.pre(|count, ()| *count < 3).run(|(), count, ()| *count += 1))
        .command("never", |c| c.run(|(), _, ()| panic!("it has no weight")).weight(0))
        .check(seeded(1))
        .unwrap();
    assert_eq!(statistics.never_ran().collect::<Vec<_>>(), ["never"]);
    assert!(statistics.steps <= 300 && statistics.cut_short > 80, "{statistics}");
}

/// A counter that must stay below 500, whose steps are drawn from `strategy`.
fn below_500(
    strategy: impl Strategy<Value = u32> + Send + Sync + 'static,
    config: Config,
) -> Result<Statistics, Failure> {
    let test = stateful_shared::<u32, ()>().model(|| 0).sut(|| ());
    let test = test.command("add", |c| c.forall("by", strategy).run(|by, sum, ()| *sum = by));
    test.invariant("below 500", |sum, ()| *sum < 500).check(config)
}

#[test]
fn a_regression_whose_arguments_have_changed_is_stale_and_kept() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("sum.txt");
    let config = |threads| Config {
        regressions: Regressions::File(path.clone()),
        threads: NonZeroUsize::new(threads).unwrap(),
        ..seeded(1)
    };
    let found = below_500(0..1_000_u32, config(1)).unwrap_err();
    assert_eq!(steps(&found), ["add(by: 500)"]);
    let kept = std::fs::read_to_string(&path).unwrap();
    for threads in [1, 4] {
        // The same strategy: it fails, and the report says where it comes from.
        let again =
            below_500(0..1_000_u32, Config { seed: Some(9), ..config(threads) }).unwrap_err();
        assert_eq!((again.regression_line(), again.statistics().unwrap().runs), (Some(3), 1));
        // Another strategy: the line repeats something else, which says nothing.
        let statistics = below_500(0..400_u32, config(threads)).unwrap();
        assert_eq!(statistics.regressions.passed, 0);
        let [stale] = &statistics.regressions.stale[..] else { panic!("{statistics}") };
        assert!(stale.starts_with("line 3: the arguments of step 1 were `by: 500`"), "{stale}");
        assert!(statistics.to_string().contains("STALE regression"), "{statistics}");
    }
    assert_eq!(std::fs::read_to_string(&path).unwrap(), kept);
}

#[test]
fn lines_of_older_versions_replay_and_garbage_is_reported() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("sum.txt");
    let config = Config { regressions: Regressions::File(path.clone()), ..seeded(1) };
    let found = below_500(0..1_000_u32, seeded(1)).unwrap_err();
    // A line without arguments, as it was written once.
    std::fs::write(&path, format!("# old\n{}\n", found.replay())).unwrap();
    let again = below_500(0..1_000_u32, config.clone()).unwrap_err();
    assert_eq!((again.minimal(), again.regression_line()), (found.minimal(), Some(2)));
    let lines = "add#1(0:Z)\n<<<<<<< HEAD\nadd#1(zz)\nsubtract#1()\n";
    std::fs::write(&path, lines).unwrap();
    let failure = below_500(0..1_000_u32, config).unwrap_err();
    let regressions = &failure.statistics().unwrap().regressions;
    assert_eq!(regressions.passed, 1, "{failure}");
    assert_eq!(regressions.unreadable, ["line 2: `<<<<<<< HEAD`", "line 3: `add#1(zz)`"]);
    assert_eq!(regressions.stale, ["line 4: it does not fit the commands of the test"]);
}

/// Set for the process in which the test below runs itself again.
const INNER: &str = "FOOLPROOF_TEST_INNER";

#[test]
fn failing_sequences_are_kept_without_configuration() {
    if std::env::var(INNER).is_ok() {
        let config = Config { num_runs: 1_000, ..Config::default() };
        let failure = below_500(0..1_000_u32, config).unwrap_err();
        println!("line {:?}", failure.regression_line());
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let run = || {
        let output = Process::new(std::env::current_exe().unwrap())
            .args(["failing_sequences_are_kept_without_configuration", "--exact", "--nocapture"])
            .env(INNER, "1")
            .env("FOOLPROOF_REGRESSIONS", folder.path())
            .output()
            .unwrap();
        assert!(output.status.success(), "{output:?}");
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    assert!(run().contains("line None"));
    assert!(run().contains("line Some(3)"));
    let file = "reliability-failing_sequences_are_kept_without_configuration.txt";
    assert!(folder.path().join(file).exists());
    // With a seed, nothing is kept: the run must not depend on a file.
    assert!(!Path::new(env!("CARGO_MANIFEST_DIR")).join("foolproof-regressions").exists());
}

#[test]
fn what_was_picked_from_an_unordered_collection_is_picked_again() {
    for seed in 0..20 {
        let failure = stateful::<HashSet<u32>, ()>()
            .model(HashSet::new)
            .sut(|| ())
            .command("add", |c| c.forall("id", 0..1_000_u32).run(|id, ids, ()| ids.insert(id)))
            .command("use", |c| {
                // The order of the candidates is another one in every session.
                c.pick("id", |ids: &HashSet<u32>| ids.clone())
                    .run(|id, _, ()| assert!(id < 700, "too large"))
            })
            .check(seeded(seed))
            .unwrap_err();
        assert!(!failure.is_flaky(), "{failure}");
        assert_eq!(steps(&failure), ["add(id: 700)", "use(id: 700)"], "{failure}");
    }
}

#[test]
fn a_test_in_which_no_step_can_run_fails() {
    let nothing = |failure: Failure| {
        let text = failure.to_string();
        assert!(failure.is_misuse() && text.starts_with("no step ran in 100 sequences"), "{text}");
    };
    let weightless = stateful::<(), ()>().model(|| ()).sut(|| ());
    let weightless = weightless.command("a", |c| c.weight(0).run(|(), (), ()| ()));
    nothing(weightless.check(seeded(1)).unwrap_err());
    let blocked = stateful::<(), ()>().model(|| ()).sut(|| ());
    let blocked = blocked.command("a", |c| c.pre(|(), ()| false).run(|(), (), ()| ()));
    nothing(blocked.check(seeded(1)).unwrap_err());
    let short = stateful::<(), ()>().model(|| ()).sut(|| ());
    let short = short.command("a", |c| c.run(|(), (), ()| ()));
    nothing(short.check(Config { max_commands: 0, ..seeded(1) }).unwrap_err());
    // One sequence may well have no steps.
    for seed in 0..200 {
        short.check(Config { num_runs: 1, max_commands: 3, ..seeded(seed) }).unwrap();
    }
}

#[test]
fn invariants_are_checked_on_the_initial_state() {
    let ended = Rc::new(Cell::new(0));
    let ends = Rc::clone(&ended);
    let failure = stateful::<u8, ()>()
        .model(|| 7)
        .sut(|| ())
        .command("a", |c| c.run(|(), _, ()| ()))
        .teardown(move |_, ()| ends.set(ends.get() + 1))
        .invariant("small", |model, ()| *model < 5)
        .check(seeded(1))
        .unwrap_err();
    let fault = failure.fault().unwrap();
    assert_eq!((fault.kind(), fault.location()), (FaultKind::Invariant, "small"));
    assert!(failure.minimal().is_empty() && ended.get() == 1, "{failure}");
    let text = failure.to_string();
    assert!(text.starts_with("before the first step, the invariant `small` is false"), "{text}");
    // A generated initial state is shrunk.
    let failure = stateful::<u32, ()>()
        .given("size", 0..1_000_u32)
        .model(|size| size)
        .sut(|| ())
        .command("a", |c| c.run(|(), _, ()| ()))
        .invariant("small", |model, ()| *model < 300)
        .check(seeded(1))
        .unwrap_err();
    assert_eq!((failure.given(), failure.minimal().len()), (&["size: 300".to_owned()][..], 0));
    let again = Config { replay: Some(failure.replay().to_owned()), ..seeded(2) };
    assert!(again.replay.as_ref().is_some_and(|replay| !replay.is_empty()));
}

#[test]
fn every_false_invariant_is_reported_and_the_first_is_the_identity() {
    for seed in 0..20 {
        let failure = stateful::<u32, ()>()
            .model(|| 0)
            .sut(|| ())
            .command("add", |c| c.forall("by", 1..9_u32).run(|by, sum, ()| *sum += by))
            .invariant("below 1000", |sum, ()| *sum < 1_000)
            .invariant(
                "below 20",
                |sum, ()| {
                    if *sum < 20 { Ok(()) } else { Err(format!("it is {sum}")) }
                },
            )
            .invariant("below 21", |sum, ()| *sum < 21)
            .invariant("below 5", |sum, ()| *sum < 5 || *sum >= 16)
            .check(seeded(seed))
            .unwrap_err();
        let fault = failure.fault().unwrap();
        if fault.location() == "below 20" {
            assert!(fault.detail().starts_with("it is 2"), "{fault}");
            if fault.detail().contains("is false too") {
                assert!(fault.detail().contains("; `below 21` is false too"), "{fault}");
            }
        } else {
            assert_eq!((fault.location(), fault.detail()), ("below 5", ""));
        }
    }
}

#[test]
fn limits_of_shrinking_hold_for_sequences_of_thousands_of_steps() {
    // Every step is needed, and an execution takes some milliseconds.
    let test = stateful::<u32, u64>()
        .model(|| 0)
        .sut(|| 0)
        .command("add", |c| {
            c.forall("key", 0..1_000_u32).forall("value", any::<u32>()).run(
                |(key, value), count, sum| {
                    *count += 1;
                    for round in 0..500 {
                        *sum = sum.rotate_left(5) ^ u64::from(key) ^ u64::from(value) ^ round;
                    }
                },
            )
        })
        .invariant("short", |count, _| *count < 3_000);
    let config = Config { max_commands: 3_000, min_commands: 3_000, num_runs: 1, ..seeded(1) };
    for (seconds, runs) in [(1, 1_000_000), (60, 25)] {
        let limit = Duration::from_secs(seconds);
        let config = Config { max_shrink_time: limit, max_shrink_runs: runs, ..config.clone() };
        let start = Instant::now();
        let failure = test.check(config).unwrap_err();
        assert!(failure.reached_shrink_limit() && failure.minimal().len() == 3_000);
        assert!(failure.executions() <= runs);
        // Exploring, reproducing and confirming take a few executions more.
        let other = start.elapsed().saturating_sub(limit);
        assert!(seconds > 1 || other < Duration::from_secs(1), "{other:?}");
    }
}

/// Which part of a sequence hangs.
#[derive(Clone, Copy, PartialEq)]
enum Part {
    Model,
    System,
    Setup,
    Step,
    Teardown,
}

fn hang_if(is_here: bool) {
    if is_here {
        std::thread::sleep(Duration::from_secs(3_600));
    }
}

#[test]
fn a_hang_is_blamed_on_the_part_that_hangs() {
    let expected = [
        (Part::Model, "before the first step, it did not end in time (creating the model)"),
        (Part::System, "before the first step, it did not end in time (creating the system)"),
        (Part::Setup, "before the first step, it did not end in time (setup)"),
        (Part::Step, "`b()` failed: it did not end in time: it took longer"),
        (Part::Teardown, "the teardown failed: it did not end in time"),
    ];
    for (part, expected) in expected {
        let config = Config {
            step_timeout: Some(Duration::from_millis(60)),
            max_shrink_runs: 8,
            confirmations: 1,
            num_runs: 3,
            ..seeded(2)
        };
        let failure = stateful_shared::<u8, ()>()
            .model(move || {
                hang_if(part == Part::Model);
                0
            })
            .sut(move || hang_if(part == Part::System))
            .setup(move |_, ()| hang_if(part == Part::Setup))
            .command("a", |c| c.run(|(), _, ()| ()))
            .command("b", move |c| c.run(move |(), _, ()| hang_if(part == Part::Step)))
            .teardown(move |_, ()| hang_if(part == Part::Teardown))
            .check(config)
            .unwrap_err();
        assert_eq!(failure.fault().unwrap().kind(), FaultKind::Timeout);
        assert!(failure.to_string().starts_with(expected), "{failure}");
    }
}

async fn hang_async_if(is_here: bool) {
    if is_here {
        std::future::pending::<()>().await;
    }
}

#[tokio::test]
async fn an_asynchronous_hang_is_blamed_on_the_part_that_hangs() {
    let expected = [
        (Part::System, "before the first step, it did not end in time (creating the system)"),
        (Part::Setup, "before the first step, it did not end in time (setup)"),
        (Part::Step, "`a()` failed: it did not end in time: it took longer"),
        (Part::Teardown, "the teardown failed: it did not end in time"),
    ];
    for (part, expected) in expected {
        let timeout = Some(Duration::from_millis(40));
        let config = Config { step_timeout: timeout, max_shrink_runs: 8, ..seeded(2) };
        let failure = stateful::<u8, ()>()
            .model(|| 0)
            .sut_async(async move || hang_async_if(part == Part::System).await)
            .setup_async(async move |_, ()| hang_async_if(part == Part::Setup).await)
            .command("a", move |c| {
                c.run_async(async move |(), _, ()| hang_async_if(part == Part::Step).await)
            })
            .teardown_async(async move |_, ()| hang_async_if(part == Part::Teardown).await)
            .check_async(config)
            .await
            .unwrap_err();
        assert!(failure.to_string().starts_with(expected), "{failure}");
    }
}

#[test]
fn a_panic_while_arguments_are_drawn_names_command_and_argument() {
    let failure = stateful::<Vec<u8>, ()>()
        .model(|| vec![1, 2])
        .sut(|| ())
        .command("pop", |c| c.run(|(), model, ()| model.pop()))
        .command("get", |c| c.forall_with("index", |model| 0..model.len()).run(|_, _, ()| ()))
        .check(Config { swarm: false, ..seeded(1) })
        .unwrap_err();
    let text = failure.to_string();
    assert!(text.contains("while the argument `index` of `get` was drawn"), "{text}");
    assert!(text.contains("an empty range"), "{text}");
    let pops = failure.original().iter().filter(|step| step.command == "pop").count();
    let before = format!("the steps before ({}):", failure.original().len());
    assert!(pops >= 2 && text.contains(&before), "{text}");
}

#[tokio::test]
async fn an_asynchronous_test_runs_sequences_at_the_same_time() {
    let test = |is_right: bool| {
        stateful::<u32, u32>()
            .model(|| 0)
            .sut(|| 0)
            .command("add", move |c| {
                c.forall("by", 1..9_u32).run_async(async move |by, model, system| {
                    tokio::time::sleep(Duration::from_millis(1)).await;
                    *model += by;
                    *system += if *model > 30 && !is_right { 0 } else { by };
                })
            })
            .invariant("same", |model, system| model == system)
    };
    let config = |threads| Config {
        threads: NonZeroUsize::new(threads).unwrap(),
        max_commands: 10,
        num_runs: 40,
        ..seeded(1)
    };
    let time = async |threads| {
        let start = Instant::now();
        let statistics = test(true).check_async(config(threads)).await.unwrap();
        (start.elapsed(), statistics)
    };
    let ((alone, one), (together, many)) = (time(1).await, time(16).await);
    assert_eq!(one, many);
    assert!(together < alone / 3, "{together:?} {alone:?}");
    let report =
        async |threads| test(false).check_async(config(threads)).await.unwrap_err().to_string();
    assert_eq!(report(1).await, report(16).await);
}

#[test]
fn messages_of_assertions_keep_their_lines() {
    let failure = stateful::<u8, ()>()
        .model(|| 0)
        .sut(|| ())
        .command("compare", |c| c.run(|(), _, ()| assert_eq!(1 + 1, 3, "arithmetic")))
        .check(seeded(1))
        .unwrap_err();
    let text = failure.to_string();
    assert!(
        text.contains("assertion `left == right` failed: arithmetic\n  left: 2\n right: 3\n"),
        "{text}"
    );
}

#[test]
fn a_strategy_that_is_not_pure_is_drawn_once_a_step() {
    let drawn = Rc::new(Cell::new(0_u32));
    let counter = Rc::clone(&drawn);
    let impure = (0..1_u8).prop_map(move |_| {
        counter.set(counter.get() + 1);
        counter.get()
    });
    let statistics = stateful::<Vec<u32>, ()>()
        .model(Vec::new)
        .sut(|| ())
        .command("use", |c| {
            c.forall("number", impure)
                .pre(|_, number| *number > 0)
                .run(|number, model, ()| {
                    model.push(number);
                    number
                })
                // What the precondition, the command and the postcondition see is one value.
                .post(|number, model, (), result| {
                    number == *result && model.last() == Some(&number)
                })
        })
        .check(Config { min_commands: 1, ..seeded(1) })
        .unwrap();
    assert_eq!(u64::from(drawn.get()), statistics.steps);
}

#[test]
fn a_filter_that_rejects_nearly_everything_is_named() {
    let rare = any::<u64>().prop_filter("rare", |number| number.is_multiple_of(1_000_003));
    let statistics = stateful::<(), ()>()
        .model(|| ())
        .sut(|| ())
        .command("often", |c| c.run(|(), (), ()| ()))
        .command("seldom", |c| c.forall("number", rare).run(|_, (), ()| ()))
        .check(Config { num_runs: 2, max_commands: 5, ..seeded(1) })
        .unwrap();
    assert!(statistics.rejected["seldom(number)"] > 0);
    let text = statistics.to_string();
    assert!(text.contains("the strategy of `seldom(number)` rejected nearly everything"), "{text}");
}

#[test]
fn the_original_sequence_is_there_and_long_arguments_are_cut_in_text_only() {
    let test = stateful::<usize, ()>()
        .model(|| 0)
        .sut(|| ())
        .command("write", |c| {
            c.forall("text", "[a-z]{500,600}").run(|text, length, ()| *length += text.len())
        })
        .invariant("short", |length, ()| *length < 1_400);
    let failure = test.check(seeded(1)).unwrap_err();
    assert_eq!(failure.minimal().len(), 3);
    let argument = &failure.minimal()[0].arguments[0];
    assert_eq!(argument.len(), "text: ".len() + 502, "the data has all of it");
    let text = failure.to_string();
    assert!(!text.contains(argument) && text.contains("…"), "{text}");
    assert!(failure.original().len() >= 3);
    let verbose = test.check(Config { verbose: true, ..seeded(1) }).unwrap_err().to_string();
    assert!(verbose.contains("before shrinking:") && verbose.contains("shrink pass"), "{verbose}");
}

#[test]
fn a_run_that_keeps_going_reports_every_distinct_failure_once() {
    let test = stateful_shared::<u32, ()>()
        .model(|| 0)
        .sut(|| ())
        .command("add", |c| c.forall("by", 1..5_u32).run(|by, sum, ()| *sum += by))
        .command("panic", |c| c.pre(|sum, ()| *sum >= 7).run(|(), _, ()| panic!("a panic")))
        .command("refuse", |c| {
            c.pre(|sum, ()| *sum >= 3).run(|(), sum, ()| match *sum % 2 {
                0 => Err::<(), _>("even"),
                _ => Err("odd"),
            })
        })
        .invariant("below 40", |sum, ()| *sum < 40);
    let report = |threads| {
        let threads = NonZeroUsize::new(threads).unwrap();
        test.check(Config { keep_going: true, threads, num_runs: 300, ..seeded(1) }).unwrap_err()
    };
    let failure = report(1);
    let mut faults: Vec<String> =
        failure.all().map(|failure| failure.fault().unwrap().detail().to_owned()).collect();
    faults.sort();
    assert_eq!(faults, ["", "\"even\"", "\"odd\"", "a panic"], "{failure}");
    assert_eq!(failure.statistics().unwrap().runs, 300);
    assert_eq!(report(4).to_string(), failure.to_string());
}

#[test]
fn a_sequence_that_cannot_reach_its_shortest_length_is_a_failure() {
    let test = stateful::<u8, ()>()
        .model(|| 0)
        .sut(|| ())
        .command("thrice", |c| c.pre(|count, ()| *count < 3).run(|(), count, ()| *count += 1));
    let failure = test.check(Config { min_commands: 5, ..seeded(1) }).unwrap_err();
    let text = failure.to_string();
    assert!(text.starts_with("no command can run after 3 of at least 5 steps"), "{text}");
    let statistics = test.check(Config { min_commands: 3, max_commands: 3, ..seeded(1) }).unwrap();
    assert_eq!(statistics.steps, 3 * statistics.runs);
}

#[test]
fn names_of_arguments_and_commands_must_differ() {
    let test = stateful::<(), ()>().model(|| ()).sut(|| ());
    let twice = test
        .clone()
        .command("a", |c| c.forall("x", 0..2_u8).forall("x", 0..2_u8).run(|_, (), ()| ()));
    let problem = twice.check(seeded(1)).unwrap_err().to_string();
    assert_eq!(problem, "two arguments of `a` are called `x`: names must differ");
    let names = (0..3).map(|number| Command::new(format!("a{number}"), |c| c.run(|(), (), ()| ())));
    assert_eq!(test.commands(names).check(seeded(1)).unwrap().commands[2].name, "a2");
}
