//! The records of a file, one after the other.

use std::io;

use crate::btrace::layout::BranchLayout;
use crate::btrace::record::BranchRecord;
use crate::read_at::TraceFile;

/// Records that are read at once.
const BATCH: usize = 4096;

/// Reads the records of a file.
pub struct RecordReader {
    file: TraceFile,
    layout: BranchLayout,
    bytes: Vec<u8>,
    /// What was handed out of them.
    done: usize,
    /// Where in the file they end.
    offset: u64,
    /// Records so far.
    count: u64,
    is_over: bool,
}

impl RecordReader {
    /// From the first record on.
    pub fn new(file: TraceFile, layout: BranchLayout) -> Self {
        let offset = layout.first_record;
        Self { file, layout, bytes: Vec::new(), done: 0, offset, count: 0, is_over: false }
    }

    /// The next record; none behind the last.
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

    /// Bytes behind the last whole record, once all are read.
    pub fn cut_off_bytes(&self) -> usize {
        self.bytes.len() - self.done
    }

    /// False when there is no further record.
    fn fill(&mut self) -> io::Result<bool> {
        if self.is_over {
            return Ok(false);
        }
        let rest = self.bytes.get(self.done..).unwrap_or_default().len();
        self.bytes.copy_within(self.done.., 0);
        self.done = 0;
        self.bytes.resize(BATCH * self.layout.record_bytes, 0);
        let room = self.bytes.get_mut(rest..).unwrap_or_default();
        let (wanted, found) = (room.len(), self.file.data.read_at(self.offset, room)?);
        self.offset = self.offset.saturating_add(found as u64);
        self.is_over = found < wanted;
        self.bytes.truncate(rest + found);
        Ok(self.bytes.len() >= self.layout.record_bytes)
    }
}
