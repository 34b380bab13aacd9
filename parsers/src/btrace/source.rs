//! A recording as a source of events.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::{fmt, io};

use stepback_machine::{Endian, InstructionSet};

use crate::btrace::check::check_recording;
use crate::btrace::code::{ProgramCode, SET};
use crate::btrace::fit::fit_of;
use crate::btrace::head::BtraceHead;
use crate::btrace::order::TimeOrderedReader;
use crate::btrace::rebuild::{FILTERED, PathRebuilder};
use crate::btrace::record::{BranchLayout, BranchRecordReader};
use crate::btrace::text_line::retell;
use crate::btrace::written::BtraceLineSink;
use crate::error::{FormatError, SourceError};
use crate::events::{EventSink, Position};
use crate::finding::Findings;
use crate::kept::places::CacheFileOptions;
use crate::marker::{Marker, MarkerKind};
use crate::program_file::{MissingProgram, ProgramFile, ProgramFit};
use crate::read_at::TraceFile;
use crate::source::{
    CheckWatch, KnownInstruction, ParseScratch, ParsedRange, RecordingScope, RegisterSource,
    RenderedLine, Source, SourceTraits,
};
use crate::step_store::encoder::Encoder;
use crate::step_store::event_run::StoredFormat;
use crate::step_store::fill::Filler;
use crate::step_store::record::{ReadEnd, StoredThread};
use crate::step_store::store::{StepStore, StoreScratch};
use crate::step_store::stored_trace::StoredTrace;

/// Number of records between two checks for cancellation.
const PATIENCE: u64 = 1 << 12;

/// Version of the reconstruction rules; it changes when the same records yield another path.
const RULES: u64 = 2;

/// Options for reading a recording.
#[derive(Clone, Debug, Default)]
pub struct BtraceOptions {
    /// Files of the program; later ones are loaded over earlier ones.
    pub program: Vec<ProgramFile>,
    /// Record layout; `None` for our own.
    pub layout: Option<BranchLayout>,
}

/// A recording of control transfers, and the path that follows from it. Offsets are virtual: each
/// step has 16 bytes, as described in `step_store/items.rs`.
pub struct Btrace {
    trace: StoredTrace,
    traits: SourceTraits,
    file: TraceFile,
    /// Record layout; `None` for a text.
    layout: Option<Box<BranchLayout>>,
    missing_program: Option<MissingProgram>,
    /// Files of the program; empty if they belong to another one.
    program: Vec<ProgramFile>,
}

impl fmt::Debug for Btrace {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Btrace")
            .field("file", &self.file.name)
            .finish_non_exhaustive()
    }
}

impl Btrace {
    /// Opens a recording. Uses the existing step store, or begins to build one; the build continues
    /// after this returns.
    ///
    /// # Errors
    /// The file could not be read, or does not begin like a recording.
    pub fn open(
        file: TraceFile,
        options: BtraceOptions,
        mut kept: CacheFileOptions,
    ) -> Result<Self, SourceError> {
        let failed = |error| SourceError::Read { offset: 0, error };
        let layout = layout_of(&file, options.layout)?;
        let mut traits = SourceTraits {
            format: "btrace".to_owned(),
            endian: Endian::Big,
            time_unit: Some("ns".to_owned()),
            instruction_set: SET,
            registers: RegisterSource::Operands,
            options: String::new(),
        };
        let Some(layout) = layout else {
            let read_file = file.clone();
            let read = move |is_stopped: &Arc<AtomicBool>, encoder: &mut Encoder<Filler>| {
                retell(&read_file, is_stopped, encoder)
            };
            let trace = StoredTrace::new(StepStore::open(kept, Box::new(read)));
            return Ok(Self {
                trace,
                traits,
                file,
                layout: None,
                missing_program: None,
                program: Vec::new(),
            });
        };
        let fit = fit_of(&file, &layout, &options.program).map_err(failed)?;
        let missing_program = if options.program.is_empty() {
            Some(MissingProgram::Unknown)
        } else {
            fit.is_of_another_program()
                .then_some(MissingProgram::Another(fit))
        };
        let program = match missing_program {
            Some(_) => Vec::new(),
            None => options.program,
        };
        // Another program or layout yields other steps for the same file.
        let fingerprint = fingerprint_of(&program, &layout);
        kept.identity = kept.identity.map(|part| part.rotate_left(1) ^ fingerprint);
        traits.options = format!("made with {fingerprint:016x}");
        let (read_file, read_layout, read_program) =
            (file.clone(), layout.clone(), program.clone());
        let read = move |is_stopped: &Arc<AtomicBool>, encoder: &mut Encoder<Filler>| {
            let order = TimeOrderedReader::new(BranchRecordReader::new(read_file, read_layout));
            rebuild(order, &read_program, is_stopped, encoder)
        };
        let trace = StoredTrace::new(StepStore::open(kept, Box::new(read)));
        Ok(Self {
            trace,
            traits,
            file,
            layout: Some(Box::new(layout)),
            missing_program,
            program,
        })
    }

    /// Compares a program's files with a sample of the records; `None` for a text, which needs no
    /// program.
    ///
    /// # Errors
    /// The file could not be read, or does not begin like a recording.
    pub fn program_fit(
        file: &TraceFile,
        options: &BtraceOptions,
    ) -> Result<Option<ProgramFit>, SourceError> {
        let layout = layout_of(file, options.layout.clone())?;
        let fit = layout
            .map(|layout| fit_of(file, &layout, &options.program))
            .transpose();
        fit.map_err(|error| SourceError::Read { offset: 0, error })
    }

    /// Returns the step store.
    pub fn store(&self) -> &StepStore {
        self.trace.store()
    }

    /// Returns the records in time order; `None` for a text, which has none.
    pub fn records(&self) -> Option<TimeOrderedReader> {
        let layout = self.layout.as_deref()?.clone();
        Some(TimeOrderedReader::new(BranchRecordReader::new(
            self.file.clone(),
            layout,
        )))
    }

    /// Returns the number of the first record after the step before a position. Cost: O(1) reads.
    ///
    /// # Errors
    /// The store could not be read.
    pub fn first_record_from(&self, position: Position) -> io::Result<u64> {
        if position.0 == 0 {
            return Ok(1);
        }
        Ok(self
            .store()
            .records_of_item(position.0 + 1, &mut StoreScratch::default())?
            .start)
    }

    /// Returns the records in file order; `None` for a text, which has none.
    pub fn records_in_file(&self) -> Option<BranchRecordReader> {
        Some(BranchRecordReader::new(
            self.file.clone(),
            self.layout.as_deref()?.clone(),
        ))
    }

    /// Returns the record layout; `None` for a text.
    pub fn layout(&self) -> Option<&BranchLayout> {
        self.layout.as_deref()
    }

    /// Does what [`Source::parse`] does, compiled for one sink.
    pub(crate) fn parse_into<S: EventSink + ?Sized>(
        &self,
        range: Range<u64>,
        scratch: &mut ParseScratch,
        sink: &mut S,
    ) -> Result<ParsedRange, SourceError> {
        self.trace.parse_into(range, self, scratch, sink)
    }
}

/// Returns the record layout of a file; `None` for a text.
fn layout_of(
    file: &TraceFile,
    stated: Option<BranchLayout>,
) -> Result<Option<BranchLayout>, SourceError> {
    if let Some(layout) = stated {
        return Ok(Some(layout));
    }
    let head = BtraceHead::of(file).map_err(|error| SourceError::Read { offset: 0, error })?;
    match head.ok_or(FormatError::Binary)? {
        BtraceHead::Records { first_record, .. } => Ok(Some(BranchLayout::own(first_record))),
        BtraceHead::Text => Ok(None),
    }
}

fn fingerprint_of(program: &[ProgramFile], layout: &BranchLayout) -> u64 {
    let mut numbers = vec![RULES, layout.fingerprint()];
    for file in program {
        numbers.extend([
            file.entry.map_or(1, |entry| entry.wrapping_mul(2)),
            file.parts.len() as u64,
        ]);
        numbers.extend(
            file.parts
                .iter()
                .flat_map(|part| [part.address, xxhash_rust::xxh3::xxh3_64(&part.bytes)]),
        );
    }
    let bytes: Vec<u8> = numbers
        .iter()
        .flat_map(|number| number.to_le_bytes())
        .collect();
    xxhash_rust::xxh3::xxh3_64(&bytes)
}

/// Encodes the paths of all threads.
fn rebuild(
    mut order: TimeOrderedReader,
    program: &[ProgramFile],
    is_stopped: &AtomicBool,
    encoder: &mut Encoder<Filler>,
) -> io::Result<ReadEnd> {
    let entries = program.iter().filter_map(|file| file.entry).collect();
    let mut rebuild = PathRebuilder::new(encoder, ProgramCode::new(program), entries);
    let mut count = 0;
    while let Some(turn) = order.next_turn()? {
        if turn.ordinal.is_multiple_of(PATIENCE) && is_stopped.load(Ordering::Relaxed) {
            return Ok(ReadEnd::Stopped);
        }
        rebuild.turn(&turn);
        count = turn.ordinal;
    }
    rebuild.finish(count, order.cut_off_bytes(), order.damage());
    Ok(ReadEnd::Complete)
}

impl StoredFormat for Btrace {
    fn thread_name(&self, thread: StoredThread) -> String {
        thread.tid.to_string()
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

impl Source for Btrace {
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
        let is_filtered = marker.kind == MarkerKind::RECORDING && marker.value == FILTERED;
        is_filtered.then_some(RecordingScope {
            is_filtered,
            lacks_steps: true,
            has_system_calls: false,
        })
    }

    fn notice(&self) -> Option<String> {
        self.store().notice()
    }

    fn missing_program(&self) -> Option<MissingProgram> {
        self.missing_program
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

    fn check_records(
        &self,
        findings: &mut Findings,
        watch: &mut CheckWatch<'_>,
    ) -> Result<(), SourceError> {
        let Some(reader) = self.records_in_file() else {
            return Ok(());
        };
        let head =
            BtraceHead::of(&self.file).map_err(|error| SourceError::Read { offset: 0, error })?;
        let count = match head {
            Some(BtraceHead::Records { count, .. }) => count,
            Some(BtraceHead::Text) | None => None,
        };
        check_recording(reader, count, &self.program, findings, watch)
    }

    fn is_text(&self) -> bool {
        false
    }

    fn made_lines(
        &self,
        range: Range<u64>,
        each: &mut dyn FnMut(RenderedLine<'_>),
    ) -> Result<(), SourceError> {
        let mut lines = BtraceLineSink::new(range.start, each);
        self.parse(range, &mut ParseScratch::default(), &mut lines)
            .map(|_| ())
    }

    fn read_raw(&self, range: Range<u64>, out: &mut Vec<u8>) -> Result<(), SourceError> {
        self.made_lines(range, &mut |line| {
            out.extend_from_slice(line.text);
            out.push(b'\n');
        })
    }
}
