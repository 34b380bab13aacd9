//! Reads the sections of a file ([`Section`]), and assembles the decoded records of one
//! ([`RecordDraft`], [`SectionOutput`]). Limits on records and elements bound the memory that a
//! damaged header can request.

use std::io;

use stepback_machine::Endian;

use crate::problem::RstFault;
use crate::rst::container::ahead::ReadAheadReader;
use crate::rst::container::batch::BatchEnd;
use crate::rst::container::rz3::bits::{ARRAYS, ArrayCursor, SectionBits};
use crate::rst::fields::{RFS_DMA_SIZE, rfs_cw};
use crate::rst::kind;
use crate::rst::raw_record::{RECORD_BYTES, RawRecord, RecordEncoding, RecordField, layout_of};

/// A section, ready to be decoded.
pub struct Section {
    pub records: usize,
    pub bits: SectionBits,
    /// True if the file ends within the section and some elements are missing.
    pub is_cut_off: bool,
}

const MAGIC: &[u8; 16] = b"3ZR SHDR297302$\0";
const HEADER_BYTES: usize = 32 + 4 * ARRAYS;
/// Maximum number of records in a section.
const RECORDS_MAX: u32 = 1 << 17;
/// Maximum number of elements that a record takes of one array. It bounds the memory that a damaged
/// header can request.
const ELEMENTS_PER_RECORD: u64 = 4;
/// Number of bytes converted at once.
const PIECE_BYTES: usize = 64 << 10;

impl Section {
    /// Reads the next section and the byte order of its writer. Reuses the memory of the section
    /// before. The inner result is the reason why there is no section.
    ///
    /// # Errors
    /// The file could not be read.
    pub fn read(
        input: &mut ReadAheadReader,
        widths: &[u32; ARRAYS],
        used: SectionBits,
    ) -> io::Result<Result<(Self, Endian), BatchEnd>> {
        let mut header = Vec::with_capacity(HEADER_BYTES);
        input.read_into(&mut header, HEADER_BYTES)?;
        if header.is_empty() {
            return Ok(Err(BatchEnd::Over));
        }
        Ok(match SectionHeader::of(&header) {
            Err(why) => Err(BatchEnd::Damaged(why)),
            Ok(header) => Ok((header.section(input, widths, used)?, header.endian)),
        })
    }
}

struct SectionHeader {
    endian: Endian,
    records: u32,
    counts: [u32; ARRAYS],
}

impl SectionHeader {
    fn of(bytes: &[u8]) -> Result<Self, RstFault> {
        let Some(rest) = bytes.strip_prefix(MAGIC) else {
            return Err(RstFault::NoSection);
        };
        let number =
            |at: usize, endian| match (rest.get(at..).and_then(<[u8]>::first_chunk), endian) {
                (Some(bytes), Endian::Big) => Some(u32::from_be_bytes(*bytes)),
                (Some(bytes), Endian::Little) => Some(u32::from_le_bytes(*bytes)),
                (None, _) => None,
            };
        let found = [Endian::Big, Endian::Little]
            .into_iter()
            .find_map(|endian| {
                let records =
                    number(0, endian).filter(|records| (1..=RECORDS_MAX).contains(records))?;
                Some((endian, records))
            });
        let Some((endian, records)) = found else {
            return Err(RstFault::SectionLength);
        };
        let mut counts = [0; ARRAYS];
        for (array, place) in counts.iter_mut().enumerate() {
            let Some(count) = number(16 + 4 * array, endian) else {
                return Err(RstFault::SectionCutOff);
            };
            if u64::from(count) > u64::from(records) * ELEMENTS_PER_RECORD {
                return Err(RstFault::ArrayLength {
                    records,
                    array,
                    elements: count,
                });
            }
            *place = count;
        }
        Ok(Self {
            endian,
            records,
            counts,
        })
    }

    fn section(
        &self,
        input: &mut ReadAheadReader,
        widths: &[u32; ARRAYS],
        used: SectionBits,
    ) -> io::Result<Section> {
        let mut cursors = [ArrayCursor::default(); ARRAYS];
        let mut words_in_all = 0;
        for ((cursor, count), width) in cursors.iter_mut().zip(self.counts).zip(*widths) {
            let (bit, bits) = (64 * words_in_all, count as usize * width as usize);
            *cursor = ArrayCursor {
                bit,
                end: bit + bits,
                width,
            };
            words_in_all += bits.div_ceil(64);
        }
        let words = self.words(input, words_in_all, used.into_words())?;
        let is_cut_off = words.len() < words_in_all;
        for cursor in &mut cursors {
            cursor.end = cursor.end.min(64 * words.len()).max(cursor.bit);
        }
        Ok(Section {
            records: self.records as usize,
            bits: SectionBits::new(words, cursors),
            is_cut_off,
        })
    }

    /// Reads `count` words, or fewer at the end of the file.
    fn words(
        &self,
        input: &mut ReadAheadReader,
        count: usize,
        mut words: Vec<u64>,
    ) -> io::Result<Vec<u64>> {
        words.clear();
        let mut piece = Vec::with_capacity(PIECE_BYTES.min(8 * count));
        while words.len() < count {
            piece.clear();
            input.read_into(&mut piece, (8 * (count - words.len())).min(PIECE_BYTES))?;
            let whole = piece.as_chunks::<8>().0;
            match self.endian {
                Endian::Big => words.extend(whole.iter().map(|bytes| u64::from_be_bytes(*bytes))),
                Endian::Little => {
                    words.extend(whole.iter().map(|bytes| u64::from_le_bytes(*bytes)))
                }
            }
            if whole.is_empty() {
                break;
            }
        }
        Ok(words)
    }
}

/// A record that is being assembled, as big-endian words.
#[derive(Clone, Copy, Debug, Default)]
pub struct RecordDraft(pub [u64; 3]);

/// The decoded records, concatenated.
#[derive(Debug)]
pub struct SectionOutput<'a> {
    pub bytes: &'a mut Vec<u8>,
    pub endian: Endian,
}

impl RecordDraft {
    /// Creates an empty record of a type.
    #[inline]
    pub fn of(kind: u8) -> Self {
        Self([u64::from(kind) << 56, 0, 0])
    }

    /// Sets a field that is 0 until now.
    #[inline]
    pub fn with(mut self, field: RecordField, number: u64) -> Self {
        self.0[field.word()] |= field.put(number, Endian::Big);
        self
    }
}

impl SectionOutput<'_> {
    /// Returns the number of records.
    pub fn len(&self) -> usize {
        self.bytes.len() / RECORD_BYTES
    }

    /// Keeps only the first `records` records.
    pub fn truncate(&mut self, records: usize) {
        self.bytes.truncate(records * RECORD_BYTES);
    }

    /// Appends a record in the byte order of the output.
    #[inline]
    pub fn push(&mut self, draft: RecordDraft) {
        match self.endian {
            Endian::Big => self.push_raw(draft.0),
            Endian::Little => self.push_little(draft),
        }
    }

    /// Appends a record from words that the file stores.
    #[inline]
    pub fn push_raw(&mut self, words: [u64; 3]) {
        let bytes = match self.endian {
            Endian::Big => words.map(u64::to_be_bytes),
            Endian::Little => words.map(u64::to_le_bytes),
        };
        self.bytes.extend_from_slice(bytes.as_flattened());
    }

    /// Appends a record, with each field at its position in a little-endian record.
    fn push_little(&mut self, draft: RecordDraft) {
        let mut bytes = [0; RECORD_BYTES];
        let big = draft.0.map(u64::to_be_bytes);
        bytes.copy_from_slice(big.as_flattened());
        let record = RawRecord::new(&bytes, RecordEncoding::default());
        let mut words = [u64::from(record.kind()), 0, 0];
        let is_device =
            record.kind() == kind::RFS_CACHE && matches!(record.get(rfs_cw::REFTYPE), 6 | 7);
        let fields = layout_of(&record).map_or(&[][..], |layout| layout.fields);
        let device_fields = &[rfs_cw::REFTYPE, RFS_DMA_SIZE, rfs_cw::PA];
        for field in if is_device { device_fields } else { fields } {
            words[field.word()] |= field.put(record.get(*field), Endian::Little);
        }
        self.push_raw(words);
    }

    /// Sets the last two words of a record: an address difference is complete only with its
    /// instruction.
    pub fn set_last_words(&mut self, record: usize, pc: u64, ea: u64) {
        let bytes = match self.endian {
            Endian::Big => [pc, ea].map(u64::to_be_bytes),
            Endian::Little => [pc, ea].map(u64::to_le_bytes),
        };
        let place = self
            .bytes
            .get_mut(record * RECORD_BYTES + 8..)
            .and_then(<[u8]>::first_chunk_mut::<16>);
        if let Some(place) = place {
            place.copy_from_slice(bytes.as_flattened());
        }
    }

    /// Returns the last two words of a record.
    pub fn last_words(&self, record: usize) -> [u64; 2] {
        let bytes = self
            .bytes
            .get(record * RECORD_BYTES + 8..)
            .and_then(<[u8]>::first_chunk::<16>);
        let word = |at: usize| {
            let bytes = bytes
                .and_then(|bytes| bytes.as_chunks::<8>().0.get(at))
                .copied()
                .unwrap_or_default();
            match self.endian {
                Endian::Big => u64::from_be_bytes(bytes),
                Endian::Little => u64::from_le_bytes(bytes),
            }
        };
        [word(0), word(1)]
    }
}
