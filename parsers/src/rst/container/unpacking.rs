//! Reads the records of one file.
//!
//! Records that are not packed.
//!
//! The end of a batch of records, and messages shared by the unpackers.
//!
//! Containers of records, inside any compression by gzip, zstd or xz.

use std::io;
use std::sync::Arc;

use stepback_machine::Endian;

use crate::read_at::ReadAt;
use crate::rst::container::ahead::ReadAheadReader;
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
    Plain(PlainContainer),
    Rz2(Box<Rz2>),
    Rz3(Box<Rz3>),
    Refused(&'static str),
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
            ContainerFormat::Plain(unpacker) => unpacker.next_batch(&mut self.input, out),
            ContainerFormat::Rz2(unpacker) => unpacker.next_batch(&mut self.input, out),
            ContainerFormat::Rz3(unpacker) => unpacker.next_batch(&mut self.input, out),
            ContainerFormat::Refused(why) => Ok(BatchEnd::Damaged((*why).to_owned())),
        }
    }

    /// Takes the damage of the outer compression, once the last batch was returned.
    pub fn take_damage(&mut self) -> Option<String> {
        self.input.take_damage()
    }
}

/// Reader of records without a container.
pub struct PlainContainer {
    /// The first bytes of the file, until they are returned.
    head: Vec<u8>,
}

impl PlainContainer {
    /// Continues after the first bytes of a file.
    pub fn new(head: Vec<u8>) -> Self {
        Self { head }
    }

    pub fn next_batch(
        &mut self,
        input: &mut ReadAheadReader,
        out: &mut Vec<u8>,
    ) -> io::Result<BatchEnd> {
        let limit = BATCH_RECORDS * RECORD_BYTES;
        out.append(&mut self.head);
        input.read_into(out, limit.saturating_sub(out.len()))?;
        if out.len() == limit {
            return Ok(BatchEnd::More);
        }
        let rest = out.len() % RECORD_BYTES;
        out.truncate(out.len() - rest);
        Ok(match rest {
            0 => BatchEnd::Over,
            1 => BatchEnd::Damaged(format!("{INSIDE_RECORD}: 1 byte is left out")),
            _ => BatchEnd::Damaged(format!("{INSIDE_RECORD}: {rest} bytes are left out")),
        })
    }
}
/// Status after a batch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BatchEnd {
    /// More records may follow.
    More,
    /// The file ends here.
    Over,
    /// Nothing more can be read; holds the reason.
    Damaged(String),
}

/// Default number of records in a batch.
pub const BATCH_RECORDS: usize = 32 << 10;

/// Reasons why nothing more can be read.
pub const CUT_OFF: &str = "the file is cut off: copy it again if there is more";
pub const CONTRADICTION: &str = "what is packed here contradicts itself: it is damaged, and some records before this place may be wrong too";
pub const OUT_OF_MEMORY: &str = "to unpack more would need more than 1 GiB of memory";
pub const INSIDE_RECORD: &str = "the file ends inside a record";
/// Container format of records.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RstContainer {
    /// No container.
    Plain,
    /// rstzip, version 1; its format is not published.
    Rstzip1,
    /// rstzip, version 2.
    Rstzip2,
    /// rstzip, version 3.
    Rstzip3,
}

impl RstContainer {
    /// Number of bytes needed to detect the format.
    pub const MAGIC_BYTES: usize = 24;

    /// Detects the format by the first bytes. Returns none if they are not those of a trace, though
    /// a part of one may follow.
    pub fn of_head(head: &[u8]) -> Option<Self> {
        const MAGICS: [(&[u8], RstContainer); 4] = [
            (b"RZ3 ", RstContainer::Rstzip3),
            (b"RZ2", RstContainer::Rstzip2),
            (b"RZ1", RstContainer::Rstzip1),
            // A text record: a sample of a longer trace.
            (b"\x0eRFS v", RstContainer::Plain),
        ];
        let is_header =
            head.starts_with(&[2]) && head.get(3..14).is_some_and(|text| text == b"%RST Header");
        let by_magic = MAGICS
            .iter()
            .find(|(magic, _)| head.starts_with(magic))
            .map(|(_, container)| *container);
        by_magic.or_else(|| is_header.then_some(Self::Plain))
    }

    /// Returns the reason why such files cannot be read, if they cannot.
    pub fn refusal(self) -> Option<&'static str> {
        let is_known = self != Self::Rstzip1;
        (!is_known)
            .then_some("it is packed by rstzip 1, whose format was never published: unpack it with rstunzip first")
    }
}
