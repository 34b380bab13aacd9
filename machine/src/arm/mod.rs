//! Arm: AArch64 and AArch32 with its two instruction sets.

pub(crate) mod a64;
pub(crate) mod aarch32;
pub(crate) mod bank;
pub(crate) mod flow;
pub(crate) mod psr;
