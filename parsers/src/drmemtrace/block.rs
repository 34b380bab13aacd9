//! Unpacked records on their way to the decoder.

use std::sync::Arc;

/// A stretch of the unpacked records of a file, all of one member.
#[derive(Debug, Default)]
pub(super) struct RecordBlock {
    /// Whole records, but at the end of a damaged member.
    pub bytes: Vec<u8>,
    /// Where they begin in the unpacked records of the file.
    pub offset: u64,
    /// Whose they are; none in files without members.
    pub member: Option<Arc<str>>,
    /// What went wrong right after them, in the order in which it was noticed.
    pub problems: Vec<String>,
    /// True when a member ends with it, or the file.
    pub is_member_end: bool,
    /// True when it is the last of the file.
    pub is_file_end: bool,
}
