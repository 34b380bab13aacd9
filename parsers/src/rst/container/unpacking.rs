//! The records of one file.

use std::io;
use std::sync::Arc;

use stepback_machine::Endian;

use crate::read_at::ReadAt;
use crate::rst::container::ahead::ReadAheadReader;
use crate::rst::container::batch::BatchEnd;
use crate::rst::container::kind::RstContainer;
use crate::rst::container::plain::PlainContainer;
use crate::rst::container::rz2::Rz2;
use crate::rst::container::rz3::Rz3;

/// Unpacks the records of a file from front to back.
pub struct ContainerReader {
    input: ReadAheadReader,
    unpacker: ContainerFormat,
    container: Option<RstContainer>,
}

enum ContainerFormat {
    Plain(PlainContainer),
    Rz2(Box<Rz2>),
    Rz3(Box<Rz3>),
    Refused(&'static str),
}

impl ContainerReader {
    /// Opens a file; its first bytes say how it is packed.
    ///
    /// # Errors
    /// The file could not be read.
    pub fn open(file: Arc<dyn ReadAt>) -> io::Result<Self> {
        let mut input = ReadAheadReader::open(file)?;
        let mut head = Vec::new();
        input.read_into(&mut head, RstContainer::MAGIC_BYTES)?;
        let container = RstContainer::of_head(&head);
        let refusal = container.and_then(RstContainer::refusal);
        let unpacker = match container {
            _ if let Some(refusal) = refusal => ContainerFormat::Refused(refusal),
            Some(RstContainer::Rstzip2) => ContainerFormat::Rz2(Box::new(Rz2::new(head))),
            Some(RstContainer::Rstzip3) => ContainerFormat::Rz3(Box::new(Rz3::new(&head))),
            _ => ContainerFormat::Plain(PlainContainer::new(head)),
        };
        Ok(Self {
            input,
            unpacker,
            container,
        })
    }

    /// What its first bytes say; none when they are not those of a trace.
    pub fn container(&self) -> Option<RstContainer> {
        self.container
    }

    /// The byte order of the records, where the packed form tells it; known with the first of them.
    pub fn endian(&self) -> Option<Endian> {
        match &self.unpacker {
            ContainerFormat::Rz3(unpacker) => unpacker.endian(),
            ContainerFormat::Rz2(_) => Some(Endian::Big),
            ContainerFormat::Plain(_) | ContainerFormat::Refused(_) => None,
        }
    }

    /// Where in the unpacked bytes of the file the last batch ends.
    pub fn offset(&self) -> u64 {
        self.input.offset()
    }

    /// Puts the next records in the place of those in the buffer. To be called until it tells an end.
    ///
    /// # Errors
    /// The file could not be read.
    pub fn next_batch(&mut self, out: &mut Vec<u8>) -> io::Result<BatchEnd> {
        out.clear();
        match &mut self.unpacker {
            ContainerFormat::Plain(unpacker) => unpacker.next_batch(&mut self.input, out),
            ContainerFormat::Rz2(unpacker) => unpacker.next_batch(&mut self.input, out),
            ContainerFormat::Rz3(unpacker) => unpacker.next_batch(&mut self.input, out),
            ContainerFormat::Refused(why) => Ok(BatchEnd::Damaged((*why).to_owned())),
        }
    }

    /// What is wrong with what packs the file, once the last batch was handed out.
    pub fn take_damage(&mut self) -> Option<String> {
        self.input.take_damage()
    }
}
