//! Storage of a kept file: a file on disk, or memory.

use std::fs::File;
use std::io;
use std::sync::{PoisonError, RwLock};

use crate::read_at::ReadAt as _;

/// A file, or memory if no file can be written.
#[derive(Debug)]
pub(crate) enum ByteStore {
    File(File),
    Memory(RwLock<Vec<u8>>),
}

impl ByteStore {
    pub fn memory() -> Self {
        Self::Memory(RwLock::default())
    }

    pub fn length(&self) -> io::Result<u64> {
        match self {
            Self::File(file) => file.length(),
            Self::Memory(bytes) => {
                Ok(bytes.read().unwrap_or_else(PoisonError::into_inner).len() as u64)
            }
        }
    }

    /// Reads up to `out.len()` bytes; fewer only at the end.
    pub fn read_at(&self, offset: u64, out: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::File(file) => crate::read_at::ReadAt::read_at(file, offset, out),
            Self::Memory(bytes) => bytes
                .read()
                .unwrap_or_else(PoisonError::into_inner)
                .read_at(offset, out),
        }
    }

    pub fn write_at(&self, offset: u64, bytes: &[u8]) -> io::Result<()> {
        match self {
            Self::File(file) => write_all_at(file, offset, bytes),
            Self::Memory(memory) => {
                let mut memory = memory.write().unwrap_or_else(PoisonError::into_inner);
                let start = usize::try_from(offset).map_err(|_| io::ErrorKind::OutOfMemory)?;
                let end = start
                    .checked_add(bytes.len())
                    .ok_or(io::ErrorKind::OutOfMemory)?;
                if memory.len() < end {
                    let missing = end - memory.len();
                    memory
                        .try_reserve(missing)
                        .map_err(|_| io::ErrorKind::OutOfMemory)?;
                    memory.resize(end, 0);
                }
                memory
                    .get_mut(start..end)
                    .ok_or(io::ErrorKind::OutOfMemory)?
                    .copy_from_slice(bytes);
                Ok(())
            }
        }
    }

    /// Waits until the bytes are on the disk.
    pub fn sync(&self) -> io::Result<()> {
        match self {
            Self::File(file) => file.sync_all(),
            Self::Memory(_) => Ok(()),
        }
    }
}

#[cfg(unix)]
fn write_all_at(file: &File, offset: u64, bytes: &[u8]) -> io::Result<()> {
    std::os::unix::fs::FileExt::write_all_at(file, bytes, offset)
}

#[cfg(windows)]
fn write_all_at(file: &File, mut offset: u64, mut bytes: &[u8]) -> io::Result<()> {
    while !bytes.is_empty() {
        match std::os::windows::fs::FileExt::seek_write(file, bytes, offset) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(count) => {
                bytes = bytes.get(count..).unwrap_or_default();
                offset += count as u64;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}
