//! A gimli reader over a section of an ELF file.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use gimli::{Error, Reader, ReaderOffsetId, RunTimeEndian};

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
