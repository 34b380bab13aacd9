//! Reads the records of consecutive files ([`RecordStream`]). No record states the byte order of a
//! file, so [`endian_of`] detects it from its first records; what they do not show is taken from
//! the file before.

use std::io;

use stepback_machine::Endian;

use crate::problem::RstFault;
use crate::read_at::TraceFile;
use crate::rst::container::batch::BatchEnd;
use crate::rst::container::unpacking::ContainerReader;
use crate::rst::fields::{instr, rfs_section, trace_info};
use crate::rst::kind;
use crate::rst::raw_record::{RECORD_BYTES, RawRecord, RecordEncoding, RecordField, RstVersion};

/// Reads files one after the other, from front to back. Memory is bounded regardless of the
/// contents.
pub struct RecordStream {
    files: std::vec::IntoIter<TraceFile>,
    file: Option<OpenFile>,
    bytes: Vec<u8>,
    /// Number of the bytes that were returned.
    handed: usize,
    form: RecordEncoding,
    has_records: bool,
    part: FilePart,
    before: Option<FileComplaint>,
    after: Option<FileComplaint>,
}

/// A problem of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileComplaint {
    /// Name of the file.
    pub name: String,
    /// Offset in the unpacked contents of the file.
    pub offset: u64,
    /// The fault.
    pub fault: RstFault,
}

/// Records returned by one [`RecordStream::hand_out`].
#[derive(Debug)]
pub struct RecordSlice<'a> {
    /// Complete records of one file, possibly none.
    pub bytes: &'a [u8],
    /// Encoding of the records.
    pub form: RecordEncoding,
    /// Position of the records in their file: first or later.
    pub part: FilePart,
    /// A problem from the first of the records on.
    pub before: Option<FileComplaint>,
    /// A problem directly after the records.
    pub after: Option<FileComplaint>,
}

/// Position of records in their file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FilePart {
    /// The first records.
    Head,
    /// Later records.
    Rest,
}

struct OpenFile {
    name: String,
    unpacking: ContainerReader,
    /// False until the encoding is known from the first records.
    has_form: bool,
}

impl RecordStream {
    /// Creates a stream. No file is opened yet.
    pub fn new(files: Vec<TraceFile>) -> Self {
        Self {
            files: files.into_iter(),
            file: None,
            bytes: Vec::new(),
            handed: 0,
            form: RecordEncoding::default(),
            has_records: false,
            part: FilePart::Head,
            before: None,
            after: None,
        }
    }

    /// Reads the next records once all were returned. Returns false at the end.
    ///
    /// # Errors
    /// A file could not be read.
    pub fn fill(&mut self) -> io::Result<bool> {
        if !self.waiting().is_empty() {
            return Ok(true);
        }
        let Some(mut file) = self.open_next()? else {
            return Ok(false);
        };
        self.handed = 0;
        let ending = file.unpacking.next_batch(&mut self.bytes)?;
        if !file.has_form && !self.bytes.is_empty() {
            file.has_form = true;
            self.part = FilePart::Head;
            self.form = form_of(&self.bytes, &file, self.form);
            self.check_head(&file);
        }
        self.has_records |= !self.bytes.is_empty();
        let damage = if ending == BatchEnd::More {
            None
        } else {
            file.unpacking.take_damage()
        };
        // Damage of the outer compression explains the inner damage.
        let damage = damage.map(RstFault::Packed);
        let fault = match ending {
            BatchEnd::More => {
                self.file = Some(file);
                return Ok(true);
            }
            BatchEnd::Damaged(fault) => Some(damage.unwrap_or(fault)),
            BatchEnd::Over => damage,
        };
        self.after = fault.map(|fault| file.complaint(fault));
        Ok(true)
    }

    /// Returns the bytes that were read but not returned yet.
    pub fn waiting(&self) -> &[u8] {
        self.bytes.get(self.handed..).unwrap_or_default()
    }

    /// Returns the encoding of the waiting bytes.
    pub fn form(&self) -> RecordEncoding {
        self.form
    }

    /// Returns up to `length` of the waiting bytes.
    pub fn hand_out(&mut self, length: usize) -> RecordSlice<'_> {
        let start = self.handed;
        self.handed = start.saturating_add(length).min(self.bytes.len());
        let after = if self.handed == self.bytes.len() {
            self.after.take()
        } else {
            None
        };
        let bytes = self.bytes.get(start..self.handed).unwrap_or_default();
        let part = if bytes.is_empty() {
            self.part
        } else {
            std::mem::replace(&mut self.part, FilePart::Rest)
        };
        RecordSlice {
            bytes,
            form: self.form,
            part,
            before: self.before.take(),
            after,
        }
    }

    fn open_next(&mut self) -> io::Result<Option<OpenFile>> {
        if let Some(file) = self.file.take() {
            return Ok(Some(file));
        }
        let Some(file) = self.files.next() else {
            return Ok(None);
        };
        let unpacking = ContainerReader::open(file.data)?;
        Ok(Some(OpenFile {
            name: file.name,
            unpacking,
            has_form: false,
        }))
    }

    /// Only the first file must have a header: later ones may continue the file before them.
    fn check_head(&mut self, file: &OpenFile) {
        if !self.has_records && file.unpacking.container().is_none() {
            self.before = Some(file.complaint(RstFault::NoHeader));
        }
    }
}

impl OpenFile {
    fn complaint(&self, fault: RstFault) -> FileComplaint {
        FileComplaint {
            name: self.name.clone(),
            offset: self.unpacking.offset(),
            fault,
        }
    }
}

/// Determines the encoding of a file from its first records. Missing facts are taken from the file
/// before it.
fn form_of(bytes: &[u8], file: &OpenFile, before: RecordEncoding) -> RecordEncoding {
    let endian = file
        .unpacking
        .endian()
        .or_else(|| endian_of(bytes))
        .unwrap_or(before.endian);
    let first = bytes
        .first_chunk()
        .map(|bytes| RawRecord::new(bytes, RecordEncoding { endian, ..before }));
    let header = first.filter(|record| record.kind() == kind::HEADER);
    RecordEncoding {
        endian,
        version: header.map_or(before.version, |header| RstVersion::of_header(&header)),
    }
}

/// Maximum number of instructions that are examined.
const INSTRUCTIONS: usize = 4096;
/// Subtype of TRACEINFO that counts the programs that made the trace.
const LEVELS: u64 = 2;
/// Byte orders in the order of their scores.
const ENDIANS: [Endian; 2] = [Endian::Big, Endian::Little];

/// Detects the byte order of records. Returns none if nothing indicates it.
///
/// First compares numbers that are small in one order and huge in the other: the number of programs
/// that made the trace, in the second record, and the record counts of sections. Without those,
/// instruction addresses decide: they are multiples of four, and mostly consecutive.
pub fn endian_of(records: &[u8]) -> Option<Endian> {
    better(small_numbers(records)).or_else(|| better(scores(records)))
}

/// Returns the byte order with the higher score.
fn better([big, little]: [u64; 2]) -> Option<Endian> {
    match big.cmp(&little) {
        std::cmp::Ordering::Greater => Some(Endian::Big),
        std::cmp::Ordering::Less => Some(Endian::Little),
        std::cmp::Ordering::Equal => None,
    }
}

fn scores(records: &[u8]) -> [u64; 2] {
    ENDIANS.map(|endian| {
        let instructions = records_as(records, endian)
            .filter(|record| record.kind() == kind::INSTRUCTION)
            .take(INSTRUCTIONS);
        let mut expected = None;
        instructions.fold(0, |score, record| {
            let pc = record.get(instr::PC_VA);
            let is_next = expected.replace(pc.wrapping_add(4)) == Some(pc);
            score + u64::from(pc.is_multiple_of(4)) + u64::from(is_next)
        })
    })
}

fn small_numbers(records: &[u8]) -> [u64; 2] {
    let is_small = |record: &RawRecord, field: RecordField, limit: u64| record.get(field) < limit;
    ENDIANS.map(|endian| {
        let count = records_as(records, endian).filter(|record| match record.kind() {
            kind::TRACE_INFO if record.get(trace_info::RTYPE2) == LEVELS => {
                is_small(record, trace_info::LEVEL, 256)
            }
            kind::RFS_SECTION => is_small(record, rfs_section::N_RECORDS, 1 << 40),
            _ => false,
        });
        count.take(INSTRUCTIONS).count() as u64
    })
}

fn records_as(records: &[u8], endian: Endian) -> impl Iterator<Item = RawRecord> {
    let form = RecordEncoding {
        endian,
        ..RecordEncoding::default()
    };
    records
        .as_chunks::<RECORD_BYTES>()
        .0
        .iter()
        .map(move |bytes| RawRecord::new(bytes, form))
}
