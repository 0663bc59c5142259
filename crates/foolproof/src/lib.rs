//! Tests contracts, and knows what it has covered.
//!
//! A contract is a JSON Schema, an OpenAPI document, or a model written in Rust. Each feature of this
//! crate brings one job:
//!
//! | feature | job |
//! |---|---|
//! | `stateful` (default) | [`stateful`]: model-based tests of any Rust system |
//! | `generate` | [`generate`]: valid, varied, deterministic test data from a contract |
//! | `coverage` | [`coverage`]: which parts of a contract the data exercises, and data that exercises all of them |
//! | `http` | [`http`]: parameters, forms, requests and recorded traffic of OpenAPI operations |
//! | `mcp` | [`mcp`]: sequences of tool calls on a live MCP server, shrunk and replayable |
//! | `contract` | [`contract`]: documents, canonical forms as sets of values, the oracle. The others bring it |
//! | `proptest` | any JSON Schema as a proptest strategy |
//! | `proptest-state-machine` | tests of that crate run unchanged, with better shrinking |
//! | `serde` | failures and statistics of stateful tests as data |
//!
//! # Test data that is always valid
//!
//! Every instance is checked against the schema as written, and the same seed gives the same data.
//!
//! ```
//! # #[cfg(feature = "generate")]
//! # fn main() -> Result<(), foolproof::contract::Error> {
//! use foolproof::generate::{Generator, Seed};
//! use serde_json::json;
//!
//! let orders = Generator::of(json!({
//!     "type": "object", "required": ["id"],
//!     "properties": { "id": { "type": "integer", "minimum": 1 }, "note": { "type": "string" } },
//! }))?;
//! for order in orders.instances(Seed::from_number(42), 100) {
//!     assert!(order.value()["id"].as_u64() >= Some(1));
//! }
//! # Ok(())
//! # }
//! # #[cfg(not(feature = "generate"))]
//! # fn main() {}
//! ```
//!
//! # Coverage of a contract
//!
//! A guided run generates few instances that hit every part that can be hit, and ends with a report.
//!
//! ```
//! # #[cfg(feature = "coverage")]
//! # fn main() -> Result<(), foolproof::contract::Error> {
//! use foolproof::{
//!     contract::Document,
//!     coverage::{Profile, Run, Settings},
//! };
//! use serde_json::json;
//!
//! let document = Document::from_value(json!({ "enum": ["S", "M", "L"] }))?;
//! let mut run = Run::new(&document, Settings::guided(Profile::Balanced))?;
//! assert_eq!(run.by_ref().count(), 3);
//! assert_eq!(run.finish().metrics.overall, 1.0);
//! # Ok(())
//! # }
//! # #[cfg(not(feature = "coverage"))]
//! # fn main() {}
//! ```
//!
//! # A system against its model
//!
//! Commands do the same to a simple model and to the system; what fails is shrunk to the smallest
//! sequence that fails in the same way.
//!
//! ```
//! # #[cfg(feature = "stateful")]
//! # fn main() {
//! use foolproof::stateful::{Config, stateful};
//!
//! stateful::<Vec<u8>, std::collections::VecDeque<u8>>()
//!     .model(Vec::new)
//!     .sut(std::collections::VecDeque::new)
//!     .command("push", |c| {
//!         c.forall("item", 0..10_u8).run(|item, model, queue| {
//!             model.push(item);
//!             queue.push_back(item);
//!         })
//!     })
//!     .command("pop", |c| {
//!         c.pre(|model: &Vec<u8>, ()| !model.is_empty())
//!             .oracle(|(), model| Some(model.remove(0)), |(), queue| queue.pop_front())
//!     })
//!     .invariant("same length", |model, queue| model.len() == queue.len())
//!     .check(Config::default())
//!     .unwrap();
//! # }
//! # #[cfg(not(feature = "stateful"))]
//! # fn main() {}
//! ```

/// Contracts: documents, the graph of their schemas, canonical forms as sets of values, the oracle.
#[cfg(feature = "contract")]
pub use foolproof_contract as contract;
/// Which parts of a contract data exercises: targets, guided runs, reports.
#[cfg(feature = "coverage")]
pub use foolproof_coverage as coverage;
/// Valid, varied, deterministic values of a contract.
#[cfg(feature = "generate")]
pub use foolproof_generate as generate;
/// HTTP messages of OpenAPI operations.
#[cfg(feature = "http")]
pub use foolproof_http as http;
/// Tests of live MCP servers.
#[cfg(feature = "mcp")]
pub use foolproof_live as live;
#[cfg(feature = "mcp")]
pub use foolproof_mcp as mcp;
/// Model-based tests of any Rust system.
#[cfg(feature = "stateful")]
pub use foolproof_stateful as stateful;

/// The examples of the README and of the guides, as tests.
#[cfg(all(doctest, feature = "coverage", feature = "proptest", feature = "stateful"))]
#[doc = include_str!("../../../README.md")]
#[doc = include_str!("../../../docs/coverage.md")]
#[doc = include_str!("../../../docs/generate.md")]
#[doc = include_str!("../../../docs/openapi.md")]
struct DocumentedExamples;

/// The examples of the guide to model-based tests, as tests.
#[cfg(all(doctest, feature = "proptest-state-machine", feature = "stateful"))]
#[doc = include_str!("../../../docs/stateful.md")]
struct StatefulGuideExamples;

/// The example of the guide to MCP servers, as a test.
#[cfg(all(doctest, feature = "mcp"))]
#[doc = include_str!("../../../docs/mcp.md")]
struct McpGuideExamples;
