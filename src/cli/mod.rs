//! The command line offers every query of the window, through the same index queries.
//!
//! The output and the meaning of options are stable for scripts; see README.md.

mod answer_forms;
mod arguments;
mod at;
mod browse;
mod callinfo;
mod calltree;
mod cell_order;
mod cells;
mod check;
mod commands;
mod convert;
mod convert_btrace;
mod counts;
mod cut;
mod diff;
mod diff_calls;
mod effects;
mod error;
mod export;
mod find;
mod find_hits;
mod find_marker;
mod find_words;
mod flamegraph;
mod heap;
mod help;
mod images_json;
mod index;
mod info;
mod interrupt;
mod json;
mod list;
mod listing;
mod man;
mod options;
mod parquet_file;
mod profile;
mod profile_files;
mod progress;
mod question;
mod records;
mod report;
mod schema;
mod stack;
mod syscalls;
mod text;
mod threads;
mod truncate;
mod vcd;
mod why;
mod window;

pub use crate::cli::arguments::{parse, run};
pub use browse::{BrowseArguments, FrontEndLaunch};
pub use window::{FrontEnds, WindowArguments};
