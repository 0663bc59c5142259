//! What people depend on: each feature brings one part of foolproof.
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

/// Model-based tests of any Rust system.
#[cfg(feature = "stateful")]
pub use foolproof_stateful as stateful;
