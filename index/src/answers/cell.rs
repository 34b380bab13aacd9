//! The register or memory whose accesses a question is about.

use serde::{Deserialize, Serialize};
use stepback_machine::{Address, RegisterView};

use crate::answers::thread::ThreadId;

/// The register or memory whose accesses a question is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Cell {
    /// Some bytes of a register of a thread.
    Register {
        /// Whose.
        thread: ThreadId,
        /// Which bytes.
        view: RegisterView,
    },
    /// A byte range of memory.
    Memory {
        /// Lowest address.
        address: Address,
        /// Number of bytes, at least 1.
        len_bytes: u64,
    },
    /// A byte range of physical memory, in a trace that tells where virtual addresses lie: accesses of every virtual page
    /// count while it lay there.
    Physical {
        /// Lowest physical address.
        address: Address,
        /// Number of bytes, at least 1.
        len_bytes: u64,
    },
}

impl Cell {
    /// Returns the bytes of virtual memory that it is; none for registers and physical memory.
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
    /// The first byte.
    pub address: Address,
    /// How many; bytes beyond the end of the address space do not count.
    pub len_bytes: u64,
}
