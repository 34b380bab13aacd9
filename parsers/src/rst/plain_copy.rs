//! The records of a trace as a plain file.

use std::io::{self, Write};

use crate::events::Problem;
use crate::read_at::TraceFile;
use crate::rst::reader::RecordReader;

/// Writes the records of a trace one after the other, as no packer left them; gives what was wrong with it.
///
/// # Errors
/// A file could not be read, or the records not be written.
pub fn write_plain(files: Vec<TraceFile>, out: &mut dyn Write) -> io::Result<Vec<Problem>> {
    let mut reader = RecordReader::new(files);
    let mut problems = Vec::new();
    while let Some(batch) = reader.next_batch()? {
        out.write_all(batch.bytes)?;
        problems.extend_from_slice(batch.problems);
    }
    Ok(problems)
}
