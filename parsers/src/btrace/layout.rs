//! Where the fields of a record stand.
//!
//! The layout of Sun's records was never published. The one that is read unasked is our own; an owner of real recordings
//! describes theirs ([`crate::template`]).

use crate::btrace::record::BranchRecord;
use crate::template::{RecordTemplate, TemplateError, TemplateField};

/// What our own layout is called.
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

/// Where the fields of a record of branches stand.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct BranchLayout {
    /// Bytes of a record.
    pub record_bytes: usize,
    /// Where the first record begins.
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
    /// Our own, of 40 bytes a record, behind so many bytes.
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

    /// The same, with the first record elsewhere.
    #[must_use]
    pub fn beginning_at(self, first_record: u64) -> Self {
        Self {
            first_record,
            ..self
        }
    }

    /// As a template has it.
    ///
    /// # Errors
    /// It lacks a field without which there is no path, or has one that is none of a branch.
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

    /// The record in some bytes, of which there are as many as it has.
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

    /// Appends a record; what the layout has no place for is left out.
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

    /// A number that is another one for another layout.
    pub fn fingerprint(&self) -> u64 {
        xxhash_rust::xxh3::xxh3_64(format!("{self:?}").as_bytes())
    }
}
