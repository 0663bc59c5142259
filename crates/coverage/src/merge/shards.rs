//! Whether reports are all of what they are about: the shards of a run, each once.

use std::{
    collections::{BTreeMap, BTreeSet},
    hash::{DefaultHasher, Hash as _, Hasher as _},
};

use super::MergeError;
use crate::{Report, ShardRange};

/// The shards that were added, by the seed and the instances of their run; and the runs that are whole.
#[derive(Debug, Default)]
pub(super) struct Shards {
    parts: BTreeMap<(u64, u64), BTreeMap<u64, u64>>,
    /// Hashes of the reports about them.
    whole: BTreeSet<u64>,
}

impl Shards {
    /// Adds the part of its run that a report is about. Fails if it was added before.
    pub(super) fn add(&mut self, number: usize, report: &Report) -> Result<(), MergeError> {
        let Some(shard) = report.run.shard else { return self.add_whole(number, report) };
        let parts = self.parts.entry((report.run.master_seed, shard.instances)).or_default();
        let before = parts.range(..=shard.start).next_back();
        let after = parts.range(shard.start..).next();
        if before.is_some_and(|(_, end)| *end > shard.start)
            || after.is_some_and(|(start, _)| *start < shard.end)
        {
            return Err(MergeError::Overlap { report: number, shard });
        }
        // An empty part says nothing about which instances are there.
        if shard.start < shard.end {
            parts.insert(shard.start, shard.end);
        }
        Ok(())
    }

    /// No two runs begin at the same time, take as long and hit the same, unless they do nothing; but the time of some is not
    /// recorded.
    fn add_whole(&mut self, number: usize, report: &Report) -> Result<(), MergeError> {
        let mut hasher = DefaultHasher::new();
        report.to_json().hash(&mut hasher);
        let is_new = self.whole.insert(hasher.finish());
        if is_new || report.run.duration_ms == 0 || report.run.actual_instances == 0 {
            Ok(())
        } else {
            Err(MergeError::Repeated { report: number })
        }
    }

    /// The parts that are missing of runs of which some are there.
    pub(super) fn missing(&self) -> Vec<ShardRange> {
        let mut missing = Vec::new();
        for ((_, instances), parts) in &self.parts {
            let mut next = 0;
            let end = (*instances, *instances);
            for (start, end) in parts.iter().map(|(start, end)| (*start, *end)).chain([end]) {
                if next < start {
                    missing.push(ShardRange { start: next, end: start, instances: *instances });
                }
                next = next.max(end);
            }
        }
        missing
    }
}
