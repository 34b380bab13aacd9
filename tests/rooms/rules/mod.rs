//! The house rules. Each returns its violations.

pub mod arrows;
pub mod files;
pub mod formats;
pub mod instruction_sets;
pub mod modules;
pub mod parameters;
pub mod texts;
