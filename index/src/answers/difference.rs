//! Differences between two positions.

use stepback_machine::{Address, RegisterView};
use stepback_parsers::Step;

use crate::answers::value::Value;

/// Registers and memory that differ between two positions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Difference {
    /// Registers whose values differ, in the order of the register file.
    pub registers: Vec<RegisterDifference>,
    /// Memory that differs, by address, in runs of at most 16 bytes with the same last writer.
    pub memory: Vec<MemoryDifference>,
    /// Number of 64-byte blocks with changed bytes that have no recorded value and were too many to
    /// infer.
    pub blocks_not_inferred: u64,
}

/// A register that differs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RegisterDifference {
    /// Displayed name.
    pub name: String,
    /// Bytes of the register.
    pub view: RegisterView,
    /// Value at `from`.
    pub from: Value,
    /// Value at `to`.
    pub to: Value,
    /// Last step before the later position that wrote the register.
    pub last_write: Option<Step>,
}

/// A run of memory that differs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemoryDifference {
    /// Address of the first byte.
    pub address: Address,
    /// Bytes at `from`, in address order.
    pub from: Vec<Option<u8>>,
    /// Bytes at `to`.
    pub to: Vec<Option<u8>>,
    /// Last step before the later position that wrote the bytes, or whose read showed an external
    /// write.
    pub last_write: Option<Step>,
}
