//! Members of a zip archive, in order ([`ZipMembers`]): as the directory at the end lists them, or
//! found one after the other by their local headers if the directory is missing or unusable
//! ([`ZipWalk`]). [`MemberReader`] unpacks a member and checks its length and checksum.

use std::io;
use std::io::{BufRead as _, BufReader, ErrorKind, Read};
use std::sync::Arc;

use crc32fast::Hasher;
use flate2::bufread::DeflateDecoder;
use zip::ZipArchive;

use crate::drmemtrace::container::range::{BUFFER_BYTES, FileRangeReader};

/// Iterates over the members of an archive.
pub enum ZipMembers {
    /// Members from the directory at the end.
    /// Each is located on its turn: often the first one is enough.
    Listed(
        Box<ZipArchive<BufReader<FileRangeReader>>>,
        std::ops::Range<usize>,
    ),
    /// Members from the local headers, because the directory is missing or unusable.
    Walked(Box<ZipWalk>),
}

impl ZipMembers {
    /// Returns the members of an archive, and the reason if the directory cannot be used.
    pub fn of(file: &FileRangeReader) -> (Self, Option<String>) {
        let why = match ZipArchive::new(BufReader::new(file.clone())) {
            // The library leaves out all members of one name but the last.
            Ok(archive) if archive.has_duplicate_names() => "members share a name".to_owned(),
            Ok(archive) => {
                let numbers = 0..archive.len();
                return (Self::Listed(Box::new(archive), numbers), None);
            }
            Err(error) => error.to_string(),
        };
        (Self::Walked(Box::new(ZipWalk::new(file))), Some(why))
    }

    /// Returns the next member, or the reason that it cannot be read; `None` at the end.
    pub fn next(&mut self) -> Option<Result<ZipMember, String>> {
        match self {
            Self::Listed(archive, numbers) => numbers.next().map(|number| listed(archive, number)),
            Self::Walked(walk) => walk.next().map(Ok),
        }
    }

    /// Sets the end of a member, from which the next one is searched.
    pub fn set_end(&mut self, end: u64) {
        if let Self::Walked(walk) = self {
            walk.set_end(end);
        }
    }
}

/// Returns a member as the directory describes it.
fn listed(
    archive: &mut ZipArchive<BufReader<FileRangeReader>>,
    number: usize,
) -> Result<ZipMember, String> {
    let file = archive
        .by_index_raw(number)
        .map_err(|error| error.to_string())?;
    let name = String::from_utf8_lossy(file.name_raw());
    if file.encrypted() {
        return Err(format!("{name} is encrypted: unpack it first (unzip)"));
    }
    #[expect(
        deprecated,
        reason = "the only name of deflate in a crate that does not unpack it itself"
    )]
    let method = file.compression().to_u16();
    Ok(ZipMember {
        name: name.into(),
        method,
        start: file.data_start().ok_or("its header is damaged")?,
        packed_bytes: Some(file.compressed_size()),
        sum: Some((file.crc32(), file.size())),
    })
}

/// Searches for one local header after the other, if the directory at the end cannot be used.
pub struct ZipWalk {
    /// Reader for the whole search: headers may follow each other closely.
    reader: BufReader<FileRangeReader>,
    /// Offset from which the next header is searched.
    position: u64,
}

const LOCAL_HEADER: [u8; 4] = *b"PK\x03\x04";
/// Signature of the first record of the directory, which follows the members.
const DIRECTORY_HEADER: [u8; 4] = *b"PK\x01\x02";
/// Tag of the extra field with 64-bit lengths.
const ZIP64: u16 = 1;

impl ZipWalk {
    /// Starts at the beginning of a file.
    pub fn new(file: &FileRangeReader) -> Self {
        Self {
            reader: BufReader::with_capacity(BUFFER_BYTES, file.clone()),
            position: 0,
        }
    }

    /// Returns the next member; `None` at the end.
    pub fn next(&mut self) -> Option<ZipMember> {
        self.go_to(self.position)?;
        self.position = self.find_header()?;
        self.member()
    }

    /// Sets the end of a member, from which the next one is searched.
    pub fn set_end(&mut self, end: u64) {
        // An invalid member is at least as long as the signature of its header.
        self.position = end.max(self.position.saturating_add(LOCAL_HEADER.len() as u64));
    }

    /// Returns the offset of the next byte to be read.
    fn place(&self) -> u64 {
        self.reader
            .get_ref()
            .position()
            .saturating_sub(self.reader.buffer().len() as u64)
    }

    fn go_to(&mut self, position: u64) -> Option<()> {
        // `seek_relative` keeps the buffered bytes.
        let distance = i64::try_from(i128::from(position) - i128::from(self.place())).ok()?;
        self.reader.seek_relative(distance).ok()
    }

    /// Passes the signature of the next header before the directory; returns its offset.
    fn find_header(&mut self) -> Option<u64> {
        let mut last = [0; 4];
        loop {
            let start = self.place();
            let bytes = self
                .reader
                .fill_buf()
                .ok()
                .filter(|bytes| !bytes.is_empty())?;
            let end = bytes.iter().position(|byte| {
                let [_, a, b, c] = last;
                last = [a, b, c, *byte];
                matches!(last, LOCAL_HEADER | DIRECTORY_HEADER)
            });
            let count = end.map_or(bytes.len(), |end| end + 1);
            self.reader.consume(count);
            if end.is_some() {
                let header = start.saturating_add(count as u64).checked_sub(4)?;
                return (last == LOCAL_HEADER).then_some(header);
            }
        }
    }

    /// Reads the header after its signature; `None` if the file ends inside it.
    fn member(&mut self) -> Option<ZipMember> {
        let mut head = [0; 26];
        self.reader.read_exact(&mut head).ok()?;
        let half = |at: usize| {
            head.get(at..)
                .and_then(|rest| rest.first_chunk())
                .map_or(0, |bytes| u16::from_le_bytes(*bytes))
        };
        let word = |at: usize| u32::from(half(at)) | u32::from(half(at + 2)) << 16;
        let mut name = vec![0; usize::from(half(22))];
        self.reader.read_exact(&mut name).ok()?;
        let mut extra = vec![0; usize::from(half(24))];
        self.reader.read_exact(&mut extra).ok()?;
        let (packed, length) = wide_lengths(word(14), word(18), &extra);
        // The writer fills in lengths and checksum when the member is complete, or writes them
        // after it (flag 8).
        let is_complete = half(2) & 8 == 0 && packed > 0;
        Some(ZipMember {
            name: String::from_utf8_lossy(&name).into(),
            method: half(4),
            start: self.place(),
            packed_bytes: is_complete.then_some(packed),
            sum: is_complete.then_some((word(10), length)),
        })
    }
}

/// Returns the packed and unpacked length; lengths of more than 32 bits are in an extra field after
/// the name.
fn wide_lengths(packed: u32, length: u32, mut extra: &[u8]) -> (u64, u64) {
    let narrow = (u64::from(packed), u64::from(length));
    if packed != u32::MAX && length != u32::MAX {
        return narrow;
    }
    while let Some(([a, b, c, d], rest)) = extra.split_first_chunk() {
        let count = usize::from(u16::from_le_bytes([*c, *d]));
        let Some((field, rest)) = rest.split_at_checked(count) else {
            break;
        };
        if u16::from_le_bytes([*a, *b]) == ZIP64 {
            // A local header has both lengths, the unpacked one first.
            let mut numbers = field
                .as_chunks()
                .0
                .iter()
                .map(|bytes| u64::from_le_bytes(*bytes));
            let length = numbers.next().unwrap_or(narrow.1);
            return (numbers.next().unwrap_or(narrow.0), length);
        }
        extra = rest;
    }
    narrow
}

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
