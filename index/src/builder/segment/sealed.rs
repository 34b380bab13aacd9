//! A segment that is parsed and encoded.

use stepback_machine::RegisterView;
use stepback_parsers::ProblemKind;

use crate::builder::segment::instructions::FoundCode;
use crate::builder::segment::markers::MarkersOfKind;
use crate::builder::segment::memory::GranuleState;
use crate::builder::segment::transfers::{ThreadEnd, Transfers};
use crate::builder::segment::turns::{ControlTurn, TurnEnd};
use crate::builder::semihosting::call::HostCall;
use crate::store::data::IndexData;
use crate::store::granules::TouchCoverage;
use crate::store::segment::meta::SegmentMeta;

/// A complete segment, except for what only the sequential pass knows.
#[derive(Debug, Default)]
pub struct SealedSegment {
    /// Directory entry, with `sections` counted from the start of `bytes`.
    pub meta: SegmentMeta,
    /// Encoded sections.
    pub bytes: IndexData,
    /// Names of the threads.
    pub thread_names: Vec<String>,
    /// Names of the registers outside the table.
    pub register_names: Vec<String>,
    /// Each written register view with its thread number.
    pub views: Vec<(u16, RegisterView)>,
    /// Threads and kinds of the markers.
    pub markers: Vec<MarkersOfKind>,
    /// Transfers of control.
    pub calls: SegmentCalls,
    /// Touched blocks of memory, ascending.
    pub granule_keys: Vec<u64>,
    /// States of these blocks; empty in traces without values.
    pub granules: Vec<(u64, GranuleState)>,
    /// Touched bytes of each of these blocks.
    pub reaches: Vec<TouchCoverage>,
    /// Semihosting calls that may let the host write into memory.
    pub host_calls: Vec<HostCall>,
    /// Executed addresses, ascending.
    pub pcs: Vec<u64>,
    /// Distinct instructions, in the order of their first slots.
    pub codes: Vec<FoundCode>,
    /// First time of any step, and time of the last step.
    pub time_range: Option<(u64, u64)>,
    /// Problems, each kind once.
    pub problems: Vec<SegmentProblem>,
    /// Total number of problems, without those that are reported once per run.
    pub problem_count: u64,
    /// Times of each thread's first and last step.
    pub thread_times: Vec<ThreadTimes>,
    /// First steps at which time runs backwards.
    pub time_falls: Vec<SegmentFall>,
    /// Total number of such steps.
    pub fall_count: u64,
    /// Number of lines of the task before the segment.
    pub line_in_task: u64,
}

impl SealedSegment {
    /// Returns the approximate size in memory; other parts are small.
    pub fn len_bytes(&self) -> usize {
        let of_granules = self.granule_keys.len() * size_of::<(u64, TouchCoverage)>()
            + size_of_val(self.granules.as_slice());
        let of_threads = size_of_val(self.thread_names.as_slice());
        let of_calls = self.calls.len_bytes();
        let of_codes = size_of_val(self.codes.as_slice());
        self.bytes.len() + of_granules + of_threads + of_calls + of_codes
    }
}

/// Transfers of control of a segment: the input of the call search.
#[derive(Debug, Default)]
pub struct SegmentCalls {
    /// Places where control was not sequential.
    pub transfers: Transfers,
    /// States of the threads at the segment's end.
    pub thread_ends: Vec<ThreadEnd>,
    /// Recorded control turns, in order.
    pub turns: Vec<ControlTurn>,
    /// States of the threads at the segment's end in traces with control turns.
    pub turn_ends: Vec<TurnEnd>,
}

impl SegmentCalls {
    /// Returns the size in memory.
    pub fn len_bytes(&self) -> usize {
        self.transfers.len_bytes()
            + size_of_val(self.thread_ends.as_slice())
            + size_of_val(self.turns.as_slice())
    }
}

/// A parsed task, or the first part of one.
#[derive(Debug, Default)]
pub struct ParsedTask {
    /// Its segments, except for those that were handed in before.
    pub segments: Vec<SealedSegment>,
    /// Number of lines.
    pub lines: u64,
    /// Text offset of its end; none when it has no text.
    pub end: Option<u64>,
    /// True if the trace ends with it at the moment.
    pub is_last: bool,
    /// False when more of it follows.
    pub is_whole: bool,
}

impl ParsedTask {
    /// Adds the next part of it.
    pub fn extend(&mut self, next: Self) {
        let mut segments = std::mem::take(&mut self.segments);
        segments.extend(next.segments);
        *self = Self { segments, ..next };
    }

    /// Returns the approximate size of its segments in memory.
    pub fn len_bytes(&self) -> usize {
        self.segments.iter().map(SealedSegment::len_bytes).sum()
    }
}

/// A problem of a segment.
#[derive(Clone, Debug)]
pub struct SegmentProblem {
    /// Slot of the first occurrence.
    pub slot: u32,
    /// Number of lines between the first line of the segment's task and the first occurrence.
    pub line: u64,
    /// Byte offset in the line.
    pub column: u32,
    /// Kind of problem.
    pub kind: ProblemKind,
    /// Number of occurrences.
    pub count: u64,
}

/// Times of a thread in a segment.
#[derive(Clone, Copy, Debug, Default)]
pub struct ThreadTimes {
    /// First step with a time.
    pub first: Option<TimedStep>,
    /// Time of the last step with one.
    pub last: Option<u64>,
}

/// A step with a time.
#[derive(Clone, Copy, Debug)]
pub struct TimedStep {
    /// Slot of the step.
    pub slot: u32,
    /// Number of lines between the first line of the segment's task and the step's line.
    pub line: u64,
    /// Time of the step.
    pub time: u64,
}

/// A step of a segment with an earlier time than its thread's step before.
#[derive(Clone, Copy, Debug)]
pub struct SegmentFall {
    /// The step.
    pub step: TimedStep,
    /// Time before it.
    pub from: u64,
}
