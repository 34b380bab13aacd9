//! Reads the packed bytes from front to back and tracks the position.

use std::io::{self, BufRead, ErrorKind, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::read_at::ReadAt;

const BUFFER_BYTES: usize = 128 << 10;

/// A buffered reader that tracks its position and can peek ahead.
pub(super) struct PackedInput {
    reader: Box<dyn Read + Send>,
    buffer: Vec<u8>,
    /// Range of the buffer that has not been consumed yet.
    start: usize,
    end: usize,
    /// Offset of `start` in the input.
    position: u64,
    /// The error of the input, which decoders hide.
    failure: Option<io::Error>,
}

/// Adapts an input with random access to sequential reading.
pub(crate) struct SequentialReader {
    pub input: Arc<dyn ReadAt>,
    pub offset: u64,
    /// Number of bytes read, for progress display.
    pub done: Arc<AtomicU64>,
}

impl PackedInput {
    pub fn new(reader: Box<dyn Read + Send>) -> Self {
        Self {
            reader,
            buffer: vec![0; BUFFER_BYTES],
            start: 0,
            end: 0,
            position: 0,
            failure: None,
        }
    }

    pub fn position(&self) -> u64 {
        self.position
    }

    /// Returns the error of the input, if the input is the cause of a failure.
    pub fn take_failure(&mut self) -> Option<io::Error> {
        self.failure.take()
    }

    /// Returns the next bytes, at least `count` unless the input ends before.
    pub fn peek(&mut self, count: usize) -> io::Result<&[u8]> {
        while self.end - self.start < count && self.read_more()? > 0 {}
        Ok(self.rest())
    }

    fn rest(&self) -> &[u8] {
        self.buffer.get(self.start..self.end).unwrap_or_default()
    }

    fn read_more(&mut self) -> io::Result<usize> {
        self.buffer.copy_within(self.start..self.end, 0);
        (self.start, self.end) = (0, self.end - self.start);
        let room = self.buffer.get_mut(self.end..).unwrap_or_default();
        let read = loop {
            match self.reader.read(room) {
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                read => break read,
            }
        };
        match read {
            Ok(count) => {
                let count = count.min(room.len());
                self.end += count;
                Ok(count)
            }
            Err(error) => {
                let told = io::Error::from(error.kind());
                self.failure = Some(error);
                Err(told)
            }
        }
    }
}

impl Read for PackedInput {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let count = self.fill_buf()?.read(out)?;
        self.consume(count);
        Ok(count)
    }
}

impl BufRead for PackedInput {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.start == self.end {
            self.read_more()?;
        }
        Ok(self.rest())
    }

    fn consume(&mut self, count: usize) {
        let count = count.min(self.end - self.start);
        self.start += count;
        self.position += count as u64;
    }
}

impl Read for SequentialReader {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let count = self.input.read_at(self.offset, out)?;
        self.offset += count as u64;
        self.done.store(self.offset, Ordering::Relaxed);
        Ok(count)
    }
}
