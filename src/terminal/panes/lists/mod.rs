//! Panes of rows: lists and trees with a cursor that keys and the mouse move.

mod bookmarks;
mod calls;
mod compare;
mod effects;
mod externals;
mod find;
mod findings;
mod functions;
mod list;
mod open;
mod source;
mod stack;
mod table;
mod tables;
#[cfg(test)]
mod test_screen;
mod threads;
mod warnings;
mod watches;
mod why;
mod words;

pub use open::open_list;
