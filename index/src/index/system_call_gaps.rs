//! Times that threads spent in system calls.

use std::sync::atomic::AtomicBool;

use crate::answers::cell::ThreadId;

/// A system call after which other threads made steps before the calling thread did.
#[derive(Debug)]
pub(crate) struct CallGap {
    /// Slot of the marker of the call.
    pub call: u64,
    /// Slot of the thread's next step, or the slot after its next call.
    pub until: u64,
    /// Thread of the call.
    pub thread: ThreadId,
    /// True if its record was read and shows that it writes nothing on return.
    pub is_harmless: AtomicBool,
}

/// Gaps of a segment.
#[derive(Debug)]
pub(crate) struct CallGaps {
    /// Sorted by call.
    gaps: Vec<CallGap>,
    /// For each gap, the maximum `until` of all gaps up to it.
    latest: Vec<u64>,
}

impl CallGaps {
    /// Creates the list from gaps in any order.
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

    /// Returns the memory use in bytes.
    pub fn len_bytes(&self) -> usize {
        self.gaps.len() * (size_of::<CallGap>() + size_of::<u64>())
    }

    /// Returns the gaps that contain a slot, latest call first. O(log n) plus the gaps that may
    /// reach the slot.
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
