//! Builds the [`Schedule`] of a trace, from its markers or else by sampling even parts.

use std::collections::BTreeMap;
use std::ops::Range;

use stepback_index::answer::{MarkerHit, ThreadId};
use stepback_index::query::{FindMarkers, NearestStepOf};
use stepback_index::read::{MarkerReader, SlotReader};
use stepback_index::{Cancel, Index, Query as _, QueryError};
use stepback_parsers::{MarkerKind, Position};

use crate::analysis::schedule::{
    BoundedList, LaneInterval, LaneMarkKind, LanePeer, ThreadLane, TimeSample,
};
use crate::clock::TraceClock;

/// Markers that define the lanes.
const KINDS: [MarkerKind; 14] = [
    MarkerKind::TIMESTAMP,
    MarkerKind::CPU,
    MarkerKind::SYSTEM_CALL,
    MarkerKind::SYSTEM_CALL_START,
    MarkerKind::SYSTEM_CALL_END,
    MarkerKind::CONTEXT_SWITCH_START,
    MarkerKind::CONTEXT_SWITCH_END,
    MarkerKind::HARDWARE_EVENT,
    MarkerKind::HARDWARE_RETURN,
    MarkerKind::KERNEL_EVENT,
    MarkerKind::SIGNAL,
    MarkerKind::RSEQ_ABORT,
    MarkerKind::CORE_IDLE,
    MarkerKind::THREAD_EXIT,
];
/// Maximum number of markers per query.
const PAGE: usize = 4096;
/// Bound on the entries of all lanes together, up to a small factor.
const PIECES: usize = 1 << 20;
/// Number of parts that a trace without times is divided into.
const PARTS: u64 = 2048;
/// Maximum number of threads for that division; with more it would take too long.
const PARTED_THREADS: usize = 256;

/// Returns the schedule of a trace. Runs on a worker. Cost: a lookup for each time that the trace
/// states.
///
/// # Errors
/// See [`QueryError`].
pub fn schedule(index: &Index, cancel: &Cancel) -> Result<Schedule, QueryError> {
    let has_times = MarkerReader(index)
        .marker_counts()
        .any(|counted| counted.kind == MarkerKind::TIMESTAMP);
    let count = index.threads().len();
    let lane = ThreadLane::with_limit((PIECES / count.max(1)).clamp(64, 1 << 16));
    let is_order_by_time = has_times && count > 1;
    let schedule = Schedule {
        threads: vec![lane; count],
        is_order_by_time,
        clock: Some(TraceClock::of(index)),
        ..Schedule::default()
    };
    let mut builder = Builder {
        index,
        cancel,
        states: vec![ThreadState::default(); count],
        start: 0,
        marked: ThreadId(0),
        schedule,
    };
    if has_times {
        builder.by_markers()?
    } else {
        builder.by_parts()?
    }
    Ok(builder.schedule)
}

struct Builder<'a> {
    index: &'a Index,
    cancel: &'a Cancel,
    schedule: Schedule,
    states: Vec<ThreadState>,
    /// Position up to which runs are recorded.
    start: u64,
    /// Thread of the last marker, which is usually the one that runs next.
    marked: ThreadId,
}

/// State of a thread between two markers.
#[derive(Clone, Copy, Default)]
struct ThreadState {
    /// Current core, if known.
    core: Option<u64>,
    /// Number of kernel entries without a return: an interrupt may interrupt a system call.
    kernel_depth: u32,
}

impl Builder<'_> {
    fn by_markers(&mut self) -> Result<(), QueryError> {
        let (mut from, to) = (Position(0), self.index.end());
        loop {
            let wanted = FindMarkers {
                kinds: KINDS.to_vec(),
                thread: None,
                from,
                to,
                limit: PAGE,
            };
            let hits = wanted.run(self.index, self.cancel)?;
            for hit in &hits {
                self.run_until(hit.position.0)?;
                self.take(hit);
            }
            match hits.last() {
                Some(last) if hits.len() >= PAGE && last.position < to => {
                    from = Position(last.position.0 + 1)
                }
                _ => break,
            }
        }
        self.run_until(to.0)
    }

    /// Records the runs up to `end`. Steps between two markers usually belong to one thread. If
    /// threads change without a marker, each runs up to its last step before the marker. A thread
    /// that returns in between therefore hides the others.
    fn run_until(&mut self, end: u64) -> Result<(), QueryError> {
        while self.start < end {
            let thread = self.thread_from(Position(self.start))?;
            let last = NearestStepOf::last(thread, Position(end)).run(self.index, self.cancel)?;
            let until = last.map_or(end, |last| last.after().0).max(self.start + 1);
            let core = (self.states.get(usize::from(thread.0))).and_then(|state| state.core);
            self.schedule.add_run(thread, self.start..until, core);
            self.start = until;
        }
        Ok(())
    }

    /// Returns the thread of the step after a position. A query for one thread is cheap even if
    /// there are hundreds.
    fn thread_from(&self, from: Position) -> Result<ThreadId, QueryError> {
        let next = NearestStepOf::next(self.marked, from).run(self.index, self.cancel)?;
        if next == Some(from.next_step()) {
            return Ok(self.marked);
        }
        SlotReader(self.index).thread_at(Position(from.0 + 1))
    }

    fn take(&mut self, hit: &MarkerHit) {
        let (at, value) = (hit.position.0, hit.marker.value);
        self.marked = hit.thread;
        let number = usize::from(hit.thread.0);
        let (Some(lane), Some(state)) = (
            self.schedule.threads.get_mut(number),
            self.states.get_mut(number),
        ) else {
            return;
        };
        let kind = match hit.marker.kind {
            MarkerKind::TIMESTAMP => {
                let moment = TimeSample {
                    first: at,
                    time: value,
                };
                lane.times.push(moment);
                lane.last_time = Some(value);
                return self.schedule.times.push(moment);
            }
            MarkerKind::CPU => {
                // All ones mean an unknown core.
                state.core = Some(value).filter(|core| *core != u64::MAX);
                return lane.cores.extend(state.core);
            }
            MarkerKind::THREAD_EXIT => return lane.has_ended = true,
            MarkerKind::SYSTEM_CALL => {
                lane.last_call = Some((hit.position, value));
                // Only a program makes system calls.
                state.kernel_depth = 0;
                LaneMarkKind::SystemCall
            }
            MarkerKind::SYSTEM_CALL_END
            | MarkerKind::CONTEXT_SWITCH_END
            | MarkerKind::HARDWARE_RETURN => {
                let Some(outer) = state.kernel_depth.checked_sub(1) else {
                    return;
                };
                state.kernel_depth = outer;
                lane.extend_mark(at);
                if outer > 0 {
                    lane.add_mark(at, LaneMarkKind::Kernel, 0);
                }
                return;
            }
            MarkerKind::SYSTEM_CALL_START
            | MarkerKind::CONTEXT_SWITCH_START
            | MarkerKind::HARDWARE_EVENT => LaneMarkKind::Kernel,
            MarkerKind::CORE_IDLE => return,
            _ => LaneMarkKind::Signal,
        };
        let is_in_kernel = state.kernel_depth > 0;
        if is_in_kernel {
            lane.extend_mark(at);
        }
        lane.add_mark(at, kind, 1);
        if kind == LaneMarkKind::Kernel {
            state.kernel_depth = state.kernel_depth.saturating_add(1);
        } else if is_in_kernel {
            lane.add_mark(at, LaneMarkKind::Kernel, 0);
        }
    }

    /// Records a run from the first to the last step of each thread in each part.
    fn by_parts(&mut self) -> Result<(), QueryError> {
        let (count, end) = (self.index.threads().len(), self.index.step_count());
        let length = end.div_ceil(PARTS).max(1);
        for number in (0..count).filter(|_| count <= PARTED_THREADS) {
            let thread = ThreadId(u16::try_from(number).unwrap_or(u16::MAX));
            let mut from = Position(0);
            while let Some(first) =
                (NearestStepOf::next(thread, from)).run(self.index, self.cancel)?
            {
                self.cancel.check()?;
                let before = Position((first.0 / length + 1).saturating_mul(length).min(end));
                let last = NearestStepOf::last(thread, before).run(self.index, self.cancel)?;
                self.schedule
                    .add_run(thread, first.0..last.unwrap_or(first).after().0, None);
                from = before;
            }
        }
        Ok(())
    }
}

/// Maximum number of cores with a lane.
const CORES: usize = 1024;
/// Maximum number of entries in the lane of a core.
const CORE_PIECES: usize = 1 << 12;

/// The schedule of a trace: lanes of threads and cores.
#[derive(Clone, Debug, Default)]
pub struct Schedule {
    /// By thread number.
    pub threads: Vec<ThreadLane>,
    /// By core number: which thread ran there.
    pub cores: BTreeMap<u64, BoundedList<LaneInterval>>,
    /// Times that markers state.
    pub times: BoundedList<TimeSample>,
    /// True if steps of different threads are ordered by their times only.
    pub is_order_by_time: bool,
    /// Unit of the times. None in an empty schedule.
    pub clock: Option<TraceClock>,
}

impl Schedule {
    /// Records that a thread ran between two positions.
    pub fn add_run(&mut self, thread: ThreadId, steps: Range<u64>, core: Option<u64>) {
        let Range { start: first, end } = steps;
        if first >= end {
            return;
        }
        if let Some(lane) = self.threads.get_mut(usize::from(thread.0)) {
            lane.stretches.push(LaneInterval {
                first,
                end,
                who: core.map_or(LanePeer::Unknown, LanePeer::One),
            });
        }
        let Some(core) = core else { return };
        if self.cores.len() < CORES || self.cores.contains_key(&core) {
            let lane = self
                .cores
                .entry(core)
                .or_insert_with(|| BoundedList::with_limit(CORE_PIECES));
            lane.push(LaneInterval {
                first,
                end,
                who: LanePeer::One(u64::from(thread.0)),
            });
        }
    }

    /// Formats the time at a position, from the last marker before it.
    pub fn time_text_at(&self, position: u64) -> Option<String> {
        let moment = self.times.last_at(position)?;
        Some(self.clock.as_ref()?.time_text(moment.time))
    }
}

impl Schedule {
    /// Returns the other threads that ran between the times around a position. Their steps may have
    /// come before or after those of its thread. O(threads · log n).
    pub fn unordered_with(&self, thread: ThreadId, position: u64) -> Vec<ThreadId> {
        let Some(lane) = self
            .threads
            .get(usize::from(thread.0))
            .filter(|_| self.is_order_by_time)
        else {
            return Vec::new();
        };
        let Some((from, to)) = interval(lane, position) else {
            return Vec::new();
        };
        let others = (0u16..)
            .zip(&self.threads)
            .filter(|(number, _)| *number != thread.0);
        others
            .filter(|(_, other)| ran_between(other, from, to))
            .map(|(number, _)| ThreadId(number))
            .collect()
    }
}

/// Returns the times of a thread before and after a position; `u64::MAX` if there is no later one.
fn interval(lane: &ThreadLane, position: u64) -> Option<(u64, u64)> {
    let times = lane.times.list();
    let after = times.partition_point(|moment| moment.first <= position);
    let from = times.get(after.checked_sub(1)?)?.time;
    Some((
        from,
        times.get(after).map_or(u64::MAX, |moment| moment.time),
    ))
}

/// Returns true if a thread executed steps in an interval whose times overlap with these.
fn ran_between(lane: &ThreadLane, from: u64, to: u64) -> bool {
    let times = lane.times.list();
    let first = times
        .partition_point(|moment| moment.time <= from)
        .saturating_sub(1);
    let rest = times.get(first..).unwrap_or_default();
    let ends = rest.iter().skip(1).map(Some).chain([None]);
    rest.iter()
        .zip(ends)
        .take_while(|(moment, _)| moment.time < to)
        .any(|(moment, next)| {
            let is_over = next.is_some_and(|next| next.time <= from)
                || (next.is_none() && moment.time < from);
            let end = next.map_or(u64::MAX, |next| next.first);
            let stretches = lane.stretches.list();
            let place = stretches.partition_point(|stretch| stretch.end <= moment.first);
            !is_over
                && stretches
                    .get(place)
                    .is_some_and(|stretch| stretch.first < end)
        })
}
