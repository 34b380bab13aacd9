//! The house rules: each says where it is broken.

pub mod arrows;
pub mod files;
pub mod formats;
pub mod instruction_sets;
pub mod modules;
pub mod parameters;
pub mod texts;
