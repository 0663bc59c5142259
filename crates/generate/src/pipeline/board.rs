//! Where workers fetch chunks and leave results, and the caller collects these in order.
//!
//! A panic on either side closes the board, so that nobody waits for somebody who is gone.

use std::{
    collections::BTreeMap,
    ops::{ControlFlow, Range},
    sync::{Condvar, Mutex, MutexGuard, PoisonError},
    thread,
};

use super::Chunks;

pub(super) struct Board<T> {
    state: Mutex<State<T>>,
    /// There is room for another chunk, or nothing more to do.
    room: Condvar,
    /// There is another result, or none will come.
    result: Condvar,
    /// How many chunks may be taken and not collected.
    ahead: u64,
}

struct State<T> {
    chunks: Chunks,
    /// How many chunks have been taken.
    taken: u64,
    /// How many results have been collected.
    collected: u64,
    /// Results that wait for their turn, by the number of their chunk.
    done: BTreeMap<u64, T>,
    closed: bool,
}

impl<T> Board<T> {
    pub(super) fn new(chunks: Chunks, ahead: usize) -> Self {
        let done = BTreeMap::new();
        let state = State { chunks, taken: 0, collected: 0, done, closed: false };
        Self {
            state: Mutex::new(state),
            room: Condvar::new(),
            result: Condvar::new(),
            ahead: u64::try_from(ahead).unwrap_or(u64::MAX),
        }
    }

    /// Maps chunks until there are no more.
    pub(super) fn work(&self, map: impl Fn(Range<u64>) -> T) {
        let _closing = Closing { board: self, when: When::Panicking };
        while let Some((number, chunk)) = self.take() {
            let result = map(chunk);
            self.lock().done.insert(number, result);
            self.result.notify_one();
        }
    }

    /// Gives the results to `sink` in order, until it breaks or there are no more.
    pub(super) fn collect<B>(&self, sink: &mut impl FnMut(T) -> ControlFlow<B>) -> ControlFlow<B> {
        let _closing = Closing { board: self, when: When::Always };
        while let Some(result) = self.next() {
            sink(result)?;
        }
        ControlFlow::Continue(())
    }

    /// A chunk with its number, once there is room for its result.
    fn take(&self) -> Option<(u64, Range<u64>)> {
        let is_full =
            |state: &mut State<T>| !state.closed && state.taken - state.collected >= self.ahead;
        let waited = self.room.wait_while(self.lock(), is_full);
        let mut state = waited.unwrap_or_else(PoisonError::into_inner);
        if state.closed {
            return None;
        }
        let chunk = state.chunks.next()?;
        state.taken += 1;
        Some((state.taken - 1, chunk))
    }

    /// The next result in order; none if all are collected or the board is closed.
    fn next(&self) -> Option<T> {
        let is_awaited = |state: &mut State<T>| {
            let is_over = state.collected == state.taken && state.chunks.left() == 0;
            !state.closed && !is_over && !state.done.contains_key(&state.collected)
        };
        let waited = self.result.wait_while(self.lock(), is_awaited);
        let mut state = waited.unwrap_or_else(PoisonError::into_inner);
        if state.closed {
            return None;
        }
        let number = state.collected;
        let result = state.done.remove(&number)?;
        state.collected += 1;
        self.room.notify_one();
        Some(result)
    }

    fn close(&self) {
        self.lock().closed = true;
        self.room.notify_all();
        self.result.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, State<T>> {
        // No code of others runs under the lock, so a panic leaves nothing half done.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Closes a board when it goes out of scope.
struct Closing<'a, T> {
    board: &'a Board<T>,
    when: When,
}

#[derive(PartialEq, Eq)]
enum When {
    Always,
    Panicking,
}

impl<T> Drop for Closing<'_, T> {
    fn drop(&mut self) {
        if self.when == When::Always || thread::panicking() {
            self.board.close();
        }
    }
}
