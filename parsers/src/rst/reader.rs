//! The records of all files of a trace, one after the other.

use std::io;

use crate::events::{Place, Problem, Recurrence};
use crate::read_at::TraceFile;
use crate::rst::container::batch::Ending;
use crate::rst::container::unpacking::Unpacking;
use crate::rst::endian::endian_of;
use crate::rst::kind;
use crate::rst::raw_record::{RECORD_BYTES, RawRecord, RecordForm};
use crate::rst::records::Header;

/// Hands out the records of a trace from front to back, some thousands at a time.
///
/// The files of a trace are its parts, in order. Memory is bounded whatever they hold.
/// Damage ends the file that it is in, and is told with the records before it.
pub struct RecordReader {
    files: std::vec::IntoIter<TraceFile>,
    file: Option<OpenFile>,
    bytes: Vec<u8>,
    problems: Vec<Problem>,
    /// Records handed out so far.
    records: u64,
    form: RecordForm,
}

/// Some records one after the other, all of one file.
#[derive(Clone, Copy, Debug)]
pub struct RecordBatch<'a> {
    /// Number of the first in the whole trace, from 1.
    pub first: u64,
    /// Whole records, perhaps none.
    pub bytes: &'a [u8],
    /// How they are written.
    pub form: RecordForm,
    /// What went wrong right behind them. Their places are offsets in the plain records of the whole trace.
    pub problems: &'a [Problem],
}

struct OpenFile {
    name: String,
    unpacking: Unpacking,
    /// False until its first records told how they are written.
    has_form: bool,
}

impl RecordReader {
    /// Reads some files; cheap.
    pub fn new(files: Vec<TraceFile>) -> Self {
        Self {
            files: files.into_iter(),
            file: None,
            bytes: Vec::new(),
            problems: Vec::new(),
            records: 0,
            form: RecordForm::default(),
        }
    }

    /// The next records, and what is wrong behind them; none when there are no more.
    ///
    /// # Errors
    /// A file could not be read.
    pub fn next_batch(&mut self) -> io::Result<Option<RecordBatch<'_>>> {
        self.problems.clear();
        let Some(mut file) = self.open_next()? else { return Ok(None) };
        let ending = file.unpacking.next_batch(&mut self.bytes)?;
        let first = self.records.saturating_add(1);
        if !file.has_form && !self.bytes.is_empty() {
            file.has_form = true;
            self.form = form_of(&self.bytes, &file, self.form);
            self.check_head(&file);
        }
        self.records = self.records.saturating_add((self.bytes.len() / RECORD_BYTES) as u64);
        let damage = if ending == Ending::More { None } else { file.unpacking.take_damage() };
        match ending {
            Ending::More => self.file = Some(file),
            // What is wrong outside explains what is wrong inside.
            Ending::Damaged(_) if let Some(damage) = damage => self.complain(&file, &damage),
            Ending::Damaged(why) => self.complain(&file, &why),
            Ending::Over => damage.iter().for_each(|damage| self.complain(&file, damage)),
        }
        Ok(Some(RecordBatch { first, bytes: &self.bytes, form: self.form, problems: &self.problems }))
    }

    fn open_next(&mut self) -> io::Result<Option<OpenFile>> {
        if let Some(file) = self.file.take() {
            return Ok(Some(file));
        }
        let Some(file) = self.files.next() else { return Ok(None) };
        let unpacking = Unpacking::open(file.data)?;
        Ok(Some(OpenFile { name: file.name, unpacking, has_form: false }))
    }

    /// Later files may go on where the one before them ended.
    fn check_head(&mut self, file: &OpenFile) {
        if self.records == 0 && file.unpacking.container().is_none() {
            self.complain(file, "it does not begin with a header record: what follows is read as records nevertheless");
        }
    }

    fn complain(&mut self, file: &OpenFile, what: &str) {
        let Self { records, .. } = self;
        let (name, bytes) = (&file.name, file.unpacking.offset());
        let message = format!("{name:?}, behind record {records}, byte {bytes} of what it unpacks to: {what}");
        let place = Place { offset: records.saturating_mul(RECORD_BYTES as u64), line_in_range: 0 };
        self.problems.push(Problem { place, column: 0, message, recurrence: Recurrence::Single });
    }
}

impl RecordBatch<'_> {
    /// The records.
    pub fn records(&self) -> impl ExactSizeIterator<Item = RawRecord> {
        let form = self.form;
        self.bytes.as_chunks::<RECORD_BYTES>().0.iter().map(move |bytes| RawRecord::new(bytes, form))
    }
}

/// How the records of a file are written, by its first ones. What they do not say is as in the file before it.
fn form_of(bytes: &[u8], file: &OpenFile, before: RecordForm) -> RecordForm {
    let endian = file.unpacking.endian().or_else(|| endian_of(bytes)).unwrap_or(before.endian);
    let first = bytes.first_chunk().map(|bytes| RawRecord::new(bytes, RecordForm { endian, ..before }));
    let header = first.filter(|record| record.kind() == kind::HEADER).map(|record| Header::of(&record));
    RecordForm { endian, version: header.map_or(before.version, |header| header.version) }
}
