//! The scenarios of the requirements, each by its name.

use std::{
    cell::{Cell, RefCell},
    collections::BTreeSet,
    rc::Rc,
};

use foolproof_stateful::{Config, Failure, FaultKind, stateful};
use proptest::prelude::*;

fn seeded(seed: u64) -> Config {
    Config { seed: Some(seed), ..Config::default() }
}

/// A queue of up to four items whose length is wrong once it has wrapped around.
#[derive(Default)]
struct Ring {
    items: [u8; 4],
    start: usize,
    length: usize,
    is_right: bool,
}

impl Ring {
    fn right() -> Self {
        Self { is_right: true, ..Self::default() }
    }

    fn push(&mut self, item: u8) {
        self.items[(self.start + self.length) % 4] = item;
        self.length += 1;
    }

    fn pop(&mut self) -> u8 {
        let item = self.items[self.start];
        self.start = (self.start + 1) % 4;
        // Forgotten when it wraps around.
        if self.is_right || self.start != 0 {
            self.length -= 1;
        }
        item
    }
}

fn ring(make: fn() -> Ring, config: Config) -> Result<foolproof_stateful::Statistics, Failure> {
    stateful::<Vec<u8>, Ring>()
        .model(Vec::new)
        .sut(make)
        .command("push", |c| {
            c.forall("item", any::<u8>()).pre(|model, _| model.len() < 4).run(
                |item, model, ring| {
                    model.push(item);
                    ring.push(item);
                },
            )
        })
        .command("pop", |c| {
            c.pre(|model, ()| !model.is_empty())
                .run(|(), model, ring| (model.remove(0), ring.pop()))
                .post(|(), _, _, (expected, found)| expected == found)
        })
        .invariant("same length", |model, ring| model.len() == ring.length)
        .check(config)
}

#[test]
fn define_model_and_sut_factories() {
    let (models, systems) = (Rc::new(Cell::new(0)), Rc::new(Cell::new(0)));
    let (counted_models, counted_systems) = (Rc::clone(&models), Rc::clone(&systems));
    stateful::<u32, u32>()
        .model(move || {
            counted_models.set(counted_models.get() + 1);
            0
        })
        .sut(move || {
            counted_systems.set(counted_systems.get() + 1);
            0
        })
        .command("count", |c| {
            c.run(|(), model, system| {
                *model += 1;
                *system += 1;
            })
        })
        // Every sequence has a fresh model and a fresh system.
        .invariant("fresh", |model, system| model == system && *model <= 50)
        .check(Config { num_runs: 20, ..seeded(1) })
        .unwrap();
    assert_eq!((models.get(), systems.get()), (20, 20));
}

#[test]
fn type_inference_for_model_and_sut() {
    #[derive(Debug, Default)]
    struct Count {
        count: i64,
    }
    struct Counter {
        value: i64,
    }
    // No closure has a type annotation.
    stateful::<Count, Counter>()
        .model(Count::default)
        .sut(|| Counter { value: 0 })
        .command("add", |c| {
            c.forall("by", 0..10_i64)
                .forall("twice", any::<bool>())
                .run(|(by, twice), model, counter| {
                    let sum = if twice { 2 * by } else { by };
                    model.count += sum;
                    counter.value += sum;
                    counter.value
                })
                .post(|(by, _), model, counter, result| {
                    *result >= by && counter.value == model.count
                })
        })
        .check(seeded(2))
        .unwrap();
}

#[test]
fn command_with_arguments() {
    let seen = Rc::new(RefCell::new(Vec::new()));
    let kept = Rc::clone(&seen);
    stateful::<(), ()>()
        .model(|| ())
        .sut(|| ())
        .command("take", |c| {
            c.forall("value", -5..5_i32).run(move |value, (), ()| kept.borrow_mut().push(value))
        })
        .check(seeded(3))
        .unwrap();
    let seen = seen.borrow();
    assert!(seen.len() > 500 && seen.iter().all(|value| (-5..5).contains(value)));
    assert_eq!(seen.iter().collect::<BTreeSet<_>>().len(), 10);
}

#[test]
fn command_with_precondition() {
    let statistics = ring(Ring::right, seeded(4)).unwrap();
    let [push, pop] = &statistics.commands[..] else { panic!("{statistics:?}") };
    // If a precondition were ignored, `remove` would panic and the fifth item overwrite the first.
    assert!(push.ran > 300 && pop.ran > 100, "{statistics:?}");
    assert!(push.blocked > 0 && pop.blocked > 0, "{statistics:?}");
}

#[test]
fn command_execution_order() {
    stateful::<Vec<(u8, u8)>, Vec<(u8, u8)>>()
        .model(Vec::new)
        .sut(Vec::new)
        .command("both", |c| {
            c.forall("a", 0..3_u8).forall("b", 10..13_u8).run(|(a, b), model, system| {
                assert!(a < 3 && (10..13).contains(&b));
                model.push((a, b));
                system.push((a, b));
            })
        })
        .invariant("same", |model, system| model == system)
        .check(seeded(5))
        .unwrap();
}

#[test]
fn command_with_postcondition() {
    let failure = stateful::<u8, u8>()
        .model(|| 0)
        .sut(|| 0)
        .command("next", |c| {
            c.run(|(), model, system| {
                *model += 1;
                *system += 1;
                *system
            })
            .post(|(), _, _, result| *result < 3)
        })
        .check(seeded(6))
        .unwrap_err();
    assert_eq!(failure.fault().unwrap().kind(), FaultKind::Postcondition);
    assert_eq!(failure.minimal().len(), 3);
    assert_eq!(failure.minimal()[2].result.as_deref(), Some("3"));
}

#[test]
fn invariant_defined() {
    let failure = ring(Ring::default, seeded(7)).unwrap_err();
    let fault = failure.fault().unwrap();
    assert_eq!((fault.kind(), fault.location()), (FaultKind::Invariant, "same length"));
}

#[test]
fn multiple_invariants() {
    let order = Rc::new(RefCell::new(Vec::new()));
    let (first, second) = (Rc::clone(&order), Rc::clone(&order));
    let failure = stateful::<u8, ()>()
        .model(|| 0)
        .sut(|| ())
        .command("step", |c| c.run(|(), model, ()| *model += 1))
        .invariant("first", move |_, ()| {
            first.borrow_mut().push(1);
            true
        })
        .invariant("second", move |model, ()| {
            second.borrow_mut().push(2);
            *model < 2
        })
        .invariant("third", |model, ()| *model < 2)
        .check(seeded(8))
        .unwrap_err();
    assert!(order.borrow().chunks(2).all(|pair| pair == [1, 2]));
    assert_eq!(failure.fault().unwrap().location(), "second");
}

#[test]
fn precondition_filtering() {
    // From each state only one command may run.
    let statistics = stateful::<u8, ()>()
        .model(|| 0)
        .sut(|| ())
        .command("open", |c| c.pre(|model, ()| *model == 0).run(|(), model, ()| *model = 1))
        .command("use", |c| c.pre(|model, ()| *model == 1).run(|(), model, ()| *model = 2))
        .command("close", |c| c.pre(|model, ()| *model == 2).run(|(), model, ()| *model = 0))
        .check(Config { swarm: false, ..seeded(9) })
        .unwrap();
    let ran: Vec<u64> = statistics.commands.iter().map(|command| command.ran).collect();
    assert!(ran[0] >= ran[1] && ran[1] >= ran[2] && ran[2] > 300, "{ran:?}");
}

#[test]
fn sequence_length_variation() {
    let lengths = Rc::new(RefCell::new(Vec::new()));
    let kept = Rc::clone(&lengths);
    stateful::<usize, ()>()
        .model(|| 0)
        .sut(|| ())
        .command("step", |c| c.run(|(), model, ()| *model += 1))
        .teardown(move |model, ()| kept.borrow_mut().push(*model))
        .check(Config { num_runs: 3_000, max_commands: 100, ..seeded(10) })
        .unwrap();
    let seen: BTreeSet<usize> = lengths.borrow().iter().copied().collect();
    assert_eq!((seen.first(), seen.last()), (Some(&0), Some(&100)));
    assert!(seen.len() > 95, "{} lengths", seen.len());
}

#[test]
fn argument_generation_per_command() {
    let different = Rc::new(Cell::new(0));
    let counted = Rc::clone(&different);
    stateful::<Option<u64>, ()>()
        .model(|| None)
        .sut(|| ())
        .command("take", |c| {
            c.forall("x", any::<u64>()).run(move |x, model, ()| {
                counted.set(counted.get() + u32::from(model.replace(x) != Some(x)));
            })
        })
        .check(seeded(11))
        .unwrap();
    assert!(different.get() > 1_500, "{}", different.get());
}

#[test]
fn length_reduction() {
    let failure = ring(Ring::default, seeded(12)).unwrap_err();
    assert!(failure.original_length() > 8, "{}", failure.original_length());
    // It takes four pops to wrap around, and a push for each.
    assert_eq!(failure.minimal().len(), 8, "{failure}");
}

#[test]
fn command_removal() {
    let failure = stateful::<Vec<u8>, ()>()
        .model(Vec::new)
        .sut(|| ())
        .command("noise", |c| c.run(|(), model, ()| model.push(0)))
        .command("one", |c| c.run(|(), model, ()| model.push(1)))
        .command("two", |c| {
            c.run(|(), model, ()| {
                model.push(2);
                model.contains(&1)
            })
            .post(|(), _, (), found| !found)
        })
        .check(Config { swarm: false, ..seeded(13) })
        .unwrap_err();
    let names: Vec<&str> = failure.minimal().iter().map(|step| &*step.command).collect();
    assert_eq!(names, ["one", "two"]);
}

#[test]
fn argument_shrinking() {
    let failure = stateful::<(), ()>()
        .model(|| ())
        .sut(|| ())
        .command("give", |c| {
            c.forall("number", 0..100_000_u32)
                .forall("text", "[a-z]{0,20}")
                .run(|(number, text), (), ()| number >= 777 && text.len() >= 3)
                .post(|_, (), (), is_bad| !is_bad)
        })
        .check(seeded(14))
        .unwrap_err();
    assert_eq!(failure.minimal().len(), 1, "{failure}");
    assert_eq!(failure.minimal()[0].arguments, ["number: 777", "text: \"aaa\""]);
}

#[test]
fn precondition_preservation() {
    // `close` needs an `open` before it; a sequence without would be shorter, and panic.
    let failure = stateful::<i32, ()>()
        .model(|| 0)
        .sut(|| ())
        .command("open", |c| c.run(|(), model, ()| *model += 1))
        .command("close", |c| {
            c.pre(|model, ()| *model > 0).run(|(), model, ()| {
                assert!(*model > 0, "the precondition does not hold");
                *model -= 1;
                Err::<(), _>("cannot close")
            })
        })
        .check(seeded(15))
        .unwrap_err();
    let names: Vec<&str> = failure.minimal().iter().map(|step| &*step.command).collect();
    assert_eq!(names, ["open", "close"]);
    let fault = failure.fault().unwrap();
    assert_eq!((fault.kind(), fault.detail()), (FaultKind::Error, "\"cannot close\""));
}

#[test]
fn command_sequence_in_error() {
    let failure = ring(Ring::default, seeded(16)).unwrap_err();
    let report = failure.to_string();
    for (number, step) in failure.minimal().iter().enumerate() {
        assert!(report.contains(&format!("{}. {step}", number + 1)), "{report}");
    }
    assert!(report.contains("push(item: "), "{report}");
}

#[test]
fn shrunk_sequence_reported() {
    let failure = ring(Ring::default, seeded(17)).unwrap_err();
    let report = failure.to_string();
    let line = format!("minimal sequence (8 of {} steps", failure.original_length());
    assert!(report.contains(&line), "{report}");
    assert!(report.contains("the invariant `same length` is false"), "{report}");
    // `unwrap` prints the same.
    assert_eq!(format!("{failure:?}"), report);
}

#[test]
fn running_stateful_check() {
    let config = Config { num_runs: 100, max_commands: 50, ..seeded(18) };
    let statistics = ring(Ring::right, config).unwrap();
    assert_eq!(statistics.runs, 100);
    assert!(statistics.steps > 1_000 && statistics.steps <= 5_000, "{statistics:?}");
}

#[test]
fn seed_reproducibility() {
    let trace = |seed| {
        let seen = Rc::new(RefCell::new(Vec::new()));
        let kept = Rc::clone(&seen);
        stateful::<(), ()>()
            .model(|| ())
            .sut(|| ())
            .command("a", |c| {
                c.forall("x", any::<u32>()).run(move |x, (), ()| kept.borrow_mut().push(x))
            })
            .command("b", |c| c.run(|(), (), ()| ()))
            .check(seeded(seed))
            .unwrap();
        seen.take()
    };
    assert_eq!(trace(19), trace(19));
    assert_ne!(trace(19), trace(20));
    let reports = [21, 21].map(|seed| ring(Ring::default, seeded(seed)).unwrap_err().to_string());
    assert_eq!(reports[0], reports[1]);
    assert!(reports[0].contains("seed: Some(21)"), "{}", reports[0]);
}
