//! Servers that answer other programs' questions about a trace.

pub mod dap;
pub mod gdb;
