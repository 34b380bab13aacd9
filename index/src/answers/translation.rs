//! Where virtual addresses lie.

use stepback_machine::Address;
use stepback_parsers::Position;

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
