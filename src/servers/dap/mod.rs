//! Server for the Debug Adapter Protocol: editors debug a trace, forwards and backwards.
//!
//! [`serve`] reads requests from a client and answers them from the index. It opens only the trace
//! that the command line or the launch request names, its images, and the sources that the images'
//! line tables name.

mod adapter;
mod arguments;
mod breakpoint_requests;
mod breakpoints;
mod conditions;
mod console;
mod data_stops;
mod disassembly;
mod evaluate;
mod framing;
mod goto;
mod hits;
mod launch;
mod locals;
mod log_points;
mod memory;
mod message;
mod output;
mod program;
mod progress;
mod running;
mod serve;
mod sources;
mod stack;
mod variables;

pub use serve::serve;
