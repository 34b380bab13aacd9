//! rstzip, version 2: stretches of instructions that were seen before are told by where they begin.
//!
//! Behind a head of 512 bytes of text come blocks of up to some megabytes. All numbers are big-endian.
//! In a trace of one processor a block is its length and a stream of chunks; of several, the lengths of the turns that they take,
//! and a stream for each.
//! A stream is a row of *chunks*, instructions one after the other with all other records between them, and of *items*,
//! other records by themselves. A byte of 161 ends it.

mod bytes;
mod chunk;
mod cpu;
mod difference_cache;
mod framing;
mod history;
mod items;
mod unpacker;

pub(super) use unpacker::Rz2;
