//! The whole program's window, driven by keys and mouse without a display.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "tests are exempt, and so are the functions they share"
)]

mod bookmarks;
mod calls;
mod cells;
mod commands;
mod compare;
mod demo;
mod differences;
mod externals;
mod files;
mod find;
mod findings;
mod folding;
mod functions;
mod gdb;
mod go_to;
mod indexing;
mod layout;
mod layouts;
mod lists;
mod memory;
mod messages;
mod names;
mod painted;
mod palette;
mod parts;
mod reconstructed;
mod registers;
mod sandbox;
mod scripts;
mod sessions;
mod settings;
mod shell;
mod side_by_side;
mod source;
mod stack;
mod start;
mod stepping;
mod support;
mod threads;
mod timeline;
mod torn;
mod trace_list;
mod warnings;
mod watches;
mod why;
mod without_values;
