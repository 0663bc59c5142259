//! Panics that are caught make no noise; others still do. Alone in its process, since the hook of a
//! process is one.

use std::{
    panic,
    sync::atomic::{AtomicUsize, Ordering},
};

use foolproof_stateful::{Config, FaultKind, stateful};

static HEARD: AtomicUsize = AtomicUsize::new(0);

#[test]
fn only_panics_that_nobody_expects_are_heard() {
    panic::set_hook(Box::new(|_| {
        HEARD.fetch_add(1, Ordering::Relaxed);
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
    assert_eq!(HEARD.load(Ordering::Relaxed), 0);
    assert!(panic::catch_unwind(|| panic!("of the test itself")).is_err());
    assert_eq!(HEARD.load(Ordering::Relaxed), 1);
}
