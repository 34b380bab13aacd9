//! Waveforms: a trace as a value change dump (VCD, IEEE 1364-2001 clause 18) for wave viewers.
//!
//! The trace is read once from front to back, and only the current node is kept. A *node* is an
//! instruction with its events, or the events at a time without an instruction. The text format and
//! the nodes are those of `tarmac-vcd`.
//!
//! Errors of `tarmac-vcd` are reproduced, because scripts compare its output byte for byte. A note
//! reports them, and `--exact` corrects them.
//!
//! ```text
//! $var integer 64 ! x0 $end
//! #4000                                <- the fifth node: each of two accesses takes 500 ticks
//! sSTP\040x29,x30,[sp,#-0x20]! '"      <- a string
//! b0000…1111100000 +"                  <- a number
//! ```

mod dump;
mod functions;
mod node;
mod nodes;
mod register_state;
mod scope;
mod signals;
mod writer;

pub use crate::vcd::dump::Fidelity;
pub use dump::{Dump, DumpError, DumpOptions, DumpSource, DumpSummary, FunctionSpans, StampUnit};
pub use functions::FunctionSpan;
