//! Answers about a trace as a whole: its statistics and warnings ([`IndexInfo`], [`Warning`]), the
//! address translations that it records, and its markers, the records of binary formats that are
//! neither steps nor accesses.

use serde::{Deserialize, Serialize};
use stepback_machine::Address;
use stepback_parsers::{Marker, MarkerKind, Position, Step};

use crate::answers::cell::ThreadId;

/// Statistics of a trace.
#[derive(Clone, Debug)]
pub struct IndexInfo {
    /// Name of the format: `"tarmac"`.
    pub format: String,
    /// Number of steps.
    pub steps: u64,
    /// Number of lines.
    pub lines: u64,
    /// Unit of times: `clk`, `ns`, …
    pub time_unit: Option<String>,
    /// First time of a step, and time of the last step.
    pub time_range: Option<(u64, u64)>,
    /// True for big-endian memory.
    pub is_big_endian: bool,
    /// Number of problems, counting repetitions.
    pub warning_count: u64,
    /// Number of reads that contradicted the last value known before them.
    pub external_changes: u64,
    /// Size of the trace in bytes.
    pub trace_bytes: u64,
    /// Size of the index in bytes.
    pub index_bytes: u64,
}

/// A kind of section of an index file. Sections that exist once per segment count together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IndexSection {
    /// The header without its checksum.
    Header,
    /// The checksum of the header.
    HeaderChecksum,
    /// Offset of each step's text in the trace.
    Offsets,
    /// Line of every 128th step.
    Lines,
    /// Time of each step.
    Times,
    /// Lists of register writes, of the steps of threads and of markers.
    Registers,
    /// Lists of accesses by memory block.
    Memory,
    /// Lists of steps by instruction address.
    Addresses,
    /// Reads that contradict the last known value.
    ExternalChanges,
    /// Digests of runs of steps.
    Digests,
    /// Segments that access a memory block.
    MemoryMaps,
    /// Segments that execute an instruction address.
    AddressMaps,
    /// State to resume the build from.
    ResumePoint,
    /// Distinct executed instructions.
    Instructions,
    /// The table of calls.
    Calls,
    /// Memory that the host wrote in semihosting calls.
    HostWrites,
    /// Semihosting calls with unknown destinations.
    UnresolvedCalls,
    /// The directory.
    Directory,
    /// Bytes that nothing refers to: the first directory, if another one replaced it.
    Unused,
}

/// Size of a section of an index file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SectionSize {
    /// The section.
    pub section: IndexSection,
    /// Its size in bytes.
    pub bytes: u64,
}

/// Maximum number of different warnings in an index; all are counted.
pub const WARNINGS_KEPT: usize = 1000;

/// A problem of one line, or of several lines in the same way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning {
    /// First line, counted from 1.
    pub line: u64,
    /// Byte offset of the problem in the line.
    pub offset: u64,
    /// Reason of the warning.
    pub kind: WarningKind,
    /// Number of occurrences. A lower bound if one part of the trace has thousands of different
    /// warnings.
    pub count: u64,
}

impl Warning {
    /// Returns true if the line was readable and only its time is implausible.
    pub fn is_of_time(&self) -> bool {
        matches!(self.kind, WarningKind::TimeFalls(_))
    }
}

/// Reason of a warning.
#[non_exhaustive]
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WarningKind {
    /// The times of a thread decrease; holds the first such step.
    #[error("time runs backwards, from {} to {} at step {}", .0.from, .0.to, .0.step.0)]
    TimeFalls(TimeFall),
    /// A problem of the parser or a limit of the index; holds the sentence, which is all that an
    /// index file contains.
    #[error("{0}")]
    Problem(String),
}

/// A step with an earlier time than its thread's previous step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TimeFall {
    /// The step.
    pub step: Step,
    /// Time of the previous step.
    pub from: u64,
    /// Time of this step.
    pub to: u64,
}

/// Physical address of a virtual address, from a recorded translation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Translation {
    /// Address space; `None` if the trace records none.
    pub context: Option<u64>,
    /// The physical address.
    pub physical: Address,
    /// Virtual address of the page.
    pub page: Address,
    /// Page size in bytes.
    pub page_bytes: u64,
    /// Position of the record.
    pub stated_at: Position,
}

/// A virtual address that maps to a queried physical address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VirtualMapping {
    /// Thread of the address.
    pub thread: ThreadId,
    /// The virtual address.
    pub address: Address,
    /// The recorded translation.
    pub translation: Translation,
}

/// Number of recorded translations.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TranslationCounts {
    /// Number of translation records.
    pub stated: u64,
    /// Counts of distinct pages; `None` if there are too many to count.
    pub counts: Option<PageCounts>,
}

/// Counts of the distinct pages with recorded translations.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PageCounts {
    /// Recorded address spaces, ascending.
    pub contexts: Vec<u64>,
    /// Number of distinct virtual pages.
    pub pages: u64,
    /// Number of distinct physical pages.
    pub physical_pages: u64,
}

/// A marker of the trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MarkerHit {
    /// First position at which it is visible.
    pub position: Position,
    /// Last step of its thread before it; `None` before the first step of the thread.
    pub step: Option<Step>,
    /// Thread of the marker.
    pub thread: ThreadId,
    /// The record.
    pub marker: Marker,
}

/// Number of markers of one kind in one thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MarkerCount {
    /// Thread of the markers.
    pub thread: ThreadId,
    /// Their kind.
    pub kind: MarkerKind,
    /// Number of markers.
    pub count: u64,
}
