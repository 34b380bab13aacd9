//! Inference of values that a trace does not record.
//!
//! The engine symbolically executes the steps of a thread around a position. Unknown inputs are
//! symbols. Addresses of accesses, constants, branch targets and recorded values are facts about
//! terms of these symbols; see `symbols.rs`. A fact about a symbol holds everywhere that the symbol
//! is held. So a register's value is known from its last write on, even if it is used as an address
//! only later.
//!
//! Nothing is guessed. If an instruction may change something in an undescribed way, it is unknown
//! afterwards, and so is everything that a system call, a signal or a gap may change. If two facts
//! contradict each other, the value is unknown.
//!
//! Memory is inferred from the last store, a load after it or the next load, unless something
//! unrecorded may have written in between: a system call, a signal or a gap. A mapping whose flags
//! do not show it to be private counts as shared.

pub(crate) mod access_values;
pub(crate) mod addresses;
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
pub(crate) mod symbols;
pub(crate) mod terms;
pub(crate) mod unshown;
