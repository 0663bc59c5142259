//! A small MCP server with realistic tools and deliberate bugs that can be switched on.
