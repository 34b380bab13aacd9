//! Servers that answer the questions of other programs about a trace.

pub mod dap;
pub mod gdb;
pub mod mcp;
mod pending;
mod viewpoint;
