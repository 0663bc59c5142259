//! Tests of live MCP servers.

pub mod example_server;
pub mod wire;
