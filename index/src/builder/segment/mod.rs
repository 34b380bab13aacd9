//! A segment while it is parsed and encoded.

pub(crate) mod builder;
mod calls;
mod digests;
pub(crate) mod instructions;
mod keyed_events;
pub(crate) mod markers;
pub(crate) mod memory;
mod problems;
mod registers;
pub(crate) mod sealed;
mod threads;
mod times;
pub(crate) mod transfers;
pub(crate) mod turns;
