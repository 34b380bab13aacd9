//! Replays the effects of a trace's records on its processors, step by step.

mod cpu;
mod effects;
mod frames;
mod last_trap;
mod memory;
mod names;
mod statements;
mod steps;
mod system;
mod system_calls;
mod translations;
mod traps;
mod unseen;
pub(super) mod whole;
