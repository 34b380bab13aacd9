//! Steps at each instruction address.
//!
//! ```text
//! entry of an address   n: varint; n <= 4: n times slot - slot before: varint;
//!                       n > 4: list length: varint
//! ```
//! The list has the encoding of [`crate::store::packed`].

use crate::store::directory::DirectoryEntry;
use crate::store::packed::{
    FRAME, MalformedEncoding, PackedList, push_list, push_varint, take, take_varint,
};

const INLINE: usize = 4;

/// Appends the entry of an address, and its list if it has one. `slots` ascend.
pub fn push_visits(entries: &mut Vec<u8>, lists: &mut Vec<u8>, slots: &[u32]) {
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

/// The encoded steps at an address in a segment.
#[derive(Clone, Copy, Debug)]
pub enum SegmentVisits<'a> {
    /// Up to four steps.
    Few([u32; INLINE], usize),
    /// More than four steps.
    Many(PackedList<'a>),
}

impl<'a> DirectoryEntry<'a> for SegmentVisits<'a> {
    fn take(entries: &mut &'a [u8], lists: &mut &'a [u8]) -> Result<Self, MalformedEncoding> {
        let len = take_varint(entries)? as usize;
        if len > INLINE {
            let bytes = usize::try_from(take_varint(entries)?).map_err(|_| MalformedEncoding)?;
            return Ok(Self::Many(PackedList::new(take(lists, bytes)?, len)));
        }
        let (mut slots, mut slot) = ([0; INLINE], 0u32);
        for place in &mut slots[..len] {
            slot = slot.wrapping_add(take_varint(entries)? as u32);
            *place = slot;
        }
        Ok(Self::Few(slots, len))
    }
}

impl SegmentVisits<'_> {
    /// Returns the number of visits.
    pub fn len(&self) -> usize {
        match self {
            Self::Few(_, len) => *len,
            Self::Many(list) => list.len(),
        }
    }

    /// Returns the number of visits below a slot.
    pub fn count_below(&self, bound: u32) -> Result<usize, MalformedEncoding> {
        match self {
            Self::Few(slots, len) => Ok(slots[..*len].partition_point(|slot| *slot < bound)),
            Self::Many(list) => list.count_below(bound),
        }
    }

    /// Calls `each` with all slots.
    pub fn for_each(&self, mut each: impl FnMut(u32)) -> Result<(), MalformedEncoding> {
        match self {
            Self::Few(slots, len) => slots[..*len].iter().for_each(|slot| each(*slot)),
            Self::Many(list) => list.for_each(each)?,
        }
        Ok(())
    }

    /// Returns up to 128 slots from index `128 * number` on; empty past the end.
    pub fn block(&self, number: usize) -> Result<Vec<u32>, MalformedEncoding> {
        match self {
            Self::Few(slots, len) => Ok(if number == 0 {
                slots[..*len].to_vec()
            } else {
                Vec::new()
            }),
            Self::Many(list) if number >= list.len().div_ceil(FRAME) => Ok(Vec::new()),
            Self::Many(list) => Ok(list.frame(number)?.numbers().to_vec()),
        }
    }

    /// Returns slot `index`.
    pub fn get(&self, index: usize) -> Result<u32, MalformedEncoding> {
        match self {
            Self::Few(slots, len) => slots[..*len].get(index).copied().ok_or(MalformedEncoding),
            Self::Many(list) => list.get(index),
        }
    }
}
