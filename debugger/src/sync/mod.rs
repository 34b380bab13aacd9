//! Keeps other programs at the position: disassemblers by ret-sync, and waveform viewers by the
//! Waveform Control Protocol (WCP).
//!
//! Both protocols are spoken as their clients, over loopback only. A disassembler may also step the
//! trace.

mod links;
mod place;
mod ports;
mod ret_sync;
mod waveform;

pub use crate::sync::links::{SyncCommand, SyncLinks};
pub use crate::sync::ports::SyncPorts;
