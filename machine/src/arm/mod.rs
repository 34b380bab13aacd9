//! Arm: AArch64, and AArch32 with its two instruction sets.

pub(crate) mod a64;
pub(crate) mod aarch32;
pub(crate) mod abi;
pub(crate) mod banks;
pub(crate) mod exception_frame;
mod flags;
pub(crate) mod flow;
pub(crate) mod mode_words;
pub(crate) mod psr;
pub(crate) mod registers;
mod target;
pub(crate) mod text_flow;
