//! A small random number generator for the structure of sequences: their length, their commands, and
//! the seeds of arguments. Values of arguments come from proptest, each from a seed of its own, so that
//! removing a step does not change the arguments of others.

/// A random number generator. Equal seeds give equal numbers, on every platform.
#[derive(Clone, Debug)]
pub struct Rng(u64);

impl Rng {
    /// A generator that starts from `seed`.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next 64 bits (`SplitMix64`).
    #[inline]
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        mix(self.0)
    }

    /// A number below `end`, which is not zero. The bias is below 2⁻³² for every length that fits
    /// memory.
    #[inline]
    pub fn below(&mut self, end: usize) -> usize {
        let wide = u128::from(self.bits()) * end as u128;
        usize::try_from(wide >> 64).expect("it is below `end`")
    }
}

/// A seed derived from `seed`, for its part number `part`.
#[must_use]
pub(crate) fn child(seed: u64, part: u64) -> u64 {
    mix(seed ^ mix(part.wrapping_add(0x9E37_79B9_7F4A_7C15)))
}

/// A hash of bytes (FNV-1a), which is the same on every platform and in every version.
#[must_use]
pub(crate) fn hash(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

#[inline]
fn mix(bits: u64) -> u64 {
    let bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    bits ^ (bits >> 31)
}
