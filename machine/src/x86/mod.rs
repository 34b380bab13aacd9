//! What the instructions of x86 do (Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2).

mod access;
mod operands;
pub(crate) mod registers;
mod values;

pub(super) use access::describe;
