//! The record of an executed control transfer ([`BranchRecord`]), the layout of its fields
//! ([`BranchLayout`]), and the sequential reader of a file, which may be compressed
//! ([`BranchRecordReader`]).
//!
//! The layout of Sun's records was never published. The default layout is our own; owners of real
//! recordings describe theirs with a template ([`crate::template`]).

use std::io;
use std::sync::Arc;

use crate::packed::{Damage, ForwardReader};
use crate::read_at::TraceFile;
use crate::template::{RecordTemplate, TemplateError, TemplateField};

/// Content of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BranchRecord {
    /// Number in the file, from 1.
    pub number: u64,
    /// Nanoseconds since an arbitrary moment; `None` if the records have no times.
    pub time: Option<u64>,
    /// Address of the instruction.
    pub pc: u64,
    /// Destination; or the address after the delay slot if the transfer was not taken.
    pub target: u64,
    /// Thread.
    pub thread: u64,
    /// Processor; `None` if the records do not contain it.
    pub cpu: Option<u64>,
    /// True if the transfer was taken.
    pub is_taken: bool,
    /// True if the instruction in the delay slot was skipped; `None` if the records do not contain
    /// it.
    pub is_annulled: Option<bool>,
    /// Kind as recorded; `None` if the records do not contain it.
    pub kind: Option<u8>,
    /// Instruction word; `None` if the records do not contain it.
    pub word: Option<u32>,
}

impl BranchRecord {
    /// Returns whether the fields are consistent, as those of random bytes rarely are.
    pub fn is_plausible(&self) -> bool {
        let is_kind = |word| {
            let kind = BranchKind::of_word(word);
            kind.is_some_and(|kind| self.kind.is_none_or(|number| number == kind as u8))
        };
        self.pc.is_multiple_of(4) && self.target.is_multiple_of(4) && self.word.is_none_or(is_kind)
    }
}

/// A kind of control transfer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BranchKind {
    /// `call`.
    Call = 1,
    /// Branch on the contents of an integer register.
    BPr = 2,
    /// Branch on floating-point condition codes.
    FBfcc = 3,
    /// Branch on floating-point condition codes, with prediction.
    FBPfcc = 4,
    /// Branch on integer condition codes.
    Bicc = 5,
    /// Branch on integer condition codes, with prediction.
    BPcc = 6,
    /// Jump to an address in registers.
    Jmpl = 7,
    /// `return`, which recorders may leave out.
    Return = 8,
}

impl BranchKind {
    /// All kinds.
    pub const ALL: [Self; 8] = [
        Self::Call,
        Self::BPr,
        Self::FBfcc,
        Self::FBPfcc,
        Self::Bicc,
        Self::BPcc,
        Self::Jmpl,
        Self::Return,
    ];

    /// Returns the kind with this number in the records.
    pub fn of_number(number: u8) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| *kind as u8 == number)
    }

    /// Returns the kind of an instruction word; `None` for one that is not recorded (The SPARC
    /// Architecture Manual, Version 9, appendix A.)
    pub fn of_word(word: u32) -> Option<Self> {
        match (word >> 30, word >> 22 & 7, word >> 19 & 0x3f) {
            (1, ..) => Some(Self::Call),
            (0, 1, _) => Some(Self::BPcc),
            (0, 2, _) => Some(Self::Bicc),
            (0, 3, _) if word >> 28 & 1 == 0 => Some(Self::BPr),
            (0, 5, _) => Some(Self::FBPfcc),
            (0, 6, _) => Some(Self::FBfcc),
            (2, _, 0x38) => Some(Self::Jmpl),
            (2, _, 0x39) => Some(Self::Return),
            _ => None,
        }
    }

    /// Returns the name in the SPARC manuals.
    pub fn name(self) -> &'static str {
        match self {
            Self::Call => "CALL",
            Self::BPr => "BPr",
            Self::FBfcc => "FBfcc",
            Self::FBPfcc => "FBPfcc",
            Self::Bicc => "Bicc",
            Self::BPcc => "BPcc",
            Self::Jmpl => "JMPL",
            Self::Return => "RETURN",
        }
    }

    /// Returns whether a word of this kind is always or never taken; `None` if that depends on
    /// processor state.
    pub fn is_always_taken(self, word: u32) -> Option<bool> {
        const NEVER: u32 = 0;
        const ALWAYS: u32 = 8;
        match (self, word >> 25 & 15) {
            (Self::Call | Self::Jmpl | Self::Return, _) => Some(true),
            (Self::BPr, _) => None,
            (_, NEVER) => Some(false),
            (_, ALWAYS) => Some(true),
            _ => None,
        }
    }
}

/// Returns whether a word is a probe: the `illtrap`, with any operand, that replaces a recorded
/// instruction while the program runs.
pub fn is_probe(word: u32) -> bool {
    word >> 22 == 0
}

/// Name of Stepback's layout.
pub const OWN_LAYOUT: &str = "BTF40";

const NAMES: [&str; 9] = [
    "time",
    "pc",
    "target",
    "thread",
    "cpu",
    "taken",
    "annulled",
    "kind",
    "instruction",
];

/// Layout of the fields of a branch record.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct BranchLayout {
    /// Length of a record in bytes.
    pub record_bytes: usize,
    /// Byte offset of the first record.
    pub first_record: u64,
    time: Option<TemplateField>,
    pc: TemplateField,
    target: TemplateField,
    thread: Option<TemplateField>,
    cpu: Option<TemplateField>,
    taken: TemplateField,
    annulled: Option<TemplateField>,
    kind: Option<TemplateField>,
    instruction: Option<TemplateField>,
}

impl BranchLayout {
    /// Returns our own layout, of 40 bytes a record, with this byte offset of the first record.
    pub fn own(first_record: u64) -> Self {
        let whole = |offset, bytes| TemplateField::big(offset, bytes, 0..8 * bytes as u32);
        let bit = |bit| TemplateField::big(30, 1, bit..bit + 1);
        Self {
            record_bytes: 40,
            first_record,
            time: Some(whole(0, 8)),
            pc: whole(8, 8),
            target: whole(16, 8),
            thread: Some(whole(24, 4)),
            cpu: Some(whole(28, 2)),
            taken: bit(0),
            annulled: Some(bit(1)),
            kind: Some(whole(31, 1)),
            instruction: Some(whole(32, 4)),
        }
    }

    /// Returns the layout with another byte offset of the first record.
    #[must_use]
    pub fn beginning_at(self, first_record: u64) -> Self {
        Self {
            first_record,
            ..self
        }
    }

    /// Creates a layout from a template.
    ///
    /// # Errors
    /// The template lacks a required field, or has one that branch records do not have.
    pub fn of(template: &RecordTemplate) -> Result<Self, TemplateError> {
        template.check_names(&NAMES)?;
        let field = |name| template.field(name);
        let needed = |name| template.field(name).ok_or(TemplateError::Missing(name));
        Ok(Self {
            record_bytes: template.record_bytes,
            first_record: template.first_record,
            time: field("time"),
            pc: needed("pc")?,
            target: needed("target")?,
            thread: field("thread"),
            cpu: field("cpu"),
            taken: needed("taken")?,
            annulled: field("annulled"),
            kind: field("kind"),
            instruction: field("instruction"),
        })
    }

    /// Decodes a record from `bytes`, which must be as long as a record.
    #[inline]
    pub fn read(&self, number: u64, bytes: &[u8]) -> BranchRecord {
        let read = |field: Option<TemplateField>| field.map(|field| field.read(bytes));
        BranchRecord {
            number,
            time: read(self.time),
            pc: self.pc.read(bytes),
            target: self.target.read(bytes),
            thread: read(self.thread).unwrap_or(1),
            cpu: read(self.cpu),
            is_taken: self.taken.read(bytes) != 0,
            is_annulled: read(self.annulled).map(|bits| bits != 0),
            kind: read(self.kind).map(|kind| u8::try_from(kind).unwrap_or(u8::MAX)),
            word: read(self.instruction).map(|word| word as u32),
        }
    }

    /// Appends a record; values without a field in the layout are dropped.
    pub fn write(&self, record: &BranchRecord, out: &mut Vec<u8>) {
        let start = out.len();
        out.resize(start + self.record_bytes, 0);
        let Some(bytes) = out.get_mut(start..) else {
            return;
        };
        let number = |value: bool| Some(u64::from(value));
        let fields = [
            (self.time, record.time),
            (Some(self.pc), Some(record.pc)),
            (Some(self.target), Some(record.target)),
            (self.thread, Some(record.thread)),
            (self.cpu, record.cpu),
            (Some(self.taken), number(record.is_taken)),
            (self.annulled, record.is_annulled.and_then(number)),
            (self.kind, record.kind.map(u64::from)),
            (self.instruction, record.word.map(u64::from)),
        ];
        for (field, value) in fields {
            field
                .zip(value)
                .into_iter()
                .for_each(|(field, value)| field.write(bytes, value));
        }
    }

    /// Returns a hash that identifies the layout.
    pub fn fingerprint(&self) -> u64 {
        xxhash_rust::xxh3::xxh3_64(format!("{self:?}").as_bytes())
    }
}

/// Number of records read at once.
const BATCH: usize = 4096;

/// Reader that returns the records of a file one by one.
pub struct BranchRecordReader {
    file: TraceFile,
    layout: BranchLayout,
    /// `None` before the first record.
    input: Option<ForwardReader>,
    bytes: Vec<u8>,
    /// Number of bytes in the buffer that were decoded.
    done: usize,
    /// Number of records returned.
    count: u64,
    is_over: bool,
}

impl BranchRecordReader {
    /// Creates a reader that begins with the first record.
    pub fn new(file: TraceFile, layout: BranchLayout) -> Self {
        Self {
            file,
            layout,
            input: None,
            bytes: Vec::new(),
            done: 0,
            count: 0,
            is_over: false,
        }
    }

    /// Returns the next record; `None` after the last one.
    ///
    /// # Errors
    /// The file could not be read.
    #[inline]
    pub fn next_record(&mut self) -> io::Result<Option<BranchRecord>> {
        let end = self.done + self.layout.record_bytes;
        if end > self.bytes.len() && !self.fill()? {
            return Ok(None);
        }
        let end = self.done + self.layout.record_bytes;
        let bytes = self.bytes.get(self.done..end).unwrap_or_default();
        self.count += 1;
        self.done = end;
        Ok(Some(self.layout.read(self.count, bytes)))
    }

    /// Returns the number of bytes after the last whole record, once all were read.
    pub fn cut_off_bytes(&self) -> usize {
        self.bytes.len() - self.done
    }

    /// Returns why the records end, once all were read, if the file is compressed and damaged
    /// there.
    pub fn damage(&self) -> Option<&Damage> {
        self.input.as_ref()?.damage()
    }

    /// Refills the buffer; returns false if there is no further record.
    fn fill(&mut self) -> io::Result<bool> {
        if self.is_over {
            return Ok(false);
        }
        let rest = self.bytes.get(self.done..).unwrap_or_default().len();
        self.bytes.copy_within(self.done.., 0);
        self.done = 0;
        self.bytes.resize(BATCH * self.layout.record_bytes, 0);
        let room = self.bytes.get_mut(rest..).unwrap_or_default();
        let input = match &mut self.input {
            Some(input) => input,
            none => none.insert(ForwardReader::open(
                Arc::clone(&self.file.data),
                self.layout.first_record,
            )?),
        };
        let (wanted, found) = (room.len(), input.read(room)?);
        self.is_over = found < wanted;
        self.bytes.truncate(rest + found);
        Ok(self.bytes.len() >= self.layout.record_bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_known_by_words_and_numbers() {
        let words = [
            0x4000_0015,
            0x22c8_0003,
            0x0980_0003,
            0x2d58_0003,
            0x3080_0002,
            0x1268_0002,
            0x81c3_e008,
            0x81cf_e008,
        ];
        for (word, kind) in words.into_iter().zip(BranchKind::ALL) {
            assert_eq!(
                (BranchKind::of_word(word), BranchKind::of_number(kind as u8)),
                (Some(kind), Some(kind))
            );
        }
        for word in [
            0x0100_0000,
            0x12c2_4085,
            0x91d0_206d,
            0x81f0_0000,
            7,
            0x0080_0004 + (5 << 22),
        ] {
            assert_eq!(BranchKind::of_word(word), None, "{word:08x}");
        }
        assert_eq!([0, 9].map(BranchKind::of_number), [None; 2]);
    }
}
