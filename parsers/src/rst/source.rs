//! An RST trace as a source of events ([`Rst`]). Opening replays all records once into a step store.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::{fmt, io};

use stepback_machine::{Endian, InstructionSet};

use crate::error::SourceError;
use crate::events::{EventSink, Position};
use crate::finding::Findings;
use crate::kept::places::CacheFileOptions;
use crate::marker::Marker;
use crate::read_at::TraceFile;
use crate::rst::check::whole::check_files;
use crate::rst::grouping::RstHead;
use crate::rst::reader::RecordReader;
use crate::rst::replay::whole::Replay;
use crate::source::{
    CheckWatch, KnownInstruction, ParseScratch, ParsedRange, RecordingScope, RegisterSource,
    RenderedLine, Source, SourceTraits,
};
use crate::step_store::encoder::Encoder;
use crate::step_store::event_lines::EventLineSink;
use crate::step_store::event_run::StoredFormat;
use crate::step_store::fill::Filler;
use crate::step_store::record::{ReadEnd, StoredThread};
use crate::step_store::store::{StepStore, StoreScratch};
use crate::step_store::stored_trace::StoredTrace;

/// An RST trace: the records of all its processors in one order, and their effects on registers and
/// memory. Offsets are virtual: each step has 16 bytes, see `step_store/items.rs`.
pub struct Rst {
    trace: StoredTrace,
    traits: SourceTraits,
    files: Vec<TraceFile>,
}

impl fmt::Debug for Rst {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = self.files.iter().map(|file| &file.name).collect();
        out.debug_struct("Rst")
            .field("files", &names)
            .finish_non_exhaustive()
    }
}

impl Rst {
    /// Opens a trace by its files, its parts in this order. Uses an existing store of its steps, or
    /// else starts to make one in the background.
    ///
    /// # Errors
    /// A file could not be read, or is packed in an unpublished format. Files that do not begin
    /// like a trace are no error, their records are read anyway: a damaged header costs only the
    /// header.
    pub fn open(files: Vec<TraceFile>, options: CacheFileOptions) -> Result<Self, SourceError> {
        let failed = |error| SourceError::Read { offset: 0, error };
        let heads: io::Result<Vec<_>> = files.iter().map(RstHead::of).collect();
        let head = heads.map_err(failed)?.into_iter().flatten().next();
        if let Some(why) = head.and_then(|head| head.container.refusal()) {
            return Err(failed(io::Error::other(why)));
        }
        let traits = SourceTraits {
            format: "rst".to_owned(),
            endian: Endian::Big,
            time_unit: None,
            instruction_set: InstructionSet::Sparc64,
            registers: RegisterSource::Recorded,
            options: String::new(),
        };
        let read_files = files.clone();
        let read = move |is_stopped: &Arc<AtomicBool>, encoder: &mut Encoder<Filler>| {
            replay(read_files, is_stopped, encoder)
        };
        Ok(Self {
            trace: StoredTrace::new(StepStore::open(options, Box::new(read))),
            traits,
            files,
        })
    }

    /// Returns the store of the steps.
    pub fn store(&self) -> &StepStore {
        self.trace.store()
    }

    /// Returns the files of the trace, for reading its records.
    pub fn files(&self) -> &[TraceFile] {
        &self.files
    }

    /// Returns the numbers of the records of an item. Item 0 is everything before the first step;
    /// item `n` is step `n - 1` with everything up to the next step. O(1) reads.
    ///
    /// # Errors
    /// The store could not be read.
    pub fn records_of_item(&self, item: u64) -> io::Result<Range<u64>> {
        self.store()
            .records_of_item(item, &mut StoreScratch::default())
    }

    /// Implements [`Source::parse`], monomorphised for one sink.
    pub(crate) fn parse_into<S: EventSink + ?Sized>(
        &self,
        range: Range<u64>,
        scratch: &mut ParseScratch,
        sink: &mut S,
    ) -> Result<ParsedRange, SourceError> {
        self.trace.parse_into(range, self, scratch, sink)
    }
}

/// Replays the records of a trace and stores its steps.
fn replay(
    files: Vec<TraceFile>,
    is_stopped: &AtomicBool,
    encoder: &mut Encoder<Filler>,
) -> io::Result<ReadEnd> {
    let mut reader = RecordReader::new(files);
    let mut replay = Replay::new(encoder);
    let mut count = 0;
    while let Some(batch) = reader.next_batch()? {
        if is_stopped.load(Ordering::Relaxed) {
            return Ok(ReadEnd::Stopped);
        }
        for (number, record) in (batch.first..).zip(batch.records()) {
            replay.record(number, &record);
            count = number;
        }
        batch
            .problems
            .iter()
            .for_each(|problem| replay.problem(&problem.kind));
    }
    replay.finish(count);
    Ok(ReadEnd::Complete)
}

impl StoredFormat for Rst {
    fn thread_name(&self, thread: StoredThread) -> String {
        format!("cpu{}", thread.tid)
    }

    fn time(&self, recorded: u64) -> Option<u64> {
        Some(recorded)
    }

    fn instruction_set(&self) -> InstructionSet {
        self.traits.instruction_set
    }

    fn endian(&self) -> Endian {
        self.traits.endian
    }
}

impl Source for Rst {
    fn traits(&self) -> &SourceTraits {
        &self.traits
    }

    fn length(&self) -> u64 {
        self.trace.length()
    }

    fn is_settled(&self) -> bool {
        self.trace.is_settled()
    }

    fn grow(&self) -> io::Result<u64> {
        self.trace.grow()
    }

    fn length_now(&self) -> io::Result<u64> {
        self.trace.length_now()
    }

    fn cut(
        &self,
        target: u64,
        limit: u64,
        _scratch: &mut ParseScratch,
    ) -> Result<Option<u64>, SourceError> {
        Ok(self.trace.cut(target, limit))
    }

    fn parse(
        &self,
        range: Range<u64>,
        scratch: &mut ParseScratch,
        sink: &mut dyn EventSink,
    ) -> Result<ParsedRange, SourceError> {
        self.parse_into(range, scratch, sink)
    }

    fn recording(&self, _marker: Marker) -> Option<RecordingScope> {
        None
    }

    fn leaves_values_out(&self) -> bool {
        true
    }

    fn notice(&self) -> Option<String> {
        self.store().notice()
    }

    fn kept_bytes(&self) -> Option<u64> {
        Some(self.store().bytes())
    }

    fn record_count(&self) -> Option<u64> {
        Some(self.store().facts().records)
    }

    fn position_of_record(&self, number: u64) -> Result<Option<Position>, SourceError> {
        self.trace.position_of_record(number)
    }

    fn instructions(&self) -> Option<Vec<KnownInstruction>> {
        self.trace.instructions()
    }

    fn is_text(&self) -> bool {
        false
    }

    fn made_lines(
        &self,
        range: Range<u64>,
        each: &mut dyn FnMut(RenderedLine<'_>),
    ) -> Result<(), SourceError> {
        let mut lines = EventLineSink::new(range.start, self.traits.instruction_set, each);
        self.parse(range, &mut ParseScratch::default(), &mut lines)
            .map(|_| ())
    }

    fn check_records(
        &self,
        findings: &mut Findings,
        watch: &mut CheckWatch<'_>,
    ) -> Result<(), SourceError> {
        check_files(self.files.clone(), findings, watch)
    }

    fn read_raw(&self, range: Range<u64>, out: &mut Vec<u8>) -> Result<(), SourceError> {
        self.made_lines(range, &mut |line| {
            out.extend_from_slice(line.text);
            out.push(b'\n');
        })
    }
}
