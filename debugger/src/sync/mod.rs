//! Keeps other programs at the position: disassemblers by ret-sync, and waveform viewers by the
//! Waveform Control Protocol (WCP).
//!
//! Both of these protocols are spoken as their clients, over loopback only. A disassembler may also step the
//! trace. A debugger that controls the trace is served by the program ([`ServedTrace`]).

mod links;
mod place;
mod ports;
mod ret_sync;
mod shared_position;
mod waveform;

pub use crate::sync::links::{SyncCommand, SyncLinks};
pub use crate::sync::ports::SyncPorts;
pub use crate::sync::shared_position::{DebugServer, ServedTrace, SharedPosition, StartServer};
