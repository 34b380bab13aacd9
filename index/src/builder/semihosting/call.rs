//! Semihosting calls that a segment records.

/// A semihosting call of a segment that may let the host write into memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct HostCall {
    /// Slot of its step in the segment.
    pub slot: u32,
    /// Thread, by its number in the segment, that carried the operation number from an earlier
    /// segment, if one did.
    pub carried_by: Option<u16>,
}

/// Maximum number of semihosting calls that are examined, which bounds time and memory. It is far
/// above the number of kept regions, because calls with a region that the trace does not contain do
/// not count among those.
pub(crate) const HOST_CALLS_LIMIT: usize = 1 << 22;
/// Warning that there were more calls.
pub(crate) const HOST_CALLS_LEFT_OUT: &str = "more semihosting calls than are followed: what the host wrote into memory during the later ones is left out";
