//! Member of a zip archive.

use std::io::{self, BufReader, ErrorKind, Read};
use std::sync::Arc;

use crc32fast::Hasher;
use flate2::bufread::DeflateDecoder;

use crate::drmemtrace::container::range::{BUFFER_BYTES, FileRangeReader};

/// Location of a member, as the archive states it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ZipMember {
    /// Name of the member.
    pub name: Arc<str>,
    /// Compression method: 0 for none, 8 for deflate.
    pub method: u16,
    /// Offset of the packed bytes in the file.
    pub start: u64,
    /// Length of the packed bytes; `None` if the archive was not finished.
    pub packed_bytes: Option<u64>,
    /// Checksum and length of the content; `None` if the archive was not finished.
    pub sum: Option<(u32, u64)>,
}

/// Unpacks a member; at its end, returns an error if length or checksum differ from the archive's.
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

    /// Returns the offset in the file after the bytes that were needed.
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
