//! Checks the consistency of a trace's records, in one pass and in bounded memory.
//!
//! The rules are those of DynamoRIO's invariant checker
//! (`clients/drcachesim/tools/invariant_checker.cpp`), applied to each thread.
//! The successor of a plain instruction or a direct branch is checked by a rule of all formats, and
//! not reported twice.

mod header;
mod instruction;
mod kernel;
mod markers;
pub(crate) mod rules;
mod thread;

pub use crate::drmemtrace::check::thread::TraceCheck;
