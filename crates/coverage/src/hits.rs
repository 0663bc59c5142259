//! Which targets were hit.

use crate::TargetIndex;

/// A set of targets.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hits {
    bits: Vec<u64>,
    count: usize,
}

impl Hits {
    /// The empty set, for a universe with so many targets.
    #[must_use]
    pub fn none(targets: usize) -> Self {
        Self { bits: vec![0; targets.div_ceil(64)], count: 0 }
    }

    /// Makes room for a universe with so many targets.
    pub(crate) fn grow(&mut self, targets: usize) {
        self.bits.resize(targets.div_ceil(64).max(self.bits.len()), 0);
    }

    /// Adds `target`, and returns whether it is new.
    pub fn insert(&mut self, target: TargetIndex) -> bool {
        let (word, bit) = (target.index() / 64, 1 << (target.index() % 64));
        let is_new = self.bits[word] & bit == 0;
        self.bits[word] |= bit;
        self.count += usize::from(is_new);
        is_new
    }

    /// Whether `target` was hit.
    #[must_use]
    pub fn contains(&self, target: TargetIndex) -> bool {
        self.bits[target.index() / 64] & (1 << (target.index() % 64)) != 0
    }

    /// The targets that were hit, in their order.
    pub fn iter(&self) -> impl Iterator<Item = TargetIndex> {
        let all = (0..self.bits.len() * 64).map(TargetIndex::new);
        all.filter(|target| self.contains(*target))
    }

    /// How many were hit.
    #[must_use]
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether none was.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }
}
