//! Assignment of threads to memories, and caches of the changes that other processes and the kernel
//! make. In a trace of several processes, each process has a separate memory:
//!
//!
//! [`SharedMemory`] caches the memory that changes without steps of the trace, and [`CallGapCache`]
//! the times that threads spent in system calls.

use std::collections::HashMap;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use crate::answers::cell::ThreadId;

/// Number of a memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct MemoryId(usize);

/// Memories of a trace.
#[derive(Debug)]
pub(crate) struct Memories {
    /// Indexed by thread.
    of_threads: Vec<MemoryId>,
    count: usize,
}

impl Memories {
    /// Numbers the memories of the threads by name.
    pub fn new(names: impl Iterator<Item = Option<String>>) -> Self {
        let mut numbers: HashMap<Option<String>, MemoryId> = HashMap::new();
        let mut of_threads = Vec::new();
        for name in names {
            let next = MemoryId(numbers.len());
            of_threads.push(*numbers.entry(name).or_insert(next));
        }
        Self {
            of_threads,
            count: numbers.len(),
        }
    }

    /// Returns true if threads of the trace have different memories.
    pub fn are_several(&self) -> bool {
        self.count > 1
    }

    /// Returns the memory of a thread; `None` if all threads share one.
    pub fn of(&self, thread: ThreadId) -> Option<MemoryId> {
        self.of_threads
            .get(usize::from(thread.0))
            .copied()
            .filter(|_| self.are_several())
    }
}

/// Page size in bytes: mappings are whole pages.
const PAGE: u64 = 4096;

/// A range of memory that changes without a step, from a slot on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SharedPiece {
    /// Slot of the system call that shared it.
    pub slot: u64,
    pub first: u64,
    pub last: u64,
    pub kind: SharedKind,
}

impl SharedPiece {
    /// Returns a piece that may be at any address.
    pub fn anywhere(slot: u64) -> Self {
        Self {
            slot,
            first: 0,
            last: u64::MAX,
            kind: SharedKind::Writable,
        }
    }

    /// Returns true if its address is unknown.
    pub fn is_anywhere(&self) -> bool {
        (self.first, self.last) == (0, u64::MAX)
    }

    /// Returns true for whole pages, as opposed to a small area of a thread.
    pub fn is_mapping(&self) -> bool {
        self.last - self.first >= PAGE - 1 && self.first.is_multiple_of(PAGE)
    }

    /// Returns true if it contains an address from `first` to `last`.
    pub fn reaches(&self, first: u64, last: u64) -> bool {
        self.first <= last && first <= self.last
    }

    /// Returns true if it includes another piece.
    pub fn covers(&self, other: &Self) -> bool {
        let is_wider = self.kind == SharedKind::Writable || other.kind == SharedKind::ReadOnly;
        self.first <= other.first && other.last <= self.last && is_wider
    }
}

/// Use of the memory by steps of the trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SharedKind {
    /// Steps may store into it.
    Writable,
    /// Steps do not store into it.
    ReadOnly,
}

/// Shared memory known up to a system call. Queries for later times continue from there.
#[derive(Debug, Default)]
pub(crate) struct SharedMemory {
    /// Sorted by slot.
    pub pieces: Vec<SharedPiece>,
    /// Number of system calls examined.
    pub calls: usize,
    /// Segment of the last one.
    pub segment: usize,
    /// First slot of that segment that is not examined yet.
    pub from: u32,
}

/// Gaps of each segment, computed on demand. A segment holds `None` if its gaps would take too much
/// memory.
#[derive(Debug, Default)]
pub(crate) struct CallGapCache {
    /// Indexed by segment number.
    pub segments: Vec<OnceLock<Option<CallGaps>>>,
    /// Total size in bytes.
    bytes: AtomicUsize,
}

impl CallGapCache {
    /// Creates an empty cache.
    pub fn new(segments: usize) -> Self {
        Self {
            segments: (0..segments).map(|_| OnceLock::new()).collect(),
            bytes: AtomicUsize::new(0),
        }
    }

    /// Reserves `bytes` if the total stays within `limit`, and returns whether it did.
    pub fn reserve(&self, bytes: usize, limit: usize) -> bool {
        let add = |taken: usize| taken.checked_add(bytes).filter(|taken| *taken <= limit);
        self.bytes
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, add)
            .is_ok()
    }
}

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_of_one_process_see_one_memory() {
        let memories = |names: &[Option<&str>]| {
            Memories::new(names.iter().map(|name| name.map(str::to_owned)))
        };
        let several = memories(&[Some("1"), Some("2"), Some("1"), None]);
        let found: Vec<_> = (0..4)
            .map(|thread| several.of(ThreadId(thread)).unwrap().0)
            .collect();
        assert_eq!(found, [0, 1, 0, 2]);
        for single in [&[None, None][..], &[Some("1"), Some("1")], &[]] {
            assert_eq!(memories(single).of(ThreadId(0)), None, "{single:?}");
        }
    }
}
