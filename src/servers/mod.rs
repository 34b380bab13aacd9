//! Servers for other programs.

pub mod mcp;
