//! drmemtrace as a source of events.

use std::io;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use stepback_machine::{Endian, InstructionSet};

use crate::drmemtrace::check::TraceCheck;
use crate::drmemtrace::counts::TraceCounts;
use crate::drmemtrace::head::{FileType, TraceHead};
use crate::drmemtrace::merge::read_records_as;
use crate::drmemtrace::record::ThreadIdentity;
use crate::drmemtrace::recorder::Recorder;
use crate::drmemtrace::visible::{VisibleRecord, unix_micros, visible_records};
use crate::error::{FormatError, SourceError};
use crate::events::{EventSink, Flow, Position};
use crate::finding::Findings;
use crate::kept::places::CacheFileOptions;
use crate::marker::{Marker, MarkerKind};
use crate::read_at::TraceFile;
use crate::source::{
    CheckWatch, KnownInstruction, KnownThread, ParseScratch, ParsedRange, RecordingScope,
    RegisterSource, RenderedLine, Source, SourceTraits,
};
use crate::step_store::encoder::Encoder;
use crate::step_store::event_run::StoredFormat;
use crate::step_store::fill::Filler;
use crate::step_store::items::{ITEM_BYTES, items_of};
use crate::step_store::layout::StoreFacts;
use crate::step_store::record::StoredThread;
use crate::step_store::store::{StepStore, StoreScratch};
use crate::step_store::stored_trace::StoredTrace;

/// First version whose traces contain only completed instructions.
const RETIRED_ALONE: u64 = 7;
/// Number of records checked between two calls of the watcher.
const RECORDS_BETWEEN_LOOKS: u64 = 1 << 13;

/// A drmemtrace trace: the records of all its threads in one order.
/// Offsets are virtual: each step has 16 bytes, see `step_store/items.rs`.
#[derive(Debug)]
pub struct Drmemtrace {
    trace: StoredTrace,
    traits: SourceTraits,
    head: TraceHead,
}

impl Drmemtrace {
    /// Opens a trace from its files, in the order of their names. Uses the existing store, or makes
    /// one in the background.
    ///
    /// # Errors
    /// A file could not be read, or none of them begins like a trace.
    pub fn open(files: Vec<TraceFile>, options: CacheFileOptions) -> Result<Self, SourceError> {
        Self::open_as(files, None, options)
    }

    /// Like [`Self::open`], with the instruction set to assume if a file does not state it.
    ///
    /// # Errors
    /// See [`Self::open`].
    pub fn open_as(
        files: Vec<TraceFile>,
        assumed: Option<InstructionSet>,
        mut options: CacheFileOptions,
    ) -> Result<Self, SourceError> {
        let failed = |error| SourceError::Read { offset: 0, error };
        // The first file may be damaged.
        let mut heads = files
            .iter()
            .filter_map(|file| TraceHead::of(file).transpose());
        let head = heads.next().ok_or(FormatError::Binary)?.map_err(failed)?;
        // A store or index that was made with another assumption belongs to another trace.
        let assumed = assumed.filter(|_| head.file_type.instruction_set().is_none());
        if let Some(set) = assumed {
            let [.., hash] = &mut options.identity;
            *hash = hash.rotate_left(8) ^ (set as u64 + 1);
        }
        let traits = SourceTraits {
            format: "drmemtrace".to_owned(),
            endian: Endian::Little,
            time_unit: Some("us".to_owned()),
            instruction_set: head.file_type.likely_instruction_set(head.width, assumed),
            registers: RegisterSource::Operands,
            options: assumed
                .map(|set| format!("arch={set:?}"))
                .unwrap_or_default(),
        };
        let read = move |is_stopped: &Arc<AtomicBool>, encoder: &mut Encoder<Filler>| {
            let mut recorder = Recorder::new(encoder);
            let end = read_records_as(files, assumed, is_stopped, &mut recorder)?;
            recorder.finish();
            Ok(end)
        };
        Ok(Self {
            head,
            ..Self::new(StepStore::open(options, Box::new(read)), traits)
        })
    }

    /// Creates a trace over the store of its records.
    pub(super) fn new(store: StepStore, traits: SourceTraits) -> Self {
        Self {
            trace: StoredTrace::new(store),
            traits,
            head: TraceHead::default(),
        }
    }

    /// Returns the store of the records.
    pub fn store(&self) -> &StepStore {
        self.trace.store()
    }

    /// Returns the head of the first file.
    pub fn head(&self) -> TraceHead {
        self.head
    }

    /// Returns the instruction set that applies unless a record states another.
    pub(super) fn set(&self) -> InstructionSet {
        self.traits.instruction_set
    }

    /// Returns the facts about the trace that are known until now.
    pub fn facts(&self) -> Arc<StoreFacts> {
        self.store().facts()
    }

    /// Returns the threads of the trace until now, by number.
    pub fn threads(&self) -> Vec<ThreadIdentity> {
        self.facts()
            .threads
            .iter()
            .copied()
            .map(ThreadIdentity::from)
            .collect()
    }

    /// Returns the counts of the whole trace; empty until it has been read.
    pub fn counts(&self) -> TraceCounts {
        TraceCounts::of_numbers(&self.facts().summary)
    }

    /// Returns the position at the visible record with this ordinal, counted from 1: the number of
    /// steps up to and including it. O(log n).
    /// `None` if there is no such record.
    ///
    /// # Errors
    /// The store could not be read.
    pub fn steps_at_record(&self, ordinal: u64) -> io::Result<Option<u64>> {
        let mut scratch = StoreScratch::default();
        let (item, _) = self.store().block_of_record(ordinal, &mut scratch)?;
        let mut found = None;
        let end = item.saturating_add(crate::step_store::block::ITEMS);
        visible_records(self.store(), item..end, &mut scratch, |record| {
            let is_there =
                record.ordinal <= ordinal && ordinal - record.ordinal < record.ordinals();
            found = found.or(is_there.then_some(record.instructions));
            found.is_none()
        })?;
        Ok(found.filter(|_| ordinal > 0))
    }

    /// Passes the visible records of some positions to `each`, in order, until it returns false.
    /// Position 0 has the records before the first step. Position n has step n - 1 and all records
    /// up to the next step.
    ///
    /// # Errors
    /// The store could not be read.
    pub fn records(
        &self,
        positions: Range<u64>,
        each: impl FnMut(VisibleRecord<'_>) -> bool,
    ) -> io::Result<()> {
        visible_records(self.store(), positions, &mut StoreScratch::default(), each)
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

impl StoredFormat for Drmemtrace {
    fn thread_name(&self, thread: StoredThread) -> String {
        ThreadIdentity::from(thread).name()
    }

    fn time(&self, recorded: u64) -> Option<u64> {
        (recorded != u64::MAX).then(|| unix_micros(recorded))
    }

    fn instruction_set(&self) -> InstructionSet {
        self.traits.instruction_set
    }
}

impl Source for Drmemtrace {
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

    fn recording(&self, marker: Marker) -> Option<RecordingScope> {
        let file_type = (marker.kind == MarkerKind::RECORDING).then_some(FileType(marker.value))?;
        Some(RecordingScope {
            is_filtered: file_type.has(FileType::FILTERED),
            lacks_steps: file_type.has(FileType::LACKS_STEPS),
            has_system_calls: file_type.has(FileType::SYSTEM_CALLS),
        })
    }

    fn memory_of(&self, thread: &str) -> Option<String> {
        let process = self
            .threads()
            .iter()
            .find(|known| known.name() == thread)?
            .process_name();
        process.or_else(|| ThreadIdentity::workload_in(thread).map(str::to_owned))
    }

    fn known_threads(&self) -> Vec<KnownThread> {
        self.threads().iter().map(ThreadIdentity::known).collect()
    }

    fn is_clock_coarse(&self) -> bool {
        true
    }

    /// The recorder notes the start of each basic block, and accesses when they happen.
    /// Since version 7, traces leave out instructions that were not completed.
    fn is_recorded_by_block(&self) -> bool {
        self.head.version < RETIRED_ALONE
    }

    fn notice(&self) -> Option<String> {
        self.store().notice()
    }

    fn kept_bytes(&self) -> Option<u64> {
        Some(self.store().bytes())
    }

    fn record_count(&self) -> Option<u64> {
        Some(self.facts().records)
    }

    fn position_of_record(&self, number: u64) -> Result<Option<Position>, SourceError> {
        let steps = self
            .steps_at_record(number)
            .map_err(|error| SourceError::Read { offset: 0, error })?;
        Ok(steps.map(Position))
    }

    fn instructions(&self) -> Option<Vec<KnownInstruction>> {
        self.trace.instructions()
    }

    fn check_records(
        &self,
        findings: &mut Findings,
        watch: &mut CheckWatch<'_>,
    ) -> Result<(), SourceError> {
        let mut check = TraceCheck::new(self.head, self.set());
        let mut goes_on = true;
        let each = |record: VisibleRecord<'_>| {
            if record.ordinal.is_multiple_of(RECORDS_BETWEEN_LOOKS)
                && watch(record.ordinal) == Flow::Stop
            {
                goes_on = false;
            }
            check.record(&record, findings);
            goes_on
        };
        self.records(0..u64::MAX, each)
            .map_err(|error| SourceError::Read { offset: 0, error })?;
        if goes_on {
            check.finish(&self.threads(), findings);
        }
        Ok(())
    }

    fn is_text(&self) -> bool {
        false
    }

    fn made_lines(
        &self,
        range: Range<u64>,
        each: &mut dyn FnMut(RenderedLine<'_>),
    ) -> Result<(), SourceError> {
        let failed = |error| SourceError::Read {
            offset: range.start,
            error,
        };
        let threads = self.threads();
        let mut scratch = StoreScratch::default();
        let mut line = Vec::new();
        let mut named = (None, String::new());
        visible_records(self.store(), items_of(&range), &mut scratch, |record| {
            line.clear();
            crate::drmemtrace::visible::push_line(&mut line, &record, &threads);
            if named.0 != Some(record.thread) {
                let identity = threads
                    .get(usize::from(record.thread.0))
                    .copied()
                    .unwrap_or_default();
                named = (Some(record.thread), identity.name());
            }
            each(RenderedLine {
                chunk_offset: record.instructions * ITEM_BYTES,
                thread: &named.1,
                text: &line,
            });
            true
        })
        .map_err(failed)
    }

    fn read_raw(&self, range: Range<u64>, out: &mut Vec<u8>) -> Result<(), SourceError> {
        self.made_lines(range, &mut |line| {
            out.extend_from_slice(line.text);
            out.push(b'\n');
        })
    }
}
