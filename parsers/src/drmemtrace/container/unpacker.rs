//! Unpacks a trace file into blocks, from front to back ([`ContainerUnpacker`]). The first bytes
//! determine the packing, and not the name ([`ContainerKind`]). Damage costs only the bytes that it
//! hits, and is reported in the blocks.

use std::io;
use std::io::{BufRead as _, BufReader, ErrorKind, Read};
use std::sync::Arc;

use lz4_flex::frame::{Error, FrameDecoder};

use crate::drmemtrace::block::RecordBlock;
use crate::drmemtrace::container::range::{BUFFER_BYTES, FileRangeReader, ReadFailure};
use crate::drmemtrace::container::snappy::SnappyReader;
use crate::drmemtrace::container::zip_members::{MemberReader, ZipMember, ZipMembers};
use crate::packed;
use crate::packed::kind::PackedKind;
use crate::problem::DrmemtraceFault;
use crate::read_at::ReadAt;

/// Unpacks a file from front to back.
///
/// Damage costs only the bytes it hits, and is reported in the blocks. Errors are only those of
/// reading the file.
pub struct ContainerUnpacker {
    file: FileRangeReader,
    failure: ReadFailure,
    members: Option<ZipMembers>,
    stream: Option<ContainerStream>,
    /// Number of bytes unpacked until now.
    offset: u64,
    problems: Vec<DrmemtraceFault>,
}

/// Source of the unpacked bytes.
enum ContainerStream {
    Member(ZipMember, Box<MemberReader>),
    Whole(Box<dyn Read + Send>),
    Packed(Box<packed::TextUnpacker>),
}

impl ContainerUnpacker {
    /// Opens a file; cheap.
    ///
    /// # Errors
    /// The file could not be read.
    pub fn open(file: Arc<dyn ReadAt>) -> io::Result<Self> {
        let failure = ReadFailure::default();
        let mut head = [0; ContainerKind::MAGIC_BYTES];
        let count = file.read_at(0, &mut head)?;
        let file = FileRangeReader::of_file(file, failure.clone())?;
        let mut unpacker = Self {
            file,
            failure,
            members: None,
            stream: None,
            offset: 0,
            problems: Vec::new(),
        };
        unpacker.begin(ContainerKind::of_head(
            head.get(..count).unwrap_or_default(),
        ))?;
        Ok(unpacker)
    }

    fn begin(&mut self, kind: ContainerKind) -> io::Result<()> {
        let whole = self.file.clone();
        match kind {
            ContainerKind::Zip => {
                let (members, problem) = ZipMembers::of(&self.file);
                self.failure.take().map_or(Ok(()), Err)?;
                self.problems
                    .extend(problem.map(|why| DrmemtraceFault::NoDirectory { why }));
                self.members = Some(members);
            }
            ContainerKind::Lz4 => {
                self.stream = Some(ContainerStream::Whole(Box::new(Lz4Reader::new(whole))))
            }
            ContainerKind::Snappy => {
                let reader = io::BufReader::with_capacity(BUFFER_BYTES, whole);
                self.stream = Some(ContainerStream::Whole(Box::new(SnappyReader::new(reader))));
            }
            ContainerKind::Packed(kind) => self.stream = Some(packed_stream(whole, kind)),
            ContainerKind::Plain => self.stream = Some(ContainerStream::Whole(Box::new(whole))),
        }
        Ok(())
    }

    /// Unpacks the next block into a buffer: as much as fits, or the rest of a member. After the
    /// last block, returns empty ones.
    ///
    /// # Errors
    /// The file could not be read.
    pub fn next_block(&mut self, mut buffer: Vec<u8>, limit: usize) -> io::Result<RecordBlock> {
        self.begin_member()?;
        buffer.resize(if self.stream.is_some() { limit } else { 0 }, 0);
        let member = match &self.stream {
            Some(ContainerStream::Member(member, _)) => Some(Arc::clone(&member.name)),
            _ => None,
        };
        let (count, is_member_end) = self.fill(&mut buffer)?;
        buffer.truncate(count);
        let offset = self.offset;
        self.offset = offset.saturating_add(count as u64);
        if is_member_end {
            self.end_member();
        }
        let is_file_end = self.stream.is_none() && self.members.is_none();
        let problems = std::mem::take(&mut self.problems);
        Ok(RecordBlock {
            bytes: buffer,
            offset,
            member,
            problems,
            is_member_end,
            is_file_end,
        })
    }

    /// Moves to the next member that can be unpacked, if none is being unpacked.
    fn begin_member(&mut self) -> io::Result<()> {
        while let (None, Some(members)) = (&self.stream, &mut self.members) {
            let next = members.next();
            self.failure.take().map_or(Ok(()), Err)?;
            match next {
                None => self.members = None,
                Some(Err(why)) => self
                    .problems
                    .push(DrmemtraceFault::MemberLeftOut { member: None, why }),
                Some(Ok(member)) => match MemberReader::new(&self.file, &member) {
                    Ok(reader) => {
                        self.stream = Some(ContainerStream::Member(member, Box::new(reader)))
                    }
                    Err(why) => {
                        members.set_end(
                            member
                                .start
                                .saturating_add(member.packed_bytes.unwrap_or(0)),
                        );
                        self.problems.push(DrmemtraceFault::MemberLeftOut {
                            member: Some(member.name.to_string()),
                            why: why.to_string(),
                        });
                    }
                },
            }
        }
        Ok(())
    }

    /// Fills a buffer from the current member; returns the number of bytes, and true when the
    /// member ended.
    fn fill(&mut self, buffer: &mut [u8]) -> io::Result<(usize, bool)> {
        let Some(stream) = &mut self.stream else {
            return Ok((0, true));
        };
        let mut count = 0;
        while let Some(rest) = buffer.get_mut(count..).filter(|rest| !rest.is_empty()) {
            match stream.read(rest) {
                Ok(0) => return Ok((count, true)),
                Ok(more) => count += more,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => {
                    self.failure.take().map_or(Ok(()), Err)?;
                    let fault = stream.fault(&error);
                    self.problems.push(fault);
                    return Ok((count, true));
                }
            }
        }
        Ok((count, false))
    }

    /// Leaves the member, or the file that has none.
    fn end_member(&mut self) {
        match self.stream.take() {
            Some(ContainerStream::Member(member, reader)) => {
                let end = reader.packed_end(&member);
                let end = member
                    .packed_bytes
                    .map_or(end, |length| member.start.saturating_add(length));
                if let Some(members) = &mut self.members {
                    members.set_end(end);
                }
            }
            Some(ContainerStream::Packed(unpacker)) => self
                .problems
                .extend(unpacker.damage().cloned().map(DrmemtraceFault::Packed)),
            _ => {}
        }
    }
}

impl ContainerStream {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Member(_, reader) => reader.read(out),
            Self::Whole(reader) => reader.read(out),
            Self::Packed(reader) => reader.read(out),
        }
    }

    /// Returns the fault that an error of unpacking means.
    fn fault(&self, error: &io::Error) -> DrmemtraceFault {
        let is_member = matches!(self, Self::Member(..));
        match error.kind() {
            ErrorKind::UnexpectedEof => DrmemtraceFault::CutOff { is_member },
            _ => DrmemtraceFault::Corrupt {
                is_member,
                why: error.to_string(),
            },
        }
    }
}

fn packed_stream(file: FileRangeReader, kind: PackedKind) -> ContainerStream {
    ContainerStream::Packed(Box::new(packed::TextUnpacker::new(Box::new(file), kind)))
}

/// Packing of a file's records, detected from its first bytes regardless of its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContainerKind {
    /// Zip archive; its members in sequence are the records.
    Zip,
    /// LZ4 frames.
    Lz4,
    /// Snappy's framing format.
    Snappy,
    /// gzip, or another compression that the program unpacks.
    Packed(PackedKind),
    /// Not packed.
    Plain,
}

impl ContainerKind {
    /// Number of first bytes that the detection needs.
    pub const MAGIC_BYTES: usize = 10;

    /// Detects the packing from the first bytes.
    pub fn of_head(head: &[u8]) -> Self {
        const MAGICS: [(&[u8], ContainerKind); 4] = [
            (b"PK\x03\x04", ContainerKind::Zip),
            (b"PK\x05\x06", ContainerKind::Zip), // empty archive
            (b"\x04\x22\x4d\x18", ContainerKind::Lz4),
            (b"\xff\x06\0\0sNaPpY", ContainerKind::Snappy),
        ];
        let known = MAGICS
            .iter()
            .find(|(magic, _)| head.starts_with(magic))
            .map(|(_, kind)| *kind);
        known
            .or_else(|| PackedKind::of_head(head).map(Self::Packed))
            .unwrap_or(Self::Plain)
    }
}

/// Unpacks all frames of an input.
pub struct Lz4Reader<R: Read>(FrameDecoder<BufReader<R>>);

impl<R: Read> Lz4Reader<R> {
    /// Creates a reader for packed bytes.
    pub fn new(input: R) -> Self {
        Self(FrameDecoder::new(BufReader::with_capacity(
            BUFFER_BYTES,
            input,
        )))
    }
}

impl<R: Read> Read for Lz4Reader<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        loop {
            match self.0.read(out) {
                // This is the end of a frame.
                Ok(0) if !out.is_empty() && !self.0.get_mut().fill_buf()?.is_empty() => {}
                Err(error) => match skipped_bytes(&error) {
                    Some(count) => drop(io::copy(
                        &mut self.0.get_mut().take(count),
                        &mut io::sink(),
                    )?),
                    None => return Err(error),
                },
                read => return read,
            }
        }
    }
}

/// Returns the length of a skippable frame if that stopped the reader.
fn skipped_bytes(error: &io::Error) -> Option<u64> {
    match error.get_ref()?.downcast_ref()? {
        Error::SkippableFrame(count) => Some(u64::from(*count)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use lz4_flex::frame::{BlockMode, FrameEncoder, FrameInfo};

    use super::*;

    #[test]
    fn linked_blocks_and_several_frames_come_back() {
        let content: Vec<u8> = (0..200_000u32)
            .flat_map(|number| (number / 3).to_le_bytes())
            .collect();
        let mut info = FrameInfo::new();
        info.block_mode = BlockMode::Linked;
        let mut writer = FrameEncoder::with_frame_info(info, Vec::new());
        writer.write_all(&content).unwrap();
        let frame = writer.finish().unwrap();
        let packed = [&frame[..], b"\x50\x2a\x4d\x18\x03\0\0\0abc", &frame].concat();
        let mut out = Vec::new();
        Lz4Reader::new(&packed[..]).read_to_end(&mut out).unwrap();
        assert!(out == content.repeat(2));
    }
}
