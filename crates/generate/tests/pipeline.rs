//! What a pipeline guarantees: order, bounds, and an end in every case.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::{
    collections::BTreeSet,
    num::{NonZeroU64, NonZeroUsize},
    ops::{ControlFlow, Range},
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Barrier, Mutex,
        atomic::{AtomicU64, Ordering},
    },
    thread,
};

use foolproof_generate::Pipeline;
use serde_json::{Value, json};

fn pipeline(threads: usize) -> Pipeline {
    Pipeline::new(NonZeroUsize::new(threads).unwrap())
}

fn go_on<T>(_: T) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

/// Work that takes longer for some indices than for others.
fn uneven(index: u64) -> u64 {
    (0..(index * 7919) % 5_000).fold(index, |sum, step| std::hint::black_box(sum ^ (step << 40)));
    index * 3
}

#[test]
fn results_come_in_order_whatever_the_number_of_threads() {
    let expected: Vec<u64> = (5..3_000).map(|index| index * 3).collect();
    for (threads, chunk) in [(1, 1), (1, 100), (2, 1), (3, 32), (8, 7), (40, 1_000)] {
        let mut found = Vec::new();
        let pipeline = pipeline(threads).chunk(NonZeroU64::new(chunk).unwrap());
        let map = |indices: Range<u64>| indices.map(uneven).collect::<Vec<_>>();
        let outcome = pipeline.run(5..3_000, map, |chunk| {
            found.extend(chunk);
            ControlFlow::<()>::Continue(())
        });
        assert_eq!((outcome, &found), (ControlFlow::Continue(()), &expected), "{threads} {chunk}");
    }
}

#[test]
fn an_empty_range_maps_nothing() {
    for threads in [1, 4] {
        let map = |_: Range<u64>| panic!("there is nothing to map");
        let outcome = pipeline(threads).run(7..7, map, |()| ControlFlow::Break("a result"));
        assert_eq!(outcome, ControlFlow::Continue(()));
    }
}

#[test]
fn two_threads_work_at_the_same_time() {
    // Each of the two waits until the other is there.
    let barrier = Barrier::new(2);
    let outcome = pipeline(2).run(0..2, |_| barrier.wait().is_leader(), go_on);
    assert_eq!(outcome, ControlFlow::Continue(()));
}

#[test]
fn one_thread_on_a_large_stack_starts_no_other() {
    foolproof_contract::with_large_stack(|| {
        let own = thread::current().id();
        let _ = pipeline(1).run(
            0..50,
            |_| thread::current().id(),
            |id| {
                assert_eq!(id, own);
                ControlFlow::<()>::Continue(())
            },
        );
    });
}

#[test]
fn workers_do_not_run_ahead_of_a_slow_sink() {
    let (started, furthest) = (AtomicU64::new(0), AtomicU64::new(0));
    let one = NonZeroU64::new(1).unwrap();
    let mut collected = 0;
    let map = |_: Range<u64>| started.fetch_add(1, Ordering::SeqCst);
    let _ = pipeline(3).chunk(one).run(0..2_000, map, |_| {
        collected += 1;
        // Give the workers every chance to run ahead.
        (0..5).for_each(|_| thread::yield_now());
        furthest.fetch_max(started.load(Ordering::SeqCst) - collected, Ordering::SeqCst);
        ControlFlow::<()>::Continue(())
    });
    let furthest = furthest.into_inner();
    assert!(furthest <= 12, "{furthest} chunks were started and not collected");
    assert_eq!(started.into_inner(), 2_000);
}

#[test]
fn workers_stop_soon_after_the_sink_breaks() {
    for threads in [1, 4] {
        let started = AtomicU64::new(0);
        let one = NonZeroU64::new(1).unwrap();
        let map = |indices: Range<u64>| {
            started.fetch_add(1, Ordering::SeqCst);
            indices.start
        };
        let outcome = pipeline(threads).chunk(one).run(0..u64::MAX, map, |index| {
            if index < 100 { ControlFlow::Continue(()) } else { ControlFlow::Break(index) }
        });
        assert_eq!(outcome, ControlFlow::Break(100));
        let started = started.into_inner();
        assert!(started <= 101 + 16 + 4, "{started} chunks were started for 101");
    }
}

#[test]
fn a_panic_of_a_worker_reaches_the_caller() {
    for threads in [1, 4] {
        let map = |indices: Range<u64>| {
            assert!(!indices.contains(&500), "number 500 is not to my liking");
            indices.start
        };
        let run = AssertUnwindSafe(|| pipeline(threads).run(0..u64::MAX, map, go_on));
        let panic = catch_unwind(run).unwrap_err();
        let message = panic.downcast_ref::<&str>().unwrap();
        assert_eq!(*message, "number 500 is not to my liking");
    }
}

#[test]
fn a_panic_of_the_sink_reaches_the_caller() {
    for threads in [1, 4] {
        let sink = |index: u64| -> ControlFlow<()> { panic!("no room for {index}") };
        let run =
            AssertUnwindSafe(|| pipeline(threads).run(0..u64::MAX, |indices| indices.start, sink));
        let panic = catch_unwind(run).unwrap_err();
        assert_eq!(panic.downcast_ref::<String>().unwrap(), "no room for 0");
    }
}

#[test]
fn workers_have_a_stack_for_deep_values() {
    let deep = |_: Range<u64>| {
        let value = (0..100_000).fold(json!(0), |inner, _| Value::Array(vec![inner]));
        value.to_string().len()
    };
    for threads in [1, 2] {
        let mut lengths = BTreeSet::new();
        let _ = pipeline(threads).run(0..4, deep, |length| {
            lengths.insert(length);
            ControlFlow::<()>::Continue(())
        });
        assert_eq!(lengths, BTreeSet::from([200_001]));
    }
}

#[test]
fn more_threads_than_a_system_grants_are_no_error() {
    let seen = Mutex::new(0);
    let outcome = pipeline(usize::MAX).run(0..300, Iterator::count, |count| {
        *seen.lock().unwrap() += count;
        ControlFlow::<()>::Continue(())
    });
    assert_eq!((outcome, seen.into_inner().unwrap()), (ControlFlow::Continue(()), 300));
}
