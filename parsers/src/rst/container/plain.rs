//! Records that are not packed.

use std::io;

use crate::rst::container::ahead::ReadAheadReader;
use crate::rst::container::batch::{BATCH_RECORDS, BatchEnd, INSIDE_RECORD};
use crate::rst::raw_record::RECORD_BYTES;

/// Reader of records without a container.
pub struct PlainContainer {
    /// The first bytes of the file, until they are returned.
    head: Vec<u8>,
}

impl PlainContainer {
    /// Continues after the first bytes of a file.
    pub fn new(head: Vec<u8>) -> Self {
        Self { head }
    }

    pub fn next_batch(
        &mut self,
        input: &mut ReadAheadReader,
        out: &mut Vec<u8>,
    ) -> io::Result<BatchEnd> {
        let limit = BATCH_RECORDS * RECORD_BYTES;
        out.append(&mut self.head);
        input.read_into(out, limit.saturating_sub(out.len()))?;
        if out.len() == limit {
            return Ok(BatchEnd::More);
        }
        let rest = out.len() % RECORD_BYTES;
        out.truncate(out.len() - rest);
        Ok(match rest {
            0 => BatchEnd::Over,
            1 => BatchEnd::Damaged(format!("{INSIDE_RECORD}: 1 byte is left out")),
            _ => BatchEnd::Damaged(format!("{INSIDE_RECORD}: {rest} bytes are left out")),
        })
    }
}
