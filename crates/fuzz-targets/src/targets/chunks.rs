//! A byte stream that arrives in chunks, as an input has it.

/// The longest message, the chunks, and the whole stream. The first byte of an input chooses the longest message, the second
/// how long chunks are, the third how often the rest is repeated.
pub(super) struct Stream {
    pub(super) longest: usize,
    chunk: usize,
    pub(super) bytes: Vec<u8>,
}

/// The most repetitions: enough that a reader which keeps what it should discard needs more memory than it may.
const MOST_REPETITIONS: u8 = 32;

impl Stream {
    pub(super) fn of(data: &[u8]) -> Option<Self> {
        let [longest, chunk, repetitions, rest @ ..] = data else { return None };
        Some(Self {
            longest: usize::from(*longest) * 4,
            chunk: 1 + usize::from(chunk % 64),
            bytes: rest.repeat(1 + usize::from(repetitions % MOST_REPETITIONS)),
        })
    }

    pub(super) fn chunks(&self) -> impl Iterator<Item = &[u8]> {
        self.bytes.chunks(self.chunk)
    }

    /// All at once.
    pub(super) fn whole(&self) -> [&[u8]; 1] {
        [&self.bytes]
    }
}
