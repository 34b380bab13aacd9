//! Reads the records of all files of a trace in one order ([`RecordReader`]), in which a
//! [`TurnScheduler`] interleaves streams that were written in parallel. [`write_plain`] writes the
//! records in that order as one plain file.
//!
//! Only the times that some tracers record relate the records of several processors; otherwise
//! their order is "not defined" (section 5a of the specification). Without times, the processors
//! take turns of equally many instructions, which is closest to a machine with processors that run
//! at the same time. A turn ends directly before an instruction or a time, so that the records of
//! an instruction stay together.

use std::io;
use std::io::Write;

use crate::events::InputLocation;
use crate::problem::{Problem, ProblemKind};
use crate::read_at::TraceFile;
use crate::rst::fields::cpu;
use crate::rst::grouping::FileGrouping;
use crate::rst::kind;
use crate::rst::raw_record::{RECORD_BYTES, RawRecord, RecordEncoding};
use crate::rst::stream::{FileComplaint, FilePart, RecordStream};

/// Reads the records of a trace from front to back, some thousands at a time.
///
/// The files of a trace are its parts in order, or were written in parallel, one for each
/// processor; parallel files take turns. Memory is bounded regardless of the contents. Damage ends
/// the file that contains it and is reported with the records before it.
pub struct RecordReader {
    /// The files until they are grouped; none afterwards.
    files: Option<Vec<TraceFile>>,
    streams: Vec<RecordStream>,
    turns: TurnScheduler,
    problems: Vec<Problem>,
    /// Number of records returned until now.
    records: u64,
}

/// Consecutive records of one file.
#[derive(Clone, Copy, Debug)]
pub struct RecordBatch<'a> {
    /// Number of the first record in the whole trace, from 1.
    pub first: u64,
    /// Complete records, possibly none.
    pub bytes: &'a [u8],
    /// Encoding of the records.
    pub form: RecordEncoding,
    /// Number of the parallel stream that contains the records.
    pub stream: usize,
    /// Position of the records in their file: first or later.
    pub part: FilePart,
    /// Problems directly after the records. Their places are offsets in the plain records of the
    /// whole trace.
    pub problems: &'a [Problem],
}

impl RecordReader {
    /// Creates a reader. The files are opened by the first [`Self::next_batch`].
    pub fn new(files: Vec<TraceFile>) -> Self {
        let turns = TurnScheduler::new(TurnRule::Instructions, 0);
        Self {
            files: Some(files),
            streams: Vec::new(),
            turns,
            problems: Vec::new(),
            records: 0,
        }
    }

    /// Returns the next records and the problems after them, or none at the end of the trace.
    ///
    /// # Errors
    /// A file could not be read.
    pub fn next_batch(&mut self) -> io::Result<Option<RecordBatch<'_>>> {
        self.problems.clear();
        if let Some(files) = self.files.take() {
            self.begin(files)?;
        }
        let Some((place, share)) = self.next_share()? else {
            return Ok(None);
        };
        let Self {
            streams,
            problems,
            records,
            ..
        } = self;
        let Some(stream) = streams.get_mut(place) else {
            return Ok(None);
        };
        let handed = stream.hand_out(share);
        let first = records.saturating_add(1);
        problems.extend(handed.before.map(|complaint| of_file(*records, complaint)));
        *records = records.saturating_add((handed.bytes.len() / RECORD_BYTES) as u64);
        problems.extend(handed.after.map(|complaint| of_file(*records, complaint)));
        Ok(Some(RecordBatch {
            first,
            bytes: handed.bytes,
            form: handed.form,
            stream: place,
            part: handed.part,
            problems,
        }))
    }

    fn begin(&mut self, files: Vec<TraceFile>) -> io::Result<()> {
        let grouping = FileGrouping::of(&files)?;
        let rule = if grouping.has_times {
            TurnRule::Times
        } else {
            TurnRule::Instructions
        };
        let files_of = |numbers: &Vec<usize>| {
            numbers
                .iter()
                .filter_map(|number| files.get(*number))
                .cloned()
                .collect()
        };
        self.streams = grouping
            .streams
            .iter()
            .map(|numbers| RecordStream::new(files_of(numbers)))
            .collect();
        self.turns = TurnScheduler::new(rule, self.streams.len());
        let anew = grouping.anew.iter().filter_map(|number| files.get(*number));
        self.problems.extend(anew.map(|file| {
            let file = file.name.clone();
            problem(0, ProblemKind::RestartedFile { file })
        }));
        if self.streams.len() > 1 && rule == TurnRule::Instructions {
            let first = files.first().map(|file| file.name.clone());
            let kind = ProblemKind::UnknownOrder {
                file: first.unwrap_or_default(),
                turn: TURN,
            };
            self.problems.push(problem(0, kind));
        }
        Ok(())
    }

    /// Returns the stream that is next, and the number of bytes that it returns.
    fn next_share(&mut self) -> io::Result<Option<(usize, usize)>> {
        while let Some(place) = self.turns.current() {
            let Some(stream) = self.streams.get_mut(place) else {
                return Ok(None);
            };
            if !stream.fill()? {
                self.turns.end_current();
                continue;
            }
            let share = self.turns.share(stream.waiting(), stream.form());
            // A turn may end before it begins; an empty file may have a problem to report.
            if share > 0 || stream.waiting().is_empty() {
                return Ok(Some((place, share)));
            }
        }
        Ok(None)
    }
}

fn of_file(record: u64, complaint: FileComplaint) -> Problem {
    let FileComplaint {
        name,
        offset,
        fault,
    } = complaint;
    let kind = ProblemKind::Rst {
        file: name,
        record,
        offset,
        fault,
    };
    problem(record, kind)
}

/// Returns a problem after a record.
fn problem(record: u64, kind: ProblemKind) -> Problem {
    let place = InputLocation {
        offset: record.saturating_mul(RECORD_BYTES as u64),
        line_in_range: 0,
    };
    Problem {
        place,
        column: 0,
        kind,
    }
}

impl RecordBatch<'_> {
    /// Returns the records.
    pub fn records(&self) -> impl ExactSizeIterator<Item = RawRecord> {
        let form = self.form;
        self.bytes
            .as_chunks::<RECORD_BYTES>()
            .0
            .iter()
            .map(move |bytes| RawRecord::new(bytes, form))
    }
}

/// Number of instructions in a turn.
pub const TURN: u64 = 1000;

/// Order of the streams.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TurnRule {
    /// By the times that all streams record.
    Times,
    /// By equal numbers of instructions.
    Instructions,
}

/// Progress of each stream, and the current turn.
#[derive(Debug)]
pub struct TurnScheduler {
    rule: TurnRule,
    clocks: Vec<StreamClock>,
    current: Option<StreamTurn>,
}

#[derive(Clone, Copy, Debug, Default)]
struct StreamClock {
    /// True after the records before the first instruction.
    has_begun: bool,
    is_over: bool,
    instructions: u64,
    time: u64,
}

#[derive(Clone, Copy, Debug)]
struct StreamTurn {
    place: usize,
    /// Exclusive end of the turn: a number of instructions, or a time with the number of the stream
    /// that is next.
    limit: (u64, usize),
}

impl TurnScheduler {
    /// Creates the state for `count` streams.
    pub fn new(rule: TurnRule, count: usize) -> Self {
        Self {
            rule,
            clocks: vec![StreamClock::default(); count],
            current: None,
        }
    }

    /// Returns the stream that is next, or none if all have ended.
    pub fn current(&mut self) -> Option<usize> {
        if self.current.is_none() {
            self.current = self.next();
        }
        self.current.map(|turn| turn.place)
    }

    /// Marks the current stream as ended.
    pub fn end_current(&mut self) {
        if let Some(clock) = self
            .current
            .take()
            .and_then(|turn| self.clocks.get_mut(turn.place))
        {
            clock.is_over = true;
        }
    }

    fn next(&self) -> Option<StreamTurn> {
        let open = || {
            self.clocks
                .iter()
                .enumerate()
                .filter(|(_, clock)| !clock.is_over)
        };
        if let Some((place, _)) = open().find(|(_, clock)| !clock.has_begun) {
            return Some(StreamTurn {
                place,
                limit: (0, place),
            });
        }
        let (place, clock) = open().min_by_key(|(place, clock)| (self.reading(clock), *place))?;
        let others = open().filter(|(other, _)| *other != place);
        let next = others
            .map(|(place, clock)| (self.reading(clock), place))
            .min();
        let limit = match self.rule {
            TurnRule::Times => next.unwrap_or((u64::MAX, usize::MAX)),
            TurnRule::Instructions => (clock.instructions.saturating_add(TURN), place),
        };
        Some(StreamTurn { place, limit })
    }

    fn reading(&self, clock: &StreamClock) -> u64 {
        match self.rule {
            TurnRule::Times => clock.time,
            TurnRule::Instructions => clock.instructions,
        }
    }

    /// Returns the number of these bytes that belong to the current turn.
    pub fn share(&mut self, bytes: &[u8], form: RecordEncoding) -> usize {
        let is_alone = self.clocks.len() == 1;
        let Some(turn) = self.current.filter(|_| !is_alone) else {
            return bytes.len();
        };
        for (number, bytes) in bytes.as_chunks::<RECORD_BYTES>().0.iter().enumerate() {
            if self.is_beyond(turn, &RawRecord::new(bytes, form)) {
                self.current = None;
                return number * RECORD_BYTES;
            }
        }
        bytes.len()
    }

    /// Returns true if the turn ends before a record. Otherwise counts the record.
    fn is_beyond(&mut self, turn: StreamTurn, record: &RawRecord) -> bool {
        let Some(clock) = self.clocks.get_mut(turn.place) else {
            return false;
        };
        let is_time = self.rule == TurnRule::Times && record.kind() == kind::CPU;
        let is_instruction = record.kind() == kind::INSTRUCTION;
        if !is_time && !is_instruction {
            return false;
        }
        if !clock.has_begun {
            clock.has_begun = true;
            return true;
        }
        if is_time {
            clock.time = record.get(cpu::TIMESTAMP);
            return (clock.time, turn.place) > turn.limit;
        }
        let is_beyond = self.rule == TurnRule::Instructions && clock.instructions >= turn.limit.0;
        clock.instructions = clock.instructions.saturating_add(u64::from(!is_beyond));
        is_beyond
    }
}

/// Result of [`write_plain`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PlainCopy {
    /// Number of records written.
    pub records: u64,
    /// Problems of the trace.
    pub problems: Vec<Problem>,
}

/// Writes the records of a trace one after the other, unpacked. If there are several files, the
/// headers after the first are left out, since a trace has one. The callback receives the number of
/// records written until now, after each batch.
///
/// # Errors
/// A file could not be read, the records could not be written, or the files have different
/// encodings, which cannot share one file.
pub fn write_plain(
    files: Vec<TraceFile>,
    out: &mut dyn Write,
    tell: &mut dyn FnMut(u64),
) -> io::Result<PlainCopy> {
    let has_several = files.len() > 1;
    let mut reader = RecordReader::new(files);
    let mut copy = PlainCopy::default();
    let mut form = None;
    while let Some(batch) = reader.next_batch()? {
        copy.problems.extend_from_slice(batch.problems);
        if batch.bytes.is_empty() {
            continue;
        }
        if *form.get_or_insert(way_of(batch.form)) != way_of(batch.form) {
            let why = "its files are written in different byte orders or versions, which do not go into one file";
            return Err(io::Error::other(why));
        }
        copy.records += if has_several {
            write_as_one(&batch, out)?
        } else {
            write_all(&batch, out)?
        };
        tell(copy.records);
    }
    Ok(copy)
}

/// Returns the properties that decide how a record is decoded.
fn way_of(form: RecordEncoding) -> impl PartialEq + Copy {
    (form.endian, form.version.has_wide_cpu())
}

fn write_all(batch: &RecordBatch<'_>, out: &mut dyn Write) -> io::Result<u64> {
    out.write_all(batch.bytes)?;
    Ok((batch.bytes.len() / RECORD_BYTES) as u64)
}

fn write_as_one(batch: &RecordBatch<'_>, out: &mut dyn Write) -> io::Result<u64> {
    let mut count = 0;
    for (number, bytes) in (batch.first..).zip(batch.bytes.as_chunks::<RECORD_BYTES>().0) {
        if number == 1 || !bytes.starts_with(&[kind::HEADER]) {
            out.write_all(bytes)?;
            count += 1;
        }
    }
    Ok(count)
}
