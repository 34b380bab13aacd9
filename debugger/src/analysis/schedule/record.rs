//! The lanes of a whole trace.

use std::collections::BTreeMap;
use std::ops::Range;

use stepback_index::ThreadId;

use super::{BoundedList, LaneInterval, LaneMark, LanePeer, ThreadLane, TimeSample};

/// Maximum number of cores with a lane.
const CORES: usize = 1024;
/// Maximum number of entries in the lane of a core.
const PIECES: usize = 1 << 12;

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
                .or_insert_with(|| BoundedList::with_limit(PIECES));
            lane.push(LaneInterval {
                first,
                end,
                who: LanePeer::One(u64::from(thread.0)),
            });
        }
    }

    /// Records an event of a thread.
    pub fn add_mark(&mut self, thread: ThreadId, mark: LaneMark) {
        if let Some(lane) = self.threads.get_mut(usize::from(thread.0)) {
            lane.marks.push(mark);
        }
    }

    /// Returns the time at a position, from the last marker before it.
    pub fn time_at(&self, position: u64) -> Option<u64> {
        self.times.last_at(position).map(|moment| moment.time)
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
