//! The members of a zip archive in order.

use std::io::{BufRead as _, BufReader, Read as _, Seek as _};

use zip::ZipArchive;

use super::member::Member;
use super::range::Range;

/// Finds one member after the other.
pub enum ZipMembers {
    /// By the directory at the end.
    Listed(std::vec::IntoIter<Result<Member, String>>),
    /// The directory is missing or damaged: by the headers before the members. Here the next one is looked for.
    Walked(u64),
}

const LOCAL_HEADER: [u8; 4] = *b"PK\x03\x04";
/// The first record of the directory behind the members.
const DIRECTORY_HEADER: [u8; 4] = *b"PK\x01\x02";
/// The tag of lengths that need 64 bits.
const ZIP64: u16 = 1;

impl ZipMembers {
    /// The members of an archive, and why they could not be listed if that is so.
    pub fn of(file: &Range) -> (Self, Option<String>) {
        match ZipArchive::new(BufReader::new(file.clone())) {
            Ok(mut archive) => {
                let members: Vec<_> = (0..archive.len()).map(|number| listed(&mut archive, number)).collect();
                (Self::Listed(members.into_iter()), None)
            }
            Err(error) => (Self::Walked(0), Some(error.to_string())),
        }
    }

    /// The next member, or why it cannot be read; none at the end.
    pub fn next(&mut self, file: &Range) -> Option<Result<Member, String>> {
        match self {
            Self::Listed(members) => members.next(),
            Self::Walked(position) => {
                let start = find_header(file, *position)?;
                *position = start;
                walked(file, start).map(Ok)
            }
        }
    }

    /// Says where a member ended, so that the next one is looked for behind it.
    pub fn set_end(&mut self, end: u64) {
        if let Self::Walked(position) = self {
            // A member that makes no sense is at least as long as the start of its header.
            *position = end.max(position.saturating_add(LOCAL_HEADER.len() as u64));
        }
    }
}

/// What the directory says of a member.
fn listed(archive: &mut ZipArchive<BufReader<Range>>, number: usize) -> Result<Member, String> {
    let file = archive.by_index_raw(number).map_err(|error| error.to_string())?;
    let name = String::from_utf8_lossy(file.name_raw());
    if file.encrypted() {
        return Err(format!("{name} is encrypted: unpack it first (unzip)"));
    }
    #[expect(deprecated, reason = "the only name of deflate in a crate that does not unpack it itself")]
    let method = file.compression().to_u16();
    Ok(Member {
        name: name.into(),
        method,
        start: file.data_start().ok_or("its header is damaged")?,
        packed_bytes: Some(file.compressed_size()),
        sum: Some((file.crc32(), file.size())),
    })
}

/// The next header of a member from a place on, before the directory behind the members.
fn find_header(file: &Range, from: u64) -> Option<u64> {
    let mut reader = BufReader::with_capacity(super::BUFFER_BYTES, file.part(from, u64::MAX));
    let mut position = from;
    let mut last = [0; 4];
    loop {
        let bytes = reader.fill_buf().ok().filter(|bytes| !bytes.is_empty())?;
        for byte in bytes {
            let [_, a, b, c] = last;
            last = [a, b, c, *byte];
            position += 1;
            match last {
                LOCAL_HEADER => return Some(position - 4),
                DIRECTORY_HEADER => return None,
                _ => {}
            }
        }
        let count = bytes.len();
        reader.consume(count);
    }
}

/// What the header before a member says; none when the file ends inside it.
fn walked(file: &Range, start: u64) -> Option<Member> {
    let mut reader = BufReader::with_capacity(1 << 10, file.part(start, u64::MAX));
    let mut head = [0; 30];
    reader.read_exact(&mut head).ok()?;
    let half =
        |at: usize| head.get(at..).and_then(|rest| rest.first_chunk()).map_or(0, |bytes| u16::from_le_bytes(*bytes));
    let word = |at: usize| u32::from(half(at)) | u32::from(half(at + 2)) << 16;
    let mut name = vec![0; usize::from(half(26))];
    reader.read_exact(&mut name).ok()?;
    let mut extra = vec![0; usize::from(half(28))];
    reader.read_exact(&mut extra).ok()?;
    let (packed, length) = wide_lengths(word(18), word(22), &extra);
    // The writer fills in lengths and checksum when the member is complete, or behind it (flag 8).
    let is_complete = half(6) & 8 == 0 && packed > 0;
    Some(Member {
        name: String::from_utf8_lossy(&name).into(),
        method: half(8),
        start: reader.stream_position().ok()?,
        packed_bytes: is_complete.then_some(packed),
        sum: is_complete.then_some((word(14), length)),
    })
}

/// Lengths packed and unpacked; those that do not fit into 32 bits stand behind the name.
fn wide_lengths(packed: u32, length: u32, mut extra: &[u8]) -> (u64, u64) {
    let narrow = (u64::from(packed), u64::from(length));
    if packed != u32::MAX && length != u32::MAX {
        return narrow;
    }
    while let Some(([a, b, c, d], rest)) = extra.split_first_chunk() {
        let count = usize::from(u16::from_le_bytes([*c, *d]));
        let Some((field, rest)) = rest.split_at_checked(count) else { break };
        if u16::from_le_bytes([*a, *b]) == ZIP64 {
            // A header before a member has both, the longer one first.
            let mut numbers = field.as_chunks().0.iter().map(|bytes| u64::from_le_bytes(*bytes));
            let length = numbers.next().unwrap_or(narrow.1);
            return (numbers.next().unwrap_or(narrow.0), length);
        }
        extra = rest;
    }
    narrow
}
