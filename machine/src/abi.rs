//! By which registers functions and kernels are called.

use crate::linux::names::SystemCallNumbering;
use crate::view::RegisterId;

/// The calling conventions of an architecture. Registers by their names; a list that is not known is empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Abi {
    /// The first arguments of a function.
    pub arguments: &'static [&'static str],
    /// What a function or the kernel returns.
    pub result: Option<&'static str>,
    /// Where a call leaves its return address.
    pub return_address: ReturnAddress,
    /// What a function saves before it changes it, and restores before it returns.
    pub callee_saved: &'static [&'static str],
    /// How the kernel is called.
    pub system_calls: SystemCallConvention,
}

/// How a program asks the kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SystemCallConvention {
    /// Whose numbers are meant.
    pub numbers: SystemCallNumbering,
    /// Where the number of the call stands before it.
    pub number: Option<&'static str>,
    /// How the kernel says that it failed.
    pub failure: SystemCallFailure,
    /// The arguments, as far as their registers keep them: the result takes the place of the first in many architectures,
    /// and then the list is empty, for what stands in a list counts from the first argument on.
    pub kept_arguments: &'static [&'static str],
    /// What may be changed when control comes back.
    pub changed: &'static [&'static str],
}

/// How a kernel says that a system call failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SystemCallFailure {
    /// The result is negative: the number of the error below zero.
    Negative,
    /// This bit of a register is set, and the result is the number of the error.
    Flag {
        /// The register.
        register: &'static str,
        /// The bit.
        bit: u8,
    },
}

/// A bit of a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RegisterBit {
    /// The register.
    pub register: &'static str,
    /// The bit, the lowest is 0.
    pub bit: u8,
}

/// Where a call leaves the address that it returns to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReturnAddress {
    /// In this register.
    Register(RegisterId),
    /// On top of the stack: a call writes it there first of all, and a return reads it.
    Stack,
    /// Nobody knows.
    Unknown,
}
