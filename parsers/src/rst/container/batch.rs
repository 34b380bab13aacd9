//! The end of a batch of records, and messages shared by the unpackers.

/// Status after a batch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BatchEnd {
    /// More records may follow.
    More,
    /// The file ends here.
    Over,
    /// Nothing more can be read; holds the reason.
    Damaged(String),
    /// The file ends here, this number of bytes after its last whole record.
    InsideRecord(usize),
}

/// Default number of records in a batch.
pub const BATCH_RECORDS: usize = 32 << 10;

/// Reasons why nothing more can be read.
pub const CUT_OFF: &str = "the file is cut off: copy it again if there is more";
pub const CONTRADICTION: &str = "what is packed here contradicts itself: it is damaged, and some records before this place may be wrong too";
pub const OUT_OF_MEMORY: &str = "to unpack more would need more than 1 GiB of memory";
pub const INSIDE_RECORD: &str = "the file ends inside a record";
