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

/// The reason why packed records cannot be decoded further.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnpackFault {
    /// A stream or an array ends too early.
    Short,
    /// The file contains something that no packer writes.
    Contradiction,
    /// The predictors would need more memory than the limit allows.
    Memory,
}

impl UnpackFault {
    /// Returns the status after a batch with this fault, in a file that is not cut off.
    pub fn end(self) -> BatchEnd {
        let why = match self {
            Self::Memory => OUT_OF_MEMORY,
            Self::Short | Self::Contradiction => CONTRADICTION,
        };
        BatchEnd::Damaged(why.to_owned())
    }
}

/// Returns the status after a batch that the end of the file cuts off.
pub fn cut_off() -> BatchEnd {
    BatchEnd::Damaged(CUT_OFF.to_owned())
}

/// Default number of records in a batch.
pub const BATCH_RECORDS: usize = 32 << 10;

/// Reasons why nothing more can be read.
pub const CUT_OFF: &str = "the file is cut off: copy it again if there is more";
const CONTRADICTION: &str = "what is packed here contradicts itself: it is damaged, and some records before this place may be wrong too";
const OUT_OF_MEMORY: &str = "to unpack more would need more than 1 GiB of memory";
pub const INSIDE_RECORD: &str = "the file ends inside a record";
