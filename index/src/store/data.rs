//! The bytes of an index: a memory-mapped file or a buffer. The only file with `unsafe`.

use std::fs::File;
use std::io;
use std::ops::Range;
use std::sync::Arc;

use crate::store::reads;

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
        reads::check();
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
