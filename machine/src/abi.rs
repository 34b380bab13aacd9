//! Calling conventions of functions and system calls ([`Abi`]), and the other interfaces of a
//! program to its environment: semihosting, through which it requests services of the debugger's
//! host, and the linkage stubs through which it calls its libraries. Registers are given by name; a
//! list that is not known is empty.

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

/// Semihosting convention of an architecture (Arm, "Semihosting for AArch32 and AArch64").
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SemihostingCall {
    /// Name of the 32-bit register view that holds the operation number.
    pub operation: &'static str,
    /// Register with the argument of the operation, usually the address of a block of words.
    pub argument: &'static str,
}

/// Operations by number (Arm, "Semihosting for AArch32 and AArch64", 6 "Semihosting operations").
const OPERATIONS: [(u64, &str); 24] = [
    (0x01, "SYS_OPEN"),
    (0x02, "SYS_CLOSE"),
    (0x03, "SYS_WRITEC"),
    (0x04, "SYS_WRITE0"),
    (0x05, "SYS_WRITE"),
    (0x06, "SYS_READ"),
    (0x07, "SYS_READC"),
    (0x08, "SYS_ISERROR"),
    (0x09, "SYS_ISTTY"),
    (0x0a, "SYS_SEEK"),
    (0x0c, "SYS_FLEN"),
    (0x0d, "SYS_TMPNAM"),
    (0x0e, "SYS_REMOVE"),
    (0x0f, "SYS_RENAME"),
    (0x10, "SYS_CLOCK"),
    (0x11, "SYS_TIME"),
    (0x12, "SYS_SYSTEM"),
    (0x13, "SYS_ERRNO"),
    (0x15, "SYS_GET_CMDLINE"),
    (0x16, "SYS_HEAPINFO"),
    (0x18, "SYS_EXIT"),
    (0x20, "SYS_EXIT_EXTENDED"),
    (0x30, "SYS_ELAPSED"),
    (0x31, "SYS_TICKFREQ"),
];

impl SemihostingCall {
    /// Returns the name of an operation; only the lower 32 bits of the number count.
    pub fn operation_name(number: u64) -> Option<&'static str> {
        let number = number & u64::from(u32::MAX);
        OPERATIONS
            .iter()
            .find(|(known, _)| *known == number)
            .map(|(_, name)| *name)
    }
}

/// Code and address of a procedure linkage table stub.
#[derive(Clone, Copy, Debug)]
pub struct LinkageStub<'a> {
    /// Bytes of the stub.
    pub code: &'a [u8],
    /// Address of the first byte.
    pub address: u64,
}

/// Location from which a stub loads its target address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StubSlot {
    /// At this address.
    Address(u64),
    /// At this offset from the start of the file's global offset table (`.got.plt`).
    InTable(i64),
}

/// Privilege level of the code that accesses memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Privilege {
    /// A user program.
    User,
    /// The kernel.
    Kernel,
}

impl Privilege {
    /// Returns true if the address is in a half of the address space that this code can use: only
    /// the kernel uses the upper one. With five levels of page tables each half has 2^56 bytes
    /// (Intel SDM, volume 1, 3.3.7.1 "Canonical Addressing").
    pub const fn reaches(self, address: u64) -> bool {
        match address >> 56 {
            0 => true,
            0xff => matches!(self, Self::Kernel),
            _ => false,
        }
    }
}
