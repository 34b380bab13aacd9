//! x86 in 64-bit and 32-bit mode (Intel 64 and IA-32 Architectures Software Developer's Manual,
//! volume 2).

pub(crate) mod access;
pub(crate) mod control;
pub(crate) mod operands;
pub(crate) mod registers;
pub(crate) mod set;
mod target;
pub(crate) mod text;
pub(crate) mod values;
