//! Some records at a time.

/// What follows a batch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ending {
    /// Perhaps more records.
    More,
    /// Nothing: the file is over.
    Over,
    /// Nothing that could be read, and why.
    Damaged(String),
}

/// Records that are handed out at once where nothing else says it.
pub const BATCH_RECORDS: usize = 32 << 10;
