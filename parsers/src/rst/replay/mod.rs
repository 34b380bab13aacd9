//! What the records of a trace do to its processors, step by step.

mod cpu;
mod effects;
mod frames;
mod memory;
mod names;
mod statements;
mod steps;
mod system;
mod system_calls;
mod traps;
pub(super) mod whole;
