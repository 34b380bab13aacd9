//! Times of a segment's steps.

use stepback_parsers::StepEvent;

use crate::answers::index_info::WARNINGS_KEPT;
use crate::builder::segment::sealed::{SealedSegment, SegmentFall, ThreadTimes, TimedStep};
use crate::store::packed::push_times;

/// Collects the times of steps.
#[derive(Debug, Default)]
pub(super) struct TimeColumns {
    /// Latest time up to each step.
    times: Vec<u64>,
    latest: Option<u64>,
    /// Number of leading steps without a time.
    timeless: u32,
    threads: Vec<ThreadTimes>,
    /// First steps at which the time of a thread runs backwards.
    falls: Vec<SegmentFall>,
    fall_count: u64,
}

impl TimeColumns {
    /// Begins a task.
    pub fn begin_task(&mut self) {
        self.threads.clear();
    }

    /// Adds the next thread.
    pub fn add_thread(&mut self) {
        self.threads.push(ThreadTimes::default());
    }

    /// Begins a segment.
    pub fn clear(&mut self) {
        self.times.clear();
        (self.latest, self.timeless, self.fall_count) = (None, 0, 0);
        self.threads.fill(ThreadTimes::default());
        self.falls.clear();
    }

    /// Records the time of a step.
    #[inline(always)]
    pub fn push(&mut self, slot: u32, step: &StepEvent<'_>) {
        let latest = match (self.latest, step.time) {
            (Some(latest), Some(time)) => Some(latest.max(time)),
            (latest, time) => latest.or(time),
        };
        self.latest = latest;
        self.timeless += u32::from(latest.is_none());
        self.times.push(latest.unwrap_or(0));
        if let Some(time) = step.time {
            let line = step.place.line_in_range;
            self.note_time(step.thread.0, TimedStep { slot, line, time });
        }
    }

    #[inline(always)]
    fn note_time(&mut self, thread: u16, step: TimedStep) {
        let Some(times) = self.threads.get_mut(usize::from(thread)) else {
            return;
        };
        match times.last.replace(step.time) {
            None => times.first = Some(step),
            Some(from) if step.time < from => self.note_fall(SegmentFall { step, from }),
            Some(_) => {}
        }
    }

    #[cold]
    fn note_fall(&mut self, fall: SegmentFall) {
        self.fall_count += 1;
        if self.falls.len() < WARNINGS_KEPT {
            self.falls.push(fall);
        }
    }

    /// Appends the times, and hands over those that later segments are compared with.
    pub fn finish(&mut self, bytes: &mut Vec<u8>, sealed: &mut SealedSegment) {
        push_times(bytes, &self.times);
        let first = self.times.get(self.timeless as usize).copied();
        sealed.time_range = first.zip(self.latest);
        sealed.meta.timeless = self.timeless;
        sealed.thread_times = self.threads.clone();
        sealed.time_falls = std::mem::take(&mut self.falls);
        sealed.fall_count = self.fall_count;
    }
}
