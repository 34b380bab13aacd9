//! What is wrong with a trace, by rule: what its format asks of its records, and what no processor does.

mod rules;
mod whole;

pub use whole::{BrokenRule, PlacedFinding, check};
