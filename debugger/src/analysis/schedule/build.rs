//! Builds the lanes from the markers of a trace.

use stepback_index::{
    Cancel, FindMarkers, Index, MarkerHit, MarkerReader, NearestStepOf, Query as _, QueryError,
    SlotReader, ThreadId,
};
use stepback_parsers::{MarkerKind, Position};

use super::{LaneMark, LaneMarkKind, Schedule, ThreadLane, TimeSample};

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
        ..Schedule::default()
    };
    let mut builder = Builder {
        index,
        cancel,
        cores: vec![None; schedule.threads.len()],
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
    /// Current core of each thread.
    cores: Vec<Option<u64>>,
    /// Position up to which runs are recorded.
    start: u64,
    /// Thread of the last marker, which is usually the one that runs next.
    marked: ThreadId,
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
            let core = self.cores.get(usize::from(thread.0)).copied().flatten();
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
        let Some(lane) = self.schedule.threads.get_mut(usize::from(hit.thread.0)) else {
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
            MarkerKind::CPU => return self.come_to(hit.thread, value),
            MarkerKind::THREAD_EXIT => return lane.has_ended = true,
            MarkerKind::SYSTEM_CALL => {
                lane.last_call = Some((hit.position, value));
                LaneMarkKind::SystemCall
            }
            MarkerKind::SYSTEM_CALL_END
            | MarkerKind::CONTEXT_SWITCH_END
            | MarkerKind::HARDWARE_RETURN => {
                return end_kernel(lane, at);
            }
            MarkerKind::SYSTEM_CALL_START
            | MarkerKind::CONTEXT_SWITCH_START
            | MarkerKind::HARDWARE_EVENT => LaneMarkKind::Kernel,
            MarkerKind::CORE_IDLE => return,
            _ => LaneMarkKind::Signal,
        };
        self.schedule.add_mark(
            hit.thread,
            LaneMark {
                first: at,
                end: at,
                kind,
                count: 1,
            },
        );
    }

    /// Records the core of a thread. All ones mean an unknown core.
    fn come_to(&mut self, thread: ThreadId, core: u64) {
        let core = Some(core).filter(|core| *core != u64::MAX);
        if let Some(known) = self.cores.get_mut(usize::from(thread.0)) {
            *known = core;
        }
        if let Some(lane) = self.schedule.threads.get_mut(usize::from(thread.0)) {
            lane.cores.extend(core);
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

/// Extends the last kernel mark.
fn end_kernel(lane: &mut ThreadLane, at: u64) {
    if let Some(mark) = lane
        .marks
        .last_mut()
        .filter(|mark| mark.kind == LaneMarkKind::Kernel)
    {
        mark.end = mark.end.max(at);
    }
}
