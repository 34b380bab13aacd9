//! Checks the records of a trace against the rules of the specification, in one pass and in bounded
//! memory.

mod instruction;
mod opening;
mod out;
mod path;
pub(crate) mod rules;
#[cfg(test)]
mod tests;
mod translation;
mod traps;
mod values;
pub mod whole;
