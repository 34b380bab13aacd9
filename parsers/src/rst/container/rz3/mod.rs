//! rstzip, version 3: every number is either predicted, and a bit says so, or stands in one of fifty arrays.
//!
//! Predictors remember what came before, and nothing is ever reset: records can only be had from the front.
//! Behind a head of 24 bytes come sections of up to 131072 records:
//!
//! ```text
//! "3ZR SHDR297302$\0", records (4 bytes), 4 unused, bytes of the section (8), elements of each array (50 × 4)
//! the arrays one after the other, each in words of 64 bits, the first element in the lowest bits
//! ```

mod array;
mod bits;
mod branch_counters;
mod cpu;
mod cpus;
mod instruction;
mod instruction_cache;
mod memory;
mod output;
mod return_stack;
mod section;
mod state;
mod unpacker;
mod value_cache;
mod warm;

pub(super) use unpacker::Rz3;
