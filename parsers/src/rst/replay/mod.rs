//! What the records of a trace do to its processors, step by step.

mod cpu;
mod effects;
mod memory;
mod names;
pub(super) mod replay;
mod statements;
mod steps;
mod system;
mod traps;
