//! Where virtual addresses lie.

use stepback_machine::Address;
use stepback_parsers::Position;

use crate::answers::thread::ThreadId;

/// The physical address of a virtual one, as the trace told it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Translation {
    /// Of which address space; none where the trace tells none.
    pub context: Option<u64>,
    /// The physical address.
    pub physical: Address,
    /// The virtual address of the page.
    pub page: Address,
    /// Bytes of a page.
    pub page_bytes: u64,
    /// The position at which it was told.
    pub told_at: Position,
}

/// A virtual address that lies at a physical one, as the trace told it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VirtualMapping {
    /// Whose address.
    pub thread: ThreadId,
    /// The virtual address.
    pub address: Address,
    /// What was told of it.
    pub translation: Translation,
}

/// How much a trace tells of physical addresses.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TranslationCounts {
    /// How often a page was told.
    pub told: u64,
    /// Of what; none where there are too many to be counted.
    pub counts: Option<PageCounts>,
}

/// Which pages a trace tells of.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PageCounts {
    /// The address spaces that were named, ascending.
    pub contexts: Vec<u64>,
    /// Different virtual pages.
    pub pages: u64,
    /// Different physical pages.
    pub physical_pages: u64,
}
