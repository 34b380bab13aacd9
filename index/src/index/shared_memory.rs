//! Memory that changes without steps of the trace.

/// Page size in bytes: mappings are whole pages.
const PAGE: u64 = 4096;

/// A range of memory that changes without a step, from a slot on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SharedPiece {
    /// Slot of the system call that shared it.
    pub slot: u64,
    pub first: u64,
    pub last: u64,
    pub kind: SharedKind,
}

impl SharedPiece {
    /// Returns a piece that may be at any address.
    pub fn anywhere(slot: u64) -> Self {
        Self {
            slot,
            first: 0,
            last: u64::MAX,
            kind: SharedKind::Writable,
        }
    }

    /// Returns true if its address is unknown.
    pub fn is_anywhere(&self) -> bool {
        (self.first, self.last) == (0, u64::MAX)
    }

    /// Returns true for whole pages, as opposed to a small area of a thread.
    pub fn is_mapping(&self) -> bool {
        self.last - self.first >= PAGE - 1 && self.first.is_multiple_of(PAGE)
    }

    /// Returns true if it contains an address from `first` to `last`.
    pub fn reaches(&self, first: u64, last: u64) -> bool {
        self.first <= last && first <= self.last
    }

    /// Returns true if it includes another piece.
    pub fn covers(&self, other: &Self) -> bool {
        let is_wider = self.kind == SharedKind::Writable || other.kind == SharedKind::ReadOnly;
        self.first <= other.first && other.last <= self.last && is_wider
    }
}

/// Use of the memory by steps of the trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SharedKind {
    /// Steps may store into it.
    Writable,
    /// Steps do not store into it.
    ReadOnly,
}

/// Shared memory known up to a system call. Queries for later times continue from there.
#[derive(Debug, Default)]
pub(crate) struct SharedMemory {
    /// Sorted by slot.
    pub pieces: Vec<SharedPiece>,
    /// Number of system calls examined.
    pub calls: usize,
    /// Segment of the last one.
    pub segment: u32,
    /// First slot of that segment that is not examined yet.
    pub from: u32,
}
