//! Files whose records follow each other.

use std::io;

use crate::read_at::TraceFile;
use crate::rst::container::batch::BatchEnd;
use crate::rst::container::unpacking::ContainerReader;
use crate::rst::endian::endian_of;
use crate::rst::kind;
use crate::rst::raw_record::{RawRecord, RecordEncoding};
use crate::rst::records::RstHeader;

/// Reads files from front to back, the next where the one before it ends. Memory is bounded whatever they hold.
pub struct RecordStream {
    files: std::vec::IntoIter<TraceFile>,
    file: Option<OpenFile>,
    bytes: Vec<u8>,
    /// How many of the bytes were handed out.
    handed: usize,
    form: RecordEncoding,
    has_records: bool,
    part: FilePart,
    before: Option<FileComplaint>,
    behind: Option<FileComplaint>,
}

/// What is wrong with a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileComplaint {
    /// Of the file.
    pub name: String,
    /// Where, in what the file unpacks to.
    pub offset: u64,
    /// What it is.
    pub what: String,
}

/// Records that are handed out at once.
#[derive(Debug)]
pub struct RecordSlice<'a> {
    /// Whole records, perhaps none, all of one file.
    pub bytes: &'a [u8],
    /// How they are written.
    pub form: RecordEncoding,
    /// Whether they are the first of their file.
    pub part: FilePart,
    /// What is wrong from their first one on.
    pub before: Option<FileComplaint>,
    /// What is wrong right behind them.
    pub behind: Option<FileComplaint>,
}

/// Which records of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FilePart {
    /// The first.
    Head,
    /// Others.
    Rest,
}

struct OpenFile {
    name: String,
    unpacking: ContainerReader,
    /// False until its first records told how they are written.
    has_form: bool,
}

impl RecordStream {
    /// Reads some files; cheap.
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
            behind: None,
        }
    }

    /// Reads on where everything was handed out; false when there is nothing more.
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
        let what = match ending {
            BatchEnd::More => {
                self.file = Some(file);
                return Ok(true);
            }
            // What is wrong outside explains what is wrong inside.
            BatchEnd::Damaged(why) => Some(damage.unwrap_or(why)),
            BatchEnd::Over => damage,
        };
        self.behind = what.map(|what| file.complaint(what));
        Ok(true)
    }

    /// What is read and was not handed out.
    pub fn waiting(&self) -> &[u8] {
        self.bytes.get(self.handed..).unwrap_or_default()
    }

    /// How that is written.
    pub fn form(&self) -> RecordEncoding {
        self.form
    }

    /// Hands out so many bytes of what waits.
    pub fn hand_out(&mut self, length: usize) -> RecordSlice<'_> {
        let start = self.handed;
        self.handed = start.saturating_add(length).min(self.bytes.len());
        let behind = if self.handed == self.bytes.len() {
            self.behind.take()
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
            behind,
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

    /// Later files may go on where the one before them ended.
    fn check_head(&mut self, file: &OpenFile) {
        if !self.has_records && file.unpacking.container().is_none() {
            let what = "it does not begin with a header record: what follows is read as records nevertheless";
            self.before = Some(file.complaint(what.to_owned()));
        }
    }
}

impl OpenFile {
    fn complaint(&self, what: String) -> FileComplaint {
        FileComplaint {
            name: self.name.clone(),
            offset: self.unpacking.offset(),
            what,
        }
    }
}

/// How the records of a file are written, by its first ones. What they do not say is as in the file before it.
fn form_of(bytes: &[u8], file: &OpenFile, before: RecordEncoding) -> RecordEncoding {
    let endian = file
        .unpacking
        .endian()
        .or_else(|| endian_of(bytes))
        .unwrap_or(before.endian);
    let first = bytes
        .first_chunk()
        .map(|bytes| RawRecord::new(bytes, RecordEncoding { endian, ..before }));
    let header = first
        .filter(|record| record.kind() == kind::HEADER)
        .map(|record| RstHeader::of(&record));
    RecordEncoding {
        endian,
        version: header.map_or(before.version, |header| header.version),
    }
}
