//! The records of one file.

use std::io;
use std::sync::Arc;

use stepback_machine::Endian;

use crate::read_at::ReadAt;
use crate::rst::container::ahead::Ahead;
use crate::rst::container::batch::Ending;
use crate::rst::container::kind::RstContainer;
use crate::rst::container::plain::Plain;
use crate::rst::container::rz2::Rz2;
use crate::rst::container::rz3::Rz3;

/// Unpacks the records of a file from front to back.
pub struct Unpacking {
    input: Ahead,
    unpacker: Unpacker,
    container: Option<RstContainer>,
}

enum Unpacker {
    Plain(Plain),
    Rz2(Box<Rz2>),
    Rz3(Box<Rz3>),
    Refused(&'static str),
}

impl Unpacking {
    /// Opens a file; its first bytes say how it is packed.
    ///
    /// # Errors
    /// The file could not be read.
    pub fn open(file: Arc<dyn ReadAt>) -> io::Result<Self> {
        let mut input = Ahead::open(file)?;
        let mut head = Vec::new();
        input.read_into(&mut head, RstContainer::MAGIC_BYTES)?;
        let container = RstContainer::of_head(&head);
        let refusal = container.and_then(RstContainer::refusal);
        let unpacker = match container {
            _ if let Some(refusal) = refusal => Unpacker::Refused(refusal),
            Some(RstContainer::Rstzip2) => Unpacker::Rz2(Box::new(Rz2::new(head))),
            Some(RstContainer::Rstzip3) => Unpacker::Rz3(Box::new(Rz3::new(&head))),
            _ => Unpacker::Plain(Plain::new(head)),
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
            Unpacker::Rz3(unpacker) => unpacker.endian(),
            Unpacker::Rz2(_) => Some(Endian::Big),
            Unpacker::Plain(_) | Unpacker::Refused(_) => None,
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
    pub fn next_batch(&mut self, out: &mut Vec<u8>) -> io::Result<Ending> {
        out.clear();
        match &mut self.unpacker {
            Unpacker::Plain(unpacker) => unpacker.next_batch(&mut self.input, out),
            Unpacker::Rz2(unpacker) => unpacker.next_batch(&mut self.input, out),
            Unpacker::Rz3(unpacker) => unpacker.next_batch(&mut self.input, out),
            Unpacker::Refused(why) => Ok(Ending::Damaged((*why).to_owned())),
        }
    }

    /// What is wrong with what packs the file, once the last batch was handed out.
    pub fn take_damage(&mut self) -> Option<String> {
        self.input.take_damage()
    }
}
