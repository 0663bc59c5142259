//! The targets, one a module.

mod canonical;
mod chunks;
mod draw;
mod graph;
mod har;
mod literal;
mod messages;
mod observe;
mod report;
mod repro;
mod server_sent_events;
mod subject;
mod text;

pub use canonical::canonical;
pub use draw::draw;
pub use graph::graph;
pub use har::har;
pub use messages::messages;
pub use observe::observe;
pub use report::report;
pub use repro::repro;
pub use server_sent_events::server_sent_events;
pub use text::text;
