//! The bytes of an index: a file's map, or a buffer. The only place with `unsafe`.

use std::fs::File;
use std::io;
use std::ops::Deref;

/// The bytes of an open index.
#[derive(Debug)]
pub enum Data {
    /// A file of ours.
    Map(memmap2::Mmap),
    /// An index that lives in memory alone.
    Memory(Vec<u8>),
}

impl Data {
    /// Maps an index file.
    ///
    /// # Errors
    /// Whatever the operating system says.
    pub fn map(file: &File) -> io::Result<Self> {
        // SAFETY: index files are written under another name and only ever replaced by rename, so the mapped
        // file is not changed or shortened by this program; whoever else overwrites it in place gets wrong
        // bytes noticed by the checksums. The trace itself is never mapped.
        let map = unsafe { memmap2::Mmap::map(file)? };
        // Read-ahead makes cold questions 30 times slower: they touch single pages all over the file.
        #[cfg(unix)]
        map.advise(memmap2::Advice::Random)?;
        Ok(Self::Map(map))
    }
}

impl Deref for Data {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            Self::Map(map) => map,
            Self::Memory(bytes) => bytes,
        }
    }
}
