//! The list of targets.

use crate::targets;

/// Whether the laws of a target had something to say about an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reached {
    /// The input was refused before it reached what the laws are about.
    Refused,
    /// The laws were checked.
    Checked,
}

/// A part of foolproof with its laws.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// Its name, which is that of its file in `fuzz/fuzz_targets`.
    pub name: &'static str,
    /// Checks the laws on one input.
    pub run: fn(&[u8]) -> Reached,
    /// The folders of its seeds, below the root of the repository.
    pub corpus: &'static [&'static str],
    /// How many inputs it is run on where the slowest target is run on one, so that all take about as long.
    pub pace: u64,
}

/// Schemas with values that may or may not satisfy them.
const SCHEMAS: &[&str] = &["fuzz/corpus/schemas"];

impl Target {
    /// All targets, those that are read by others first.
    pub const ALL: [Self; 10] = [
        Self {
            name: "text",
            run: targets::text,
            corpus: &["fuzz/corpus/text", "contracts"],
            pace: 20,
        },
        Self {
            name: "graph",
            run: targets::graph,
            corpus: &["fuzz/corpus/graph", "contracts"],
            pace: 20,
        },
        Self { name: "canonical", run: targets::canonical, corpus: SCHEMAS, pace: 8 },
        Self { name: "draw", run: targets::draw, corpus: SCHEMAS, pace: 10 },
        Self { name: "observe", run: targets::observe, corpus: SCHEMAS, pace: 2 },
        Self { name: "report", run: targets::report, corpus: &["fuzz/corpus/report"], pace: 15 },
        Self {
            name: "messages",
            run: targets::messages,
            corpus: &["fuzz/corpus/messages"],
            pace: 15,
        },
        Self {
            name: "server_sent_events",
            run: targets::server_sent_events,
            corpus: &["fuzz/corpus/server_sent_events"],
            pace: 15,
        },
        Self { name: "har", run: targets::har, corpus: &["fuzz/corpus/har"], pace: 10 },
        Self { name: "repro", run: targets::repro, corpus: &["fuzz/corpus/repro"], pace: 60 },
    ];

    /// The target of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|target| target.name == name)
    }
}
