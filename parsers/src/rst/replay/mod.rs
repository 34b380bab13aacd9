//! Replays the effects of a trace's records on its processors, step by step.

mod cpu;
mod effects;
mod frames;
mod last_trap;
mod names;
mod statements;
mod steps;
mod system;
mod system_calls;
mod translations;
mod traps;
pub(super) mod whole;
