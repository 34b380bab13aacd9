//! What is worked out from answers of the index: plain data, without words, widgets or options.
//!
//! Whatever asks about a trace shares it: the window, the command line, exports.

pub mod fatal_ending;
pub mod heap;
pub mod register_part;
pub mod schedule;
pub mod system_calls;
pub mod trace_index;
