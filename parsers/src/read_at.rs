//! Positioned reads, so that all threads share one open file and it is never memory-mapped.
//!
//! Users run their simulator again while its trace is open, and a mapped file that shrinks would
//! crash the program.

use std::fs::File;
use std::io;
use std::sync::Arc;

/// An input that supports random access.
///
/// Traces are read this way and never memory-mapped. A simulator may rewrite the file while it is
/// open, and access to a truncated mapping kills the program.
pub trait ReadAt: Send + Sync {
    /// Returns the current length in bytes. A program that still writes the file may change it
    /// between two calls.
    ///
    /// # Errors
    /// Returns the operating system's error.
    fn length(&self) -> io::Result<u64>;

    /// Returns false while more of the input is still arriving, for example while it is being
    /// unpacked.
    fn is_settled(&self) -> bool {
        true
    }

    /// Reads up to `buffer.len()` bytes at `offset`; fewer only at the end of the input. If the
    /// input is not settled, waits for them.
    ///
    /// # Errors
    /// Returns the operating system's error, except for interruptions, which are retried.
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize>;
}

/// One file of a trace.
#[derive(Clone)]
pub struct TraceFile {
    /// Name without folders, for messages.
    pub name: String,
    /// Contents, possibly compressed.
    pub data: Arc<dyn ReadAt>,
}

impl ReadAt for File {
    fn length(&self) -> io::Result<u64> {
        Ok(self.metadata()?.len())
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let mut filled = 0;
        while let Some(rest) = buffer.get_mut(filled..).filter(|rest| !rest.is_empty()) {
            match read_once_at(self, offset + filled as u64, rest) {
                Ok(0) => break,
                Ok(count) => filled += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(filled)
    }
}

#[cfg(unix)]
fn read_once_at(file: &File, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
    std::os::unix::fs::FileExt::read_at(file, buffer, offset)
}

#[cfg(windows)]
fn read_once_at(file: &File, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
    std::os::windows::fs::FileExt::seek_read(file, buffer, offset)
}

impl ReadAt for Vec<u8> {
    fn length(&self) -> io::Result<u64> {
        Ok(self.len() as u64)
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let start = usize::try_from(offset)
            .unwrap_or(usize::MAX)
            .min(self.len());
        let rest = &self[start..];
        let count = rest.len().min(buffer.len());
        buffer[..count].copy_from_slice(&rest[..count]);
        Ok(count)
    }
}
