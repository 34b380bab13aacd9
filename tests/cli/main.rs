//! The program as a script sees it: what it prints, where, and with which exit status.

#![expect(clippy::unwrap_used, reason = "tests are exempt, and so are the functions that they share")]

mod at;
mod bad_input;
mod bad_place;
mod browse;
mod btrace;
mod call_costs;
mod callinfo;
mod calltree;
mod check;
mod code_addresses;
mod common_options;
mod convert;
mod cores;
mod damage;
mod diff;
mod drmemtrace;
mod effects;
mod find;
mod find_by_thread;
mod find_stacks;
mod findings;
mod flamegraph;
#[cfg(target_os = "linux")]
mod hostile;
mod images;
mod index;
mod info;
mod lines;
mod list;
mod names;
mod no_window;
mod options;
mod output;
mod packed;
mod profile;
mod resume;
mod rst;
mod samples;
mod shell;
mod so_far;
mod states;
mod support;
mod tasks;
mod truncate;
mod vcd;
mod vcd_banks;
mod waveform;
mod why;
mod why_rows;
