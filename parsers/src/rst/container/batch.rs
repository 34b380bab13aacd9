//! The end of a batch of records, and what the unpackers share.

use crate::problem::RstFault;

/// Status after a batch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BatchEnd {
    /// More records may follow.
    More,
    /// The file ends here.
    Over,
    /// Nothing more can be read.
    Damaged(RstFault),
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
        BatchEnd::Damaged(match self {
            Self::Memory => RstFault::Memory,
            Self::Short | Self::Contradiction => RstFault::Contradiction,
        })
    }
}

/// Default number of records in a batch.
pub const BATCH_RECORDS: usize = 32 << 10;
