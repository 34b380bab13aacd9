//! Block of unpacked records, passed from the unpacker to the decoder.

use std::sync::Arc;

use crate::problem::DrmemtraceFault;

/// Consecutive unpacked records of a file, all from one member.
#[derive(Debug, Default)]
pub(super) struct RecordBlock {
    /// Whole records, except at the end of a damaged member.
    pub bytes: Vec<u8>,
    /// Offset of the block in the unpacked records of the file.
    pub offset: u64,
    /// Member that contains the records; `None` in files without members.
    pub member: Option<Arc<str>>,
    /// Problems right after the records, in the order of their detection.
    pub problems: Vec<DrmemtraceFault>,
    /// True when the block ends a member or the file.
    pub is_member_end: bool,
    /// True when the block is the last of the file.
    pub is_file_end: bool,
}
