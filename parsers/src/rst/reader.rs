//! Reads the records of all files of a trace in one order.

use std::io;

use crate::events::{InputLocation, Problem, Recurrence};
use crate::read_at::TraceFile;
use crate::rst::grouping::FileGrouping;
use crate::rst::raw_record::{RECORD_BYTES, RawRecord, RecordEncoding};
use crate::rst::stream::{FileComplaint, FilePart, RecordStream};
use crate::rst::turns::{TURN, TurnRule, TurnScheduler};

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
        problems.extend(handed.before.map(|complaint| problem(*records, &complaint)));
        *records = records.saturating_add((handed.bytes.len() / RECORD_BYTES) as u64);
        problems.extend(handed.behind.map(|complaint| problem(*records, &complaint)));
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
            let what =
                "it begins anew with processors of the files before it, and is read behind them";
            said(0, format!("{:?}: {what}", file.name))
        }));
        if self.streams.len() > 1 && rule == TurnRule::Instructions {
            let what = "nothing tells in which order their instructions were executed";
            let first = files
                .first()
                .map(|file| file.name.as_str())
                .unwrap_or_default();
            self.problems.push(said(
                0,
                format!("{first:?} and its other files: {what}, they are read in turns of {TURN}"),
            ));
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

fn problem(records: u64, complaint: &FileComplaint) -> Problem {
    let FileComplaint { name, offset, what } = complaint;
    said(
        records,
        format!("{name:?}, behind record {records}, byte {offset} of what it unpacks to: {what}"),
    )
}

fn said(records: u64, message: String) -> Problem {
    let place = InputLocation {
        offset: records.saturating_mul(RECORD_BYTES as u64),
        line_in_range: 0,
    };
    Problem {
        place,
        column: 0,
        message,
        recurrence: Recurrence::Single,
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
