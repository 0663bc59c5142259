//! Compile-time checks that public types can cross threads.

use std::rc::Rc;

use crate::{
    CommandStatistics, Config, Failure, Fault, FaultKind, Rng, ShrinkStep, Stateful, Statistics,
    StepOutcome, StepReport, threading::Shared,
};

const fn assert_send_and_sync<T: Send + Sync>() {}

const _: () = {
    assert_send_and_sync::<CommandStatistics>();
    assert_send_and_sync::<Config>();
    assert_send_and_sync::<Failure>();
    assert_send_and_sync::<Fault>();
    assert_send_and_sync::<FaultKind>();
    assert_send_and_sync::<Rng>();
    assert_send_and_sync::<ShrinkStep>();
    assert_send_and_sync::<Statistics>();
    assert_send_and_sync::<StepOutcome>();
    assert_send_and_sync::<StepReport>();
    // A shared test crosses threads even if its model and its system must not.
    assert_send_and_sync::<Stateful<Rc<()>, Rc<()>, Shared>>();
};
