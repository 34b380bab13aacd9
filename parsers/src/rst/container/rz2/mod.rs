//! rstzip, version 2: known sequences of instructions are encoded by their start address.
//!
//! Blocks of up to some megabytes follow a head of 512 bytes of text. All numbers are big-endian.
//! In a trace of one processor, a block is its length and a stream of chunks. In a trace of several
//! processors, it is the lengths of their turns, and a stream for each. A stream is a sequence of
//! *chunks*, consecutive instructions with all other records between them, and of *items*, separate
//! other records. A byte of 161 ends it.

mod chunk;
mod cpu;
mod framing;
mod unpacker;

pub(super) use unpacker::Rz2;
