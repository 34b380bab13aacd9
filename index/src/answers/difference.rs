//! What differs between two positions.

use stepback_machine::{Address, RegisterView};
use stepback_parsers::Step;

use crate::answers::value::Value;

/// What differs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Difference {
    /// Registers whose values differ, in the order of the register file.
    pub registers: Vec<RegisterDifference>,
    /// Runs of memory that differ, by address; a run is at most 16 bytes that one step wrote last.
    pub memory: Vec<MemoryDifference>,
    /// Number of blocks of 64 bytes in which bytes without a recorded value changed that were too many to be inferred.
    pub blocks_not_inferred: u64,
}

/// A register that differs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RegisterDifference {
    /// As shown.
    pub name: String,
    /// Which bytes.
    pub view: RegisterView,
    /// Value at `from`.
    pub from: Value,
    /// Value at `to`.
    pub to: Value,
    /// The last step before the later position that wrote it.
    pub last_write: Option<Step>,
}

/// A run of memory that differs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemoryDifference {
    /// Its first byte.
    pub address: Address,
    /// Bytes at `from`, in address order.
    pub from: Vec<Option<u8>>,
    /// Bytes at `to`.
    pub to: Vec<Option<u8>>,
    /// The last step before the later position that wrote it, or by reading showed that something else had written it.
    pub last_write: Option<Step>,
}
