//! Panes with a cursor on registers or on memory, which can be locked to a moment.

#[cfg(test)]
mod bench;
mod lock;
mod moment;
mod registers;

pub use registers::RegistersPane;
