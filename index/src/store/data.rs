//! The bytes of an index: a file's map, or a buffer. The only place with `unsafe`.

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
    /// A file of ours.
    Map(memmap2::Mmap),
    /// An index that lives in memory alone.
    Memory(Vec<u8>),
    /// An index that is not complete: its segments, and what was written for it elsewhere.
    Joined {
        /// The file that grows. Its header is not written yet.
        segments: Arc<IndexData>,
        /// How much of it counts.
        len: usize,
        /// A header, and behind it what follows the part of `segments` that counts.
        rest: Arc<IndexData>,
    },
}

impl IndexData {
    /// Maps an index file.
    ///
    /// # Errors
    /// Whatever the operating system says.
    pub fn map(file: &File) -> io::Result<Self> {
        // SAFETY: index files are written under another name and only ever replaced by rename; one that is still
        // being written is only appended to behind what was mapped, and is never made shorter than that.
        // So the mapped bytes are not changed or cut off by this program; whoever else overwrites them in place gets
        // wrong bytes noticed by the checksums. The trace itself is never mapped.
        let map = unsafe { memmap2::Mmap::map(file)? };
        // Read-ahead makes cold questions 30 times slower: they touch single pages all over the file.
        #[cfg(unix)]
        map.advise(memmap2::Advice::Random)?;
        Ok(Self::Map(map))
    }
}

impl IndexData {
    /// Length in bytes.
    pub fn len(&self) -> usize {
        match self {
            Self::Map(map) => map.len(),
            Self::Memory(bytes) => bytes.len(),
            Self::Joined { len, rest, .. } => (len + rest.len()).saturating_sub(HEADER_LEN),
        }
    }

    /// Some of the bytes; none when the range is not wholly there (in one part).
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

    /// The same for bytes that will all be read: the system then reads them in one go.
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
