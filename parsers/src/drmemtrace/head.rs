//! Head of a trace file.

use std::io;

use crate::drmemtrace::container::unpacker::ContainerUnpacker;
use crate::drmemtrace::file_type::FileType;
use crate::drmemtrace::raw_record::Width;
use crate::drmemtrace::raw_record::{kind, marker};
use crate::read_at::TraceFile;

/// Facts that the first records of a file state about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TraceHead {
    /// Width of the records.
    pub width: Width,
    /// Version of the format.
    pub version: u64,
    /// Contents of the file.
    pub file_type: FileType,
}

impl Default for TraceHead {
    fn default() -> Self {
        Self {
            width: Width::Wide,
            version: 1,
            file_type: FileType::default(),
        }
    }
}

/// Bytes of records that are searched for the head.
const HEAD_BYTES: usize = 24 << 10;
/// Maximum number of blocks or members that are searched; the first ones may be damaged.
const HEAD_BLOCKS: usize = 8;

impl TraceHead {
    /// Returns the head of a file, packed or not; `None` if it does not look like a trace.
    /// If the beginning is lost and the rest looks like records, returns the guessed width and
    /// defaults.
    ///
    /// # Errors
    /// The file could not be read.
    pub fn of(file: &TraceFile) -> io::Result<Option<Self>> {
        let mut unpacker = ContainerUnpacker::open(file.data.clone())?;
        let mut buffer = Vec::new();
        for _ in 0..HEAD_BLOCKS {
            let block = unpacker.next_block(buffer, HEAD_BYTES)?;
            let head = Self::of_records(&block.bytes).or_else(|| {
                let width = Width::guess(&block.bytes).filter(|_| !block.bytes.is_empty())?;
                Some(Self {
                    width,
                    ..Self::default()
                })
            });
            if head.is_some() || block.is_file_end {
                return Ok(head);
            }
            buffer = block.bytes;
        }
        Ok(None)
    }

    /// Returns whether the files may belong to one recording: all have the same version and record
    /// width.
    /// Files that cannot be read are ignored.
    pub fn are_one_trace(files: &[TraceFile]) -> bool {
        let heads = files
            .iter()
            .filter_map(|file| Self::of(file).ok().flatten());
        let mut kinds = heads.map(|head| (head.version, head.width));
        kinds
            .next()
            .is_none_or(|first| kinds.all(|other| other == first))
    }

    fn of_records(bytes: &[u8]) -> Option<Self> {
        let width = Width::of_head(bytes)?;
        let mut records = width.records(bytes);
        let version = records.next()?.value;
        let is_opening = |kind: u16| matches!(kind, kind::MARKER | kind::THREAD | kind::PROCESS);
        let mut opening = records.take_while(|record| is_opening(record.kind));
        let file_type =
            opening.find(|record| record.kind == kind::MARKER && record.size == marker::FILE_TYPE);
        let file_type = FileType(file_type.map_or(0, |record| record.value));
        Some(Self {
            width,
            version,
            file_type,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_says_what_it_is() {
        let record = |kind: u16, size: u16, value: u64| {
            [
                &kind.to_le_bytes()[..],
                &size.to_le_bytes(),
                &value.to_le_bytes(),
            ]
            .concat()
        };
        let bytes = [
            record(25, 0, 6),
            record(28, 12, 6),
            record(28, 9, 0xe40),
            record(22, 4, 5),
        ]
        .concat();
        let head = TraceHead::of_records(&bytes).unwrap();
        assert_eq!(
            (head.width, head.version, head.file_type),
            (Width::Wide, 6, FileType(0xe40))
        );
        let old = [
            record(25, 0, 1),
            record(22, 4, 5),
            record(10, 1, 7),
            record(28, 9, 8),
        ]
        .concat();
        assert_eq!(TraceHead::of_records(&old).unwrap().file_type, FileType(0));
        assert_eq!(TraceHead::of_records(b"1 clk IT"), None);
    }
}
