//! The interface that each trace format implements ([`Source`]), with the facts about a trace that
//! it provides besides its events ([`SourceTraits`]) and the buffers that parsers reuse from call
//! to call ([`ParseScratch`]).
//!
//! Nothing above the formats is generic over them: a trace is an `Arc<dyn Source>`. The words and
//! bits of a format stay below; other crates see neutral facts such as [`Source::recording`] and
//! [`Source::memory_of`].

use std::any::Any;
use std::ops::Range;
use std::{fmt, io};

use serde::{Deserialize, Serialize};
use stepback_machine::{Address, Encoding, Endian, InstructionSet};

use crate::error::SourceError;
use crate::events::{EventSink, Flow, Position};
use crate::finding::Findings;
use crate::marker::Marker;
use crate::program_file::MissingProgram;

/// A human-readable line that is made from a record.
#[derive(Clone, Copy, Debug)]
pub struct RenderedLine<'a> {
    /// Byte offset of the chunk that contains the record.
    pub chunk_offset: u64,
    /// Name of the record's thread.
    pub thread: &'a str,
    /// Text without a line end.
    pub text: &'a [u8],
}

/// A trace of one format over its input.
///
/// A *chunk* is the text of one step: from its first line to the first line of the next step.
/// Every chunk can be parsed by itself and gives the same events as in a whole run.
/// The input before the first step is a chunk too.
pub trait Source: Any + Send + Sync {
    /// Returns the properties of the format and of this trace that are known from its first bytes.
    fn traits(&self) -> &SourceTraits;

    /// Returns whether the trace says that its processor belongs to the M-profile of Arm, although it
    /// may not name that profile's registers.
    fn is_m_profile(&self) -> bool {
        false
    }

    /// Returns the length of the input in bytes when it was opened, or after the last call of
    /// [`Self::grow`].
    fn length(&self) -> u64;

    /// Returns false while more of the input is still arriving, for example while it is being
    /// unpacked.
    fn is_settled(&self) -> bool;

    /// Takes account of data appended to the input, and returns the new length. If the input has
    /// shrunk, the length remains.
    ///
    /// # Errors
    /// Returns the operating system's error.
    fn grow(&self) -> io::Result<u64>;

    /// Returns the current length of the input in bytes. It differs from [`Self::length`] if the
    /// trace was rewritten while open.
    ///
    /// # Errors
    /// Returns the operating system's error.
    fn length_now(&self) -> io::Result<u64>;

    /// Finds the first chunk start at or after `target`: a place where the input can be cut.
    /// Returns `None` if there is none before `limit`.
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
    /// Memory is bounded for every input. A line longer than [`crate::text::window::LINE_LIMIT`] is
    /// skipped.
    ///
    /// # Errors
    /// The input could not be read. Invalid content is never an error, but a
    /// [`crate::problem::Problem`].
    fn parse(
        &self,
        range: Range<u64>,
        scratch: &mut ParseScratch,
        sink: &mut dyn EventSink,
    ) -> Result<ParsedRange, SourceError>;

    /// Appends the raw bytes of `range` to `out`; fewer at the end of the input.
    ///
    /// # Errors
    /// The input could not be read.
    fn read_raw(&self, range: Range<u64>, out: &mut Vec<u8>) -> Result<(), SourceError>;

    /// Returns false if the input is not text. [`Self::read_raw`] then provides human-readable
    /// lines.
    fn is_text(&self) -> bool {
        true
    }

    /// Passes on the human-readable lines that are made from `range` if the input is not text.
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

    /// Returns all instructions that were executed until now, each once, in any order. Returns
    /// `None` if the format does not provide them, or if there are too many.
    fn instructions(&self) -> Option<Vec<KnownInstruction>> {
        None
    }

    /// Returns the extent of the recording after a marker; `None` if the marker does not change it.
    fn recording(&self, _marker: Marker) -> Option<RecordingScope> {
        None
    }

    /// Returns the name of the address space (the process) of a thread; `None` for the memory that
    /// all threads share.
    fn memory_of(&self, _thread: &str) -> Option<String> {
        None
    }

    /// Returns the threads known until now, in formats that record more than their names.
    fn known_threads(&self) -> Vec<KnownThread> {
        Vec::new()
    }

    /// Returns the number of last steps of a growing trace whose effects may still arrive.
    fn open_steps(&self) -> u64 {
        1
    }

    /// Returns true if thousands of steps may share one timestamp.
    fn is_clock_coarse(&self) -> bool {
        false
    }

    /// Returns true if instructions are recorded one basic block at a time. At the end of a thread,
    /// instructions after one that faulted may then be recorded although they never ran.
    fn is_recorded_by_block(&self) -> bool {
        false
    }

    /// Returns true if the trace has no modes: register names have the same meaning at every step,
    /// whatever the status register holds.
    fn lacks_modes(&self) -> bool {
        false
    }

    /// Returns true if some register writes and accesses are recorded with values and others
    /// without.
    fn leaves_values_out(&self) -> bool {
        false
    }

    /// Returns the reason why steps between the records are missing; `None` if the trace does not
    /// need a program, or has the right one.
    fn missing_program(&self) -> Option<MissingProgram> {
        None
    }

    /// Returns a sentence for the user about the files that were derived from the trace.
    fn notice(&self) -> Option<String> {
        None
    }

    /// Returns the size in bytes of the files that were derived from the trace in order to read it;
    /// `None` if none were needed.
    fn kept_bytes(&self) -> Option<u64> {
        None
    }

    /// Returns the number of records until now; `None` in formats without numbered records.
    fn record_count(&self) -> Option<u64> {
        None
    }

    /// Returns the position after the step of a record, given its number from 1; `None` if there is
    /// no such record.
    ///
    /// # Errors
    /// The input could not be read.
    fn position_of_record(&self, _number: u64) -> Result<Option<Position>, SourceError> {
        Ok(None)
    }

    /// Checks the records of the trace against the rules of its format and adds violations to
    /// `findings`. Calls `watch` every few thousand records with the number of records read;
    /// `watch` may stop the check. Formats without rules find nothing.
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

/// Callback for the progress of a check; receives the number of records checked.
pub type CheckWatch<'w> = dyn FnMut(u64) -> Flow + 'w;

impl dyn Source {
    /// Downcasts to a concrete format, for operations that only that format supports.
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

/// Outcome of one run of a parser.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ParsedRange {
    /// Number of lines that begin inside the range; a last line without newline counts.
    pub lines: u64,
    /// Offset at which the run stopped: the end of the range, unless the sink stopped it.
    pub end: u64,
}

/// Properties of a source. They are stored in the index and are part of its fingerprint.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceTraits {
    /// The format's name on the command line, `"tarmac"`.
    #[serde(deserialize_with = "crate::decoded_text::text")]
    pub format: String,
    /// Byte order of the traced CPU.
    pub endian: Endian,
    /// Unit of the timestamps as written in the trace (`"clk"`); `None` if it has none.
    #[serde(deserialize_with = "crate::decoded_text::text_or_none")]
    pub time_unit: Option<String>,
    /// Instruction set of the first step, in which register names before it are interpreted.
    pub instruction_set: InstructionSet,
    /// Source of register contents and values.
    pub registers: RegisterSource,
    /// Options that affect the events, in a canonical spelling. An index that was built with other
    /// options is stale.
    #[serde(deserialize_with = "crate::decoded_text::text")]
    pub options: String,
}

/// Source of register contents and values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum RegisterSource {
    /// The trace records register writes and values.
    #[default]
    Recorded,
    /// The trace records neither. Register effects follow from the operands of instructions, and
    /// accesses have no values.
    Operands,
}

/// Extent of what a trace records from some point on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RecordingScope {
    /// True if instructions or accesses are left out, for example by a cache that the recorder
    /// simulated.
    pub is_filtered: bool,
    /// True if instructions are left out: the target of a branch may not be recorded.
    pub lacks_steps: bool,
    /// True if every system call is recorded.
    pub has_system_calls: bool,
}

/// Facts about a thread that its events do not contain.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KnownThread {
    /// Name as in the events.
    pub name: String,
    /// Name of its process; `None` if the trace does not record it.
    pub process: Option<String>,
    /// True for a core that has nothing to run, which is not a thread.
    pub is_idle: bool,
}

/// Buffers that a parser keeps from call to call to save allocations. Each format has its own type
/// of buffers.
#[derive(Default)]
pub struct ParseScratch(Option<Box<dyn Any + Send + Sync>>);

impl ParseScratch {
    /// Returns the buffers of a format. They are created on first use, and again after a call for
    /// another format.
    #[inline]
    pub(crate) fn of<T: Default + Any + Send + Sync>(&mut self) -> &mut T {
        if !self.0.as_deref().is_some_and(|held| held.is::<T>()) {
            self.0 = Some(Box::<T>::default());
        }
        let Some(held) = self.0.as_deref_mut().and_then(|held| held.downcast_mut()) else {
            unreachable!("it was just made")
        };
        held
    }
}

impl fmt::Debug for ParseScratch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("ParseScratch").finish_non_exhaustive()
    }
}

/// An instruction that a trace executed at an address, at least once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct KnownInstruction {
    /// Address, without a Thumb bit.
    pub pc: Address,
    /// Instruction set in which it decodes.
    pub instruction_set: InstructionSet,
    /// Length in bytes.
    pub length_bytes: u8,
    /// Encoding; `None` if the trace does not record it.
    pub encoding: Option<Encoding>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buffers_stay_until_another_format_comes() {
        let mut scratch = ParseScratch::default();
        scratch.of::<Vec<u8>>().push(7);
        assert_eq!(scratch.of::<Vec<u8>>(), &[7]);
        assert_eq!(scratch.of::<String>(), "");
        assert_eq!(scratch.of::<Vec<u8>>(), &[0; 0]);
    }
}
