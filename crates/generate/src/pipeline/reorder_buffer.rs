//! The buffer from which workers get chunks, to which they add results in any order, and from which the
//! caller gets the results in order.
//!
//! A panic on either side closes the buffer, so that no thread waits for one that has ended.

use std::{
    collections::BTreeMap,
    ops::{ControlFlow, Range},
    sync::{Condvar, Mutex, MutexGuard, PoisonError},
    thread,
};

use super::Chunks;

pub(super) struct ReorderBuffer<T> {
    state: Mutex<State<T>>,
    /// Another chunk may be started, or the buffer is closed.
    capacity_freed: Condvar,
    /// Another result was added, or the buffer is closed.
    result_added: Condvar,
    /// How many chunks may be started and not collected.
    capacity: u64,
}

struct State<T> {
    chunks: Chunks,
    /// How many chunks have been started.
    started: u64,
    /// How many results have been collected.
    collected: u64,
    /// Results that are not collected yet, by the number of their chunk.
    results: BTreeMap<u64, T>,
    closed: bool,
}

impl<T> ReorderBuffer<T> {
    pub(super) fn new(chunks: Chunks, capacity: usize) -> Self {
        let results = BTreeMap::new();
        let state = State { chunks, started: 0, collected: 0, results, closed: false };
        Self {
            state: Mutex::new(state),
            capacity_freed: Condvar::new(),
            result_added: Condvar::new(),
            capacity: u64::try_from(capacity).unwrap_or(u64::MAX),
        }
    }

    /// Maps chunks until there are no more.
    pub(super) fn work(&self, map: impl Fn(Range<u64>) -> T) {
        let _closing = CloseOnDrop { buffer: self, when: When::Panicking };
        while let Some((number, chunk)) = self.next_chunk() {
            let result = map(chunk);
            self.lock().results.insert(number, result);
            self.result_added.notify_one();
        }
    }

    /// Gives the results to `sink` in order, until it breaks or there are no more.
    pub(super) fn collect<B>(&self, sink: &mut impl FnMut(T) -> ControlFlow<B>) -> ControlFlow<B> {
        let _closing = CloseOnDrop { buffer: self, when: When::Always };
        while let Some(result) = self.next_result() {
            sink(result)?;
        }
        ControlFlow::Continue(())
    }

    /// A chunk with its number, once the buffer has capacity for its result.
    fn next_chunk(&self) -> Option<(u64, Range<u64>)> {
        let is_full = |state: &mut State<T>| {
            !state.closed && state.started - state.collected >= self.capacity
        };
        let waited = self.capacity_freed.wait_while(self.lock(), is_full);
        let mut state = waited.unwrap_or_else(PoisonError::into_inner);
        if state.closed {
            return None;
        }
        let chunk = state.chunks.next()?;
        state.started += 1;
        Some((state.started - 1, chunk))
    }

    /// The next result in order; `None` if all are collected or the buffer is closed.
    fn next_result(&self) -> Option<T> {
        let is_awaited = |state: &mut State<T>| {
            let is_over = state.collected == state.started && state.chunks.left() == 0;
            !state.closed && !is_over && !state.results.contains_key(&state.collected)
        };
        let waited = self.result_added.wait_while(self.lock(), is_awaited);
        let mut state = waited.unwrap_or_else(PoisonError::into_inner);
        if state.closed {
            return None;
        }
        let number = state.collected;
        let result = state.results.remove(&number)?;
        state.collected += 1;
        self.capacity_freed.notify_one();
        Some(result)
    }

    fn close(&self) {
        self.lock().closed = true;
        self.capacity_freed.notify_all();
        self.result_added.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, State<T>> {
        // Only code of this module runs under the lock, so a panic cannot leave the state inconsistent.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Closes a buffer when it goes out of scope.
struct CloseOnDrop<'a, T> {
    buffer: &'a ReorderBuffer<T>,
    when: When,
}

#[derive(PartialEq, Eq)]
enum When {
    Always,
    Panicking,
}

impl<T> Drop for CloseOnDrop<'_, T> {
    fn drop(&mut self) {
        if self.when == When::Always || thread::panicking() {
            self.buffer.close();
        }
    }
}
