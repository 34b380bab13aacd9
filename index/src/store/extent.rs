//! A run of bytes of the index with its checksum.

use std::ops::Range;

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use crate::store::data::IndexData;

/// A run of bytes of the index with its checksum.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Extent {
    /// Where it begins in the file.
    pub offset: u64,
    /// How long it is.
    pub len: u64,
    /// Its checksum.
    pub checksum: u64,
}

impl Extent {
    /// Where it lies; none when no file can be that long.
    pub fn range(&self) -> Option<Range<usize>> {
        let start = usize::try_from(self.offset).ok()?;
        Some(start..start.checked_add(usize::try_from(self.len).ok()?)?)
    }

    /// Its bytes.
    pub fn of<'a>(&self, file: &'a IndexData) -> Option<&'a [u8]> {
        file.get(self.range()?)
    }

    /// Its bytes, if they are what was written.
    pub fn checked<'a>(&self, file: &'a IndexData) -> Option<&'a [u8]> {
        file.get_all(self.range()?)
            .filter(|bytes| is_right(bytes, self.checksum))
    }
}

/// Whether a checksum holds. A fuzzer would never guess one, so it may have any.
pub fn is_right(bytes: &[u8], checksum: u64) -> bool {
    cfg!(fuzzing) || xxh3_64(bytes) == checksum
}
