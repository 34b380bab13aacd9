//! Call search, a separate pass after the sequential pass ([`CallPass`]): segments are queued in
//! trace order, and one worker at a time searches them, while others take the next tasks.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::{Duration, Instant};

use crate::builder::calls::finder::{CallFinder, FRAMES_LEFT_OUT, POINTS_FORGOTTEN};
use crate::builder::segment::sealed::SegmentCalls;

/// Finds calls in queued segments.
#[derive(Debug, Default)]
pub struct CallPass {
    queue: Mutex<VecDeque<QueuedSegment>>,
    /// Size in memory of the segments in the queue.
    len_bytes: AtomicUsize,
    search: Mutex<CallSearch>,
}

/// Input of the call search from one segment.
#[derive(Debug)]
pub struct QueuedSegment {
    /// Number of steps before it.
    pub step_base: u64,
    /// Number of lines before it.
    pub line_base: u64,
    /// The index's number of each of its threads.
    pub threads: Vec<u16>,
    /// Transfers of control, and the states of the threads at the segment's end.
    pub calls: SegmentCalls,
}

/// The call search up to some segment.
#[derive(Clone, Debug, Default)]
pub struct CallSearch {
    /// The finder.
    pub finder: CallFinder,
    /// Number of lines before the segment in which frames were dropped for the first time.
    dropped_after: Option<u64>,
    /// Number of lines before the segment in which return points were forgotten for the first time.
    forgotten_after: Option<u64>,
    /// Time that the search took.
    pub time: Duration,
}

impl CallPass {
    /// Creates a pass that continues a search.
    pub fn resume(search: CallSearch) -> Self {
        Self {
            search: Mutex::new(search),
            ..Self::default()
        }
    }

    /// Adds the next segment to the queue.
    pub fn push(&self, segment: QueuedSegment) {
        self.len_bytes
            .fetch_add(segment.calls.len_bytes(), Ordering::Relaxed);
        self.queue().push_back(segment);
    }

    /// Returns the size in memory of the segments in the queue.
    pub fn len_bytes(&self) -> usize {
        self.len_bytes.load(Ordering::Relaxed)
    }

    /// Searches the segments in the queue, unless another worker is doing so. Calls `on_segment`
    /// after each.
    pub fn advance(&self, on_segment: impl Fn()) {
        // Another worker that still has the lock may have seen an empty queue just before.
        while !self.queue().is_empty() {
            match self.search.try_lock() {
                Ok(mut search) => self.follow_queue(&mut search, &on_segment),
                Err(TryLockError::WouldBlock) => return,
                Err(TryLockError::Poisoned(search)) => {
                    self.follow_queue(&mut search.into_inner(), &on_segment)
                }
            }
        }
    }

    /// Returns the search after all segments in the queue.
    pub fn caught_up(&self) -> MutexGuard<'_, CallSearch> {
        let mut search = self.search.lock().unwrap_or_else(PoisonError::into_inner);
        self.follow_queue(&mut search, || {});
        search
    }

    fn queue(&self) -> MutexGuard<'_, VecDeque<QueuedSegment>> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn follow_queue(&self, search: &mut CallSearch, on_segment: impl Fn()) {
        let start = Instant::now();
        loop {
            let Some(segment) = self.queue().pop_front() else {
                break;
            };
            search.follow(&segment);
            self.len_bytes
                .fetch_sub(segment.calls.len_bytes(), Ordering::Relaxed);
            on_segment();
        }
        search.time += start.elapsed();
    }
}

impl CallSearch {
    /// Creates a search that continues with a finder.
    pub fn resume(finder: CallFinder) -> Self {
        Self {
            finder,
            ..Self::default()
        }
    }

    fn follow(&mut self, segment: &QueuedSegment) {
        self.finder
            .follow(segment.step_base, &segment.threads, &segment.calls);
        let after = Some(segment.line_base);
        if self.finder.has_dropped() {
            self.dropped_after = self.dropped_after.or(after);
        }
        if self.finder.has_forgotten() {
            self.forgotten_after = self.forgotten_after.or(after);
        }
    }

    /// Returns the warnings about what was left out, each with the number of lines before it.
    pub fn complaints(&self) -> impl Iterator<Item = (u64, &'static str)> {
        let dropped = self.dropped_after.map(|line| (line, FRAMES_LEFT_OUT));
        let forgotten = self.forgotten_after.map(|line| (line, POINTS_FORGOTTEN));
        dropped.into_iter().chain(forgotten)
    }
}
