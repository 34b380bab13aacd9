//! The records of a trace as a plain file.

use std::io::{self, Write};

use crate::events::Problem;
use crate::read_at::TraceFile;
use crate::rst::kind;
use crate::rst::raw_record::{RECORD_BYTES, RecordEncoding};
use crate::rst::reader::{RecordBatch, RecordReader};

/// What was written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PlainCopy {
    /// Records.
    pub records: u64,
    /// What was wrong with the trace.
    pub problems: Vec<Problem>,
}

/// Writes the records of a trace one after the other, as no packer left them; of several files the headers behind the first
/// are left out, since a trace has one. `tell` is told how many records are written.
///
/// # Errors
/// A file could not be read, or the records not be written, or files are written in different ways, which no one file is.
pub fn write_plain(
    files: Vec<TraceFile>,
    out: &mut dyn Write,
    tell: &mut dyn FnMut(u64),
) -> io::Result<PlainCopy> {
    let has_several = files.len() > 1;
    let mut reader = RecordReader::new(files);
    let mut copy = PlainCopy::default();
    let mut form = None;
    while let Some(batch) = reader.next_batch()? {
        copy.problems.extend_from_slice(batch.problems);
        if batch.bytes.is_empty() {
            continue;
        }
        if *form.get_or_insert(way_of(batch.form)) != way_of(batch.form) {
            let why = "its files are written in different byte orders or versions, which do not go into one file";
            return Err(io::Error::other(why));
        }
        copy.records += if has_several {
            write_as_one(&batch, out)?
        } else {
            write_all(&batch, out)?
        };
        tell(copy.records);
    }
    Ok(copy)
}

/// What decides how a record is read.
fn way_of(form: RecordEncoding) -> impl PartialEq + Copy {
    (form.endian, form.version.has_wide_cpu())
}

fn write_all(batch: &RecordBatch<'_>, out: &mut dyn Write) -> io::Result<u64> {
    out.write_all(batch.bytes)?;
    Ok((batch.bytes.len() / RECORD_BYTES) as u64)
}

fn write_as_one(batch: &RecordBatch<'_>, out: &mut dyn Write) -> io::Result<u64> {
    let mut count = 0;
    for (number, bytes) in (batch.first..).zip(batch.bytes.as_chunks::<RECORD_BYTES>().0) {
        if number == 1 || !bytes.starts_with(&[kind::HEADER]) {
            out.write_all(bytes)?;
            count += 1;
        }
    }
    Ok(count)
}
