//! First reads of a segment that contradict earlier segments: their places and their number.

use std::sync::atomic::AtomicU8;

use crate::store::data::IndexData;
use crate::store::granules::{Touch, TouchMasks};
use crate::store::segment::meta::{SeamExternal, SegmentMeta};
use crate::store::segment::reader::SegmentReader;

/// First reads of a segment that contradict the memory state before it.
pub struct Seams<'a> {
    reader: SegmentReader<'a>,
    found: Vec<(SeamExternal, Touch)>,
}

impl<'a> Seams<'a> {
    /// Creates an empty set for a segment that was just encoded.
    pub fn new(meta: &'a SegmentMeta, bytes: &'a IndexData, unchecked: &'a AtomicU8) -> Self {
        Self {
            reader: SegmentReader {
                meta,
                bytes,
                checked: unchecked,
            },
            found: Vec::new(),
        }
    }

    /// Finds the first reads of some bytes of a block. Blocks come in ascending order.
    pub fn find(&mut self, granule: u64, mut wrong: u64) {
        let found = &mut self.found;
        let mut note = |touch: Touch, place: u32| {
            let mask = touch.shape.mask() & wrong;
            if mask != 0 && !touch.shape.is_write() && touch.shape.is_known() {
                found.push((
                    SeamExternal {
                        granule,
                        slot: touch.slot,
                        place,
                        mask,
                    },
                    touch,
                ));
                wrong &= !mask;
            }
            wrong != 0
        };
        let list = self.reader.granule(granule).ok().flatten();
        let walked =
            list.map(|list| list.walk_forward(0, |masks: TouchMasks| masks.read != 0, &mut note));
        debug_assert!(
            matches!(walked, Some(Ok(()))),
            "a block that was just encoded can be read"
        );
    }

    /// Returns all reads found, and the number of those that contradict nothing inside the segment.
    pub fn finish(self) -> (Vec<SeamExternal>, u64) {
        let new = self
            .found
            .iter()
            .filter(|(seam, touch)| self.is_new(seam, *touch))
            .count() as u64;
        (self.found.into_iter().map(|(seam, _)| seam).collect(), new)
    }

    fn is_new(&self, seam: &SeamExternal, touch: Touch) -> bool {
        if touch.shape.is_external() {
            return false;
        }
        let other = other_part(&self.reader, seam.granule, seam.place, touch);
        let Some((granule, place, other)) = other else {
            return true;
        };
        let found = self
            .found
            .binary_search_by_key(&(granule, place), |(seam, _)| (seam.granule, seam.place));
        // If both parts contradict the earlier state, the first counts.
        !other.shape.is_external() && (found.is_err() || granule > seam.granule)
    }
}

/// Returns the other part of an access that touches two blocks, with its block and its place there;
/// none when there is none.
pub fn other_part(
    reader: &SegmentReader<'_>,
    granule: u64,
    place: u32,
    touch: Touch,
) -> Option<(u64, u32, Touch)> {
    if !touch.shape.is_split() {
        return None;
    }
    let (own, other, other_granule) = match touch.shape.is_second_part() {
        false => (Half::First, Half::Second, granule.checked_add(1)?),
        true => (Half::Second, Half::First, granule.checked_sub(1)?),
    };
    // Both lists have the accesses of the slot in trace order.
    let own = parts(reader, granule, touch.slot, own)?;
    let number = own.iter().position(|(known, _)| *known == place)?;
    let (place, part) = *parts(reader, other_granule, touch.slot, other)?.get(number)?;
    Some((other_granule, place, part))
}

/// Part of an access that touches two blocks.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Half {
    First,
    Second,
}

/// Returns the first or second parts of accesses in a slot, with their places in the block's list.
fn parts(
    reader: &SegmentReader<'_>,
    granule: u64,
    slot: u32,
    half: Half,
) -> Option<Vec<(u32, Touch)>> {
    let list = reader.granule(granule).ok().flatten()?;
    let mut parts = Vec::new();
    let note = |touch: Touch, place: u32| {
        let is_meant =
            touch.shape.is_split() && touch.shape.is_second_part() == (half == Half::Second);
        parts.extend((touch.slot == slot && is_meant).then_some((place, touch)));
        touch.slot <= slot
    };
    list.walk_forward(slot, |_| true, note).ok()?;
    Some(parts)
}
