//! Sequential reader of the records of a file, which may be compressed.

use std::io;
use std::sync::Arc;

use crate::btrace::layout::BranchLayout;
use crate::btrace::record::BranchRecord;
use crate::packed::{Damage, ForwardReader};
use crate::read_at::TraceFile;

/// Number of records read at once.
const BATCH: usize = 4096;

/// Reader that returns the records of a file one by one.
pub struct BranchRecordReader {
    file: TraceFile,
    layout: BranchLayout,
    /// `None` before the first record.
    input: Option<ForwardReader>,
    bytes: Vec<u8>,
    /// Number of bytes in the buffer that were decoded.
    done: usize,
    /// Number of records returned.
    count: u64,
    is_over: bool,
}

impl BranchRecordReader {
    /// Creates a reader that begins with the first record.
    pub fn new(file: TraceFile, layout: BranchLayout) -> Self {
        Self {
            file,
            layout,
            input: None,
            bytes: Vec::new(),
            done: 0,
            count: 0,
            is_over: false,
        }
    }

    /// Returns the next record; `None` after the last one.
    ///
    /// # Errors
    /// The file could not be read.
    #[inline]
    pub fn next_record(&mut self) -> io::Result<Option<BranchRecord>> {
        let end = self.done + self.layout.record_bytes;
        if end > self.bytes.len() && !self.fill()? {
            return Ok(None);
        }
        let end = self.done + self.layout.record_bytes;
        let bytes = self.bytes.get(self.done..end).unwrap_or_default();
        self.count += 1;
        self.done = end;
        Ok(Some(self.layout.read(self.count, bytes)))
    }

    /// Returns the number of bytes after the last whole record, once all were read.
    pub fn cut_off_bytes(&self) -> usize {
        self.bytes.len() - self.done
    }

    /// Returns why the records end, once all were read, if the file is compressed and damaged
    /// there.
    pub fn damage(&self) -> Option<&Damage> {
        self.input.as_ref()?.damage()
    }

    /// Refills the buffer; returns false if there is no further record.
    fn fill(&mut self) -> io::Result<bool> {
        if self.is_over {
            return Ok(false);
        }
        let rest = self.bytes.get(self.done..).unwrap_or_default().len();
        self.bytes.copy_within(self.done.., 0);
        self.done = 0;
        self.bytes.resize(BATCH * self.layout.record_bytes, 0);
        let room = self.bytes.get_mut(rest..).unwrap_or_default();
        let input = match &mut self.input {
            Some(input) => input,
            none => none.insert(ForwardReader::open(
                Arc::clone(&self.file.data),
                self.layout.first_record,
            )?),
        };
        let (wanted, found) = (room.len(), input.read(room)?);
        self.is_over = found < wanted;
        self.bytes.truncate(rest + found);
        Ok(self.bytes.len() >= self.layout.record_bytes)
    }
}
