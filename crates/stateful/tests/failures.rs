//! Every kind of failure is reported and stops nothing else: panics, errors, hangs, flaky systems, tests
//! that are wrong themselves.

use std::{
    cell::Cell,
    num::NonZeroUsize,
    rc::Rc,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use foolproof_stateful::{
    Argument, Config, Failure, Fault, FaultKind, Machine, Regressions, SessionContext, StateText,
    StepOutcome, StepRecord, StepRequest, check_machine, stateful, stateful_shared,
};
use proptest::prelude::*;

fn seeded(seed: u64) -> Config {
    Config { seed: Some(seed), ..Config::default() }
}

fn commands(failure: &Failure) -> Vec<&str> {
    failure.minimal().iter().map(|step| &*step.command).collect()
}

#[test]
fn a_panic_of_the_system_is_a_failure_with_its_location_and_arguments() {
    let failure = stateful::<u32, u32>()
        .model(|| 0)
        .sut(|| 0)
        .command("add", |c| {
            c.forall("by", 0..100_u32).run(|by, model, system| {
                *model += by;
                *system += by;
                assert!(by < 50, "too much");
            })
        })
        .check(seeded(1))
        .unwrap_err();
    let fault = failure.fault().unwrap();
    assert_eq!((fault.kind(), fault.detail()), (FaultKind::Panic, "too much"));
    assert!(fault.location().contains("failures.rs:"), "{}", fault.location());
    assert_eq!(failure.minimal()[0].arguments, ["by: 50"]);
    assert!(failure.to_string().contains("add(by: 50)"), "{failure}");
}

#[test]
fn shrinking_does_not_replace_a_panic_by_another() {
    let failure = stateful::<u32, ()>()
        .model(|| 0)
        .sut(|| ())
        .command("step", |c| {
            c.forall("x", 0..1_000_u32).run(|x, count, ()| {
                *count += 1;
                assert!(*count < 4 || x < 500, "the one that is found first, if it is");
                assert!(*count < 9, "another");
            })
        })
        .check(seeded(3))
        .unwrap_err();
    let detail = failure.fault().unwrap().detail().to_owned();
    let expected = if detail == "another" { 9 } else { 4 };
    assert_eq!(failure.minimal().len(), expected, "{failure}");
}

#[test]
fn panics_anywhere_are_failures() {
    let base = || stateful::<u8, u8>();
    let step = |model: &mut u8| *model = model.saturating_add(1);
    let in_model = base().model(|| panic!("no model")).sut(|| 0);
    let in_model = in_model.command("a", move |c| c.run(move |(), model, _| step(model)));
    let in_sut = base().model(|| 0).sut(|| panic!("no system"));
    let in_sut = in_sut.command("a", move |c| c.run(move |(), model, _| step(model)));
    let in_pre = base()
        .model(|| 0)
        .sut(|| 0)
        .command("a", |c| c.pre(|_, ()| panic!("no precondition")).run(|(), _, _| ()));
    let in_invariant = base().model(|| 0).sut(|| 0).command("a", |c| c.run(|(), _, _| ()));
    let in_invariant = in_invariant.invariant("odd", |_, _| -> bool { panic!("no invariant") });
    let in_teardown = base().model(|| 0).sut(|| 0).command("a", |c| c.run(|(), _, _| ()));
    let in_teardown = in_teardown.teardown(|_, _| panic!("no end"));
    let found = [
        in_model.check(seeded(1)),
        in_sut.check(seeded(1)),
        in_pre.check(seeded(1)),
        in_invariant.check(seeded(1)),
        in_teardown.check(seeded(1)),
    ];
    let expected = ["no model", "no system", "no precondition", "no invariant", "no end"];
    for (found, expected) in found.into_iter().zip(expected) {
        let failure = found.unwrap_err();
        let fault = failure.fault().unwrap();
        assert_eq!((fault.kind(), fault.detail()), (FaultKind::Panic, expected));
    }
}

#[test]
fn teardown_always_runs() {
    let (started, ended) = (Rc::new(Cell::new(0)), Rc::new(Cell::new(0)));
    let (starts, ends) = (Rc::clone(&started), Rc::clone(&ended));
    let failure = stateful::<u8, ()>()
        .model(|| 0)
        .sut(|| ())
        .setup(move |_, ()| starts.set(starts.get() + 1))
        .command("a", |c| {
            c.run(|(), model, ()| {
                *model += 1;
                assert!(*model < 3);
            })
        })
        .teardown(move |_, ()| ends.set(ends.get() + 1))
        .check(seeded(1))
        .unwrap_err();
    assert_eq!(failure.minimal().len(), 3);
    assert!(started.get() > 5 && started.get() == ended.get(), "{started:?} {ended:?}");
}

#[test]
fn predictions_are_compared_with_answers() {
    let failure = stateful::<Vec<u8>, Vec<u8>>()
        .model(Vec::new)
        .sut(Vec::new)
        .command("push", |c| {
            c.forall("item", any::<u8>()).run(|item, model, system| {
                model.push(item);
                // Not the third time.
                if system.len() != 2 {
                    system.push(item);
                }
            })
        })
        .command("last", |c| {
            c.oracle(|(), model| model.last().copied(), |(), system| system.last().copied())
        })
        .check(seeded(2))
        .unwrap_err();
    assert_eq!(failure.fault().unwrap().kind(), FaultKind::Prediction);
    assert_eq!(commands(&failure), ["push", "push", "push", "last"]);
    let detail = failure.fault().unwrap().detail();
    assert!(
        detail.starts_with("predicted Some(") && detail.contains(", answered Some("),
        "{detail}"
    );
}

#[test]
fn a_flaky_system_is_reported() {
    let calls = Rc::new(Cell::new(0_u32));
    let failure = stateful::<(), ()>()
        .model(|| ())
        .sut(|| ())
        .command("call", move |c| {
            let calls = Rc::clone(&calls);
            c.run(move |(), (), ()| {
                calls.set(calls.get() + 1);
                assert!(!calls.get().is_multiple_of(7), "now and then");
            })
        })
        .check(Config { confirmations: 6, ..seeded(4) })
        .unwrap_err();
    assert!(failure.is_flaky(), "{failure}");
    let text = failure.to_string();
    assert!(text.contains("FLAKY") || text.contains("flaky"), "{text}");
}

#[test]
fn limits_of_shrinking_are_reported() {
    let config = Config { max_shrink_runs: 3, ..seeded(5) };
    let failure = stateful::<u32, ()>()
        .model(|| 0)
        .sut(|| ())
        .command("step", |c| c.forall("x", any::<u64>()).run(|_, model, ()| *model += 1))
        .invariant("few", |model, ()| *model < 9)
        .check(config)
        .unwrap_err();
    assert!(
        failure.reached_shrink_limit() && failure.to_string().contains("a limit ended the search")
    );
    assert!(failure.executions() <= 4);
}

#[test]
fn misuse_is_reported() {
    let none = stateful::<(), ()>().model(|| ()).sut(|| ()).check(Config::default());
    assert!(none.unwrap_err().to_string().contains("no commands"));
    let twice = stateful::<(), ()>().model(|| ()).sut(|| ());
    let twice = twice.command("a", |c| c.run(|(), (), ()| ()));
    let twice = twice.command("a", |c| c.run(|(), (), ()| ())).check(Config::default());
    assert!(twice.unwrap_err().to_string().contains("two commands are called `a`"));
    let local = || stateful::<(), ()>().model(|| ()).sut(|| ());
    let threads = NonZeroUsize::new(2).unwrap();
    let parallel = local().command("a", |c| c.run(|(), (), ()| ()));
    let parallel = parallel.check(Config { threads, ..Config::default() });
    assert!(parallel.unwrap_err().to_string().contains("stateful_shared"));
    let with_timeout = local().command("a", |c| c.run(|(), (), ()| ()));
    let with_timeout = with_timeout
        .check(Config { step_timeout: Some(Duration::from_secs(1)), ..Config::default() });
    assert!(with_timeout.unwrap_err().to_string().contains("stateful_shared"));
    let later = local()
        .command("a", |c| c.run_async(async |(), (), ()| std::future::pending::<()>().await));
    let later: Result<_, _> = later.check(seeded(1));
    assert!(later.map(drop).unwrap_err().to_string().contains("check_async"));
    let with_timeout = stateful_shared::<(), ()>().model(|| ()).sut(|| ());
    let with_timeout = with_timeout
        .command("a", |c| c.run_async(async |(), (), ()| std::future::pending::<()>().await))
        .check(Config { step_timeout: Some(Duration::from_secs(9)), ..seeded(1) });
    assert!(with_timeout.map(drop).unwrap_err().to_string().contains("check_async"));
    let lost = local().command("close", |c| c.returned::<u8>("it", "open").run(|_, (), ()| ()));
    let problem = lost.check(Config::default()).unwrap_err().to_string();
    assert_eq!(problem, "`close` refers to `open`, which is no command");
    let mute = local().command("open", |c| c.run(|(), (), ()| 7_u8));
    let mute = mute.command("close", |c| c.returned::<u8>("it", "open").run(|_, (), ()| ()));
    let problem = mute.check(Config::default()).unwrap_err().to_string();
    assert_eq!(problem, "`close` refers to `open`, which yields nothing");
    let other = local().command("open", |c| c.run(|(), (), ()| 7_u8).yields(|it| Some(*it)));
    let other = other.command("close", |c| c.returned::<u32>("it", "open").run(|_, (), ()| ()));
    let problem = other.check(Config::default()).unwrap_err().to_string();
    assert_eq!(problem, "`close` takes a `u32` from `open`, which yields a `u8`");
    let replay = Config { replay: Some("gone#1()".to_owned()), ..Config::default() };
    let replay = local().command("a", |c| c.run(|(), (), ()| ())).check(replay);
    assert!(replay.unwrap_err().to_string().contains("does not fit"));
}

#[test]
fn commands_that_never_run_can_be_required() {
    let test = || {
        stateful::<u8, ()>()
            .model(|| 0)
            .sut(|| ())
            .command("always", |c| c.run(|(), _, ()| ()))
            .command("never", |c| c.pre(|model, ()| *model > 0).run(|(), _, ()| ()))
    };
    let statistics = test().check(seeded(1)).unwrap();
    assert_eq!(statistics.never_ran().collect::<Vec<_>>(), ["never"]);
    let required = Config { require_all_commands: true, ..seeded(1) };
    let failure = test().check(required).unwrap_err();
    assert!(failure.to_string().contains("`never` never ran in 100 sequences"), "{failure}");
}

fn counter(config: Config) -> Result<foolproof_stateful::Statistics, Failure> {
    stateful_shared::<u64, u64>()
        .model(|| 0)
        .sut(|| 0)
        .command("add", |c| {
            c.forall("by", 1..1_000_u64).run(|by, model, system| {
                *model += by;
                *system += by;
            })
        })
        .command("halve", |c| {
            c.pre(|model, ()| *model > 3_000).run(|(), model, system| {
                *model /= 2;
                *system = *system / 2 + u64::from(*system > 4_000);
            })
        })
        .invariant("same", |model, system| model == system)
        .check(config)
}

#[test]
fn the_report_is_the_same_for_any_number_of_threads() {
    let report = |threads| {
        let threads = NonZeroUsize::new(threads).unwrap();
        counter(Config { threads, num_runs: 500, ..seeded(6) }).unwrap_err().to_string()
    };
    let alone = report(1);
    assert_eq!(alone, report(2));
    assert_eq!(alone, report(8));
}

#[test]
fn a_replay_and_a_regression_file_run_failing_sequences() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("not").join("there").join("counter.txt");
    let config = || Config { regressions: Regressions::File(path.clone()), ..seeded(7) };
    let found = counter(config()).unwrap_err();
    let kept = std::fs::read_to_string(&path).unwrap();
    // Each step has its record and its arguments.
    let line = kept.lines().last().unwrap();
    let steps = found.replay().split("; ").zip(found.minimal());
    for ((record, step), kept) in steps.zip(line.split("; ")) {
        let expected = match &step.arguments[..] {
            [] => record.to_owned(),
            arguments => format!("{record} = {}", arguments.join(", ")),
        };
        assert_eq!(kept, expected);
    }
    // It runs first now, and is not shrunk again. The report says where it comes from.
    let again = counter(config()).unwrap_err();
    assert_eq!((again.minimal(), again.executions()), (found.minimal(), 0));
    assert_eq!((again.regression_line(), found.regression_line()), (Some(3), None));
    assert!(again.to_string().contains("(line 3 of the regression file `"), "{again}");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), kept);
    let replay = Config { replay: Some(found.replay().to_owned()), ..seeded(99) };
    let replayed = counter(replay).unwrap_err();
    assert_eq!(replayed.minimal(), found.minimal());
    // A line that does not fit any more is reported; a file that cannot be read is an error.
    std::fs::write(&path, "# old\ngone#1()\n").unwrap();
    let stale = counter(config()).unwrap_err();
    assert_eq!(stale.minimal(), found.minimal());
    let reason = "line 2: it does not fit the commands of the test";
    assert!(stale.to_string().contains(reason), "{stale}");
    let unreadable =
        Config { regressions: Regressions::File(folder.path().to_owned()), ..seeded(7) };
    assert!(counter(unreadable).unwrap_err().to_string().contains("cannot read"));
}

#[test]
fn a_hang_ends_at_the_timeout_and_the_report_names_the_command() {
    let hung = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&hung);
    let start = Instant::now();
    let config = Config {
        step_timeout: Some(Duration::from_millis(40)),
        max_shrink_time: Duration::from_secs(3),
        confirmations: 1,
        ..seeded(8)
    };
    let failure = stateful_shared::<u8, ()>()
        .model(|| 0)
        .sut(|| ())
        .command("work", |c| c.forall("x", 0..9_u8).run(|_, model, ()| *model += 1))
        .command("wait", move |c| {
            let hung = Arc::clone(&counted);
            c.pre(|model, ()| *model >= 2).run(move |(), _, ()| {
                hung.fetch_add(1, Ordering::Relaxed);
                std::thread::sleep(Duration::from_hours(1));
            })
        })
        .check(config)
        .unwrap_err();
    assert_eq!(failure.fault().unwrap().kind(), FaultKind::Timeout);
    assert_eq!(commands(&failure), ["work", "work", "wait"]);
    assert!(start.elapsed() < Duration::from_secs(20) && hung.load(Ordering::Relaxed) > 0);
}

#[test]
fn a_timeout_changes_nothing_unless_a_step_hangs() {
    let timeout = Some(Duration::from_secs(20));
    let with_timeout = counter(Config { step_timeout: timeout, ..seeded(9) }).unwrap_err();
    let plain = counter(seeded(9)).unwrap_err();
    assert_eq!(with_timeout.to_string(), plain.to_string());
}

#[test]
fn a_returned_argument_is_bound_to_its_step() {
    #[derive(Default)]
    struct Files {
        next: u32,
        open: Vec<u32>,
    }
    let failure = stateful::<usize, Files>()
        .model(|| 0)
        .sut(Files::default)
        .command("open", |c| {
            c.run(|(), model, files| {
                *model += 1;
                files.next += 1;
                files.open.push(files.next);
                files.next
            })
            .yields(|handle| Some(*handle))
        })
        .command("noise", |c| c.run(|(), _, _| ()))
        .command("close", |c| {
            c.returned::<u32>("handle", "open")
                .run(|handle, _, files| {
                    let index = files.open.iter().position(|open| *open == handle);
                    index.map(|index| files.open.remove(index)).is_some()
                })
                .post(|_, _, _, is_closed| *is_closed)
        })
        .check(Config { swarm: false, ..seeded(10) })
        .unwrap_err();
    // One handle is closed twice, whichever it is.
    assert_eq!(commands(&failure), ["open", "close", "close"], "{failure}");
}

#[tokio::test]
async fn an_asynchronous_step_is_awaited_until_its_timeout() {
    let test = |is_patient: bool| {
        stateful::<u32, u32>()
            .model(|| 0)
            .sut_async(async || {
                tokio::task::yield_now().await;
                0
            })
            .command("tick", |c| {
                c.forall("by", 1..4_u32).run_async(async |by, model, system| {
                    tokio::task::yield_now().await;
                    *model += by;
                    *system += by;
                    *system
                })
            })
            .command("stall", move |c| {
                c.pre(move |model, ()| !is_patient && *model > 5).run_async(async |(), _, _| {
                    std::future::pending::<()>().await;
                })
            })
            .teardown_async(async |_, _| tokio::task::yield_now().await)
            .invariant("same", |model, system| model == system)
    };
    let statistics = test(true).check_async(seeded(11)).await.unwrap();
    assert!(statistics.steps > 500);
    let timeout = Some(Duration::from_millis(20));
    let config = Config { step_timeout: timeout, confirmations: 1, swarm: false, ..seeded(11) };
    let failure = test(false).check_async(config).await.unwrap_err();
    assert_eq!(failure.fault().unwrap().kind(), FaultKind::Timeout);
    assert_eq!(commands(&failure).last(), Some(&"stall"), "{failure}");
}

#[test]
fn a_predicted_error_is_no_failure() {
    stateful::<(), ()>()
        .model(|| ())
        .sut(|| ())
        .command("refuse", |c| c.oracle(|(), ()| Err::<u8, _>("no"), |(), ()| Err("no")))
        .check(seeded(1))
        .unwrap();
}

#[test]
fn a_panic_outside_of_steps_is_reported_as_such() {
    let failure = stateful::<u8, ()>()
        .model(|| 0)
        .sut(|| ())
        .command("pick", |c| c.forall_with("x", |model: &u8| *model..0).run(|_, _, ()| ()))
        .check(seeded(1))
        .unwrap_err();
    assert_eq!(failure.fault().unwrap().kind(), FaultKind::Panic);
    assert!(!failure.is_flaky() && failure.minimal().is_empty(), "{failure}");
    let text = failure.to_string();
    assert!(text.starts_with("no step was running when this happened: panicked at"), "{failure}");
    assert!(text.contains("while the argument `x` of `pick` was drawn"), "{failure}");
    assert!(text.contains("an empty range"), "{failure}");
    assert_eq!(failure.seed(), Some(1));
}

#[test]
fn a_replay_that_cannot_run_any_more_is_reported() {
    let found = counter(seeded(7)).unwrap_err();
    let steps: Vec<&str> = found.replay().split("; ").collect();
    // Without the steps before it, it is blocked.
    let last = steps.last().copied().unwrap_or_default().to_owned();
    let failure = counter(Config { replay: Some(last), ..seeded(7) }).unwrap_err();
    assert!(failure.to_string().contains("step 1 is blocked"), "{failure}");
}

/// A system that reports a fault at every `noise`, after which it can be used further, and one at `look` after two of
/// them.
struct Noisy;

#[derive(Clone)]
struct NoisyStep(usize);

impl StepRecord for NoisyStep {
    fn command(&self) -> usize {
        self.0
    }
}

impl Machine for Noisy {
    type Session = u32;
    type Step = NoisyStep;

    fn commands(&self) -> Vec<String> {
        vec!["noise".to_owned(), "look".to_owned()]
    }

    async fn start(&self, _: &SessionContext) -> Result<u32, Fault> {
        Ok(0)
    }

    fn propose(&self, _: &mut u32, request: &mut StepRequest<'_>) -> Option<NoisyStep> {
        let command = request.rng().below(2);
        Some(NoisyStep(if request.is_allowed(command) { command } else { 1 - command }))
    }

    fn redraw(&self, _: &mut u32, step: &NoisyStep) -> Option<NoisyStep> {
        Some(step.clone())
    }

    async fn run(&self, noise: &mut u32, step: &mut NoisyStep) -> StepOutcome {
        let fault = |identity: &str| Fault::new(FaultKind::Error, "", "").with_identity(identity);
        if step.0 == 0 {
            *noise += 1;
            StepOutcome::failed(fault("noise")).with_usable_session()
        } else if *noise >= 2 {
            StepOutcome::failed(fault("late")).with_usable_session()
        } else {
            StepOutcome::passed()
        }
    }

    async fn end(&self, _: u32) -> Result<(), Fault> {
        Ok(())
    }

    fn arguments(&self, _: &mut u32, _: &NoisyStep) -> Vec<Argument> {
        Vec::new()
    }

    fn results(&self, _: &u32) -> Vec<String> {
        Vec::new()
    }

    fn state(&self, _: &u32) -> StateText {
        StateText::default()
    }

    fn serialize_step(&self, step: &NoisyStep) -> String {
        step.0.to_string()
    }

    fn parse_step(&self, text: &str) -> Option<NoisyStep> {
        text.parse().ok().map(NoisyStep)
    }
}

#[test]
fn a_fault_behind_others_is_shrunk_although_those_come_first() {
    let config = Config { keep_going: true, seed: Some(1), ..Config::default() };
    let failure = check_machine(&Noisy, &config).unwrap_err();
    let mut found: Vec<(String, Vec<String>)> = failure
        .all()
        .map(|failure| {
            let steps = failure.minimal().iter().map(|step| step.command.clone()).collect();
            (failure.fault().unwrap().identity().to_owned(), steps)
        })
        .collect();
    found.sort();
    let steps = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
    assert_eq!(
        found,
        [
            ("late".to_owned(), steps(&["noise", "noise", "look"])),
            ("noise".to_owned(), steps(&["noise"])),
        ]
    );
}
