//! Detection of recordings by their first bytes.

use std::io;
use std::sync::Arc;

use crate::btrace::record::{BranchKind, BranchLayout};
use crate::btrace::text_line::{TextLine, is_heading};
use crate::packed::ForwardReader;
use crate::read_at::TraceFile;

/// First bytes of a file with a header.
pub const MAGIC: [u8; 8] = *b"BTRACE3\0";
/// Length of the header in bytes.
pub const HEADER_BYTES: u16 = 64;
/// Number of bytes that are examined.
const HEAD: usize = 8 << 10;
/// Maximum number of records examined in a file without a header.
const LOOKED_AT: usize = 64;
/// Maximum number of lines examined in a text.
const LINES: usize = 8;

/// Form of a recording.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BtraceHead {
    /// Records in our own layout.
    Records {
        /// Byte offset of the first record.
        first_record: u64,
        /// Number of records according to the header; `None` if it does not say.
        count: Option<u64>,
    },
    /// A line for each executed instruction.
    Text,
}

impl BtraceHead {
    /// Detects the form of a file, compressed or not; `None` if it is not a recording.
    ///
    /// # Errors
    /// The file could not be read.
    pub fn of(file: &TraceFile) -> io::Result<Option<Self>> {
        let mut head = vec![0; HEAD];
        let count = ForwardReader::open(Arc::clone(&file.data), 0)?.read(&mut head)?;
        head.truncate(count);
        Ok(with_header(&head)
            .or_else(|| text(&head))
            .or_else(|| records(&head)))
    }
}

/// Detects a file that begins with our header.
fn with_header(head: &[u8]) -> Option<BtraceHead> {
    let fields = head.strip_prefix(&MAGIC)?;
    let number = |range: std::ops::Range<usize>| {
        fields
            .get(range)?
            .iter()
            .try_fold(0u64, |number, byte| Some(number << 8 | u64::from(*byte)))
    };
    let [version, record_bytes] = [number(0..2)?, number(2..4)?];
    let first_record = number(4..8)?;
    let count = number(8..16)?;
    let is_ours = version == 1 && record_bytes == 40 && first_record >= u64::from(HEADER_BYTES);
    is_ours.then_some(BtraceHead::Records {
        first_record,
        count: Some(count).filter(|count| *count > 0),
    })
}

/// Detects a file of plain records: at least three quarters of the first ones must be consistent.
/// The file need not end with a whole record: readers report a last one that is cut off.
fn records(head: &[u8]) -> Option<BtraceHead> {
    let layout = BranchLayout::own(0);
    let is_record = |bytes: &[u8]| {
        let record = layout.read(1, bytes);
        let is_known = record.kind.and_then(BranchKind::of_number).is_some();
        let is_empty =
            bytes.get(36..40) == Some(&[0; 4]) && bytes.get(30).is_some_and(|flags| *flags < 4);
        record.is_plausible() && is_known && is_empty
    };
    let records = head.chunks_exact(layout.record_bytes).take(LOOKED_AT);
    let count = records.len();
    let good = records.filter(|bytes| is_record(bytes)).count();
    (count > 0 && 4 * good >= 3 * count).then_some(BtraceHead::Records {
        first_record: 0,
        count: None,
    })
}

/// Detects a text by its heading, or if its first lines all describe instructions.
fn text(head: &[u8]) -> Option<BtraceHead> {
    // The last line may be cut off.
    let whole = head
        .iter()
        .rposition(|byte| *byte == b'\n')
        .map_or(head, |end| head.get(..end).unwrap_or_default());
    let mut lines = whole
        .split(|byte| *byte == b'\n')
        .filter(|line| !line.trim_ascii().is_empty())
        .take(LINES)
        .peekable();
    let begins = lines.next_if(|line| is_heading(line)).is_some();
    let mut count = 0;
    let are_steps = lines.all(|line| {
        count += 1;
        TextLine::of(line).is_some()
    });
    (begins || are_steps && count > 0).then_some(BtraceHead::Text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn head_of(bytes: &[u8]) -> Option<BtraceHead> {
        BtraceHead::of(&TraceFile {
            name: String::new(),
            data: Arc::new(bytes.to_vec()),
        })
        .unwrap()
    }

    #[test]
    fn other_files_are_no_recordings() {
        for bytes in [
            &b""[..],
            &[0; 4000],
            b"1 clk IT (1) 00008000 e1a00000 A svc : NOP\n",
            b"BTRACE3\0",
            b"\n\n",
            &[1; 80],
        ] {
            assert_eq!(head_of(bytes), None, "{bytes:?}");
        }
    }

    #[test]
    fn a_text_is_known_by_its_heading_or_its_lines() {
        let line = b"   12960 0000000100000744 e05ba87f      ldx     [%sp+0x87f], %l0\n";
        assert_eq!(head_of(line), Some(BtraceHead::Text));
        assert_eq!(
            head_of(
                &[
                    &b"Delta NS Address          Instruction   (disassembled)\n"[..],
                    line
                ]
                .concat()
            ),
            Some(BtraceHead::Text)
        );
        assert_eq!(head_of(&[&b"Dear Sir,\n"[..], line].concat()), None);
    }
}
