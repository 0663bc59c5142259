//! How a range of indices is split into chunks.

use std::{
    num::{NonZeroU64, NonZeroUsize},
    ops::Range,
};

/// The chunks of a range, in order.
///
/// The first are small, so that the first results come soon; so are the last, so that no worker still
/// has a large one when the others have finished.
#[derive(Clone, Debug)]
pub(super) struct Chunks {
    rest: Range<u64>,
    /// How many indices are in a chunk already.
    chunked: u64,
    threads: u64,
    most: u64,
}

impl Chunks {
    pub(super) fn new(indices: Range<u64>, threads: NonZeroUsize, most: NonZeroU64) -> Self {
        let threads = u64::try_from(threads.get()).unwrap_or(u64::MAX);
        Self { rest: indices, chunked: 0, threads, most: most.get() }
    }

    /// How many indices are not in a chunk yet.
    pub(super) fn left(&self) -> u64 {
        self.rest.end.saturating_sub(self.rest.start)
    }
}

impl Iterator for Chunks {
    type Item = Range<u64>;

    fn next(&mut self) -> Option<Range<u64>> {
        let left = self.left();
        if left == 0 {
            return None;
        }
        let share = left / self.threads.saturating_mul(2);
        let size = (self.chunked / 8).min(share).min(self.most).max(1);
        let start = self.rest.start;
        self.rest.start += size;
        self.chunked += size;
        Some(start..start + size)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chunks(indices: Range<u64>, threads: usize, most: u64) -> Vec<Range<u64>> {
        let threads = NonZeroUsize::new(threads).unwrap();
        Chunks::new(indices, threads, NonZeroU64::new(most).unwrap()).collect()
    }

    #[test]
    fn chunks_put_together_are_the_range() {
        for (threads, most, end) in [(1, 1, 40), (2, 32, 1_000), (8, 256, 10_007), (64, 7, 5)] {
            let mut expected = 3;
            for chunk in chunks(3..end, threads, most) {
                assert_eq!(chunk.start, expected);
                assert!(chunk.end > chunk.start && chunk.end - chunk.start <= most);
                expected = chunk.end;
            }
            assert_eq!(expected, end);
        }
        assert_eq!(chunks(5..5, 2, 8), [] as [Range<u64>; 0]);
    }

    #[test]
    fn the_first_and_last_chunks_are_small() {
        let sizes: Vec<u64> =
            chunks(0..10_000, 2, 64).iter().map(|chunk| chunk.end - chunk.start).collect();
        assert_eq!((sizes[0], sizes[sizes.len() / 2], sizes[sizes.len() - 1]), (1, 64, 1));
    }

    #[test]
    fn the_last_index_of_all_is_reached() {
        let last = chunks(u64::MAX - 3..u64::MAX, 2, 8).pop().unwrap();
        assert_eq!(last.end, u64::MAX);
    }
}
