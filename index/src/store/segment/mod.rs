//! Stored segments: some megabytes of the trace, encoded independently.
//!
//! Inside a segment, steps have local *slots* 1, 2, …; slot 0 is the time before its first step.
//! Slot `s` of a segment whose steps begin at `b` contains everything that becomes visible at
//! position `b + s`: the effects of step `b + s - 1`, and the actions of other threads before the
//! next step.
//!
//! A segment contains the text offset and time of each slot and the line of each 128th step, then
//! posting lists: by register view as it was written, by granule with exact byte masks, and by
//! program counter. Values are not stored: an answer reads the text of a few steps again.

pub(crate) mod meta;
pub(crate) mod reader;
