//! Panes of rows: lists and trees with a cursor that keys and the mouse move.

mod calls;
mod compare;
mod findings;
mod list;
mod open;
mod source;
mod stack;
mod table;
#[cfg(test)]
mod test_screen;
#[cfg(test)]
mod tests;
mod why;
mod words;

pub use open::open_list;
