//! A range of bytes of the index with its checksum.

use std::ops::Range;

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use crate::store::data::IndexData;

/// A range of bytes of the index with its checksum.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Extent {
    /// Offset in the file.
    pub offset: u64,
    /// Length in bytes.
    pub len: u64,
    /// XXH3 checksum.
    pub checksum: u64,
}

impl Extent {
    /// Returns the range; `None` if it exceeds the address space.
    pub fn range(&self) -> Option<Range<usize>> {
        let start = usize::try_from(self.offset).ok()?;
        Some(start..start.checked_add(usize::try_from(self.len).ok()?)?)
    }

    /// Returns the bytes.
    pub fn of<'a>(&self, file: &'a IndexData) -> Option<&'a [u8]> {
        file.get(self.range()?)
    }

    /// Returns the bytes if their checksum matches.
    pub fn checked<'a>(&self, file: &'a IndexData) -> Option<&'a [u8]> {
        file.get_all(self.range()?)
            .filter(|bytes| is_right(bytes, self.checksum))
    }
}

/// Returns true if the checksum matches. Under a fuzzer, which would never guess one, every
/// checksum does.
pub fn is_right(bytes: &[u8], checksum: u64) -> bool {
    cfg!(fuzzing) || xxh3_64(bytes) == checksum
}
