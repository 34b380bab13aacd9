//! Steps at the instruction addresses of a segment: the entries of its directory of addresses.
//!
//! ```text
//! entry of an address   n: varint; n <= 4: n times slot - slot before: varint;
//!                       n > 4: list length: varint
//!                       n = 0: the steps after those of the previous address
//! ```
//! The list has the encoding of [`crate::store::packed`]. The instructions of a basic block are
//! executed one after the other, so only the first one needs a list: each other address has `n = 0`
//! unless an interrupt, another thread or the end of the segment came between.

use crate::store::directory::DirectoryEntry;
use crate::store::packed::{
    FRAME, MalformedEncoding, PackedList, push_list, push_varint, take, take_varint,
};

const INLINE: usize = 4;

/// Slots of the steps at an address.
#[derive(Clone, Copy, Debug)]
pub struct VisitedSlots<'a> {
    /// Slots at the address; they ascend.
    pub slots: &'a [u32],
    /// Slots at the previous address, if the entry may refer to that one, and none otherwise.
    pub before: &'a [u32],
}

impl VisitedSlots<'_> {
    /// Returns true if each step comes right after a step at the previous address.
    fn is_continuation(&self) -> bool {
        let Self { slots, before } = self;
        slots.len() == before.len()
            && (slots.iter().zip(*before)).all(|(slot, before)| *slot == before.wrapping_add(1))
    }

    /// Appends the entry, and the list if the entry has one.
    pub fn push(&self, entries: &mut Vec<u8>, lists: &mut Vec<u8>) {
        let slots = self.slots;
        if self.is_continuation() {
            push_varint(entries, 0);
            return;
        }
        push_varint(entries, slots.len() as u64);
        if slots.len() <= INLINE {
            let mut before = 0;
            for slot in slots {
                push_varint(entries, u64::from(slot - before));
                before = *slot;
            }
            return;
        }
        let start = lists.len();
        push_list(lists, slots);
        push_varint(entries, (lists.len() - start) as u64);
    }
}

/// The encoded steps at an address in a segment.
#[derive(Clone, Copy, Debug)]
pub struct SegmentVisits<'a> {
    /// Steps at the first instruction of the block.
    first: VisitList<'a>,
    /// Number of steps from that instruction to this one.
    distance: u32,
}

#[derive(Clone, Copy, Debug)]
enum VisitList<'a> {
    /// Up to four steps.
    Few([u32; INLINE], usize),
    /// More than four steps.
    Many(PackedList<'a>),
}

impl<'a> DirectoryEntry<'a> for SegmentVisits<'a> {
    fn take(entries: &mut &'a [u8], lists: &mut &'a [u8]) -> Result<Self, MalformedEncoding> {
        Self::take_after(None, entries, lists)
    }

    fn take_after(
        before: Option<Self>,
        entries: &mut &'a [u8],
        lists: &mut &'a [u8],
    ) -> Result<Self, MalformedEncoding> {
        let len = take_varint(entries)? as usize;
        let first = match len {
            0 => {
                let Self { first, distance } = before.ok_or(MalformedEncoding)?;
                let distance = distance.wrapping_add(1);
                return Ok(Self { first, distance });
            }
            1..=INLINE => {
                let (mut slots, mut slot) = ([0; INLINE], 0u32);
                for place in &mut slots[..len] {
                    slot = slot.wrapping_add(take_varint(entries)? as u32);
                    *place = slot;
                }
                VisitList::Few(slots, len)
            }
            _ => {
                let bytes =
                    usize::try_from(take_varint(entries)?).map_err(|_| MalformedEncoding)?;
                VisitList::Many(PackedList::new(take(lists, bytes)?, len))
            }
        };
        Ok(Self { first, distance: 0 })
    }

    fn for_next(&self) -> Option<Self> {
        Some(*self)
    }
}

impl SegmentVisits<'_> {
    fn slot(&self, first: u32) -> u32 {
        first.wrapping_add(self.distance)
    }

    /// Returns the number of visits.
    pub fn len(&self) -> usize {
        match &self.first {
            VisitList::Few(_, len) => *len,
            VisitList::Many(list) => list.len(),
        }
    }

    /// Returns the number of visits below a slot.
    pub fn count_below(&self, bound: u32) -> Result<usize, MalformedEncoding> {
        let bound = bound.saturating_sub(self.distance);
        match &self.first {
            VisitList::Few(slots, len) => Ok(slots[..*len].partition_point(|slot| *slot < bound)),
            VisitList::Many(list) => list.count_below(bound),
        }
    }

    /// Calls `each` with all slots.
    pub fn for_each(&self, mut each: impl FnMut(u32)) -> Result<(), MalformedEncoding> {
        let each = |slot: u32| each(self.slot(slot));
        match &self.first {
            VisitList::Few(slots, len) => slots[..*len].iter().copied().for_each(each),
            VisitList::Many(list) => list.for_each(each)?,
        }
        Ok(())
    }

    /// Returns up to 128 slots from index `128 * number` on; empty past the end.
    pub fn block(&self, number: usize) -> Result<Vec<u32>, MalformedEncoding> {
        let slots = |slots: &[u32]| slots.iter().map(|slot| self.slot(*slot)).collect();
        match &self.first {
            _ if number >= self.len().div_ceil(FRAME) => Ok(Vec::new()),
            VisitList::Few(few, len) => Ok(slots(&few[..*len])),
            VisitList::Many(list) => Ok(slots(list.frame(number)?.numbers())),
        }
    }

    /// Returns slot `index`.
    pub fn get(&self, index: usize) -> Result<u32, MalformedEncoding> {
        let first = match &self.first {
            VisitList::Few(slots, len) => slots[..*len].get(index).copied(),
            VisitList::Many(list) => Some(list.get(index)?),
        };
        first.map(|slot| self.slot(slot)).ok_or(MalformedEncoding)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::directory::{Directory, DirectoryWriter};

    /// Encodes the steps of some addresses, and returns the bytes of the directory.
    fn directory(addresses: &[(u64, Vec<u32>)]) -> Vec<u8> {
        let (mut writer, mut before): (_, &[u32]) = (DirectoryWriter::default(), &[]);
        for (address, slots) in addresses {
            if writer.begins_group() {
                before = &[];
            }
            writer.push(*address, |entries, lists| {
                VisitedSlots { slots, before }.push(entries, lists);
            });
            before = slots;
        }
        let mut bytes = Vec::new();
        writer.finish(&mut bytes);
        bytes
    }

    fn check(addresses: &[(u64, Vec<u32>)]) -> usize {
        let bytes = directory(addresses);
        let directory = Directory::new(&bytes).unwrap();
        let mut walked = Vec::new();
        let all = |visits: SegmentVisits<'_>| {
            let mut slots = Vec::new();
            visits.for_each(|slot| slots.push(slot)).unwrap();
            slots
        };
        directory
            .for_each_from(0, |address, visits| {
                walked.push((address, all(visits)));
                true
            })
            .unwrap();
        assert_eq!(walked, addresses);
        for (address, slots) in addresses {
            let visits: SegmentVisits<'_> = directory.find(*address).unwrap().unwrap();
            assert_eq!(visits.len(), slots.len());
            assert_eq!(all(visits), *slots, "{address:#x}");
            let blocks = (0..=slots.len().div_ceil(FRAME)).map(|block| visits.block(block));
            assert_eq!(blocks.flat_map(Result::unwrap).collect::<Vec<_>>(), *slots);
            for (place, slot) in slots.iter().enumerate() {
                assert_eq!(visits.get(place), Ok(*slot));
                assert_eq!(visits.count_below(*slot), Ok(place));
                assert_eq!(visits.count_below(slot + 1), Ok(place + 1));
            }
            assert_eq!(visits.count_below(0), Ok(0));
            assert!(visits.get(slots.len()).is_err());
        }
        bytes.len()
    }

    /// Slots of `count` rounds of a loop of 100 instructions.
    fn rounds(count: u32) -> Vec<(u64, Vec<u32>)> {
        let slots = |place: u32| (0..count).map(|round| 1 + 100 * round + place).collect();
        (0..100)
            .map(|place| (0x1000 + 4 * u64::from(place), slots(place)))
            .collect()
    }

    #[test]
    fn all_instructions_of_a_block_have_one_list() {
        for count in [1, 4, 5, 128, 1000] {
            let len = check(&rounds(count));
            assert!(len < 2 * 100 + 2 * 16 + 8 * 40, "{count}: {len}");
        }
    }

    #[test]
    fn a_block_that_was_interrupted_has_several_lists() {
        for count in [1, 4, 5, 300] {
            let mut loops = rounds(count);
            // The second half of the last round comes after an interrupt of seven steps.
            for (_, slots) in &mut loops[50..] {
                *slots.last_mut().unwrap() += 7;
            }
            // The segment ends before the last ten instructions.
            loops[90..].iter_mut().for_each(|(_, slots)| {
                slots.pop();
            });
            loops.retain(|(_, slots)| !slots.is_empty());
            check(&loops);
        }
    }

    #[test]
    fn an_entry_that_refers_to_none_is_malformed() {
        let mut writer = DirectoryWriter::default();
        writer.push(0x1000, |entries, _| entries.push(0));
        let mut bytes = Vec::new();
        writer.finish(&mut bytes);
        let found = Directory::new(&bytes).unwrap().find(0x1000);
        assert_eq!(
            found.map(|visits: Option<SegmentVisits<'_>>| visits.is_some()),
            Err(MalformedEncoding)
        );
    }
}
