//! Server for GDB's remote serial protocol: GDB debugs a trace, forwards and backwards.
//!
//! A [`TraceTarget`] is a position in a trace with breakpoints and watchpoints; the crate gdbstub
//! decodes the packets for it. The server never writes, and serves no files.

mod arch;
mod description;
mod extended;
mod interrupts;
mod libraries;
mod monitor;
mod packets;
mod protocol;
mod registers;
mod requests;
mod server;
mod session;
#[cfg(any(feature = "window", feature = "terminal"))]
mod shared;
mod target;

pub use server::{Listener, listen, parse_token, serve_stdio};
#[cfg(any(feature = "window", feature = "terminal"))]
pub use shared::serve_shared;
pub use target::TraceTarget;
