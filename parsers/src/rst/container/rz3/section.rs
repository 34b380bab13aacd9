//! Reads the sections of a file.

use std::io;

use stepback_machine::Endian;

use crate::rst::container::ahead::ReadAheadReader;
use crate::rst::container::rz3::array::ARRAYS;
use crate::rst::container::rz3::bits::{ArrayCursor, SectionBits};

/// A section, ready to be decoded.
pub struct Section {
    pub records: usize,
    pub bits: SectionBits,
    /// True if the file ends within the section and some elements are missing.
    pub is_cut_off: bool,
}

/// The reason why there is no section.
pub enum SectionEnd {
    /// The file ends here.
    Over,
    Damaged(String),
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
    /// before.
    ///
    /// # Errors
    /// The file could not be read.
    pub fn read(
        input: &mut ReadAheadReader,
        widths: &[u32; ARRAYS],
        used: SectionBits,
    ) -> io::Result<Result<(Self, Endian), SectionEnd>> {
        let mut header = Vec::with_capacity(HEADER_BYTES);
        input.read_into(&mut header, HEADER_BYTES)?;
        if header.is_empty() {
            return Ok(Err(SectionEnd::Over));
        }
        Ok(match SectionHeader::of(&header) {
            Err(why) => Err(SectionEnd::Damaged(why)),
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
    fn of(bytes: &[u8]) -> Result<Self, String> {
        let Some(rest) = bytes.strip_prefix(MAGIC) else {
            return Err(
                "no section of rstzip begins here: what is packed here is damaged".to_owned(),
            );
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
            return Err("a section says that it has an impossible number of records".to_owned());
        };
        let mut counts = [0; ARRAYS];
        for (array, place) in counts.iter_mut().enumerate() {
            let Some(count) = number(16 + 4 * array, endian) else {
                return Err("the file is cut off".to_owned());
            };
            if u64::from(count) > u64::from(records) * ELEMENTS_PER_RECORD {
                return Err(format!(
                    "a section of {records} records says that array {array} has {count} elements"
                ));
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
