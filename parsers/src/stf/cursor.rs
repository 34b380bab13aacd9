//! Reads the records of a chunk from its parts ([`RecordCursor`]).

use crate::stf::record::{RecordLayout, RecordStop, StfRecord, feature, read_record};

/// Receives the records of a chunk.
pub trait RecordSink {
    /// Takes the records at the start of `bytes` that it reads itself, which begin at `offset`;
    /// returns their length. They must not change the layout of records.
    #[inline(always)]
    fn take_usual(&mut self, _bytes: &[u8], _offset: u64) -> usize {
        0
    }

    /// Returns true if reading is to pause before the next record.
    #[inline(always)]
    fn is_paused(&self) -> bool {
        false
    }

    /// Takes a record.
    fn record(&mut self, record: &StfRecord<'_>, offset: u64);
}

impl<F: FnMut(&StfRecord<'_>, u64)> RecordSink for F {
    #[inline(always)]
    fn record(&mut self, record: &StfRecord<'_>, offset: u64) {
        self(record, offset);
    }
}

/// Position in the records of a chunk. The layout of records is kept from chunk to chunk.
#[derive(Clone, Debug, Default)]
pub struct RecordCursor {
    layout: RecordLayout,
    /// Bytes of a record that is not complete.
    rest: Vec<u8>,
    /// Number of bytes to skip: the rest of a long comment.
    skipped: u64,
    /// Offset of the next record in the unpacked bytes.
    pub offset: u64,
    /// True if the rest of the chunk cannot be read.
    pub is_over: bool,
}

impl RecordCursor {
    /// Begins a chunk.
    pub fn begin(&mut self) {
        self.rest.clear();
        (self.skipped, self.offset, self.is_over) = (0, 0, false);
    }

    /// Ends reading in a chunk.
    pub fn stop(&mut self) {
        self.rest.clear();
        (self.skipped, self.is_over) = (0, true);
    }

    /// Returns the bytes of a record that is not complete, and no longer keeps them.
    pub fn take_rest(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.rest)
    }

    /// Returns the bytes of a record that is not complete.
    pub fn rest(&self) -> &[u8] {
        &self.rest
    }

    /// Returns the number of bytes of a record that is not complete; `None` if there is none.
    pub fn incomplete_bytes(&self) -> Option<usize> {
        let left = self.rest.len();
        (left > 0 || self.skipped > 0).then_some(left)
    }

    /// Passes the records of the next part of the chunk to `sink`, with their offsets. Returns the
    /// reason if the rest of the chunk cannot be read.
    pub fn take(&mut self, bytes: Vec<u8>, sink: impl RecordSink) -> Option<RecordStop> {
        let bytes = if self.rest.is_empty() {
            bytes
        } else {
            let mut whole = self.take_rest();
            whole.extend_from_slice(&bytes);
            whole
        };
        let (used, stop) = self.read(&bytes, sink);
        self.keep(bytes.get(used..).unwrap_or_default());
        stop
    }

    /// Keeps the bytes of a record that is not complete.
    pub fn keep(&mut self, rest: &[u8]) {
        if !self.is_over {
            self.rest.clear();
            self.rest.extend_from_slice(rest);
        }
    }

    /// Passes records to `sink` until it pauses, or until the last complete one. Returns the number
    /// of bytes that were read, and the reason if the rest of the chunk cannot be read.
    pub fn read(&mut self, bytes: &[u8], mut sink: impl RecordSink) -> (usize, Option<RecordStop>) {
        if self.is_over {
            return (bytes.len(), None);
        }
        let skipped = self.skipped.min(bytes.len() as u64);
        self.skipped -= skipped;
        self.offset += skipped;
        let mut used = usize::try_from(skipped).unwrap_or(bytes.len());
        while let Some(rest) = bytes.get(used..).filter(|rest| !rest.is_empty())
            && !sink.is_paused()
        {
            let usual = sink.take_usual(rest, self.offset);
            if usual > 0 {
                self.offset += usual as u64;
                used += usual;
                continue;
            }
            let (record, length) = match read_record(rest, self.layout) {
                Ok(found) => found,
                Err(RecordStop::Incomplete) => break,
                Err(stop) => {
                    self.stop();
                    return (bytes.len(), Some(stop));
                }
            };
            match record {
                StfRecord::Features(features) => {
                    self.layout.has_wide_events = features & feature::WIDE_EVENTS != 0;
                }
                StfRecord::VectorLength(bits) => self.layout.vector_bits = Some(bits),
                _ => {}
            }
            sink.record(&record, self.offset);
            let room = rest.len() as u64;
            self.skipped = length.saturating_sub(room);
            let length = length.min(room);
            self.offset += length;
            used += usize::try_from(length).unwrap_or(rest.len());
        }
        (used, None)
    }
}
