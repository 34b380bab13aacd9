//! Reads that contradict what earlier segments knew: where in their segment they stand, and how many they are.

use std::sync::atomic::AtomicU8;

use crate::granules::{Masks, Touch};
use crate::segment::{SeamExternal, SegmentMeta, SegmentReader};

/// The first reads of a segment that turned out to contradict what was known before it.
pub struct Seams<'a> {
    reader: SegmentReader<'a>,
    found: Vec<(SeamExternal, Touch)>,
}

impl<'a> Seams<'a> {
    /// Those of a segment that was just encoded; none so far.
    pub fn new(meta: &'a SegmentMeta, bytes: &'a [u8], unchecked: &'a AtomicU8) -> Self {
        Self { reader: SegmentReader { meta, bytes, checked: unchecked }, found: Vec::new() }
    }

    /// Finds the first reads of some bytes of a block. Blocks come in ascending order.
    pub fn find(&mut self, granule: u64, mut wrong: u64) {
        let found = &mut self.found;
        let mut note = |touch: Touch, place: u32| {
            let mask = touch.shape.mask() & wrong;
            if mask != 0 && !touch.shape.is_write() && touch.shape.is_known() {
                found.push((SeamExternal { granule, slot: touch.slot, place, mask }, touch));
                wrong &= !mask;
            }
            wrong != 0
        };
        let list = self.reader.granule(granule).ok().flatten();
        let walked = list.map(|list| list.walk_forward(0, |masks: Masks| masks.read != 0, &mut note));
        debug_assert!(matches!(walked, Some(Ok(()))), "a block that was just encoded can be read");
    }

    /// All that were found, and how many reads they are that did not contradict anything inside the segment.
    pub fn finish(self) -> (Vec<SeamExternal>, u64) {
        let new = self.found.iter().filter(|(seam, touch)| self.is_new(seam, *touch)).count() as u64;
        (self.found.into_iter().map(|(seam, _)| seam).collect(), new)
    }

    fn is_new(&self, seam: &SeamExternal, touch: Touch) -> bool {
        if touch.shape.is_external() || !touch.shape.is_split() {
            return !touch.shape.is_external();
        }
        let Some((granule, place, other)) = self.other_part(seam, touch) else { return true };
        let found = self.found.binary_search_by_key(&(granule, place), |(seam, _)| (seam.granule, seam.place));
        // When both parts contradict what was known before, the first counts.
        !other.shape.is_external() && (found.is_err() || granule > seam.granule)
    }

    /// The other part of an access that touches two blocks: its block, its place there, and itself.
    fn other_part(&self, seam: &SeamExternal, touch: Touch) -> Option<(u64, u32, Touch)> {
        let is_first = !touch.shape.is_second_part();
        let granule = if is_first { seam.granule.checked_add(1)? } else { seam.granule.checked_sub(1)? };
        let own = self.parts(seam.granule, seam.slot, is_first)?;
        // Both lists have the accesses of the slot in trace order.
        let number = own.iter().position(|(place, _)| *place == seam.place)?;
        let (place, other) = *self.parts(granule, seam.slot, !is_first)?.get(number)?;
        Some((granule, place, other))
    }

    /// The first or second parts of accesses in a slot, with their places in the block's list.
    fn parts(&self, granule: u64, slot: u32, is_first: bool) -> Option<Vec<(u32, Touch)>> {
        let list = self.reader.granule(granule).ok().flatten()?;
        let mut parts = Vec::new();
        let note = |touch: Touch, place: u32| {
            let is_meant = touch.shape.is_split() && touch.shape.is_second_part() != is_first;
            parts.extend((touch.slot == slot && is_meant).then_some((place, touch)));
            touch.slot <= slot
        };
        list.walk_forward(slot, |_| true, note).ok()?;
        Some(parts)
    }
}
