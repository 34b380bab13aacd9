//! The command line: every question that the window can ask, asked by the same queries.
//!
//! What is printed here, and what the options mean, is a promise to scripts; see README.md.

mod arguments;
mod at;
mod callinfo;
mod calls_json;
mod calltree;
mod cells;
mod check;
mod command;
mod commands;
mod convert;
mod convert_rst;
mod counts;
mod date;
mod diff;
mod extent;
mod find;
mod find_marker;
mod find_words;
mod flamegraph;
mod follow;
mod function_names;
mod further_files;
mod heap;
mod heat;
mod index;
mod info;
mod json;
mod list;
mod listing;
mod misspelt;
mod new_file;
mod options;
mod profile;
mod progress;
mod question;
mod records;
mod report;
mod retold;
mod rst_records;
mod run;
mod stack;
mod syscalls;
mod text;
mod threads;
mod trace_arguments;
mod truncate;
mod typed;
mod vcd;
mod window;

pub use arguments::Arguments;
pub use run::run;
pub use typed::parse;
pub use window::{OpenWindow, Shown, WindowArguments};
