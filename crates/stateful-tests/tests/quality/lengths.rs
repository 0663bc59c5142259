//! The planted bugs appear in sequences of the length that the tables say, and in no shorter ones.

use std::panic::{AssertUnwindSafe, catch_unwind};

use foolproof_stateful::Config;

use crate::planted::{
    BUGS, CRATE_BUGS,
    systems::{
        AbortKeepsRemovals, Channel, FragileCache, Records, ResizedCache, SavepointLosesWrite,
    },
};

#[test]
fn no_shorter_sequence_fails() {
    for bug in BUGS.iter().chain(&CRATE_BUGS).filter(|bug| bug.length > 1) {
        let max_commands = bug.length - 1;
        // Fewer for `redb`, since creating a database takes half a millisecond.
        let num_runs = if bug.name.contains("redb") { 5_000 } else { 20_000 };
        let num_runs = if foolproof_corpus::runs_in_full() { num_runs } else { num_runs / 10 };
        let config = Config { num_runs, max_commands, seed: Some(1), ..Config::default() };
        (bug.check)(config).unwrap_or_else(|failure| panic!("{}: {failure}", bug.name));
    }
}

#[test]
fn peek_promotes_after_a_resize() {
    let mut cache = ResizedCache::default();
    cache.put(0, 0);
    cache.put(1, 0);
    cache.resize(2);
    assert_eq!(cache.peek(0), Some(0));
    cache.put(2, 0);
    // The least recently used entry was that of 0, but that of 1 was evicted.
    assert_eq!(cache.get(0), Some(0));
}

#[test]
fn the_third_eviction_panics() {
    let mut cache = FragileCache::default();
    for key in [0, 1, 2, 3, 0] {
        cache.put(key, 0);
    }
    catch_unwind(AssertUnwindSafe(|| cache.put(1, 0))).unwrap_err();
}

#[test]
fn the_last_of_several_messages_is_lost() {
    let mut channel = Channel::default();
    assert!(channel.send(0));
    assert!(channel.send(0));
    assert!(channel.close());
    assert_eq!(channel.len(), 1);
}

#[test]
fn a_savepoint_loses_a_write() {
    let mut records = Records::<SavepointLosesWrite>::default();
    records.begin().unwrap();
    records.insert(0, 0).unwrap();
    records.commit().unwrap();
    records.savepoint().unwrap();
    records.rollback().unwrap();
    assert_eq!(records.get(0).unwrap(), None);
}

#[test]
fn an_abort_keeps_removals() {
    let mut records = Records::<AbortKeepsRemovals>::default();
    records.begin().unwrap();
    records.insert(0, 0).unwrap();
    records.commit().unwrap();
    records.begin().unwrap();
    records.remove(0).unwrap();
    records.abort().unwrap();
    assert_eq!(records.get(0).unwrap(), None);
}
