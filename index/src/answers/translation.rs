//! Recorded translations of virtual addresses.

use stepback_machine::Address;
use stepback_parsers::Position;

use crate::answers::thread::ThreadId;

/// Physical address of a virtual address, from a recorded translation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Translation {
    /// Address space; `None` if the trace records none.
    pub context: Option<u64>,
    /// The physical address.
    pub physical: Address,
    /// Virtual address of the page.
    pub page: Address,
    /// Page size in bytes.
    pub page_bytes: u64,
    /// Position of the record.
    pub told_at: Position,
}

/// A virtual address that maps to a queried physical address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VirtualMapping {
    /// Thread of the address.
    pub thread: ThreadId,
    /// The virtual address.
    pub address: Address,
    /// The recorded translation.
    pub translation: Translation,
}

/// Number of recorded translations.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TranslationCounts {
    /// Number of translation records.
    pub told: u64,
    /// Counts of distinct pages; `None` if there are too many to count.
    pub counts: Option<PageCounts>,
}

/// Counts of the distinct pages with recorded translations.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PageCounts {
    /// Recorded address spaces, ascending.
    pub contexts: Vec<u64>,
    /// Number of distinct virtual pages.
    pub pages: u64,
    /// Number of distinct physical pages.
    pub physical_pages: u64,
}
