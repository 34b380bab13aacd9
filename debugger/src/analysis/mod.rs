//! Analyses computed from answers of the index: plain data, without messages, widgets or options.
//!
//! The window, the command line and exports share them.

pub mod activations;
pub mod call_profile;
pub mod check;
pub mod compare_rules;
pub mod compare_traces;
pub mod condition;
pub mod counts;
pub mod effects;
pub mod ending;
pub mod exceptions;
pub mod fatal_ending;
pub mod frame_events;
pub mod heap;
pub mod line_step;
pub mod marker_walk;
pub mod memory_change;
pub mod names;
pub mod profile;
pub mod profile_differences;
pub mod register_part;
pub mod run_control;
pub mod schedule;
pub mod search;
pub mod sites;
pub mod slice;
pub mod stack_groups;
pub mod stack_times;
pub mod step_blocks;
pub mod step_frame;
pub mod step_places;
pub mod system_calls;
pub mod tasks;
pub mod tracked;
pub mod walk;
