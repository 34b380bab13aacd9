//! Finds the members of a zip archive by their local headers.

use std::io::{BufRead as _, BufReader, Read as _};

use crate::drmemtrace::container::member::ZipMember;
use crate::drmemtrace::container::range::{BUFFER_BYTES, FileRangeReader};

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
