//! Walks the slots with external changes, in either direction.
//!
//! Look-ups for one slot are kept for the next, so a query for all changes reads each block and
//! each seam once.

use std::collections::BinaryHeap;

use crate::answers::cell::{Direction, MemoryRange};
use crate::answers::error::{Cancel, QueryError};
use crate::index::Index;
use crate::read::bytes::ByteReader;
use crate::read::touches::{ByteTouches, TouchFilter, TouchReader};

/// Walk of one query.
pub(crate) struct ExternalSlots<'a> {
    index: &'a Index,
    direction: Direction,
    range: Option<MemoryRange>,
    /// With a range: the next changes of its bytes, filled on first use.
    due: Option<DueBytes>,
    /// Without a range: the segment read last, and the slots of its seams, ascending.
    seam_segment: Option<usize>,
    seams: Vec<u32>,
}

impl<'a> ExternalSlots<'a> {
    /// Creates a walk over all memory, or a range.
    pub fn new(index: &'a Index, direction: Direction, range: Option<MemoryRange>) -> Self {
        Self {
            index,
            direction,
            range,
            due: None,
            seam_segment: None,
            seams: Vec::new(),
        }
    }

    /// Returns the nearest slot from a bound on, in the walk's direction. Bounds must not go
    /// backwards in that direction.
    pub fn next(&mut self, bound: u64, cancel: &Cancel) -> Result<Option<u64>, QueryError> {
        let Some(range) = self.range else {
            return self.next_anywhere(bound);
        };
        let (index, direction) = (self.index, self.direction);
        let look = |granule: u64, bytes: u64| match direction {
            Direction::Forward => {
                TouchReader::new(index).next_touches(granule, bytes, bound, TouchFilter::External)
            }
            Direction::Back => {
                TouchReader::new(index).last_touches(granule, bytes, bound, TouchFilter::External)
            }
        };
        let due = match &mut self.due {
            Some(due) => due,
            None => {
                let mut due = DueBytes {
                    direction,
                    heap: BinaryHeap::new(),
                };
                if index.contents.externals != 0 {
                    ByteReader::new(index).for_each_touched(range, cancel, |granule, bytes| {
                        due.push(granule, &look(granule, bytes)?);
                        Ok(())
                    })?;
                }
                self.due.insert(due)
            }
        };
        due.next(bound, cancel, look)
    }

    fn next_anywhere(&mut self, bound: u64) -> Result<Option<u64>, QueryError> {
        let mut numbers = self.index.segments_with(self.direction.slots_from(bound));
        while let Some(number) = self.direction.take(&mut numbers) {
            let segment = self
                .index
                .segment(number)
                .filter(|segment| segment.meta.externals > 0);
            let Some(segment) = segment else { continue };
            let local = segment.local_slot(bound);
            if self.seam_segment != Some(number) {
                let seams = segment.meta.seam_externals.iter();
                self.seams = seams.map(|seam| seam.slot).collect();
                self.seams.sort_unstable();
                self.seam_segment = Some(number);
            }
            let seams = &self.seams;
            if let Some(found) = segment.nearest_external_slot(local, self.direction, seams)? {
                return Ok(Some(segment.trace_slot(found)));
            }
        }
        Ok(None)
    }
}

/// Next external change of each byte of a range that still has one in the walk's direction.
struct DueBytes {
    direction: Direction,
    /// Rank of a slot, a block, and the bytes of the block with their next change there. No byte is
    /// in two entries.
    heap: BinaryHeap<(u64, u64, u64)>,
}

impl DueBytes {
    /// Bytes without a change are never looked up again.
    fn push(&mut self, granule: u64, touches: &ByteTouches) {
        let mut left = (0..64)
            .filter(|place| touches[*place].is_some())
            .fold(0, |bytes, place| bytes | 1u64 << place);
        while left != 0 {
            let slot_of = |place: u32| touches[place as usize].map(|touch| touch.slot);
            let slot = slot_of(left.trailing_zeros());
            let same = (0..64).filter(|place| left >> place & 1 != 0 && slot_of(*place) == slot);
            let bytes = same.fold(0, |bytes, place| bytes | 1u64 << place);
            self.heap
                .extend(slot.map(|slot| (self.direction.rank(slot), granule, bytes)));
            left &= !bytes;
        }
    }

    /// Returns the nearest slot from a bound on; `look` finds the next changes of some bytes from
    /// there on.
    fn next(
        &mut self,
        bound: u64,
        cancel: &Cancel,
        mut look: impl FnMut(u64, u64) -> Result<ByteTouches, QueryError>,
    ) -> Result<Option<u64>, QueryError> {
        while let Some((rank, granule, bytes)) = self.heap.peek().copied() {
            if rank <= self.direction.rank(bound) {
                return Ok(Some(self.direction.rank(rank)));
            }
            cancel.check()?;
            self.heap.pop();
            self.push(granule, &look(granule, bytes)?);
        }
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::touches::TouchAt;

    #[test]
    fn each_change_of_a_block_is_looked_up_once_however_many_blocks_there_are() {
        // Block n changes in its first half at slots n, n + 1000, ..., and its second half never
        // does.
        let (blocks, turns) = (1000, 4);
        let touches_from = |granule: u64, bytes: u64, bound: u64| {
            let slot = (0..turns)
                .map(|turn| granule + turn * blocks)
                .find(|slot| *slot >= bound);
            let touch = slot.map(|slot| TouchAt {
                segment: 0,
                place: 0,
                slot,
                is_write: false,
                is_known: true,
            });
            let mut touches = [None; 64];
            (0..32)
                .filter(|place| bytes >> place & 1 != 0)
                .for_each(|place| touches[place] = touch);
            touches
        };
        let mut due = DueBytes {
            direction: Direction::Forward,
            heap: BinaryHeap::new(),
        };
        (0..blocks).for_each(|granule| due.push(granule, &touches_from(granule, u64::MAX, 0)));
        let (mut looks, mut found, mut bound) = (0, Vec::new(), 0);
        let look = |granule, bytes, bound| {
            assert_eq!(bytes, u64::from(u32::MAX));
            Ok(touches_from(granule, bytes, bound))
        };
        while let Some(slot) = {
            let next = due.next(bound, &Cancel::default(), |granule, bytes| {
                looks += 1;
                look(granule, bytes, bound)
            });
            next.unwrap()
        } {
            found.push(slot);
            bound = slot + 1;
        }
        assert_eq!(
            (found, looks),
            ((0..blocks * turns).collect(), blocks * turns)
        );
    }
}
