//! Directory entry of a segment ([`SegmentMeta`]): its sections with their checksums, its threads,
//! and what the sequential pass found after the segment was encoded. Steps of a thread and markers
//! are listed like register writes, under pseudo views ([`STEPS_OF_THREAD`], [`markers_of`]).

use std::sync::OnceLock;

use serde::{Deserialize, Serialize};
use stepback_machine::{RegisterId, RegisterView};
use stepback_parsers::MarkerKind;

use crate::store::granules::TouchCoverage;

/// Sections of a segment's bytes, each with its checksum.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Section {
    /// Text offset of each slot: a list, relative to the segment's text.
    Offsets,
    /// Line of the first step of each 128, `u32`, relative to the segment's first line.
    Lines,
    /// The time of each step.
    Times,
    /// The lists of registers and threads.
    Registers,
    /// The lists of memory blocks.
    Granules,
    /// The lists of addresses.
    Pcs,
    /// Slots with a read that contradicts earlier accesses of the segment: a list.
    Externals,
    /// Digests of runs of steps: see `builder/segment/digests.rs`.
    Digests,
}

/// Number of sections.
pub const SECTIONS: usize = 8;

impl Section {
    /// All sections, in file order.
    pub const ALL: [Self; SECTIONS] = [
        Self::Offsets,
        Self::Lines,
        Self::Times,
        Self::Registers,
        Self::Granules,
        Self::Pcs,
        Self::Externals,
        Self::Digests,
    ];

    /// Returns the name for messages.
    pub fn name(self) -> &'static str {
        match self {
            Self::Offsets => "offsets",
            Self::Lines => "lines",
            Self::Times => "times",
            Self::Registers => "registers",
            Self::Granules => "memory",
            Self::Pcs => "addresses",
            Self::Externals => "external changes",
            Self::Digests => "digests",
        }
    }
}

/// Share of a thread in a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SegmentThread {
    /// Index into the index's table of threads.
    pub thread: u16,
    /// Number of its steps in the segment.
    pub steps: u32,
}

/// Maximum number of separate damaged ranges of a segment.
pub const DAMAGED_PLACES: usize = 64;

/// A range of slots of a segment, both ends included.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SlotRange {
    /// First slot.
    pub first: u32,
    /// Last slot.
    pub last: u32,
}

/// Directory entry of a segment.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct SegmentMeta {
    /// Start of its text in the trace.
    pub text_start: u64,
    /// Number of steps before it.
    pub step_base: u64,
    /// Number of its steps.
    pub steps: u32,
    /// Number of lines before its first line.
    pub line_base: u64,
    /// Latest time of a step before it; `None` if no such step has a time.
    pub time_before: Option<u64>,
    /// Number of leading steps without a time: no step of the segment up to them has one.
    pub timeless: u32,
    /// Offsets of its sections in the index file; the last number is their end.
    pub sections: [u64; SECTIONS + 1],
    /// The sections' checksums.
    pub checksums: [u64; SECTIONS],
    /// Its threads, by segment-local number.
    pub threads: Vec<SegmentThread>,
    /// Its registers outside the architecture's table, by segment-local number: indices into the
    /// index's table of names.
    pub named: Vec<u16>,
    /// Reads that contradict values known from earlier segments, sorted by block and index.
    pub seam_externals: Vec<SeamExternal>,
    /// Reads that are no external changes after all, because the host had written there. Sorted by
    /// block and index.
    pub explained: Vec<SeamExternal>,
    /// Number of reads that contradict the known contents of memory.
    pub externals: u64,
    /// Length of the list of external changes.
    pub external_slots: u32,
    /// Unreadable ranges, ascending and disjoint: at most [`DAMAGED_PLACES`], the nearest of which
    /// are merged.
    pub damaged: Vec<SlotRange>,
    /// True if an access is in the slot of a step that did not make it: a step of another thread,
    /// or one of an earlier segment.
    pub has_late_accesses: bool,
    /// True if it has effects of an earlier segment's step.
    pub has_late_effects: bool,
    /// True if some value cannot be found by searching the text of its slot
    /// ([`stepback_parsers::EventSink::scattered_values`]).
    pub has_scattered_values: bool,
    /// Indices into `threads`, sorted by thread number; computed on first use.
    #[serde(skip)]
    pub threads_sorted: OnceLock<Vec<u16>>,
}

impl SegmentMeta {
    /// Returns the segment-local numbers of a thread, ascending. Threads beyond the numbering limit
    /// of the index share one number there. O(log n) except for the first call, which sorts:
    /// queries look up thousands of threads again and again.
    pub fn local_threads(&self, thread: u16) -> &[u16] {
        let known = |local: u16| {
            self.threads
                .get(usize::from(local))
                .map_or(u16::MAX, |known| known.thread)
        };
        let sorted = self.threads_sorted.get_or_init(|| {
            let mut sorted: Vec<u16> = (0..=u16::MAX).take(self.threads.len()).collect();
            sorted.sort_by_key(|local| known(*local));
            sorted
        });
        let first = sorted.partition_point(|local| known(*local) < thread);
        let end = sorted.partition_point(|local| known(*local) <= thread);
        sorted.get(first..end).unwrap_or_default()
    }

    /// Returns the reads of a block that contradict values known from earlier segments, sorted by
    /// index. O(log n).
    pub fn seams_of(&self, granule: u64) -> &[SeamExternal] {
        let start = self
            .seam_externals
            .partition_point(|seam| seam.granule < granule);
        let end = self
            .seam_externals
            .partition_point(|seam| seam.granule <= granule);
        self.seam_externals.get(start..end).unwrap_or_default()
    }

    /// Merges further explained reads.
    pub fn explain(&mut self, more: Vec<SeamExternal>) {
        for new in more {
            let key = |known: &SeamExternal| (known.granule, known.place);
            match self.explained.binary_search_by_key(&key(&new), key) {
                Ok(place) => self
                    .explained
                    .get_mut(place)
                    .into_iter()
                    .for_each(|known| known.mask |= new.mask),
                Err(place) => self.explained.insert(place, new),
            }
        }
    }

    /// Adds the seam reads of a block to the `reach` of its list.
    pub fn with_seams(&self, granule: u64, reach: TouchCoverage) -> TouchCoverage {
        let seams = self.seams_of(granule).iter();
        TouchCoverage {
            external: seams.fold(reach.external, |mask, seam| mask | seam.mask),
            ..reach
        }
    }
}

/// A read that contradicts a value known from earlier segments, found after its segment was
/// encoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SeamExternal {
    /// Address / 64.
    pub granule: u64,
    /// Local slot of the read.
    pub slot: u32,
    /// Index in the list of the block.
    pub place: u32,
    /// Mask of the contradicting bytes.
    pub mask: u64,
}

/// Pseudo view for the steps of a thread, in a segment with several threads.
pub const STEPS_OF_THREAD: RegisterView = RegisterView::new(RegisterId(u16::MAX), 0, 0);

/// Pseudo kind of markers: system calls after which memory changes without steps of the trace. They
/// are also in the list of [`MarkerKind::SYSTEM_CALL`]; no format uses this number.
pub const SHARING_CALLS: MarkerKind = MarkerKind(MarkerKind::FIRST_GAP.0 - 1);

/// Returns the pseudo view for the slots of a thread's markers of a kind. The offset is the kind.
pub const fn markers_of(kind: MarkerKind) -> RegisterView {
    RegisterView::new(RegisterId(u16::MAX - 1), kind.0, 0)
}

/// Returns the pseudo view for the markers of all threads, as a list of thread 0, in a segment with
/// several threads.
pub const fn markers_of_all(kind: MarkerKind) -> RegisterView {
    RegisterView::new(RegisterId(u16::MAX - 2), kind.0, 0)
}
