//! Arm: AArch64, and AArch32 with its two instruction sets.

pub(crate) mod a64;
pub(crate) mod aarch32;
pub(crate) mod abi;
pub(crate) mod bank;
pub(crate) mod by_lists;
pub(crate) mod exception_frame;
mod flags;
pub(crate) mod flow;
pub(crate) mod opcode;
pub(crate) mod psr;
pub(crate) mod registers;
pub(crate) mod shared;
pub(crate) mod stub;
pub(crate) mod target;
pub(crate) mod text_flow;
pub(crate) mod views;
pub(crate) mod words;
