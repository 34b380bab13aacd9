//! Writes the records of a trace as a plain file.

use std::io::{self, Write};

use crate::events::Problem;
use crate::read_at::TraceFile;
use crate::rst::kind;
use crate::rst::raw_record::{RECORD_BYTES, RecordEncoding};
use crate::rst::reader::{RecordBatch, RecordReader};

/// Result of [`write_plain`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PlainCopy {
    /// Number of records written.
    pub records: u64,
    /// Problems of the trace.
    pub problems: Vec<Problem>,
}

/// Writes the records of a trace one after the other, unpacked. If there are several files, the
/// headers after the first are left out, since a trace has one. The callback receives the number of
/// records written until now, after each batch.
///
/// # Errors
/// A file could not be read, the records could not be written, or the files have different
/// encodings, which cannot share one file.
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

/// Returns the properties that decide how a record is decoded.
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
