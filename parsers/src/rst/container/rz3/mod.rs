//! rstzip, version 3: each number is either predicted, which a bit states, or stored in one of
//! fifty arrays.
//!
//! Predictors depend on everything before and are never reset, so records can only be read from the
//! front. Sections of up to 131072 records follow a head of 24 bytes:
//!
//! ```text
//! "3ZR SHDR297302$\0", records (4 bytes), 4 unused, bytes of the section (8),
//! elements of each array (50 × 4)
//! the arrays one after the other, each in words of 64 bits, the first element in the lowest bits
//! ```

mod bits;
mod cpu;
mod instruction;
mod section;
mod state;
mod unpacker;
mod warm;

pub(super) use unpacker::Rz3;
