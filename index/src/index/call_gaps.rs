//! The times that threads spent in system calls, as far as they were worked out.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use crate::answers::thread::ThreadId;

/// For each segment the gaps that were asked for; none in a segment of which they would take too much memory.
#[derive(Debug, Default)]
pub(crate) struct CallGapCache {
    /// By the segments' numbers.
    pub segments: Vec<OnceLock<Option<CallGaps>>>,
    /// What all of them take.
    bytes: AtomicUsize,
}

impl CallGapCache {
    /// Of no segment so far.
    pub fn new(segments: usize) -> Self {
        Self {
            segments: (0..segments).map(|_| OnceLock::new()).collect(),
            bytes: AtomicUsize::new(0),
        }
    }

    /// Whether there is room for so many bytes more, which is then taken.
    pub fn reserve(&self, bytes: usize, limit: usize) -> bool {
        let add = |taken: usize| taken.checked_add(bytes).filter(|taken| *taken <= limit);
        self.bytes
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, add)
            .is_ok()
    }
}

/// A system call behind which others did steps before its thread did one.
#[derive(Debug)]
pub(crate) struct CallGap {
    /// The slot of the call's marker.
    pub call: u64,
    /// The slot of the thread's next step, or the one behind its next call.
    pub until: u64,
    /// Whose.
    pub thread: ThreadId,
    /// Its record was read, and it writes nothing when it returns.
    pub is_harmless: AtomicBool,
}

/// The gaps of a segment.
#[derive(Debug)]
pub(crate) struct CallGaps {
    /// By call.
    gaps: Vec<CallGap>,
    /// For each, the latest end up to it.
    latest: Vec<u64>,
}

impl CallGaps {
    /// Of these, in any order.
    pub fn new(mut gaps: Vec<CallGap>) -> Self {
        gaps.sort_unstable_by_key(|gap| (gap.call, gap.thread));
        let latest = gaps.iter().scan(0, |latest, gap| {
            *latest = gap.until.max(*latest);
            Some(*latest)
        });
        Self {
            latest: latest.collect(),
            gaps,
        }
    }

    /// What they take in memory.
    pub fn len_bytes(&self) -> usize {
        self.gaps.len() * (size_of::<CallGap>() + size_of::<u64>())
    }

    /// Those that a slot lies in, the latest call first.
    pub fn around(&self, slot: u64) -> Vec<&CallGap> {
        let before = self.gaps.partition_point(|gap| gap.call < slot);
        let known = self.gaps.iter().zip(&self.latest).take(before).rev();
        known
            .take_while(|(_, latest)| **latest > slot)
            .map(|(gap, _)| gap)
            .filter(|gap| gap.until > slot)
            .collect()
    }
}
