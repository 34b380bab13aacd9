//! Checks the records of a file, in file order.

use foldhash::HashMap;

use crate::btrace::check::rules;
use crate::btrace::check::thread::{BtraceThreadCheck, CheckedProgram};
use crate::btrace::code::ProgramCode;
use crate::btrace::kind::BranchKind;
use crate::btrace::reader::BranchRecordReader;
use crate::error::SourceError;
use crate::events::Flow;
use crate::finding::{FindingPlace, Findings};
use crate::program_file::ProgramFile;
use crate::source::CheckWatch;

/// Number of records between two calls of the progress callback.
const PATIENCE: u64 = 1 << 13;
/// Maximum number of threads that are checked.
const THREADS: usize = 1 << 16;

/// Input of the check.
pub struct CheckedRecording<'p> {
    /// Reader at the first record.
    pub reader: BranchRecordReader,
    /// Number of records according to the header.
    pub count: Option<u64>,
    /// Files of the program; empty if unknown. Then only times and numbers are checked.
    pub program: &'p [ProgramFile],
}

/// Checks the records of a recording and adds violations to `findings`.
///
/// # Errors
/// The file could not be read.
pub fn check_recording(
    recording: CheckedRecording<'_>,
    findings: &mut Findings,
    watch: &mut CheckWatch<'_>,
) -> Result<(), SourceError> {
    let CheckedRecording {
        mut reader,
        count,
        program,
    } = recording;
    let code = ProgramCode::new(program);
    let entries: Vec<u64> = program.iter().filter_map(|file| file.entry).collect();
    let way = CheckedProgram {
        code: &code,
        entries: &entries,
    };
    let mut threads: HashMap<u64, BtraceThreadCheck> = HashMap::default();
    let mut records = 0;
    while let Some(record) = reader
        .next_record()
        .map_err(|error| SourceError::Read { offset: 0, error })?
    {
        records = record.number;
        if records.is_multiple_of(PATIENCE) && watch(records) == Flow::Stop {
            return Ok(());
        }
        if threads.len() >= THREADS && !threads.contains_key(&record.thread) {
            continue;
        }
        if record.kind == Some(BranchKind::Return as u8) {
            code.note_returns();
        }
        let thread = threads.entry(record.thread).or_default();
        thread.check_time(&record, findings);
        if !code.is_empty() {
            thread.check_way(&way, &record, findings);
        }
    }
    let cut_off = reader.cut_off_bytes();
    if cut_off > 0 || count.is_some_and(|count| count != records) {
        let told = count.map_or_else(String::new, |count| format!(", the header says {count}"));
        findings.add(&rules::COUNT, FindingPlace::Record(records), || {
            format!("{records} whole records and {cut_off} bytes of another are there{told}")
        });
    }
    Ok(())
}
