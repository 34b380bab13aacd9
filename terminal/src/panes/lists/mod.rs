//! Panes of rows: lists and trees with a cursor that keys and the mouse move.

mod both_traces;
mod calls;
mod compare;
mod findings;
mod list;
mod source;
mod stack;
mod table;
#[cfg(test)]
mod test_screen;
#[cfg(test)]
mod tests;
mod why;

pub use crate::panes::lists::list::open_list;
