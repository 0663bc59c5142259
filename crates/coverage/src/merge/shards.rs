//! Whether reports are all of what they are about: the shards of a run, each once.

use std::collections::BTreeMap;

use super::MergeError;
use crate::{RunRecord, ShardRange};

/// The shards that were added, by the seed and the instances of their run; and the runs that are whole.
#[derive(Debug, Default)]
pub(super) struct Shards {
    parts: BTreeMap<(u64, u64), BTreeMap<u64, u64>>,
    whole: Vec<RunRecord>,
}

impl Shards {
    /// Adds the part of its run that a report is about. Fails if it was added before.
    pub(super) fn add(&mut self, report: usize, run: &RunRecord) -> Result<(), MergeError> {
        let Some(shard) = run.shard else { return self.add_whole(report, run) };
        let parts = self.parts.entry((run.master_seed, shard.instances)).or_default();
        let before = parts.range(..=shard.start).next_back();
        let after = parts.range(shard.start..).next();
        if before.is_some_and(|(_, end)| *end > shard.start)
            || after.is_some_and(|(start, _)| *start < shard.end)
        {
            return Err(MergeError::Overlap { report, shard });
        }
        // An empty part says nothing about which instances are there.
        if shard.start < shard.end {
            parts.insert(shard.start, shard.end);
        }
        Ok(())
    }

    /// Two runs never begin at the same time, take as long and do as much; the time of some is not recorded.
    fn add_whole(&mut self, report: usize, run: &RunRecord) -> Result<(), MergeError> {
        if run.duration_ms > 0 && self.whole.contains(run) {
            return Err(MergeError::Repeated { report });
        }
        self.whole.push(run.clone());
        Ok(())
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

#[cfg(test)]
mod tests {
    use super::*;

    fn run(seed: u64, shard: Option<(u64, u64)>) -> RunRecord {
        let shard = shard.map(|(start, end)| ShardRange { start, end, instances: 10 });
        RunRecord {
            seed,
            master_seed: seed,
            max_instances: 10,
            actual_instances: 10,
            shard,
            dimensions_enabled: Vec::new(),
            exclude_unreachable: true,
            started_at: "2026-01-01T00:00:00Z".to_owned(),
            duration_ms: 7,
            operations_scope: None,
            selected_operations: None,
            contract_fingerprint: None,
        }
    }

    fn missing(parts: &[(u64, u64)]) -> Vec<(u64, u64)> {
        let mut shards = Shards::default();
        for part in parts {
            shards.add(1, &run(1, Some(*part))).unwrap();
        }
        shards.missing().iter().map(|part| (part.start, part.end)).collect()
    }

    #[test]
    fn gaps_are_found_in_any_order() {
        assert_eq!(missing(&[(5, 10), (0, 5)]), []);
        assert_eq!(missing(&[(3, 3), (0, 10)]), []);
        assert_eq!(missing(&[(2, 4), (6, 8)]), [(0, 2), (4, 6), (8, 10)]);
        assert_eq!(missing(&[(0, 5)]), [(5, 10)]);
        assert_eq!(missing(&[]), []);
    }

    #[test]
    fn what_was_added_before_is_refused() {
        let mut shards = Shards::default();
        shards.add(1, &run(1, Some((2, 5)))).unwrap();
        for part in [(2, 5), (0, 3), (4, 9), (3, 4), (0, 10)] {
            assert!(shards.add(2, &run(1, Some(part))).is_err(), "{part:?}");
        }
        // Another seed is another run.
        shards.add(3, &run(2, Some((2, 5)))).unwrap();
        shards.add(4, &run(1, None)).unwrap();
        assert_eq!(shards.add(5, &run(1, None)), Err(MergeError::Repeated { report: 5 }));
        let untimed = RunRecord { duration_ms: 0, ..run(1, None) };
        assert!(shards.add(6, &untimed).and(shards.add(7, &untimed)).is_ok());
    }
}
