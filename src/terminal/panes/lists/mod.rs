//! Panes of rows: lists and trees with a cursor that keys and the mouse move.

mod calls;
mod find;
mod list;
mod open;
mod stack;
mod table;
mod tables;
#[cfg(test)]
mod test_screen;
mod threads;
mod why;
mod words;

pub use open::open_list;
