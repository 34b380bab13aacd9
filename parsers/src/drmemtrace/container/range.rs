//! Range of a file, read from front to back.

use std::io;
use std::io::{Read, Seek, SeekFrom};
use std::sync::{Arc, Mutex, PoisonError};

use crate::read_at::ReadAt;

/// Bytes of a packed file that are read at once. Kept small: a trace may have a thousand files.
pub const BUFFER_BYTES: usize = 32 << 10;

/// Error of reading the file itself.
/// Unpackers wrap the errors that they meet, so it is kept separately: a failing disk must not look
/// like a damaged archive.
#[derive(Clone, Default)]
pub struct ReadFailure(Arc<Mutex<Option<io::Error>>>);

/// Reader for the bytes of a file between two offsets.
#[derive(Clone)]
pub struct FileRangeReader {
    file: Arc<dyn ReadAt>,
    failure: ReadFailure,
    position: u64,
    end: u64,
}

impl ReadFailure {
    /// Takes the error out.
    pub fn take(&self) -> Option<io::Error> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    fn set(&self, error: io::Error) {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .get_or_insert(error);
    }
}

impl FileRangeReader {
    /// Creates a reader for a whole file.
    pub fn of_file(file: Arc<dyn ReadAt>, failure: ReadFailure) -> io::Result<Self> {
        let end = file.length()?;
        Ok(Self {
            file,
            failure,
            position: 0,
            end,
        })
    }

    /// Returns a reader for `length` bytes from `start` on, or up to the end.
    pub fn part(&self, start: u64, length: u64) -> Self {
        Self {
            position: start,
            end: start.saturating_add(length).min(self.end),
            ..self.clone()
        }
    }

    /// Returns the offset of the next byte in the file.
    pub fn position(&self) -> u64 {
        self.position
    }
}

impl Read for FileRangeReader {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let rest = usize::try_from(self.end.saturating_sub(self.position)).unwrap_or(usize::MAX);
        let count = out.len().min(rest);
        let out = out.get_mut(..count).unwrap_or_default();
        let read = self.file.read_at(self.position, out).map_err(|error| {
            let copy = io::Error::new(error.kind(), error.to_string());
            self.failure.set(error);
            copy
        })?;
        self.position = self.position.saturating_add(read as u64);
        Ok(read)
    }
}

impl Seek for FileRangeReader {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let position = match to {
            SeekFrom::Start(position) => Some(position),
            SeekFrom::End(distance) => self.end.checked_add_signed(distance),
            SeekFrom::Current(distance) => self.position.checked_add_signed(distance),
        };
        self.position = position.ok_or(io::ErrorKind::InvalidInput)?;
        Ok(self.position)
    }
}
