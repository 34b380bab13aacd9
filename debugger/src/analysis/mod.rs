//! Analyses computed from answers of the index: plain data, without messages, widgets or options.
//!
//! The window, the command line and exports share them.

pub mod activations;
pub mod call_profile;
pub mod cell_value;
pub mod check;
pub mod code_address;
pub mod condition;
pub mod counts;
pub mod cpu_count;
pub mod damage;
pub mod effects;
pub mod exceptions;
pub mod fatal_ending;
pub mod heap;
pub mod hot_pages;
pub mod line_code;
pub mod marker_walk;
pub mod names;
pub mod profile;
pub mod register_part;
pub mod schedule;
pub mod search;
pub mod sites;
pub mod slice;
pub mod spans;
pub mod stack_groups;
pub mod stack_times;
pub mod step_places;
pub mod step_record;
pub mod system_calls;
pub mod tasks;
pub mod thread_ending;
pub mod tracked;
pub mod traps;
pub mod walk;
