//! The members of a zip archive by the headers before them.

use std::io::{BufRead as _, BufReader, Read as _};

use crate::drmemtrace::container::member::ZipMember;
use crate::drmemtrace::container::range::{BUFFER_BYTES, FileRangeReader};

/// Looks for one header after the other, where the directory at the end cannot be used.
pub struct ZipWalk {
    /// One for the whole walk: headers may follow each other closely.
    reader: BufReader<FileRangeReader>,
    /// Where the next header is looked for.
    position: u64,
}

const LOCAL_HEADER: [u8; 4] = *b"PK\x03\x04";
/// The first record of the directory after the members.
const DIRECTORY_HEADER: [u8; 4] = *b"PK\x01\x02";
/// The tag of lengths that need 64 bits.
const ZIP64: u16 = 1;

impl ZipWalk {
    /// Begins at the beginning of a file.
    pub fn new(file: &FileRangeReader) -> Self {
        Self {
            reader: BufReader::with_capacity(BUFFER_BYTES, file.clone()),
            position: 0,
        }
    }

    /// The next member; none at the end.
    pub fn next(&mut self) -> Option<ZipMember> {
        self.go_to(self.position)?;
        self.position = self.find_header()?;
        self.member()
    }

    /// Says where a member ended, so that the next one is looked for from there.
    pub fn set_end(&mut self, end: u64) {
        // A member that makes no sense is at least as long as the start of its header.
        self.position = end.max(self.position.saturating_add(LOCAL_HEADER.len() as u64));
    }

    /// Where the next byte lies that is read.
    fn place(&self) -> u64 {
        self.reader
            .get_ref()
            .position()
            .saturating_sub(self.reader.buffer().len() as u64)
    }

    fn go_to(&mut self, position: u64) -> Option<()> {
        // What is read already is kept.
        let distance = i64::try_from(i128::from(position) - i128::from(self.place())).ok()?;
        self.reader.seek_relative(distance).ok()
    }

    /// Passes the start of the next header before the directory; where that lies.
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

    /// What the header says whose start was passed; none when the file ends inside it.
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
        // The writer fills in lengths and checksum when the member is complete, or writes them after it (flag 8).
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

/// Lengths packed and unpacked; those that do not fit into 32 bits stand after the name.
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
            // A header before a member has both, the longer one first.
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
