//! Reads the records of one file.

use crate::rst::container::kind::RstContainer;
use std::io;
use std::sync::Arc;

use stepback_machine::Endian;

use crate::packed::Damage;
use crate::problem::RstFault;
use crate::read_at::ReadAt;
use crate::rst::container::ahead::ReadAheadReader;
use crate::rst::container::batch::{BATCH_RECORDS, BatchEnd};
use crate::rst::container::rz2::Rz2;
use crate::rst::container::rz3::Rz3;
use crate::rst::raw_record::RECORD_BYTES;

/// Unpacks the records of a file from front to back.
pub struct ContainerReader {
    input: ReadAheadReader,
    unpacker: ContainerFormat,
    container: Option<RstContainer>,
}

enum ContainerFormat {
    /// No container; holds the first bytes of the file, until they are returned.
    Plain(Vec<u8>),
    Rz2(Box<Rz2>),
    Rz3(Box<Rz3>),
    Refused(RstFault),
}

impl ContainerReader {
    /// Opens a file and detects the container by its first bytes.
    ///
    /// # Errors
    /// The file could not be read.
    pub fn open(file: Arc<dyn ReadAt>) -> io::Result<Self> {
        let mut input = ReadAheadReader::open(file)?;
        let mut head = Vec::new();
        input.read_into(&mut head, RstContainer::MAGIC_BYTES)?;
        let container = RstContainer::of_head(&head);
        let refusal = container.and_then(RstContainer::refusal);
        let unpacker = match (refusal, container) {
            (Some(refusal), _) => ContainerFormat::Refused(refusal),
            (None, Some(RstContainer::Rstzip2)) => ContainerFormat::Rz2(Box::new(Rz2::new(head))),
            (None, Some(RstContainer::Rstzip3)) => ContainerFormat::Rz3(Box::new(Rz3::new(&head))),
            (None, _) => ContainerFormat::Plain(head),
        };
        Ok(Self {
            input,
            unpacker,
            container,
        })
    }

    /// Returns the detected container, or none if the file does not begin like a trace.
    pub fn container(&self) -> Option<RstContainer> {
        self.container
    }

    /// Returns the byte order of the records if the container states it; known after the first
    /// batch.
    pub fn endian(&self) -> Option<Endian> {
        match &self.unpacker {
            ContainerFormat::Rz3(unpacker) => unpacker.endian(),
            ContainerFormat::Rz2(_) => Some(Endian::Big),
            ContainerFormat::Plain(_) | ContainerFormat::Refused(_) => None,
        }
    }

    /// Returns the offset of the end of the last batch in the unpacked bytes of the file.
    pub fn offset(&self) -> u64 {
        self.input.offset()
    }

    /// Replaces the contents of `out` with the next records. Must not be called after the end.
    ///
    /// # Errors
    /// The file could not be read.
    pub fn next_batch(&mut self, out: &mut Vec<u8>) -> io::Result<BatchEnd> {
        out.clear();
        match &mut self.unpacker {
            ContainerFormat::Plain(head) => plain_batch(head, &mut self.input, out),
            ContainerFormat::Rz2(unpacker) => unpacker.next_batch(&mut self.input, out),
            ContainerFormat::Rz3(unpacker) => unpacker.next_batch(&mut self.input, out),
            ContainerFormat::Refused(why) => Ok(BatchEnd::Damaged(why.clone())),
        }
    }

    /// Takes the damage of the outer compression, once the last batch was returned.
    pub fn take_damage(&mut self) -> Option<Damage> {
        self.input.take_damage()
    }
}

/// Reads records without a container. `head` has the first bytes of the file, until they are
/// returned.
fn plain_batch(
    head: &mut Vec<u8>,
    input: &mut ReadAheadReader,
    out: &mut Vec<u8>,
) -> io::Result<BatchEnd> {
    let limit = BATCH_RECORDS * RECORD_BYTES;
    out.append(head);
    input.read_into(out, limit.saturating_sub(out.len()))?;
    if out.len() == limit {
        return Ok(BatchEnd::More);
    }
    let rest = out.len() % RECORD_BYTES;
    out.truncate(out.len() - rest);
    Ok(match rest {
        0 => BatchEnd::Over,
        _ => BatchEnd::Damaged(RstFault::InsideRecord(rest)),
    })
}
