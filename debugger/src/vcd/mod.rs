//! Waveforms: a trace as a value change dump (VCD, IEEE 1364-2001 clause 18) for wave viewers.
//!
//! The trace is read once from front to back, and nothing is kept but the node at hand.
//! A *node* is an instruction with what belongs to it, or what the trace tells at a time without one;
//! the text format is that of `tarmac-vcd`, whose nodes they are.
//! ```text
//! $var integer 64 ! x0 $end
//! #4000                                <- the fifth node; an access of two takes half of its thousand ticks
//! sSTP\040x29,x30,[sp,#-0x20]! '"      <- a string
//! b0000…1111100000 +"                  <- a number
//! ```

mod dump;
mod fidelity;
mod functions;
mod line_text;
mod node;
mod nodes;
mod register_state;
mod row;
mod scope;
mod sets;
mod signals;
mod writer;

pub use dump::{Dump, DumpError, DumpOptions, DumpSource, DumpSummary, FunctionSpans, StampUnit};
pub use fidelity::Fidelity;
pub use functions::FunctionSpan;
