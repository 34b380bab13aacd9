//! What was found out so far of memory that others than the steps of a trace change.

/// Mappings are of whole pages.
const PAGE: u64 = 4096;

/// Memory that changes without a step, from a slot on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SharedPiece {
    /// That of the system call that shared it.
    pub slot: u64,
    pub first: u64,
    pub last: u64,
    pub kind: SharedKind,
}

impl SharedPiece {
    /// It may lie anywhere.
    pub fn anywhere(slot: u64) -> Self {
        Self {
            slot,
            first: 0,
            last: u64::MAX,
            kind: SharedKind::Writable,
        }
    }

    /// True when it is not known where it lies.
    pub fn is_anywhere(&self) -> bool {
        (self.first, self.last) == (0, u64::MAX)
    }

    /// True for more than an area of a thread.
    pub fn is_mapping(&self) -> bool {
        self.last - self.first >= PAGE - 1 && self.first.is_multiple_of(PAGE)
    }

    /// True when some address up to a last one is in it.
    pub fn reaches(&self, first: u64, last: u64) -> bool {
        self.first <= last && first <= self.last
    }

    /// True when it has all that another has.
    pub fn covers(&self, other: &Self) -> bool {
        let is_wider = self.kind == SharedKind::Writable || other.kind == SharedKind::ReadOnly;
        self.first <= other.first && other.last <= self.last && is_wider
    }
}

/// Whether the steps store there too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SharedKind {
    /// They may.
    Writable,
    /// What they store into is none of it.
    ReadOnly,
}

/// What is known of it up to some system call; questions for later times go on from there.
#[derive(Debug, Default)]
pub(crate) struct SharedMemory {
    /// In order of their slots.
    pub pieces: Vec<SharedPiece>,
    /// How many system calls were looked at.
    pub calls: usize,
    /// The segment of the last of them.
    pub segment: usize,
    /// The slot of that segment from which on they are still to be looked at.
    pub from: u32,
}
