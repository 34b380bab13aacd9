//! Calling conventions of functions and of system calls.

use crate::linux::names::SystemCallNumbering;
use crate::view::RegisterId;

/// Calling conventions of an architecture. Registers are given by name; a list that is not known is
/// empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Abi {
    /// Registers of the first function arguments, in order.
    pub arguments: &'static [&'static str],
    /// Register with the result of a function or a system call.
    pub result: Option<&'static str>,
    /// Location of the return address after a call.
    pub return_address: ReturnAddress,
    /// Registers that a function must preserve: it restores them before it returns.
    pub callee_saved: &'static [&'static str],
    /// Calling convention of the kernel.
    pub system_calls: SystemCallConvention,
}

/// Calling convention of system calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SystemCallConvention {
    /// Numbering scheme of the system calls.
    pub numbers: SystemCallNumbering,
    /// Register that holds the system call number on entry.
    pub number: Option<&'static str>,
    /// Failure convention of the kernel.
    pub failure: SystemCallFailure,
    /// Argument registers that keep their values across the call, counted from the first argument.
    /// Empty where the result replaces the first argument, as it does in many architectures.
    pub kept_arguments: &'static [&'static str],
    /// Registers that may have changed when control returns.
    pub changed: &'static [&'static str],
}

/// Convention by which a kernel reports that a system call failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SystemCallFailure {
    /// The result is negative: the negated error number.
    Negative,
    /// This bit of a register is set, and the result is the error number.
    Flag {
        /// The register.
        register: &'static str,
        /// The bit.
        bit: u8,
    },
}

/// A single bit of a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RegisterBit {
    /// Name of the register.
    pub register: &'static str,
    /// Bit number; 0 is the lowest.
    pub bit: u8,
}

/// Location of the return address after a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReturnAddress {
    /// In this register.
    Register(RegisterId),
    /// On top of the stack: a call writes it there before anything else, and a return reads it.
    Stack,
    /// Not known.
    Unknown,
}
