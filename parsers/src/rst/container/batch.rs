//! Some records at a time.

/// What follows a batch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BatchEnd {
    /// Perhaps more records.
    More,
    /// Nothing: the file is over.
    Over,
    /// Nothing that could be read, and why.
    Damaged(String),
}

/// Records that are handed out at once where nothing else says it.
pub const BATCH_RECORDS: usize = 32 << 10;

/// Why nothing more can be read.
pub const CUT_OFF: &str = "the file is cut off: copy it again if there is more";
pub const CONTRADICTION: &str = "what is packed here contradicts itself: it is damaged, and some records before this place may be wrong too";
pub const OUT_OF_MEMORY: &str = "to unpack more would need more than 1 GiB of memory";
pub const INSIDE_RECORD: &str = "the file ends inside a record";
