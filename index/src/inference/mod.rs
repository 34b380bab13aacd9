//! Values that a trace without values forces.
//!
//! The steps of a thread around a position are gone through with what their instructions mean.
//! What they do not tell is a symbol; addresses of accesses, constants, targets of branches and records that state values are facts
//! about terms of these symbols; see `symbols.rs`.
//! What a fact tells of a symbol holds everywhere that the symbol is held, so a register's value is known
//! from its last write on, though it is an address only later.
//!
//! Nothing is guessed: what an instruction may change in a way that is not described is unknown behind it,
//! and so is all that a system call, a signal or a gap may change.
//! Where two facts differ, the value is unknown.

mod access_values;
mod addresses;
mod around;
mod breaks;
mod contents;
mod control;
mod engine;
mod knowledge;
mod memory;
mod observed;
mod query;
mod reason;
mod registers;
mod run;
mod symbols;
mod terms;

pub(crate) use access_values::fill_accesses;
pub use contents::InferredMemory;
pub(crate) use contents::fill_memory;
pub(crate) use query::fill;
pub use query::{Inference, InferredRegister, InferredRegisters};
pub use reason::{Fact, Reason, Way};
