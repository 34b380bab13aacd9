//! Semihosting calls that a segment notes.

/// A semihosting call of a segment that may let the host write into memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct HostCall {
    /// The slot of its step in the segment.
    pub slot: u32,
    /// The thread, as the segment counts, that brought the number of the operation from an earlier segment, if one did.
    pub carried_by: Option<u16>,
}

/// Semihosting calls that write memory are not looked at beyond this many, which bounds time and memory:
/// far more than the regions that are kept, for calls whose region the trace does not tell do not count among those.
pub(crate) const HOST_CALLS_LIMIT: usize = 1 << 22;
/// The warning that there were more.
pub(crate) const HOST_CALLS_LEFT_OUT: &str = "more semihosting calls than are followed: what the host wrote into memory during the later ones is left out";
