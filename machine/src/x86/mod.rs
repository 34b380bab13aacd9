//! x86 in 64-bit and 32-bit mode (Intel 64 and IA-32 Architectures Software Developer's Manual,
//! volume 2).

pub(crate) mod abi;
pub(crate) mod access;
pub(crate) mod control;
pub(crate) mod extent;
pub(crate) mod flags;
pub(crate) mod operands;
pub(crate) mod registers;
pub(crate) mod set;
pub(crate) mod stub;
pub(crate) mod text;
pub(crate) mod text_flow;
pub(crate) mod values;
pub(crate) mod words;
