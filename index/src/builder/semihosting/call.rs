//! Semihosting calls that a segment notes.

/// A semihosting call of a segment that may let the host write into memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct HostCall {
    /// The slot of its step in the segment.
    pub slot: u32,
    /// The thread, as the segment counts, that brought the number of the operation from an earlier segment, if one did.
    pub carried_by: Option<u16>,
}
