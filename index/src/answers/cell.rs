//! Subject and scope of a query: the [`Cell`] that it is about, the kinds of access that count, the
//! direction in time and the thread. A register cell names its thread, because each thread has its
//! own registers; a memory cell does not.

use std::ops::Range;

use serde::{Deserialize, Serialize};
use stepback_machine::{AccessKind, Address, InstructionSet, RegisterView};
use stepback_parsers::Step;

/// A register or a range of memory: the subject of a query.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Cell {
    /// Bytes of a register of a thread.
    Register {
        /// Thread of the register.
        thread: ThreadId,
        /// The bytes.
        view: RegisterView,
    },
    /// A byte range of memory.
    Memory {
        /// Lowest address.
        address: Address,
        /// Number of bytes, at least 1.
        len_bytes: u64,
    },
    /// A byte range of physical memory, in a trace that records translations. An access to a
    /// virtual page counts while the page is mapped there.
    Physical {
        /// Lowest physical address.
        address: Address,
        /// Number of bytes, at least 1.
        len_bytes: u64,
    },
}

impl Cell {
    /// Returns the range of virtual memory; `None` for registers and physical memory.
    pub(crate) fn range(self) -> Option<MemoryRange> {
        match self {
            Self::Memory { address, len_bytes } => Some(MemoryRange { address, len_bytes }),
            Self::Register { .. } | Self::Physical { .. } => None,
        }
    }
}

/// Bytes of memory that a question is limited to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MemoryRange {
    /// A range of memory.
    pub address: Address,
    /// Number of bytes; bytes beyond the end of the address space do not count.
    pub len_bytes: u64,
}

/// Kinds of accesses that a query considers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AccessKinds {
    /// Loads.
    Reads,
    /// Stores; register writes.
    Writes,
    /// Reads and writes, if the trace records them.
    All,
}

impl AccessKinds {
    /// Returns true if accesses of `kind` count.
    pub(crate) fn includes(self, kind: AccessKind) -> bool {
        match self {
            Self::Reads => kind == AccessKind::Read,
            Self::Writes => kind == AccessKind::Write,
            Self::All => true,
        }
    }
}

/// Direction in time, through the steps of a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Direction {
    /// Towards the start.
    Back,
    /// Towards the end.
    Forward,
}

impl Direction {
    /// Returns the sort key of a slot: greater for a slot that comes earlier in this direction. The
    /// function is its own inverse.
    pub(crate) fn rank(self, slot: u64) -> u64 {
        match self {
            Self::Forward => !slot,
            Self::Back => slot,
        }
    }

    /// Returns the one of two slots that comes earlier in this direction.
    pub(crate) fn nearer<T: Ord>(self, one: Option<T>, other: Option<T>) -> Option<T> {
        match self {
            Self::Back => one.max(other),
            Self::Forward => one.into_iter().chain(other).min(),
        }
    }

    /// Returns the first slot of a search from a position; `None` at the end of the number range.
    pub(crate) fn first_slot(self, at: u64) -> Option<u64> {
        match self {
            Self::Back => Some(at),
            Self::Forward => at.checked_add(1),
        }
    }

    /// Returns the slots from a bound on, itself included.
    pub(crate) fn slots_from(self, bound: u64) -> Range<u64> {
        match self {
            Self::Back => 0..bound.saturating_add(1),
            Self::Forward => bound..u64::MAX,
        }
    }

    /// Takes the next of some ascending items in this direction.
    pub(crate) fn take<I: DoubleEndedIterator>(self, items: &mut I) -> Option<I::Item> {
        match self {
            Self::Back => items.next_back(),
            Self::Forward => items.next(),
        }
    }

    /// Returns the next slot in this direction; `None` past the ends.
    pub(crate) fn beyond(self, slot: u64) -> Option<u64> {
        match self {
            Self::Back => slot.checked_sub(1),
            Self::Forward => slot.checked_add(1),
        }
    }
}

/// Index of a thread in [`crate::index::Index::threads`].
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
pub struct ThreadId(pub u16);

/// A thread of the trace.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ThreadInfo {
    /// Name in the trace; `cpu0` if the trace has no thread names.
    #[serde(deserialize_with = "stepback_parsers::decoded_text::text")]
    pub name: String,
    /// Number of its steps.
    pub steps: u64,
    /// Instruction set of its first step.
    pub instruction_set: InstructionSet,
    /// Its first step.
    pub first_step: Option<Step>,
    /// Time of its last step.
    pub last_time: Option<u64>,
}
