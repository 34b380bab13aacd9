//! Shared parts of the measurements: traces to measure, the process's CPU time and memory, cold
//! files.
//!
//! `benches/README.md` lists the measurements, their commands and their results.

pub mod percentiles;
pub mod places;
#[cfg(target_os = "linux")]
mod pseudo_terminal;
mod system;
mod traces;

#[cfg(target_os = "linux")]
pub use pseudo_terminal::{PseudoTerminal, Sent};

pub use system::{
    cpu_time, forget_pages, free_bytes, read_bytes, status_kib, thread_cpu_time, with_peak_memory,
};
pub use traces::{Trace, long_trace, traces};
