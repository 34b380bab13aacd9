//! Checks the records of a recording in file order ([`check_recording`]), and those of each thread
//! against its times and its path through the program ([`BtraceThreadCheck`]). Without files of the
//! program, only times and the number of records are checked.

use foldhash::HashMap;

use crate::btrace::check::rules;
use crate::btrace::code::ProgramCode;
use crate::btrace::fit::FittedRecord;
use crate::btrace::record::{BranchKind, BranchRecord, BranchRecordReader};
use crate::error::SourceError;
use crate::events::Flow;
use crate::finding::{FindingPlace, Findings};
use crate::problem::RecordMismatch;
use crate::program_file::ProgramFile;
use crate::reconstruct::{NullPathSink, Walk, WalkStop};
use crate::source::CheckWatch;

/// Number of records between two calls of the progress callback.
const PATIENCE: u64 = 1 << 13;
/// Maximum number of threads that are checked.
const THREADS: usize = 1 << 16;

/// Checks the records of a recording and adds violations to `findings`. `count` is the number of
/// records according to the header. Without files of the program, only times and numbers are
/// checked.
///
/// # Errors
/// The file could not be read.
pub fn check_recording(
    mut reader: BranchRecordReader,
    count: Option<u64>,
    program: &[ProgramFile],
    findings: &mut Findings,
    watch: &mut CheckWatch<'_>,
) -> Result<(), SourceError> {
    let code = ProgramCode::new(program);
    let entries: Vec<u64> = program.iter().filter_map(|file| file.entry).collect();
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
            thread.check_way(&code, &entries, &record, findings);
        }
    }
    let cut_off = reader.cut_off_bytes();
    if cut_off > 0 || count.is_some_and(|count| count != records) {
        let stated = count.map_or_else(String::new, |count| format!(", the header says {count}"));
        findings.add(&rules::COUNT, FindingPlace::Record(records), || {
            format!("{records} whole records and {cut_off} bytes of another are there{stated}")
        });
    }
    Ok(())
}

/// Factor by which an interval must exceed the average to be reported.
const LONG: u64 = 1000;
/// Number of intervals after which the average is meaningful.
const USUAL: u64 = 64;

/// State of a thread.
#[derive(Debug, Default)]
pub struct BtraceThreadCheck {
    walk: Walk,
    /// The last record with a time, and the time of the thread's record before it.
    last: Option<BranchRecord>,
    time_before: Option<u64>,
    has_begun: bool,
    /// Number of intervals between timed records, and their sum.
    times: u64,
    sum_nanos: u64,
}

impl BtraceThreadCheck {
    /// Checks the time of the next record.
    pub fn check_time(&mut self, record: &BranchRecord, findings: &mut Findings) {
        let Some(time) = record.time else { return };
        let place = FindingPlace::Record(record.number);
        let Some(before) = self.last.replace(*record) else {
            return;
        };
        let last = before.time.unwrap_or(time);
        let Some(between) = time.checked_sub(last) else {
            // If this time fits the one before the last, the last one is too high. The order of
            // the records follows the same rule.
            if self.time_before.is_none_or(|before| before <= time) {
                let place = FindingPlace::Record(before.number);
                findings.add(&rules::TIME, place, || {
                    format!("{last} comes before {time}")
                });
            } else {
                findings.add(&rules::TIME, place, || format!("{time} comes after {last}"));
                self.time_before = None;
            }
            return;
        };
        self.time_before = Some(last);
        let usual = self.sum_nanos / self.times.max(1);
        if self.times >= USUAL && between / LONG > usual {
            findings.add(&rules::JUMP, place, || {
                format!("{between} ns after the record before, where {usual} is usual")
            });
        }
        self.times += 1;
        self.sum_nanos = self.sum_nanos.saturating_add(between);
    }

    /// Checks the path to the next record. `entries` are the entry points of the program.
    pub fn check_way(
        &mut self,
        code: &ProgramCode,
        entries: &[u64],
        record: &BranchRecord,
        findings: &mut Findings,
    ) {
        let place = FindingPlace::Record(record.number);
        let misfit = |misfit: RecordMismatch| move || format!("at {:#x}: {misfit}", record.pc);
        let fitting = match FittedRecord::of(record, code) {
            Ok(fitting) => fitting,
            Err(why) => {
                self.walk.lose();
                return findings.add(&rules::FIT, place, misfit(why));
            }
        };
        if !std::mem::replace(&mut self.has_begun, true) {
            let is_at_entry = entries
                .iter()
                .any(|entry| self.walk.begin(code, Some(*entry), record.pc));
            if !is_at_entry {
                self.walk.begin(code, None, record.pc);
            }
            if !entries.is_empty() && !is_at_entry {
                findings.add(&rules::START, place, || {
                    format!("thread {} begins at {:#x}", record.thread, record.pc)
                });
            }
        }
        match self.walk.come_to(code, fitting.sought(), &mut NullPathSink) {
            Some(WalkStop::Contradicted(_)) => {
                return findings.add(&rules::FIT, place, misfit(fitting.misfit_of_slot()));
            }
            Some(WalkStop::Another(at)) => {
                findings.add(&rules::LOST, place, || {
                    format!("{at:#x} was come to in another delay slot")
                });
            }
            Some(WalkStop::Undecided(at)) => {
                findings.add(&rules::LOST, place, || {
                    format!("{:#x} is recorded, {at:#x} was expected", record.pc)
                });
            }
            Some(WalkStop::Unmapped(at)) => {
                findings.add(&rules::OUTSIDE, place, || format!("no file has {at:#x}"))
            }
            None | Some(WalkStop::Nowhere) => {}
        }
        self.walk
            .decide(&fitting.transfer.fork, fitting.decision, &mut NullPathSink);
        if self.walk.has_returned_elsewhere() {
            findings.add(&rules::RETURN, place, || {
                format!(
                    "the return at {:#x} goes to {:#x}, which does not follow a call",
                    record.pc, record.target
                )
            });
        }
    }
}
