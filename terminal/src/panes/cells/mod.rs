//! Panes with a cursor on registers or on memory, which can be locked to a moment.

#[cfg(test)]
mod bench;
mod lock;
mod memory;
mod registers;

pub use memory::MemoryPane;
pub use registers::RegistersPane;
