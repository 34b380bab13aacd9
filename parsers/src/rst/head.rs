//! What a file is, by its first bytes.

use std::io;
use std::sync::Arc;

use crate::packed::{PackedKind, head_of};
use crate::read_at::TraceFile;
use crate::rst::container::kind::RstContainer;

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
        let head = match packed {
            Some(kind) => head_of(Arc::clone(&file.data), kind, RstContainer::MAGIC_BYTES)?.text,
            None => {
                let mut head = vec![0; RstContainer::MAGIC_BYTES];
                let count = file.data.read_at(0, &mut head)?;
                head.truncate(count);
                head
            }
        };
        Ok(RstContainer::of_head(&head).map(|container| Self { packed, container }))
    }
}
