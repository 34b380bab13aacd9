//! Values that a trace without values forces.
//!
//! The engine follows the steps of a thread around a position by what their instructions mean.
//! What they do not tell is a symbol; addresses of accesses, constants, targets of branches and records that state values are facts
//! about terms of these symbols; see `symbols.rs`.
//! What a fact tells of a symbol holds everywhere that the symbol is held, so a register's value is known
//! from its last write on, though it is an address only later.
//!
//! Nothing is guessed: what an instruction may change in a way that is not described is unknown behind it,
//! and so is all that a system call, a signal or a gap may change.
//! Where two facts differ, the value is unknown.

pub(crate) mod access_values;
pub(crate) mod addresses;
pub(crate) mod around;
pub(crate) mod breaks;
pub(crate) mod contents;
pub(crate) mod contested;
pub(crate) mod control;
pub(crate) mod decoded;
pub(crate) mod ending;
pub(crate) mod engine;
pub(crate) mod here;
pub(crate) mod kernel_writes;
pub(crate) mod knowledge;
pub(crate) mod memory;
pub(crate) mod observed;
pub(crate) mod others;
pub(crate) mod overwrites;
pub(crate) mod path;
pub(crate) mod register_values;
pub(crate) mod registers;
pub(crate) mod run;
pub(crate) mod run_slots;
pub(crate) mod shared;
pub(crate) mod snapshot;
mod surroundings;
pub(crate) mod symbols;
pub(crate) mod terms;
pub(crate) mod told;
pub(crate) mod traps;
pub(crate) mod unshown;
pub(crate) mod width;
