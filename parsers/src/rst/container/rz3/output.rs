//! Assembles the records of a section.

use stepback_machine::Endian;

use crate::rst::fields::{RFS_DMA_SIZE, rfs_cw};
use crate::rst::kind;
use crate::rst::layout::layout_of;
use crate::rst::raw_record::{RECORD_BYTES, RawRecord, RecordEncoding, RecordField};

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
