//! Connections to MCP servers: JSON-RPC messages over stdio, HTTP or a pipe.
