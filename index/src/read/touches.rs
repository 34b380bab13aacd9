//! Last and next touches of the bytes of a memory block.

use std::cell::Cell;
use std::ops::Range;

use crate::answers::cell::{AccessKinds, Direction};
use crate::answers::error::QueryError;
use crate::index::Index;
use crate::index::memories::MemoryId;
use crate::read::key_maps;
use crate::read::slots::SlotReader;
use crate::store::granules::{Granule, Touch, TouchCoverage, TouchMasks};
use crate::store::segment::meta::Section;
use crate::store::segment::reader::{SegmentReader, damaged};

/// Filter for touches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TouchFilter {
    /// Loads.
    Reads,
    /// Stores.
    Writes,
    /// Stores, without those that certainly repeat the value of their bytes.
    Changes,
    /// Loads and stores.
    All,
    /// Touches that determine a value: stores, and loads with a recorded value.
    Evidence,
    /// Loads that contradict the known value, separately for each byte.
    External,
}

impl From<AccessKinds> for TouchFilter {
    fn from(kinds: AccessKinds) -> Self {
        match kinds {
            AccessKinds::Reads => Self::Reads,
            AccessKinds::Writes => Self::Writes,
            AccessKinds::All => Self::All,
        }
    }
}

impl TouchFilter {
    /// Returns the bytes of these masks that may count.
    fn in_masks(self, masks: TouchMasks) -> u64 {
        match self {
            Self::Reads | Self::External => masks.read,
            Self::Writes | Self::Changes => masks.write,
            Self::All | Self::Evidence => masks.read | masks.write,
        }
    }

    /// Returns the bytes that may count in segments with this reach.
    fn in_reach(self, reach: TouchCoverage) -> u64 {
        if self == Self::External {
            reach.external
        } else {
            self.in_masks(reach.masks)
        }
    }

    /// Returns the bytes of a touch that count.
    fn in_touch(self, touch: Touch, external: impl FnOnce() -> u64) -> u64 {
        let counts = match self {
            Self::Reads => !touch.shape.is_write(),
            Self::Writes => touch.shape.is_write(),
            Self::Changes => touch.shape.is_write() && !touch.is_repeat,
            Self::All => true,
            Self::Evidence => touch.shape.is_write() || touch.shape.is_known(),
            Self::External => return external(),
        };
        if counts { touch.shape.mask() } else { 0 }
    }
}

/// A touch of the whole trace. Later touches are greater.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct TouchAt {
    /// Number of its segment.
    pub segment: usize,
    /// Place in the list of the block.
    pub place: u32,
    /// Slot of its effect.
    pub slot: u64,
    /// True for a store.
    pub is_write: bool,
    /// True if the trace records its value.
    pub is_known: bool,
}

/// For each byte of a block, a touch.
pub(crate) type ByteTouches = [Option<TouchAt>; 64];

/// First slot of a search, and its direction.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SlotBound {
    pub slot: u64,
    pub direction: Direction,
}

/// Search for touches of bytes of a block.
struct TouchWalk {
    granule: u64,
    /// Bytes still to be found: frames that touch none of them are skipped.
    need: Cell<u64>,
    wanted: TouchFilter,
    bound: SlotBound,
}

/// Records a touch for each of some bytes; returns these bytes.
fn note_bytes(found: &mut ByteTouches, touch: TouchAt, mask: u64) -> u64 {
    found
        .iter_mut()
        .enumerate()
        .filter(|(place, _)| mask >> place & 1 == 1)
        .for_each(|(_, byte)| *byte = Some(touch));
    mask
}

/// Finds the touches of the bytes of memory blocks.
pub(crate) struct TouchReader<'a> {
    index: &'a Index,
    /// Address space whose touches count; none if there is only one.
    memory: Option<MemoryId>,
}

impl<'a> TouchReader<'a> {
    /// Creates a reader for touches of all threads.
    pub fn new(index: &'a Index) -> Self {
        Self {
            index,
            memory: None,
        }
    }

    /// Creates a reader for touches of one address space.
    pub fn in_memory(index: &'a Index, memory: Option<MemoryId>) -> Self {
        Self { index, memory }
    }

    /// Returns true if a touch in a slot counts. An unreadable slot counts: its reader reports the
    /// error.
    fn counts(&self, slot: u64) -> bool {
        self.memory.is_none_or(|memory| {
            SlotReader(self.index)
                .is_in_memory(slot, memory)
                .unwrap_or(true)
        })
    }

    /// Returns the last touch of each byte of `need` in the slots up to `last`. Cost: bounded by
    /// the number of distinct touches found, one lookup for each 64 segments, and one for each of
    /// those that as a whole touch a byte still to be found.
    pub(crate) fn last_touches(
        &self,
        granule: u64,
        need: u64,
        last: u64,
        wanted: TouchFilter,
    ) -> Result<ByteTouches, QueryError> {
        self.nearest_touches(&TouchWalk {
            granule,
            need: Cell::new(need),
            wanted,
            bound: SlotBound {
                slot: last,
                direction: Direction::Back,
            },
        })
    }

    /// Returns the first touch of each byte of `need` in the slots from `first` on.
    pub(crate) fn next_touches(
        &self,
        granule: u64,
        need: u64,
        first: u64,
        wanted: TouchFilter,
    ) -> Result<ByteTouches, QueryError> {
        self.nearest_touches(&TouchWalk {
            granule,
            need: Cell::new(need),
            wanted,
            bound: SlotBound {
                slot: first,
                direction: Direction::Forward,
            },
        })
    }

    fn nearest_touches(&self, walk: &TouchWalk) -> Result<ByteTouches, QueryError> {
        let mut found = [None; 64];
        self.walk(walk, |touch, mask| note_bytes(&mut found, touch, mask))?;
        Ok(found)
    }

    /// Returns the nearest touch of any byte of `need` in the slots from `bound` on, in a direction.
    pub(crate) fn nearest_touch(
        &self,
        granule: u64,
        need: u64,
        bound: SlotBound,
        wanted: TouchFilter,
    ) -> Result<Option<TouchAt>, QueryError> {
        let mut found = None;
        let walk = TouchWalk {
            granule,
            need: Cell::new(need),
            wanted,
            bound,
        };
        self.walk(&walk, |touch, _| {
            found = Some(touch);
            u64::MAX
        })?;
        Ok(found)
    }

    /// Returns the first touch of any byte of `need` in the slots from `first` on.
    pub(crate) fn next_touch(
        &self,
        granule: u64,
        need: u64,
        first: u64,
        wanted: TouchFilter,
    ) -> Result<Option<TouchAt>, QueryError> {
        let bound = SlotBound {
            slot: first,
            direction: Direction::Forward,
        };
        self.nearest_touch(granule, need, bound, wanted)
    }

    /// Passes the touches of bytes still to be found to `take`, the nearest first; it returns the
    /// bytes that are thereby done.
    fn walk(
        &self,
        walk: &TouchWalk,
        mut take: impl FnMut(TouchAt, u64) -> u64,
    ) -> Result<(), QueryError> {
        let TouchWalk {
            granule,
            ref need,
            wanted,
            bound: SlotBound {
                slot: bound,
                direction,
            },
        } = *walk;
        let range = self.index.segments_with(direction.slots_from(bound));
        let wants = |reach: TouchCoverage| wanted.in_reach(reach) & need.get() != 0;
        let mut groups = 0..key_maps::group_count(self.index);
        while let Some(group) = direction.take(&mut groups) {
            let mut numbers = key_maps::group_segments(self.index, group, granule, &range, &wants)?;
            while let Some(number) = direction.take(&mut numbers) {
                let Some(segment) = self.index.segment(number) else {
                    continue;
                };
                let Some(list) = self.relevant(&segment, walk)? else {
                    continue;
                };
                let may_count = |masks| wanted.in_masks(masks) & need.get() != 0;
                let each = |touch: Touch, place| {
                    let slot = segment.trace_slot(touch.slot);
                    if !self.counts(slot) {
                        return true;
                    }
                    let external = || segment.external_mask(granule, touch, place);
                    let mask = wanted.in_touch(touch, external) & need.get();
                    if mask != 0 {
                        let touch = TouchAt {
                            segment: number,
                            place,
                            slot,
                            is_write: touch.shape.is_write(),
                            is_known: touch.shape.is_known(),
                        };
                        need.set(need.get() & !take(touch, mask));
                    }
                    need.get() != 0
                };
                let walked = match direction {
                    Direction::Back => {
                        let below = segment.local_slot(bound.saturating_add(1));
                        list.walk_back(below, may_count, each)
                    }
                    Direction::Forward => {
                        list.walk_forward(segment.local_slot(bound), may_count, each)
                    }
                };
                walked.map_err(|_| damaged(Section::Granules))?;
                if need.get() == 0 {
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    /// Returns true if a step of some slots writes a block. Cost: one lookup for each 64 segments,
    /// and one for each that has some of the slots and touches the block.
    pub(crate) fn is_written(&self, granule: u64, slots: &Range<u64>) -> Result<bool, QueryError> {
        let range = self.index.segments_with(slots.clone());
        let mut is_written = false;
        for group in 0..key_maps::group_count(self.index) {
            let wants = |reach: TouchCoverage| reach.masks.write != 0;
            for number in key_maps::group_segments(self.index, group, granule, &range, &wants)? {
                let Some(segment) = self.index.segment(number) else {
                    continue;
                };
                let Some(list) = segment.granule(granule)? else {
                    continue;
                };
                let walked = list.walk_forward(
                    segment.local_slot(slots.start),
                    |masks| masks.write != 0,
                    |touch, _| {
                        let slot = segment.trace_slot(touch.slot);
                        let is_inside = slot < slots.end;
                        is_written |= is_inside && touch.shape.is_write() && self.counts(slot);
                        is_inside && !is_written
                    },
                );
                walked.map_err(|_| damaged(Section::Granules))?;
                if is_written {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    /// Returns the contradicting bytes of a block in each touch of a slot; empty if there are none.
    pub(crate) fn contradictions_in(
        &self,
        granule: u64,
        slot: u64,
    ) -> Result<Vec<u64>, QueryError> {
        let mut is_any = false;
        for (segment, local) in SlotReader(self.index)
            .locate_all(slot)
            .filter(|(segment, _)| segment.meta.externals > 0)
        {
            is_any |= contradicts_in(&segment, granule, local)?;
        }
        let mut masks = Vec::new();
        for (segment, local) in SlotReader(self.index).locate_all(slot).filter(|_| is_any) {
            let Some(list) = segment.granule(granule)? else {
                continue;
            };
            let walked = list.walk_forward(
                local,
                |_| true,
                |touch, place| {
                    let is_here = touch.slot == local;
                    if is_here {
                        masks.push(segment.external_mask(granule, touch, place));
                    }
                    is_here
                },
            );
            walked.map_err(|_| damaged(Section::Granules))?;
        }
        Ok(masks)
    }

    /// Returns the list of the walk's block in a segment, if it may have matching touches.
    fn relevant<'b>(
        &self,
        segment: &SegmentReader<'b>,
        walk: &TouchWalk,
    ) -> Result<Option<Granule<'b>>, QueryError> {
        if walk.wanted == TouchFilter::External && segment.meta.externals == 0 {
            return Ok(None);
        }
        let Some(list) = segment.granule(walk.granule)? else {
            return Ok(None);
        };
        let is_met = list
            .masks()
            .is_none_or(|masks| walk.wanted.in_masks(masks) & walk.need.get() != 0);
        let has_external =
            || list.has_external() || !segment.meta.seams_of(walk.granule).is_empty();
        Ok(Some(list)
            .filter(|_| is_met && (walk.wanted != TouchFilter::External || has_external())))
    }
}

/// Returns true if any read of a block in a slot of a segment contradicts the known value.
fn contradicts_in(
    segment: &SegmentReader<'_>,
    granule: u64,
    local: u32,
) -> Result<bool, QueryError> {
    let Some(list) = segment.granule(granule)? else {
        return Ok(false);
    };
    if !list.has_external() && segment.meta.seams_of(granule).is_empty() {
        return Ok(false);
    }
    let mut is_found = false;
    let walked = list.walk_forward(
        local,
        |_| true,
        |touch, place| {
            is_found |= touch.slot == local && segment.external_mask(granule, touch, place) != 0;
            touch.slot == local && !is_found
        },
    );
    walked.map_err(|_| damaged(Section::Granules))?;
    Ok(is_found)
}
