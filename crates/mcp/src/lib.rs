//! Tests live MCP servers.
//!
//! Sequences of schema-valid tool calls are explored on real sessions. The strings and numbers of a call come from
//! what the user gave and from what the server itself returned, so that sequences reach states that matter. What
//! fails is shrunk to a minimal sequence, whose references are resolved again on a fresh server.

mod arguments;
mod call_step;
mod check;
mod corpus;
mod dry_run;
mod elicitation;
pub mod example_server;
mod formats;
#[cfg(feature = "_fuzz")]
#[doc(hidden)]
pub mod fuzz;
mod machine;
mod observation;
mod pool;
mod replay;
mod report;
mod repro;
mod run;
mod schema_coverage;
mod sdk_messages;
mod settings;
mod stop;
mod target;
mod tool;
mod tool_coverage;
mod verdict;
pub mod wire;

pub use check::{Check, Checks, Problem, Severity};
pub use corpus::{
    AnswerPath, AnswerRoot, CORPUS_FORMAT, Collection, Corpus, CorpusFile, Entry, MinedValue,
    Mining, Origin, Part, Seed, SeedError, Segment,
};
pub use dry_run::{DryCall, DryRun, dry_run};
pub use elicitation::simplest_of_schema;
pub use foolproof_contract::Untrusted;
pub use foolproof_stateful::StopSignal;
pub use formats::Format;
pub use replay::{CallEvidence, Evidence, ProblemReport, ReplayOutcome, ReplayProblem, replay};
pub use report::{
    FailureReport, OutcomeReport, OutcomeStatus, REPORT_FORMAT, RunReport, SandboxReport, Skipped,
    ToolCoverageReport, ToolReport, ToolVerdict, WarningReport,
};
pub use repro::{REPRO_FORMAT, Repro, SeedFile, StepError, StepFile, Versions};
pub use run::{RunError, run};
pub use settings::{CustomCheck, Progress, ProgressReader, Settings, ToolPredicate};
pub use target::{SessionError, TMP, Target};
pub use tool::{Annotations, Tool, UnusableSchema};
pub use tool_coverage::{CustomRule, Rule, RuleFailure, ToolCounts, ToolWarning};
