//! Layout of a record's fields.
//!
//! The layout of Sun's records was never published. The default layout is our own; owners of real
//! recordings describe theirs with a template ([`crate::template`]).

use crate::btrace::record::BranchRecord;
use crate::template::{RecordTemplate, TemplateError, TemplateField};

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
