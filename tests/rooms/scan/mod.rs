//! Scanning: from the text of a file to the data for the resolver and the rules.

mod cfg;
mod compare;
pub mod file_scan;
mod items;
mod scanner;
pub mod signature;
mod tokens;
mod visit;

pub use scanner::{holds_modules_only, scan};
