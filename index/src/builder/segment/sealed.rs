//! A parsed and encoded segment that waits for the sequential pass ([`SealedSegment`]). A segment
//! does not know the memory contents at its start, so each [`GranuleState`] also keeps the first
//! reads of a block. The sequential pass compares them with earlier segments to find
//! contradictions.

use stepback_machine::RegisterView;
use stepback_parsers::ProblemKind;

use crate::builder::segment::collectors::{FoundCode, MarkersOfKind};
use crate::builder::segment::transfers::{ThreadEnd, Transfer};
use crate::builder::segment::turns::ControlTurn;
use crate::builder::semihosting::call::HostCall;
use crate::store::data::IndexData;
use crate::store::granules::{TouchCoverage, byte_mask};
use crate::store::segment::meta::SegmentMeta;

/// A complete segment, except for what only the sequential pass knows.
#[derive(Debug)]
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
    /// Transfers of control, in order.
    pub transfers: Vec<Transfer>,
    /// States of the threads at the segment's end.
    pub thread_ends: Vec<ThreadEnd>,
    /// Recorded control turns, in order.
    pub turns: Vec<ControlTurn>,
    /// Slot of the last step of each thread in traces with control turns, 0 without one.
    pub last_slots: Vec<u32>,
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

/// Known state of a memory block at the end of a segment, and the first reads that its start must
/// agree with.
#[derive(Clone, Debug)]
pub struct GranuleState {
    /// Bytes with a known value.
    pub known: u64,
    /// Values of the known bytes.
    pub data: [u8; 64],
    /// Bytes that this segment read before it wrote them.
    pub first_read: u64,
    /// Values of these first reads.
    pub first_data: [u8; 64],
    /// Bytes that this segment wrote, with known or unknown values.
    pub written: u64,
}

impl Default for GranuleState {
    fn default() -> Self {
        Self {
            known: 0,
            data: [0; 64],
            first_read: 0,
            first_data: [0; 64],
            written: 0,
        }
    }
}

impl GranuleState {
    /// Records a store; without `bytes`, of a value that the trace does not contain.
    #[inline]
    pub fn write(&mut self, offset: usize, size: usize, bytes: Option<&[u8]>) {
        let mask = byte_mask(offset as u64, size as u64);
        self.written |= mask;
        match bytes {
            Some(bytes) => {
                copy(&mut self.data[offset..offset + size], bytes);
                self.known |= mask;
            }
            None => self.known &= !mask,
        }
    }

    /// Records a load of up to 8 bytes; returns a mask of the bytes that contradict the known
    /// values.
    #[inline]
    pub fn read(&mut self, offset: usize, bytes: &[u8]) -> u8 {
        let mask = byte_mask(offset as u64, bytes.len() as u64);
        let held = &self.data[offset..offset + bytes.len()];
        if self.known & mask == mask && is_equal(held, bytes) {
            return 0;
        }
        self.read_slowly(offset, bytes)
    }

    #[cold]
    fn read_slowly(&mut self, offset: usize, bytes: &[u8]) -> u8 {
        let mask = byte_mask(offset as u64, bytes.len() as u64);
        let held = &mut self.data[offset..offset + bytes.len()];
        let mut contradicting = 0;
        for (place, byte) in bytes.iter().enumerate() {
            let bit = 1u64 << (offset + place);
            contradicting |= u8::from(self.known & bit != 0 && held[place] != *byte) << place;
            held[place] = *byte;
            if self.known & bit == 0 && self.written & bit == 0 {
                self.first_read |= bit;
                self.first_data[offset + place] = *byte;
            }
        }
        self.known |= mask;
        contradicting
    }

    /// Returns the bytes that this segment read first with values other than those known before it.
    pub fn contradictions(&self, known: u64, data: &[u8; 64]) -> u64 {
        let compared = self.first_read & known;
        (0..64)
            .filter(|place| compared >> place & 1 != 0)
            .fold(0, |mask, place| {
                mask | u64::from(self.first_data[place] != data[place]) << place
            })
    }

    /// Updates the state before this segment to the state after it.
    pub fn follow(&self, known: &mut u64, data: &mut [u8; 64]) {
        for place in (0..64).filter(|place| self.known >> place & 1 != 0) {
            data[place] = self.data[place];
        }
        *known = *known & !self.written | self.known;
    }
}

/// Copies between slices of equal length; most accesses have four or eight bytes, which need no
/// call.
#[inline(always)]
fn copy(to: &mut [u8], from: &[u8]) {
    if let (Ok(to), Ok(from)) = (
        <&mut [u8; 8]>::try_from(&mut *to),
        <&[u8; 8]>::try_from(from),
    ) {
        *to = *from;
    } else if let (Ok(to), Ok(from)) = (
        <&mut [u8; 4]>::try_from(&mut *to),
        <&[u8; 4]>::try_from(from),
    ) {
        *to = *from;
    } else {
        to.copy_from_slice(from);
    }
}

/// Compares slices of equal length; four or eight bytes need no call.
#[inline(always)]
fn is_equal(one: &[u8], other: &[u8]) -> bool {
    if let (Ok(one), Ok(other)) = (<&[u8; 8]>::try_from(one), <&[u8; 8]>::try_from(other)) {
        return one == other;
    }
    if let (Ok(one), Ok(other)) = (<&[u8; 4]>::try_from(one), <&[u8; 4]>::try_from(other)) {
        return one == other;
    }
    one == other
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_read_that_differs_from_the_last_write_is_a_contradiction_once() {
        let mut state = GranuleState::default();
        state.write(4, 2, Some(&[1, 2]));
        assert_eq!(state.read(4, &[1, 2]), 0);
        assert_eq!(state.read(4, &[1, 9]), 0b10);
        assert_eq!(state.read(4, &[1, 9]), 0);
        assert_eq!(state.first_read, 0);
    }

    #[test]
    fn a_first_read_is_compared_byte_by_byte_with_what_came_before() {
        let mut before = GranuleState::default();
        before.write(0, 2, Some(&[1, 2]));
        let mut later = GranuleState::default();
        later.write(0, 1, Some(&[7]));
        assert_eq!(later.read(0, &[7, 3, 4]), 0);
        assert_eq!(later.contradictions(before.known, &before.data), 0b10);
        later.follow(&mut before.known, &mut before.data);
        assert_eq!((before.known, &before.data[..3]), (0b111, &[7, 3, 4][..]));
    }

    #[test]
    fn a_store_of_an_unknown_value_makes_the_bytes_unknown() {
        let mut before = GranuleState::default();
        before.write(0, 4, Some(&[1, 2, 3, 4]));
        let mut later = GranuleState::default();
        later.write(1, 2, None);
        later.follow(&mut before.known, &mut before.data);
        assert_eq!(before.known, 0b1001);
        assert_eq!(later.read(1, &[8]), 0);
        assert_eq!(later.first_read, 0);
    }
}
