//! Connections to MCP servers: JSON-RPC messages over stdio, HTTP or a pipe.
//!
//! This layer is made for testing servers. Every message is recorded as it arrives, before it is
//! interpreted, and what does not follow the protocol becomes a [`Finding`] instead of being dropped:
//! text on standard output that is no JSON, answers to nothing, second answers, wrong shapes. Reading
//! needs bounded memory and every call bounded time, even if the server misbehaves.
//!
//! [`Connection::open`] connects to an [`Endpoint`] and agrees with the server on a revision of the
//! protocol; [`Connection::list_tools`] and [`Connection::call_tool`] use it. There is an example at
//! [`Connection`].
//!
//! | topic | items |
//! |---|---|
//! | where a server is | [`Endpoint`], [`CommandEndpoint`], [`UrlEndpoint`], [`Pipe`] |
//! | what a process may do | [`Isolation`], [`Sandbox`], [`Launcher`], [`Support`] |
//! | how it is used | [`ConnectOptions`], [`ProtocolChoice`], [`Era`], [`Revision`] |
//! | how calls end | [`CallEnd`], [`CallResult`], [`JsonRpcError`], [`ExitStatus`], [`StartError`] |
//! | what was wrong | [`Findings`], [`Finding`], [`FindingKind`] |
//! | what was sent | [`WireLog`], [`LogEntry`], [`RawMessage`] |
//! | no process is left | [`Connection::close`], [`end_all`], [`await_ends`] |

// What callers give and get.
mod certificates;
mod endpoint;
mod finding;
mod log;
mod options;
mod outcome;
mod raw;
mod revision;

// The protocol, without input or output.
mod input;
mod message;
mod request;
mod session;
mod shape;

// Transports.
mod ending;
mod groups;
mod http;
mod limits;
mod lines;
mod process;
mod stream;
mod transport;

// Connections.
mod connection;
#[cfg(feature = "_fuzz")]
pub(crate) mod fuzz;
mod start;
mod tools;

pub use certificates::{CaCertificates, CaCertificatesError};
pub use connection::Connection;
pub use ending::await_ends;
pub(crate) use endpoint::Environment;
pub use endpoint::{CommandEndpoint, Endpoint, FactoryEndpoint, Pipe, UrlEndpoint};
pub use finding::{Finding, FindingKind, Findings, RequestRef};
pub use foolproof_live::{Confinement, Isolation, Launcher, Network, Sandbox, Support};
pub use groups::end_all;
pub use log::{Channel, Direction, LogEntry, LogLimits, WireLog};
pub use options::{ConnectOptions, Elicit};
pub use outcome::{CallEnd, CallResult, ExitStatus, JsonRpcError};
pub(crate) use process::Process;
pub use raw::RawMessage;
pub use revision::{Era, ProtocolChoice, Revision};
pub use start::{StartError, StartFailure};
pub use tools::ToolDescription;
