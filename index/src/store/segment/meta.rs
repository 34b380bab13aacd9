//! What the index's directory says of a segment.

use std::sync::OnceLock;

use serde::{Deserialize, Serialize};

use crate::store::granules::TouchCoverage;

/// The parts of a segment's bytes, each with a checksum of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Section {
    /// Where in the trace each slot's text begins: a list, counted from the segment's text.
    Offsets,
    /// The line of the first step of each 128, `u32`, counted from the segment's first line.
    Lines,
    /// The time of each step.
    Times,
    /// The lists of registers and threads.
    Registers,
    /// The lists of memory blocks.
    Granules,
    /// The lists of addresses.
    Pcs,
    /// The slots with a read that contradicts what the segment knew before it: a list.
    Externals,
}

/// How many sections there are.
pub const SECTIONS: usize = 7;

impl Section {
    /// All of them, in the order of the file.
    pub const ALL: [Self; SECTIONS] = [
        Self::Offsets,
        Self::Lines,
        Self::Times,
        Self::Registers,
        Self::Granules,
        Self::Pcs,
        Self::Externals,
    ];

    /// Its name in messages.
    pub fn name(self) -> &'static str {
        match self {
            Self::Offsets => "offsets",
            Self::Lines => "lines",
            Self::Times => "times",
            Self::Registers => "registers",
            Self::Granules => "memory",
            Self::Pcs => "addresses",
            Self::Externals => "external changes",
        }
    }
}

/// A thread's part of a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SegmentThread {
    /// Its place in the index's table of threads.
    pub thread: u16,
    /// Steps that it did in the segment.
    pub steps: u32,
}

/// How many damaged places of a segment are told apart.
pub const DAMAGED_PLACES: usize = 64;

/// Some slots of a segment, both ends included.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SlotRange {
    /// The first.
    pub first: u32,
    /// The last.
    pub last: u32,
}

/// A segment in the index's directory.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct SegmentMeta {
    /// Where its text begins in the trace.
    pub text_start: u64,
    /// Steps before it.
    pub step_base: u64,
    /// Steps in it.
    pub steps: u32,
    /// Lines before its first line.
    pub line_base: u64,
    /// The latest time of a step before it; none when none has one.
    pub time_before: Option<u64>,
    /// How many of its steps have no time of their own because no step of the segment up to them has one.
    pub timeless: u32,
    /// Where its sections begin in the index file; the last number is their end.
    pub sections: [u64; SECTIONS + 1],
    /// The sections' checksums.
    pub checksums: [u64; SECTIONS],
    /// Its threads, by the numbers that its lists use.
    pub threads: Vec<SegmentThread>,
    /// Its registers outside the architecture's table, by the numbers that its lists use: places in the index's table of names.
    pub named: Vec<u16>,
    /// Reads that contradict what earlier segments knew, sorted by block and place.
    pub seam_externals: Vec<SeamExternal>,
    /// Those that are no external changes after all: the host had written there. Sorted by block and place.
    pub explained: Vec<SeamExternal>,
    /// Reads in all that contradict what was known before them.
    pub externals: u64,
    /// Length of the list of external changes.
    pub external_slots: u32,
    /// Where something could not be read, ascending and apart: at most [`DAMAGED_PLACES`], of which the nearest are taken together.
    pub damaged: Vec<SlotRange>,
    /// Whether an access shows in the slot of a step that did not do it: that of another thread, or one of an earlier segment.
    pub has_late_accesses: bool,
    /// Whether there is a value that a search through the text of its slot does not find
    /// ([`stepback_parsers::EventSink::scattered_values`]).
    pub has_scattered_values: bool,
    /// Places in `threads`, sorted by what stands there: made at the first question for a thread.
    #[serde(skip)]
    pub threads_sorted: OnceLock<Vec<u16>>,
}

impl SegmentMeta {
    /// The numbers that the lists use for a thread, ascending: threads beyond what the index can number share one there.
    /// O(log n), but for the first call, which sorts: thousands of threads are asked for again and again.
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

    /// The reads of a block that contradict what earlier segments knew, sorted by place. O(log n).
    pub fn seams_of(&self, granule: u64) -> &[SeamExternal] {
        let start = self
            .seam_externals
            .partition_point(|seam| seam.granule < granule);
        let end = self
            .seam_externals
            .partition_point(|seam| seam.granule <= granule);
        self.seam_externals.get(start..end).unwrap_or_default()
    }

    /// Takes in further reads that are explained.
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

    /// What the segment touches of a block, where its list alone says `reach`.
    pub fn with_seams(&self, granule: u64, reach: TouchCoverage) -> TouchCoverage {
        let seams = self.seams_of(granule).iter();
        TouchCoverage {
            external: seams.fold(reach.external, |mask, seam| mask | seam.mask),
            ..reach
        }
    }
}

/// A read that contradicts what earlier segments knew: found after its segment was encoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SeamExternal {
    /// Address / 64.
    pub granule: u64,
    /// Local slot of the read.
    pub slot: u32,
    /// Its place in the list of the block.
    pub place: u32,
    /// The bytes that contradict.
    pub mask: u64,
}
