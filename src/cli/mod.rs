//! The command line: every question that the window can ask, asked by the same queries.
//!
//! What is printed here, and what the options mean, is a promise to scripts; see README.md.

mod arguments;
mod at;
mod calltree;
mod cells;
mod diff;
mod find;
mod index;
mod info;
mod json;
mod list;
mod options;
mod progress;
mod report;
mod run;
mod stack;
mod text;
mod walk;
mod window;

pub use arguments::Arguments;
pub use run::run;
