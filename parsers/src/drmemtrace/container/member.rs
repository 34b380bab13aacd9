//! A member of a zip archive.

use std::io::{self, BufReader, ErrorKind, Read};
use std::sync::Arc;

use crc32fast::Hasher;
use flate2::bufread::DeflateDecoder;

use crate::drmemtrace::container::range::{BUFFER_BYTES, FileRangeReader};

/// Where a member lies, as the archive says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ZipMember {
    /// Its name.
    pub name: Arc<str>,
    /// How it is packed: 0 not at all, 8 deflate.
    pub method: u16,
    /// Where its packed bytes begin in the file.
    pub start: u64,
    /// How long they are; none where the archive was not finished.
    pub packed_bytes: Option<u64>,
    /// Checksum and length of its content; none likewise.
    pub sum: Option<(u32, u64)>,
}

/// Unpacks a member, and says at its end when it is not what the archive promised.
pub struct MemberReader {
    decoder: MemberDecoder,
    crc: Hasher,
    length: u64,
    sum: Option<(u32, u64)>,
}

enum MemberDecoder {
    Stored(FileRangeReader),
    Deflated(Box<DeflateDecoder<BufReader<FileRangeReader>>>),
}

impl MemberReader {
    /// Begins to read a member of a file.
    pub fn new(file: &FileRangeReader, member: &ZipMember) -> io::Result<Self> {
        let part = file.part(member.start, member.packed_bytes.unwrap_or(u64::MAX));
        let decoder = match member.method {
            0 => MemberDecoder::Stored(part),
            8 => MemberDecoder::Deflated(Box::new(DeflateDecoder::new(BufReader::with_capacity(
                BUFFER_BYTES,
                part,
            )))),
            method => {
                let why = format!(
                    "it is packed by method {method}, but traces are deflated: pack the archive again"
                );
                return Err(io::Error::new(ErrorKind::Unsupported, why));
            }
        };
        Ok(Self {
            decoder,
            crc: Hasher::new(),
            length: 0,
            sum: member.sum,
        })
    }

    /// Where in the file the bytes end that were needed.
    pub fn packed_end(&self, member: &ZipMember) -> u64 {
        match &self.decoder {
            MemberDecoder::Stored(part) => part.position(),
            MemberDecoder::Deflated(decoder) => member.start.saturating_add(decoder.total_in()),
        }
    }

    fn check(&self) -> io::Result<()> {
        match self.sum {
            Some((_, length)) if length != self.length => Err(invalid(format!(
                "it has {} bytes, but should have {length}",
                self.length
            ))),
            Some((sum, _)) if sum != self.crc.clone().finalize() => {
                Err(invalid("its checksum does not match".to_owned()))
            }
            _ => Ok(()),
        }
    }
}

impl Read for MemberReader {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let count = match &mut self.decoder {
            MemberDecoder::Stored(part) => part.read(out)?,
            MemberDecoder::Deflated(decoder) => decoder.read(out)?,
        };
        if count == 0 && !out.is_empty() {
            self.check()?;
        }
        self.crc.update(out.get(..count).unwrap_or_default());
        self.length = self.length.saturating_add(count as u64);
        Ok(count)
    }
}

fn invalid(why: String) -> io::Error {
    io::Error::new(ErrorKind::InvalidData, why)
}
