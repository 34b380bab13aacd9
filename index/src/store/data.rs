//! The bytes of an index, a memory-mapped file or a buffer ([`IndexData`]), and checked ranges of
//! them ([`Extent`]). This is the only file with `unsafe`.
//!
//! A read of a mapped file may wait for a slow disk, so a drawing thread must not make one. A
//! window forbids reads on its own thread, frame by frame, and allows them again for jobs that it
//! runs there ([`ReadGuard`]). Debug builds, and so all tests, panic on a violation; other builds
//! check nothing.

use std::cell::Cell;
use std::fs::File;
use std::io;
use std::ops::Range;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

/// Length of an index file's header.
pub const HEADER_LEN: usize = 56;

/// The bytes of an open index.
#[derive(Debug)]
pub enum IndexData {
    /// A mapped file.
    Map(memmap2::Mmap),
    /// An index in memory.
    Memory(Vec<u8>),
    /// An incomplete index: its segments, and the parts that were written separately.
    Joined {
        /// The growing file. Its header is not written yet.
        segments: Arc<IndexData>,
        /// Valid length of `segments`.
        len: usize,
        /// A header, followed by the parts after the valid length of `segments`.
        rest: Arc<IndexData>,
    },
}

impl Default for IndexData {
    fn default() -> Self {
        Self::Memory(Vec::new())
    }
}

impl IndexData {
    /// Maps an index file.
    ///
    /// # Errors
    /// Returns the error of the operating system.
    pub fn map(file: &File) -> io::Result<Self> {
        // SAFETY: index files are written under another name and only ever replaced by rename. A
        // file that is still being written is only extended after the mapped part, and never made
        // shorter than that. So this program does not change or cut off the mapped bytes. If
        // another program overwrites them in place, the checksums detect it. The trace itself is
        // never mapped.
        let map = unsafe { memmap2::Mmap::map(file)? };
        // Read-ahead makes cold queries 30 times slower: they touch single pages all over the file.
        #[cfg(unix)]
        map.advise(memmap2::Advice::Random)?;
        Ok(Self::Map(map))
    }
}

impl IndexData {
    /// Returns the length in bytes.
    pub fn len(&self) -> usize {
        match self {
            Self::Map(map) => map.len(),
            Self::Memory(bytes) => bytes.len(),
            Self::Joined { len, rest, .. } => (len + rest.len()).saturating_sub(HEADER_LEN),
        }
    }

    /// Returns the bytes of a range; `None` if it is out of bounds or spans both parts.
    pub fn get(&self, range: Range<usize>) -> Option<&[u8]> {
        check();
        match self {
            Self::Map(map) => map.get(range),
            Self::Memory(bytes) => bytes.get(range),
            Self::Joined { segments, len, .. }
                if range.start >= HEADER_LEN && range.end <= *len =>
            {
                segments.get(range)
            }
            Self::Joined { rest, .. } if range.end <= HEADER_LEN => rest.get(range),
            Self::Joined { len, rest, .. } => {
                let place = |place: usize| place.checked_sub(*len)?.checked_add(HEADER_LEN);
                rest.get(place(range.start)?..place(range.end)?)
            }
        }
    }

    /// Returns bytes that will all be read, and lets the system prefetch them.
    pub fn get_all(&self, range: Range<usize>) -> Option<&[u8]> {
        let bytes = self.get(range.clone())?;
        self.prefetch(range);
        Some(bytes)
    }

    fn prefetch(&self, range: Range<usize>) {
        match self {
            // A refusal only means that pages are read one by one, which is slower.
            #[cfg(unix)]
            Self::Map(map) => {
                _ = map.advise_range(memmap2::Advice::WillNeed, range.start, range.len())
            }
            #[cfg(not(unix))]
            Self::Map(_) => {}
            Self::Memory(_) => {}
            Self::Joined { segments, len, .. } if range.end <= *len => segments.prefetch(range),
            Self::Joined { len, rest, .. } if range.start >= *len => {
                let place = |place: usize| place - len + HEADER_LEN;
                rest.prefetch(place(range.start)..place(range.end));
            }
            Self::Joined { .. } => {}
        }
    }
}

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

thread_local! {
    static MAY_READ: Cell<bool> = const { Cell::new(true) };
}

/// Guard that allows or forbids index reads on this thread. Dropping it restores the previous
/// state.
#[derive(Debug)]
#[must_use = "the rule ends when this is dropped"]
pub struct ReadGuard {
    before: bool,
}

impl Drop for ReadGuard {
    fn drop(&mut self) {
        MAY_READ.set(self.before);
    }
}

/// Forbids this thread to read an index until the guard is dropped.
pub fn forbid_reads() -> ReadGuard {
    ReadGuard {
        before: MAY_READ.replace(false),
    }
}

/// Allows this thread to read indexes again, for a job, until the guard is dropped.
pub fn allow_reads() -> ReadGuard {
    ReadGuard {
        before: MAY_READ.replace(true),
    }
}

/// Panics in debug builds if this thread may not read.
pub(super) fn check() {
    debug_assert!(
        MAY_READ.get(),
        "an index is read on a thread that draws: the question belongs on a worker"
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_ends_with_what_it_was_made_for() {
        let drawing = forbid_reads();
        {
            let _job = allow_reads();
            check();
        }
        assert!(!MAY_READ.get());
        drop(drawing);
        check();
    }

    #[test]
    fn an_index_is_not_read_where_that_is_forbidden() {
        let data = crate::store::data::IndexData::Memory(vec![7; 4]);
        let read = || std::panic::catch_unwind(|| data.get(1..3).is_some());
        assert!(read().is_ok_and(|is_there| is_there));
        let drawing = forbid_reads();
        assert_eq!(read().is_err(), cfg!(debug_assertions));
        drop(drawing);
        assert!(read().is_ok());
    }
}
