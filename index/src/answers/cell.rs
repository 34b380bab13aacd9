//! Registers and memory ranges that queries are about.

use serde::{Deserialize, Serialize};
use stepback_machine::{Address, RegisterView};

use crate::answers::thread::ThreadId;

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
