//! Compile-time checks that public types can cross threads.

use crate::{
    Exhausted, Generated, Generator, Integers, Meter, Numbers, PhaseMetrics, Pipeline, Plan,
    PlanCompiler, Random, Recorder, Repair, RepairEdit, RepairedValue, Replay, SecondOracle, Seed,
    Strings,
};

const fn assert_send_and_sync<T: Send + Sync>() {}

const _: () = {
    assert_send_and_sync::<Exhausted>();
    assert_send_and_sync::<Generated>();
    assert_send_and_sync::<Generator>();
    assert_send_and_sync::<Integers>();
    assert_send_and_sync::<Meter>();
    assert_send_and_sync::<Numbers>();
    assert_send_and_sync::<PhaseMetrics>();
    assert_send_and_sync::<Pipeline>();
    assert_send_and_sync::<Plan>();
    assert_send_and_sync::<PlanCompiler>();
    assert_send_and_sync::<Random>();
    assert_send_and_sync::<Recorder<Random>>();
    assert_send_and_sync::<Repair>();
    assert_send_and_sync::<RepairEdit>();
    assert_send_and_sync::<RepairedValue>();
    assert_send_and_sync::<Replay>();
    assert_send_and_sync::<SecondOracle<'static>>();
    assert_send_and_sync::<Seed>();
    assert_send_and_sync::<Strings>();
};

#[cfg(feature = "proptest")]
const _: () = {
    assert_send_and_sync::<crate::Instances>();
    assert_send_and_sync::<crate::InstanceTree>();
};
