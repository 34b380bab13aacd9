//! What a file is, by its first bytes.

use std::io;
use std::sync::Arc;

use crate::packed::{PackedKind, head_of};
use crate::read_at::TraceFile;
use crate::rst::container::kind::RstContainer;
use crate::rst::endian::endian_of;
use crate::rst::layout::layout_of;
use crate::rst::raw_record::{RECORD_BYTES, RawRecord, RecordEncoding};

/// Records that are looked at where the first is damaged.
const LOOKED_AT: usize = 64;

/// What a file says of itself at its beginning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RstHead {
    /// What packs the whole file, if anything does.
    pub packed: Option<PackedKind>,
    /// What its records are packed in.
    pub container: RstContainer,
}

impl RstHead {
    /// The head of a file; none when it begins like no trace. Cost: the first bytes are unpacked.
    ///
    /// # Errors
    /// The file could not be read.
    pub fn of(file: &TraceFile) -> io::Result<Option<Self>> {
        let packed = PackedKind::of(file.data.as_ref())?;
        let head = first_bytes(file, packed, RstContainer::MAGIC_BYTES)?;
        Ok(RstContainer::of_head(&head).map(|container| Self { packed, container }))
    }

    /// Returns whether a file is a trace whose first record is damaged: known records follow it.
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
        // Of other files each byte is a known type in one of eight cases.
        Ok(known > 0 && known * 4 >= records.len() * 3)
    }
}

/// The first bytes of what a file holds, or all that there are.
fn first_bytes(file: &TraceFile, packed: Option<PackedKind>, count: usize) -> io::Result<Vec<u8>> {
    if let Some(kind) = packed {
        return Ok(head_of(Arc::clone(&file.data), kind, count)?.text);
    }
    let mut head = vec![0; count];
    let found = file.data.read_at(0, &mut head)?;
    head.truncate(found);
    Ok(head)
}
