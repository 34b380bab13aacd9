//! What the index needs from a format.

use std::any::Any;
use std::fmt;
use std::io;
use std::ops::Range;

use crate::error::SourceError;
use crate::events::{EventSink, Flow};
use crate::facts::{KnownThread, RecordingScope, SourceTraits};
use crate::finding::Findings;
use crate::known_instruction::KnownInstruction;
use crate::marker::Marker;
use crate::numbers::Position;
use crate::scratch::ParseScratch;

/// A line that is made for people of a record.
#[derive(Clone, Copy, Debug)]
pub struct RenderedLine<'a> {
    /// The start of the chunk that it belongs to.
    pub chunk_offset: u64,
    /// The name of the thread whose record it is.
    pub thread: &'a str,
    /// Without its end.
    pub text: &'a [u8],
}

/// A trace of one format over an input that it was handed.
///
/// A *chunk* is the text of one step: from its first line to the first line of the next step.
/// Every chunk can be parsed by itself and gives the same events as in a whole run.
/// The input before the first step is a chunk too.
pub trait Source: Any + Send + Sync {
    /// What the format and the first bytes of the input tell.
    fn traits(&self) -> &SourceTraits;

    /// Length of the input in bytes when it was opened, or when [`Self::grow`] was called last.
    fn length(&self) -> u64;

    /// False while more of the input arrives by itself, as when it is still being unpacked.
    fn is_settled(&self) -> bool;

    /// Takes in what was added to the input since, and returns its length. An input that shrank keeps its old one.
    ///
    /// # Errors
    /// Whatever the operating system says.
    fn grow(&self) -> io::Result<u64>;

    /// Length of the input in bytes now: it differs when the trace was rewritten while open.
    ///
    /// # Errors
    /// Whatever the operating system says.
    fn length_now(&self) -> io::Result<u64>;

    /// The first place from `target` on where the input can be cut: the start of a chunk.
    /// None when there is none before `limit`.
    ///
    /// # Errors
    /// The input could not be read.
    fn cut(
        &self,
        target: u64,
        limit: u64,
        scratch: &mut ParseScratch,
    ) -> Result<Option<u64>, SourceError>;

    /// Pushes the events of all lines or records that begin inside `range` into `sink`.
    /// `range.start` is the start of a chunk. `range.end` is one too, or the end of the input.
    ///
    /// Memory is bounded whatever the input: longer lines than [`crate::text::limits::LINE_LIMIT`] cost that line.
    ///
    /// # Errors
    /// The input could not be read. What it says is never an error, but a [`crate::events::Problem`].
    fn parse(
        &self,
        range: Range<u64>,
        scratch: &mut ParseScratch,
        sink: &mut dyn EventSink,
    ) -> Result<ParsedRange, SourceError>;

    /// The raw bytes of `range`, appended to `out`; fewer at the end of the input.
    ///
    /// # Errors
    /// The input could not be read.
    fn read_raw(&self, range: Range<u64>, out: &mut Vec<u8>) -> Result<(), SourceError>;

    /// False where the input is not text, and [`Self::read_raw`] gives lines that are made for people.
    fn is_text(&self) -> bool {
        true
    }

    /// Hands out the lines that are made of `range` where the input is not text.
    ///
    /// # Errors
    /// The input could not be read.
    fn made_lines(
        &self,
        _range: Range<u64>,
        _each: &mut dyn FnMut(RenderedLine<'_>),
    ) -> Result<(), SourceError> {
        Ok(())
    }

    /// All instructions that were executed so far, each once, in any order; none when the format does not tell them by itself,
    /// or when there are too many.
    fn instructions(&self) -> Option<Vec<KnownInstruction>> {
        None
    }

    /// What a marker says of what the trace records from there on; none of markers that say nothing of it.
    fn recording(&self, _marker: Marker) -> Option<RecordingScope> {
        None
    }

    /// The name of the memory that a thread of this name sees: its process. None for the memory that all threads share.
    fn memory_of(&self, _thread: &str) -> Option<String> {
        None
    }

    /// The threads so far, in formats that say more of them than their names.
    fn known_threads(&self) -> Vec<KnownThread> {
        Vec::new()
    }

    /// True when one time stands for thousands of steps.
    fn is_clock_coarse(&self) -> bool {
        false
    }

    /// True when instructions are recorded a basic block at a time: at the end of a thread those behind
    /// an instruction that faulted may be recorded though they never ran.
    fn is_recorded_by_block(&self) -> bool {
        false
    }

    /// True when writes of registers and accesses may be recorded without their values, though others bear them.
    fn leaves_values_out(&self) -> bool {
        false
    }

    /// What the user should know about the files that were made of the trace, as one sentence.
    fn notice(&self) -> Option<String> {
        None
    }

    /// How many bytes files take that were made of the trace so that it can be read; none where none were needed.
    fn kept_bytes(&self) -> Option<u64> {
        None
    }

    /// How many records the trace has so far; none in formats without numbered records.
    fn record_count(&self) -> Option<u64> {
        None
    }

    /// The position after the step to which a record belongs, by its number from 1; none when there is no such record.
    ///
    /// # Errors
    /// The input could not be read.
    fn position_of_record(&self, _number: u64) -> Result<Option<Position>, SourceError> {
        Ok(None)
    }

    /// Goes through the records of the trace and adds what breaks the rules of its format to `findings`.
    /// `watch` is told every few thousand records how many were read, and may stop it.
    /// Formats without rules of their own find nothing.
    ///
    /// # Errors
    /// The input could not be read.
    fn check_records(
        &self,
        _findings: &mut Findings,
        _watch: &mut CheckWatch<'_>,
    ) -> Result<(), SourceError> {
        Ok(())
    }
}

/// Is told how many records of a trace were checked.
pub type CheckWatch<'w> = dyn FnMut(u64) -> Flow + 'w;

impl dyn Source {
    /// The source as one of a known type, for what only that type can do.
    pub fn downcast<T: Source>(&self) -> Option<&T> {
        (self as &dyn Any).downcast_ref()
    }
}

impl fmt::Debug for dyn Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Source")
            .field("traits", self.traits())
            .finish_non_exhaustive()
    }
}

/// What a run of a parser read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ParsedRange {
    /// Lines that begin inside the range; a last line without newline counts.
    pub lines: u64,
    /// Where it stopped: the end of the range, unless the sink stopped it.
    pub end: u64,
}
