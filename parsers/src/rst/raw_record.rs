//! The bytes of a record ([`RawRecord`]), access to its fields, and the fields of each record type,
//! with the names of the format's header file, version 2.13 ([`layout_of`]).

use stepback_machine::Endian;

use crate::rst::fields::{
    bus_trace, cpu, dma, file_marker, header, hwinfo, instr, left_delimiter, memval64, memval128,
    null, patch, pavadiff, physaddr, preg, process, regval, rfs_bt, rfs_cw, rfs_section, snoop,
    status, strdesc, thread, tlb, trace_info, trace_info_3, trap, trap_exit, trapping, tsb_access,
};
use crate::rst::kind;

/// Length of a record in bytes.
pub const RECORD_BYTES: usize = 24;

/// Encoding of the records of a file. Each file states it or continues with that of the file before
/// it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RecordEncoding {
    /// Big-endian, except where a program on another processor dumped its structures.
    pub endian: Endian,
    /// Version in the header record; the newest if there is no header.
    pub version: RstVersion,
}

/// A version of the format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RstVersion {
    /// Major number: 2 in 2.13.
    pub major: u8,
    /// Minor number: 13 in 2.13.
    pub minor: u8,
}

/// A number or text in a record. `bit` counts from the first byte: in big-endian records from the
/// most significant bit of a byte, in little-endian ones from the least significant.
#[derive(Clone, Copy, Debug)]
pub struct RecordField {
    /// Name in the format's header file.
    pub name: &'static str,
    /// First bit.
    bit: u32,
    /// Width in bits. A field of more than 64 bits is a text.
    width: u32,
}

/// A record as stored in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RawRecord {
    words: [u64; 3],
    form: RecordEncoding,
}

impl RstVersion {
    /// The newest version with known records.
    pub const NEWEST: Self = Self {
        major: 2,
        minor: 13,
    };

    /// Returns the version in a header record.
    pub(super) fn of_header(record: &RawRecord) -> Self {
        Self {
            major: record.get(header::MAJOR_VER) as u8,
            minor: record.get(header::MINOR_VER) as u8,
        }
    }

    /// Returns true if the version is older than `major.minor`.
    pub(super) fn is_before(self, major: u8, minor: u8) -> bool {
        self < Self { major, minor }
    }

    /// Returns true from 2.12 on: processor numbers have ten bits. Before, the upper bits had
    /// another meaning.
    pub fn has_wide_cpu(self) -> bool {
        self >= Self {
            major: 2,
            minor: 12,
        }
    }
}

impl Default for RecordEncoding {
    fn default() -> Self {
        Self {
            endian: Endian::Big,
            version: RstVersion::NEWEST,
        }
    }
}

impl RecordField {
    /// Creates a field; `fields.rs` has them all. It must lie within one 64-bit word, unless it is
    /// a text.
    pub(super) const fn new(name: &'static str, bit: u32, width: u32) -> Self {
        Self { name, bit, width }
    }

    /// Returns true if the field is a text.
    pub fn is_text(self) -> bool {
        self.width > u64::BITS
    }

    /// Returns the index of the 64-bit word that holds the field, 0 to 2.
    #[inline]
    pub(super) const fn word(self) -> usize {
        (self.bit / u64::BITS) as usize
    }

    /// Returns the width in bits.
    pub(super) const fn width(self) -> u32 {
        self.width
    }

    /// Returns a mask of the field's bits in the words of a record. A text may span several words.
    pub(super) fn bits(self, endian: Endian) -> [u64; 3] {
        let mut words = [0; 3];
        for bit in self.bit..self.bit + self.width {
            let place = bit % u64::BITS;
            let shift = if endian == Endian::Big {
                u64::BITS - 1 - place
            } else {
                place
            };
            if let Some(word) = words.get_mut((bit / u64::BITS) as usize) {
                *word |= 1 << shift;
            }
        }
        words
    }

    /// Returns the distance of the field from the lowest bit of its word.
    #[inline]
    const fn shift(self, endian: Endian) -> u32 {
        match endian {
            Endian::Big => u64::BITS - self.bit % u64::BITS - self.width,
            Endian::Little => self.bit % u64::BITS,
        }
    }

    #[inline]
    const fn mask(self) -> u64 {
        u64::MAX >> (u64::BITS - self.width)
    }

    /// Shifts a number to the field's position in its word.
    #[inline]
    pub(super) const fn put(self, number: u64, endian: Endian) -> u64 {
        (number & self.mask()) << self.shift(endian)
    }
}

impl RawRecord {
    /// Creates a record from its bytes.
    #[inline]
    pub fn new(bytes: &[u8; RECORD_BYTES], form: RecordEncoding) -> Self {
        let words = bytes.as_chunks::<8>().0;
        let word = |at: usize| words.get(at).map_or(0, |word| word_of(*word, form.endian));
        Self {
            words: [word(0), word(1), word(2)],
            form,
        }
    }

    /// Creates a record of a type with all other bits 0.
    pub(super) fn empty(kind: u8, form: RecordEncoding) -> Self {
        let kind = RecordField::new("rtype", 0, 8).put(u64::from(kind), form.endian);
        Self {
            words: [kind, 0, 0],
            form,
        }
    }

    /// Returns the record with a field changed.
    pub(super) fn with(mut self, field: RecordField, number: u64) -> Self {
        let endian = self.form.endian;
        if let Some(word) = self.words.get_mut(field.word()) {
            *word = *word & !field.put(u64::MAX, endian) | field.put(number, endian);
        }
        self
    }

    /// Returns the record type, the first byte; 3 for an instruction.
    #[inline]
    pub fn kind(&self) -> u8 {
        match self.form.endian {
            Endian::Big => (self.words[0] >> 56) as u8,
            Endian::Little => self.words[0] as u8,
        }
    }

    /// Returns the encoding.
    pub fn form(&self) -> RecordEncoding {
        self.form
    }

    /// Returns true if any bit of the mask is set.
    #[inline]
    pub(super) fn has_any(&self, bits: &[u64; 3]) -> bool {
        self.words
            .iter()
            .zip(bits)
            .any(|(word, bits)| word & bits != 0)
    }

    /// Returns the bytes.
    pub fn bytes(&self) -> [u8; RECORD_BYTES] {
        let mut bytes = [0; RECORD_BYTES];
        for (place, word) in bytes.as_chunks_mut::<8>().0.iter_mut().zip(self.words) {
            *place = match self.form.endian {
                Endian::Big => word.to_be_bytes(),
                Endian::Little => word.to_le_bytes(),
            };
        }
        bytes
    }

    /// Returns the number in a field; the first byte if the field is a text.
    #[inline]
    pub fn get(&self, field: RecordField) -> u64 {
        let field = if field.is_text() {
            RecordField { width: 8, ..field }
        } else {
            field
        };
        let word = self.words.get(field.word()).copied().unwrap_or_default();
        word >> field.shift(self.form.endian) & field.mask()
    }

    /// Returns true if a field is not 0.
    #[inline]
    pub fn flag(&self, field: RecordField) -> bool {
        self.get(field) != 0
    }

    /// Returns the bytes of a text up to the first zero.
    pub fn text(&self, field: RecordField) -> Vec<u8> {
        let (start, length) = ((field.bit / 8) as usize, (field.width / 8) as usize);
        self.bytes()
            .into_iter()
            .skip(start)
            .take(length)
            .take_while(|byte| *byte != 0)
            .collect()
    }
}

#[inline]
fn word_of(bytes: [u8; 8], endian: Endian) -> u64 {
    match endian {
        Endian::Big => u64::from_be_bytes(bytes),
        Endian::Little => u64::from_le_bytes(bytes),
    }
}

/// The layout of a record type.
#[derive(Clone, Copy, Debug)]
pub struct RecordLayout {
    /// Name of the type in the format's header file.
    pub name: &'static str,
    /// The fields in order.
    pub fields: &'static [RecordField],
    /// Position of the processor number; none if records of the type have none.
    pub cpu: Option<CpuFields>,
}

/// The processor number, in one part or two.
#[derive(Clone, Copy, Debug)]
pub struct CpuFields {
    pub(super) low: RecordField,
    pub(super) high: Option<RecordField>,
}

/// Subtype of TRACEINFO with processor numbers and dates. Its number is not published.
pub const TRACE_INFO_3: u64 = 3;

static RIGHT_DELIMITER: RecordLayout = RecordLayout {
    name: "RIGHTDELIM",
    ..left_delimiter::LAYOUT
};

static TEXT_PART: RecordLayout = RecordLayout {
    name: "STRCONT",
    ..strdesc::LAYOUT
};

/// Returns the layout of a record's type, or none for unknown types.
pub fn layout_of(record: &RawRecord) -> Option<&'static RecordLayout> {
    Some(match record.kind() {
        kind::HEADER => &header::LAYOUT,
        kind::INSTRUCTION => &instr::LAYOUT,
        kind::TRACE_INFO if record.get(trace_info::RTYPE2) == TRACE_INFO_3 => &trace_info_3::LAYOUT,
        kind::TRACE_INFO => &trace_info::LAYOUT,
        kind::TLB => &tlb::LAYOUT,
        kind::THREAD => &thread::LAYOUT,
        kind::TRAP => &trap::LAYOUT,
        kind::TRAP_EXIT => &trap_exit::LAYOUT,
        kind::REGISTERS => &regval::LAYOUT,
        kind::CPU => &cpu::LAYOUT,
        kind::PROCESS => &process::LAYOUT,
        kind::DMA => &dma::LAYOUT,
        kind::TEXT => &strdesc::LAYOUT,
        kind::LEFT_DELIMITER => &left_delimiter::LAYOUT,
        kind::RIGHT_DELIMITER => &RIGHT_DELIMITER,
        kind::PREG => &preg::LAYOUT,
        kind::PHYSICAL_ADDRESS => &physaddr::LAYOUT,
        kind::DIFFERENCE => &pavadiff::LAYOUT,
        kind::NULL => &null::LAYOUT,
        kind::TEXT_PART => &TEXT_PART,
        kind::FILE_MARKER => &file_marker::LAYOUT,
        kind::STATUS => &status::LAYOUT,
        kind::PATCH => &patch::LAYOUT,
        kind::HARDWARE => &hwinfo::LAYOUT,
        kind::MEMORY if record.flag(memval128::ISMEMVAL128) => &memval128::LAYOUT,
        kind::MEMORY => &memval64::LAYOUT,
        kind::BUS => &bus_trace::LAYOUT,
        kind::SNOOP => &snoop::LAYOUT,
        kind::TSB_ACCESS => &tsb_access::LAYOUT,
        kind::RFS_SECTION => &rfs_section::LAYOUT,
        kind::RFS_CACHE => &rfs_cw::LAYOUT,
        kind::RFS_BRANCH => &rfs_bt::LAYOUT,
        kind::TRAPPING => &trapping::LAYOUT,
        _ => return None,
    })
}

impl CpuFields {
    /// Returns the processor number, below 1024. Before version 2.12 the upper part had another
    /// meaning and is ignored.
    #[inline]
    pub fn get(&self, record: &RawRecord) -> u16 {
        let low = record.get(self.low);
        let high = self.high.filter(|_| record.form().version.has_wide_cpu());
        (low | high.map_or(0, |high| record.get(high) << self.low.width())) as u16 // ten bits
    }
}
