//! Debug sections of an ELF file, read into memory, and a gimli reader over them.
//!
//! The file is not mapped: a mapped file that is rebuilt would crash the program. Parts of a
//! section share its bytes, and may be sent between threads.

use std::borrow::Cow;
use std::fmt;
use std::fs::File;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context as _, Result, ensure};
use gimli::{Dwarf, Error, Reader, ReaderOffsetId, RunTimeEndian, SectionId};
use stepback_parsers::ReadAt as _;

use crate::image::lines::file_sections::{FileSections, StoredSection, read_exactly};

/// A part of a section's bytes. All parts share the bytes, and may be sent between threads.
#[derive(Clone)]
pub struct SectionReader {
    bytes: Arc<Vec<u8>>,
    /// Always within the bytes.
    rest: Range<usize>,
    endian: RunTimeEndian,
}

impl SectionReader {
    /// Creates a reader over a whole section.
    pub fn new(bytes: Vec<u8>, endian: RunTimeEndian) -> Self {
        let rest = 0..bytes.len();
        Self {
            bytes: Arc::new(bytes),
            rest,
            endian,
        }
    }

    /// Returns the place of the next byte in the section.
    pub fn offset(&self) -> usize {
        self.rest.start
    }

    /// Returns a copy in which some bytes of the section are all ones.
    pub fn with_ones(&self, places: impl Iterator<Item = Range<usize>>) -> Self {
        let mut bytes = Arc::clone(&self.bytes);
        for place in places {
            if let Some(bytes) = Arc::make_mut(&mut bytes).get_mut(place) {
                bytes.fill(u8::MAX);
            }
        }
        let (rest, endian) = (self.rest.clone(), self.endian);
        Self {
            bytes,
            rest,
            endian,
        }
    }

    fn slice(&self) -> &[u8] {
        self.bytes.get(self.rest.clone()).unwrap_or_default()
    }

    /// Returns the end of the next `len` bytes.
    fn end_of(&self, len: usize) -> Result<usize, Error> {
        let end = self
            .rest
            .start
            .checked_add(len)
            .filter(|end| *end <= self.rest.end);
        end.ok_or_else(|| Error::UnexpectedEof(self.offset_id()))
    }
}

impl fmt::Debug for SectionReader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SectionReader")
            .field("rest", &self.rest)
            .finish_non_exhaustive()
    }
}

impl Reader for SectionReader {
    type Endian = RunTimeEndian;
    type Offset = usize;

    fn endian(&self) -> RunTimeEndian {
        self.endian
    }

    fn len(&self) -> usize {
        self.rest.len()
    }

    fn empty(&mut self) {
        self.rest.start = self.rest.end;
    }

    fn truncate(&mut self, len: usize) -> Result<(), Error> {
        self.rest.end = self.end_of(len)?;
        Ok(())
    }

    fn offset_from(&self, base: &Self) -> usize {
        self.rest.start.saturating_sub(base.rest.start)
    }

    fn offset_id(&self) -> ReaderOffsetId {
        ReaderOffsetId((self.bytes.as_ptr() as u64).wrapping_add(self.rest.start as u64))
    }

    fn lookup_offset_id(&self, id: ReaderOffsetId) -> Option<usize> {
        let offset = usize::try_from(id.0.checked_sub(self.offset_id().0)?).ok()?;
        (offset <= self.len()).then_some(offset)
    }

    fn find(&self, byte: u8) -> Result<usize, Error> {
        self.slice()
            .iter()
            .position(|found| *found == byte)
            .ok_or_else(|| Error::UnexpectedEof(self.offset_id()))
    }

    fn skip(&mut self, len: usize) -> Result<(), Error> {
        self.rest.start = self.end_of(len)?;
        Ok(())
    }

    fn split(&mut self, len: usize) -> Result<Self, Error> {
        let end = self.end_of(len)?;
        let taken = Self {
            rest: self.rest.start..end,
            ..self.clone()
        };
        self.rest.start = end;
        Ok(taken)
    }

    fn to_slice(&self) -> Result<Cow<'_, [u8]>, Error> {
        Ok(self.slice().into())
    }

    fn to_string(&self) -> Result<Cow<'_, str>, Error> {
        std::str::from_utf8(self.slice())
            .map(Into::into)
            .map_err(|_| Error::BadUtf8)
    }

    fn to_string_lossy(&self) -> Result<Cow<'_, str>, Error> {
        Ok(String::from_utf8_lossy(self.slice()))
    }

    fn read_slice(&mut self, buffer: &mut [u8]) -> Result<(), Error> {
        let end = self.end_of(buffer.len())?;
        if let Some(bytes) = self.bytes.get(self.rest.start..end) {
            buffer.copy_from_slice(bytes);
        }
        self.rest.start = end;
        Ok(())
    }
}

/// Maximum total length of unpacked sections in bytes.
const UNPACKED_LIMIT: u64 = 1 << 30;
/// Maximum ratio of the total unpacked length to the file's. Compressed debug information has a
/// third to a tenth of its length; a far higher ratio is an attack.
const UNPACKED_RATIO: u64 = 64;

/// Sections with line information; the large ones about variables are omitted.
const WANTED: [SectionId; 10] = [
    SectionId::DebugAbbrev,
    SectionId::DebugAddr,
    SectionId::DebugAranges,
    SectionId::DebugInfo,
    SectionId::DebugLine,
    SectionId::DebugLineStr,
    SectionId::DebugStr,
    SectionId::DebugStrOffsets,
    SectionId::DebugRanges,
    SectionId::DebugRngLists,
];

/// Reads the sections with line information; none if the file has no lines.
pub fn read(path: &Path) -> Result<Option<Dwarf<SectionReader>>> {
    // A pipe or a device may never end.
    ensure!(std::fs::metadata(path)?.is_file(), "not a file");
    let file = File::open(path)?;
    let sections = FileSections::open(&file).context("not an object file that could be read")?;
    if sections.find(SectionId::DebugLine.name())?.is_none() {
        return Ok(None);
    }
    let endian = endian_of(&sections);
    let mut budget = SectionBudget::of(&file)?;
    let mut content_of = |id: SectionId| match sections.find(id.name())? {
        Some(section) => content(&file, &section, &mut budget),
        None => Ok(Vec::new()),
    };
    let load = |id: SectionId| -> Result<SectionReader> {
        let is_wanted = WANTED.contains(&id);
        let bytes = if is_wanted {
            content_of(id)
        } else {
            Ok(Vec::new())
        };
        let bytes = bytes.with_context(|| format!("its section {} cannot be read", id.name()))?;
        Ok(SectionReader::new(bytes, endian))
    };
    Dwarf::load(load).map(Some)
}

/// A section with its address in memory.
pub struct PlacedSection {
    pub content: SectionReader,
    /// Virtual address; 0 if it is not loaded.
    pub address: u64,
}

/// Reads one section; an empty one if the file does not have it.
///
/// # Errors
/// The file cannot be read, or the section is damaged.
pub fn read_section(path: &Path, id: SectionId) -> Result<PlacedSection> {
    ensure!(std::fs::metadata(path)?.is_file(), "not a file");
    let file = File::open(path)?;
    let sections = FileSections::open(&file).context("not an object file that could be read")?;
    let endian = endian_of(&sections);
    let bytes = match sections.find(id.name())? {
        Some(section) => content(&file, &section, &mut SectionBudget::of(&file)?)?,
        None => Vec::new(),
    };
    Ok(PlacedSection {
        content: SectionReader::new(bytes, endian),
        address: sections.address_of(id.name()),
    })
}

fn endian_of(sections: &FileSections<'_>) -> RunTimeEndian {
    if sections.is_little_endian() {
        RunTimeEndian::Little
    } else {
        RunTimeEndian::Big
    }
}

/// Number of bytes that may still be read. A small file whose sections share their bytes must not
/// request all memory.
struct SectionBudget {
    /// Bytes as stored in the file.
    stored: u64,
    /// Unpacked bytes of compressed sections.
    unpacked: u64,
}

impl SectionBudget {
    fn of(file: &File) -> Result<Self> {
        let stored = file.length()?;
        Ok(Self {
            stored,
            unpacked: UNPACKED_LIMIT.min(stored.saturating_mul(UNPACKED_RATIO)),
        })
    }
}

fn spend(budget: &mut u64, bytes: u64) -> Result<()> {
    let rest = budget.checked_sub(bytes);
    *budget =
        rest.with_context(|| format!("it claims to be {bytes} bytes long, which is impossible"))?;
    Ok(())
}

fn content(file: &File, section: &StoredSection, budget: &mut SectionBudget) -> Result<Vec<u8>> {
    spend(&mut budget.stored, section.stored_bytes)?;
    if let Some((_, unpacked_bytes)) = section.packing {
        spend(&mut budget.unpacked, unpacked_bytes)?;
    }
    let stored = read_exactly(file, section.offset, section.stored_bytes)?;
    match section.packing {
        Some((codec, unpacked_bytes)) => codec.unpack(&stored, unpacked_bytes),
        None => Ok(stored),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_ends_where_it_was_cut() {
        let mut whole = SectionReader::new(vec![1, 2, 0, b'a', 0xff, 6], RunTimeEndian::Big);
        let start = whole.clone();
        let mut first = whole.split(2).expect("two bytes");
        assert_eq!((first.read_u16(), first.is_empty()), (Ok(0x0102), true));
        assert!(
            first.read_u8().is_err()
                && whole.clone().split(5).is_err()
                && whole.clone().skip(usize::MAX).is_err()
        );
        assert_eq!(
            (
                whole.offset_from(&start),
                start.lookup_offset_id(whole.offset_id())
            ),
            (2, Some(2))
        );
        assert_eq!((whole.find(b'a'), whole.find(9).is_err()), (Ok(1), true));
        whole.skip(1).expect("a byte");
        whole.truncate(2).expect("two bytes");
        assert_eq!(whole.to_string_lossy().expect("text"), "a\u{fffd}");
        assert!(whole.to_string().is_err() && whole.truncate(3).is_err());
    }
}
