//! Whether the records of a trace fit each other, in one pass and in bounded memory.
//!
//! The rules are those of DynamoRIO's invariant checker (`clients/drcachesim/tools/invariant_checker.cpp`), for each thread.
//! Where a thread goes on after a plain instruction or a direct branch is a rule of all formats, and not told twice.

mod header;
mod instruction;
mod kernel;
mod markers;
mod report;
mod rules;
mod thread;
mod whole;

pub use whole::TraceCheck;
