//! Calls: found while segments arrive in order, by a heuristic or from records that classify
//! branches.

pub(crate) mod core_registers;
pub(crate) mod finder;
pub(crate) mod jump;
pub(crate) mod pass;
pub(crate) mod pending;
pub(crate) mod pending_frames;
pub(crate) mod recorded;
pub(crate) mod recorded_frames;
pub(crate) mod recorded_stack;
mod sorted_map;
pub(crate) mod spool;
pub(crate) mod stacks;
pub(crate) mod thread_finder;
