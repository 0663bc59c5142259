//! Work on many indices, on several threads, with the results in order.
//!
//! Workers map chunks of indices; the calling thread gets their results in the order of the indices,
//! so that its output does not depend on the number of workers. Only a few chunks are in flight at any
//! time, however slow the caller is. How the indices are split into chunks is not part of the contract:
//! a map must give the same for two chunks as for both in one.

use std::{
    num::{NonZeroU64, NonZeroUsize},
    ops::{ControlFlow, Range},
    panic::resume_unwind,
    thread,
};

use foolproof_contract::with_large_stack;

mod chunks;
mod reorder_buffer;

use chunks::Chunks;
use reorder_buffer::ReorderBuffer;

/// How many chunks for each worker may be in flight.
const CHUNKS_PER_WORKER: usize = 4;

/// The default size of the largest chunks: passing one between threads costs little compared to
/// generating it.
const CHUNK: NonZeroU64 = NonZeroU64::new(64).expect("it is not zero");

/// How work is distributed over threads.
///
/// ```
/// use std::{num::NonZeroUsize, ops::ControlFlow};
/// use foolproof_generate::Pipeline;
///
/// let mut squares = Vec::new();
/// let pipeline = Pipeline::new(NonZeroUsize::new(4).unwrap());
/// let stopped = pipeline.run(
///     0..1_000,
///     |indices| indices.map(|index| index * index).collect::<Vec<_>>(),
///     |chunk| {
///         squares.extend(chunk);
///         if squares.len() < 100 { ControlFlow::Continue(()) } else { ControlFlow::Break("enough") }
///     },
/// );
/// assert_eq!(stopped, ControlFlow::Break("enough"));
/// assert_eq!(squares[..4], [0, 1, 4, 9]);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Pipeline {
    threads: NonZeroUsize,
    chunk: NonZeroU64,
}

impl Pipeline {
    /// A pipeline of this many threads. One means the thread of the caller.
    #[must_use]
    pub fn new(threads: NonZeroUsize) -> Self {
        Self { threads, chunk: CHUNK }
    }

    /// Limits chunks to this many indices. The first chunks are smaller.
    #[must_use]
    pub fn chunk(mut self, most: NonZeroU64) -> Self {
        self.chunk = most;
        self
    }

    /// Maps `indices` chunk by chunk on workers, and gives the results to `sink` on this thread, in
    /// order. When `sink` breaks, the workers end after their present chunk.
    ///
    /// # Panics
    /// If `map` or `sink` does.
    pub fn run<T: Send, B>(
        &self,
        indices: Range<u64>,
        map: impl Fn(Range<u64>) -> T + Sync,
        mut sink: impl FnMut(T) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        let chunks = Chunks::new(indices, self.threads, self.chunk);
        // Each chunk has an index at least, so more workers than indices have nothing to do.
        let workers = usize::try_from(chunks.left()).unwrap_or(usize::MAX).min(self.threads.get());
        if workers < 2 {
            return on_this_thread(chunks, &map, &mut sink);
        }
        on_workers(workers, chunks, &map, &mut sink)
    }
}

fn on_this_thread<T: Send, B>(
    mut chunks: Chunks,
    map: &(impl Fn(Range<u64>) -> T + Sync),
    sink: &mut impl FnMut(T) -> ControlFlow<B>,
) -> ControlFlow<B> {
    chunks.try_for_each(|chunk| sink(with_large_stack(|| map(chunk))))
}

fn on_workers<T: Send, B>(
    workers: usize,
    chunks: Chunks,
    map: &(impl Fn(Range<u64>) -> T + Sync),
    sink: &mut impl FnMut(T) -> ControlFlow<B>,
) -> ControlFlow<B> {
    let buffer = ReorderBuffer::new(chunks.clone(), workers.saturating_mul(CHUNKS_PER_WORKER));
    thread::scope(|scope| {
        let work = || with_large_stack(|| buffer.work(map));
        // A system that grants fewer threads than requested runs with those.
        let start = |_| thread::Builder::new().spawn_scoped(scope, work).ok();
        let handles: Vec<_> = (0..workers).map_while(start).collect();
        if handles.is_empty() {
            return on_this_thread(chunks, map, sink);
        }
        let outcome = buffer.collect(sink);
        for handle in handles {
            if let Err(panic) = handle.join() {
                resume_unwind(panic);
            }
        }
        outcome
    })
}
