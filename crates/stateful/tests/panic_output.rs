//! Caught panics print nothing; others still do. The test is alone in its process, since a process has
//! only one panic hook.

use std::{
    panic,
    sync::atomic::{AtomicUsize, Ordering},
};

use foolproof_stateful::{Config, FaultKind, stateful};

static PRINTED: AtomicUsize = AtomicUsize::new(0);

#[test]
fn only_unexpected_panics_reach_the_previous_hook() {
    panic::set_hook(Box::new(|_| {
        PRINTED.fetch_add(1, Ordering::Relaxed);
    }));
    let failure = stateful::<u8, ()>()
        .model(|| 0)
        .sut(|| ())
        .command("step", |c| {
            c.forall("x", 0..100_u8).run(|x, count, ()| {
                *count += 1;
                assert!(*count < 4 || x < 50, "many times while it is shrunk");
            })
        })
        .check(Config { seed: Some(1), ..Config::default() })
        .unwrap_err();
    assert_eq!(failure.fault().map(foolproof_stateful::Fault::kind), Some(FaultKind::Panic));
    assert!(failure.executions() > 5);
    assert_eq!(PRINTED.load(Ordering::Relaxed), 0);
    assert!(panic::catch_unwind(|| panic!("of the test itself")).is_err());
    assert_eq!(PRINTED.load(Ordering::Relaxed), 1);
}
