//! Detects RST files by their first bytes.

use std::io;
use std::sync::Arc;

use crate::packed::{PackedKind, head_of};
use crate::read_at::TraceFile;
use crate::rst::container::kind::RstContainer;
use crate::rst::endian::endian_of;
use crate::rst::layout::layout_of;
use crate::rst::raw_record::{RECORD_BYTES, RawRecord, RecordEncoding};

/// Number of records that are examined if the first is damaged.
const LOOKED_AT: usize = 64;

/// Formats detected at the beginning of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RstHead {
    /// Compression of the whole file, if any.
    pub packed: Option<PackedKind>,
    /// Container of the records.
    pub container: RstContainer,
}

impl RstHead {
    /// Detects the format of a file. Returns none if it does not begin like a trace. Cost: the
    /// first bytes are unpacked.
    ///
    /// # Errors
    /// The file could not be read.
    pub fn of(file: &TraceFile) -> io::Result<Option<Self>> {
        let packed = PackedKind::of(file.data.as_ref())?;
        let head = first_bytes(file, packed, RstContainer::MAGIC_BYTES)?;
        Ok(RstContainer::of_head(&head).map(|container| Self { packed, container }))
    }

    /// Returns true if a file is a trace with a damaged first record: known records follow it.
    /// Cost: the first records are unpacked.
    ///
    /// # Errors
    /// The file could not be read.
    pub fn is_damaged(file: &TraceFile) -> io::Result<bool> {
        let packed = PackedKind::of(file.data.as_ref())?;
        let head = first_bytes(file, packed, LOOKED_AT * RECORD_BYTES)?;
        let Some(rest) = head.get(RECORD_BYTES..) else {
            return Ok(false);
        };
        let Some(endian) = endian_of(rest) else {
            return Ok(false);
        };
        let form = RecordEncoding {
            endian,
            ..RecordEncoding::default()
        };
        let records = rest.as_chunks::<RECORD_BYTES>().0;
        let known = records
            .iter()
            .filter(|bytes| layout_of(&RawRecord::new(bytes, form)).is_some())
            .count();
        // In other files, one byte in eight is a known record type by chance.
        Ok(known > 0 && known * 4 >= records.len() * 3)
    }
}

/// Returns the first `count` bytes of the contents of a file, or all if there are fewer.
fn first_bytes(file: &TraceFile, packed: Option<PackedKind>, count: usize) -> io::Result<Vec<u8>> {
    if let Some(kind) = packed {
        return Ok(head_of(Arc::clone(&file.data), kind, count)?.text);
    }
    let mut head = vec![0; count];
    let found = file.data.read_at(0, &mut head)?;
    head.truncate(found);
    Ok(head)
}
