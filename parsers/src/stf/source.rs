//! An STF trace as a source of events.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::{fmt, io};

use stepback_machine::{Endian, InstructionSet, RegisterId};

use crate::error::{FormatError, SourceError};
use crate::events::{EventSink, Flow, Position};
use crate::finding::Findings;
use crate::kept::places::CacheFileOptions;
use crate::read_at::TraceFile;
use crate::source::{
    CheckWatch, KnownInstruction, KnownThread, ParseScratch, ParsedRange, RegisterSource,
    RenderedLine, Source, SourceTraits,
};
use crate::step_store::event_lines::EventLineSink;
use crate::step_store::event_run::StoredFormat;
use crate::step_store::fill::Filler;
use crate::step_store::record::StoredThread;
use crate::step_store::store::{StepStore, StoreScratch};
use crate::step_store::stored_trace::StoredTrace;
use crate::stf::check::check_trace;
use crate::stf::cursor::RecordCursor;
use crate::stf::head::StfHead;
use crate::stf::parts::{PartReader, StfPart};
use crate::stf::record::StfRecord;
use crate::stf::registers::{csr_name, csr_of};
use crate::stf::segments::{SegmentLimits, fill_store};
use crate::stf::text::{record_fields, record_name};
use crate::stf::threads::{process_in, thread_name};

/// A record for display.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NumberedRecord {
    /// Number of the record, from 1.
    pub number: u64,
    /// Number of its chunk, from 0; `None` if the file is not read by chunks.
    pub chunk: Option<u64>,
    /// Offset in the unpacked bytes of the chunk, or of the file.
    pub offset: u64,
    /// Name in the specification.
    pub name: &'static str,
    /// Fields as text.
    pub fields: String,
}

/// An STF trace. Offsets are virtual: each step has 16 bytes, see `step_store/items.rs`.
pub struct Stf {
    trace: StoredTrace,
    traits: SourceTraits,
    file: TraceFile,
    head: StfHead,
}

impl fmt::Debug for Stf {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Stf")
            .field("file", &self.file.name)
            .finish_non_exhaustive()
    }
}

impl Stf {
    /// Opens a trace. Uses the existing step store, or begins to build one; the build continues
    /// after this returns.
    ///
    /// # Errors
    /// The file could not be read, does not begin like a trace, or is the trace of a processor
    /// other than RISC-V.
    pub fn open(file: TraceFile, kept: CacheFileOptions) -> Result<Self, SourceError> {
        let failed = |error| SourceError::Read { offset: 0, error };
        let head = StfHead::of(&file)
            .map_err(failed)?
            .ok_or(FormatError::Binary)?;
        if let Some(isa) = head.foreign_isa {
            let why = format!("the trace has instructions of {isa}; only those of RISC-V are read");
            return Err(failed(io::Error::other(why)));
        }
        let traits = SourceTraits {
            format: "stf".to_owned(),
            endian: Endian::Little,
            time_unit: None,
            instruction_set: head.instruction_set,
            registers: RegisterSource::Recorded,
            options: String::new(),
        };
        let read_file = file.clone();
        let fill = move |is_stopped: &Arc<AtomicBool>, mut filler: Filler| {
            let limits = SegmentLimits::default();
            let filled = fill_store(&read_file, head, limits, is_stopped, &mut filler);
            (filler, filled)
        };
        Ok(Self {
            trace: StoredTrace::new(StepStore::open_filled(kept, Box::new(fill))),
            traits,
            file,
            head,
        })
    }

    /// Returns the step store.
    pub fn store(&self) -> &StepStore {
        self.trace.store()
    }

    /// Returns the facts of the header.
    pub fn head(&self) -> StfHead {
        self.head
    }

    /// Returns the number of the first record after the step before a position. Cost: O(1) reads.
    ///
    /// # Errors
    /// The store could not be read.
    pub fn first_record_from(&self, position: Position) -> io::Result<u64> {
        if position.0 == 0 {
            return Ok(1);
        }
        let mut scratch = StoreScratch::default();
        let records = self.store().records_of_item(position.0 + 1, &mut scratch)?;
        Ok(records.start)
    }

    /// Passes the records from a number on to `each`, until it stops. Cost: all earlier records are
    /// read too.
    ///
    /// # Errors
    /// The file could not be read.
    pub fn records(
        &self,
        first: u64,
        each: &mut dyn FnMut(&NumberedRecord) -> Flow,
    ) -> Result<(), SourceError> {
        let failed = |error| SourceError::Read { offset: 0, error };
        let mut parts = PartReader::open(&self.file, self.head.container).map_err(failed)?;
        let mut cursor = RecordCursor::default();
        let (mut number, mut chunk, mut flow) = (0, None, Flow::Continue);
        while let Some(part) = parts.next_part().map_err(failed)? {
            match part {
                StfPart::Begin(begin) => {
                    cursor.begin();
                    chunk = begin.number;
                }
                StfPart::Bytes(bytes) => {
                    _ = cursor.take(bytes, |record: &StfRecord<'_>, offset: u64| {
                        number += 1;
                        if number >= first && flow == Flow::Continue {
                            flow = each(&NumberedRecord {
                                number,
                                chunk,
                                offset,
                                name: record_name(record),
                                fields: record_fields(record),
                            });
                        }
                    });
                }
                StfPart::End(_) => {}
            }
            if flow == Flow::Stop {
                break;
            }
        }
        Ok(())
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

impl StoredFormat for Stf {
    fn thread_name(&self, thread: StoredThread) -> String {
        thread_name(thread)
    }

    fn time(&self, recorded: u64) -> Option<u64> {
        Some(recorded)
    }

    fn instruction_set(&self) -> InstructionSet {
        self.traits.instruction_set
    }

    fn register_named(&self, register: RegisterId) -> Option<(String, u16)> {
        let name = csr_name(csr_of(register)?).into_owned();
        Some((name, self.traits.instruction_set.word_bytes()))
    }
}

impl Source for Stf {
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

    fn memory_of(&self, thread: &str) -> Option<String> {
        process_in(thread).map(str::to_owned)
    }

    fn known_threads(&self) -> Vec<KnownThread> {
        let facts = self.store().facts();
        let known = |thread: &StoredThread| {
            let name = thread_name(*thread);
            KnownThread {
                process: process_in(&name).map(str::to_owned),
                name,
                is_idle: false,
            }
        };
        facts.threads.iter().map(known).collect()
    }

    /// Many traces record the values of loads and stores only.
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

    fn check_records(
        &self,
        findings: &mut Findings,
        watch: &mut CheckWatch<'_>,
    ) -> Result<(), SourceError> {
        check_trace(&self.file, self.head, findings, watch)
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

    fn read_raw(&self, range: Range<u64>, out: &mut Vec<u8>) -> Result<(), SourceError> {
        self.made_lines(range, &mut |line| {
            out.extend_from_slice(line.text);
            out.push(b'\n');
        })
    }
}
