//! A segment that is parsed and encoded.

use stepback_machine::RegisterView;
use stepback_parsers::Recurrence;

use crate::builder::segment::codes::FoundCode;
use crate::builder::segment::markers::MarkersOfKind;
use crate::builder::segment::shadow::GranuleState;
use crate::builder::segment::transfers::{ThreadEnd, Transfer};
use crate::builder::segment::turns::ControlTurn;
use crate::builder::semihosting::call::HostCall;
use crate::store::data::IndexData;
use crate::store::granules::TouchCoverage;
use crate::store::segment::meta::SegmentMeta;

/// A segment that is complete but for what only the pass in order knows.
#[derive(Debug)]
pub struct SealedSegment {
    /// Its entry in the directory, with `sections` counted from the start of `bytes`.
    pub meta: SegmentMeta,
    /// Its sections.
    pub bytes: IndexData,
    /// Names of its threads.
    pub thread_names: Vec<String>,
    /// Names of its registers outside the table.
    pub register_names: Vec<String>,
    /// Each register view that it writes: thread number, view.
    pub views: Vec<(u16, RegisterView)>,
    /// Its markers.
    pub markers: Vec<MarkersOfKind>,
    /// Its transfers of control, in order.
    pub transfers: Vec<Transfer>,
    /// Its threads at its end.
    pub thread_ends: Vec<ThreadEnd>,
    /// The turns that its records tell of, in order.
    pub turns: Vec<ControlTurn>,
    /// With those: the slot of the last step of each thread, 0 without one.
    pub last_slots: Vec<u32>,
    /// The blocks of memory that it touches, ascending.
    pub granule_keys: Vec<u64>,
    /// What it knows of them; nothing in traces without values.
    pub granules: Vec<(u64, GranuleState)>,
    /// Which bytes of each of these blocks it touches.
    pub reaches: Vec<TouchCoverage>,
    /// The slots of its semihosting calls that may let the host write into memory.
    pub host_calls: Vec<HostCall>,
    /// Its addresses, ascending.
    pub pcs: Vec<u64>,
    /// Its distinct instructions, in the order of their first slots.
    pub codes: Vec<FoundCode>,
    /// The first time that one of its steps has, and that of its last step.
    pub time_range: Option<(u64, u64)>,
    /// Its problems, each kind once.
    pub problems: Vec<SegmentProblem>,
    /// How many in all, but for those that are reported once a run.
    pub problem_count: u64,
    /// The times of each thread's first and last step.
    pub thread_times: Vec<ThreadTimes>,
    /// The first steps at which time runs backwards.
    pub time_falls: Vec<SegmentFall>,
    /// How many of them there are in all.
    pub fall_count: u64,
    /// Lines of its task before it.
    pub line_in_task: u64,
}

impl SealedSegment {
    /// What it takes in memory, nearly: the rest is small beside it.
    pub fn len_bytes(&self) -> usize {
        let of_granules = self.granule_keys.len() * size_of::<(u64, TouchCoverage)>()
            + size_of_val(self.granules.as_slice());
        let of_threads =
            size_of_val(self.thread_ends.as_slice()) + size_of_val(self.thread_names.as_slice());
        let of_calls = size_of_val(self.transfers.as_slice()) + size_of_val(self.turns.as_slice());
        let of_codes = size_of_val(self.codes.as_slice());
        self.bytes.len() + of_granules + of_threads + of_calls + of_codes
    }
}

/// A problem of a segment.
#[derive(Clone, Debug)]
pub struct SegmentProblem {
    /// The slot of the first.
    pub slot: u32,
    /// Lines between the first line of the segment's task and the first with it.
    pub line: u64,
    /// Byte offset in the line.
    pub column: u32,
    /// What is wrong.
    pub message: String,
    /// How often.
    pub count: u64,
    /// As in [`stepback_parsers::Problem`].
    pub recurrence: Recurrence,
}

/// The times of a thread in a segment.
#[derive(Clone, Copy, Debug, Default)]
pub struct ThreadTimes {
    /// Of its first step that bears one.
    pub first: Option<TimedStep>,
    /// Of its last step that bears one.
    pub last: Option<u64>,
}

/// A step that bears a time.
#[derive(Clone, Copy, Debug)]
pub struct TimedStep {
    /// Its slot.
    pub slot: u32,
    /// Lines between the first line of the segment's task and its own.
    pub line: u64,
    /// Its time.
    pub time: u64,
}

/// A step of a segment that bears an earlier time than its thread's step before.
#[derive(Clone, Copy, Debug)]
pub struct SegmentFall {
    /// The step.
    pub step: TimedStep,
    /// The time before it.
    pub from: u64,
}
