//! A segment as it is stored: some megabytes of the trace, encoded by themselves.
//!
//! Inside a segment steps have local *slots* 1, 2, …; slot 0 is what comes before its first step.
//! Slot `s` of a segment whose steps begin at `b` holds what shows from position `b + s` on:
//! the effects of step `b + s - 1`, and what other threads did before the next step.

pub(crate) mod meta;
pub(crate) mod reader;
pub(crate) mod views;
