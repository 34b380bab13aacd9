//! Sorted keys with small entries: the directory of a segment's addresses and memory blocks.
//!
//! ```text
//! directory   groups: u32, then for each group of 64 keys (key: u64, entry: u32, list: u32),
//!             then the entries, then the lists
//! entry       key - key before: varint (0 for the first of a group), then what the owner writes
//! ```
//! `entry` and `list` are byte offsets from the first entry and the first list. An entry contains
//! the length of its list, so one pass over a group finds both. Measured: 1 to 3 bytes per key,
//! without the lists; a lookup takes 0.1 to 0.7 microseconds.
//!
//! [`SegmentVisits`] is the entry in the directory of addresses, with the steps at an instruction
//! address:
//!
//! ```text
//! entry of an address   n: varint; n <= 4: n times slot - slot before: varint;
//!                       n > 4: list length: varint
//! ```
//! The list has the encoding of [`crate::store::packed`].

use crate::store::packed::{
    FRAME, MalformedEncoding, PackedList, entry, push_list, push_varint, take, take_u32,
    take_varint, u32_in, u64_in,
};

const GROUP: usize = 64;

/// Encodes a directory, key by key in ascending order.
#[derive(Debug, Default)]
pub struct DirectoryWriter {
    groups: Vec<u8>,
    entries: Vec<u8>,
    lists: Vec<u8>,
    count: usize,
    last_key: u64,
}

impl DirectoryWriter {
    /// Removes all keys, keeping the buffers.
    pub fn clear(&mut self) {
        self.groups.clear();
        self.entries.clear();
        self.lists.clear();
        (self.count, self.last_key) = (0, 0);
    }

    /// Adds a key larger than the previous ones. `write` appends the rest of the entry to the first
    /// buffer and lists to the second. Returns the result of `write`.
    pub fn push<T>(&mut self, key: u64, write: impl FnOnce(&mut Vec<u8>, &mut Vec<u8>) -> T) -> T {
        debug_assert!(
            self.count == 0 || key > self.last_key,
            "keys come in ascending order"
        );
        if self.count.is_multiple_of(GROUP) {
            self.groups.extend_from_slice(&key.to_le_bytes());
            self.groups
                .extend_from_slice(&(self.entries.len() as u32).to_le_bytes());
            self.groups
                .extend_from_slice(&(self.lists.len() as u32).to_le_bytes());
            self.last_key = key;
        }
        push_varint(&mut self.entries, key - self.last_key);
        let written = write(&mut self.entries, &mut self.lists);
        self.last_key = key;
        self.count += 1;
        written
    }

    /// Appends the encoded directory: its number of keys, the length of its entries, and its three
    /// parts.
    pub fn finish(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&(self.count as u32).to_le_bytes());
        out.extend_from_slice(&(self.entries.len() as u32).to_le_bytes());
        out.extend_from_slice(&self.groups);
        out.extend_from_slice(&self.entries);
        out.extend_from_slice(&self.lists);
    }
}

/// An encoded directory.
#[derive(Clone, Copy, Debug)]
pub struct Directory<'a> {
    count: usize,
    groups: &'a [u8],
    entries: &'a [u8],
    lists: &'a [u8],
}

/// A group of consecutive keys.
struct DirectoryGroup<'a> {
    key: u64,
    /// Entries of this group and of all following groups.
    entries: &'a [u8],
    /// Lists of this group and of all following groups.
    lists: &'a [u8],
    count: usize,
}

/// Decoder of the payload of an entry, implemented by the owner of a directory. It consumes its
/// part and its list.
pub trait DirectoryEntry<'a>: Sized {
    /// Takes an entry off the front of `entries`. Its list, if it has one, is at the front of
    /// `lists` and is taken too.
    fn take(entries: &mut &'a [u8], lists: &mut &'a [u8]) -> Result<Self, MalformedEncoding>;

    /// Skips an entry: a lookup skips half of its group on average.
    fn skip(entries: &mut &'a [u8], lists: &mut &'a [u8]) -> Result<(), MalformedEncoding> {
        Self::take(entries, lists).map(drop)
    }
}

impl<'a> Directory<'a> {
    /// Parses the frame of a directory.
    pub fn new(mut bytes: &'a [u8]) -> Result<Self, MalformedEncoding> {
        let count = take_u32(&mut bytes)? as usize;
        let entries_len = take_u32(&mut bytes)? as usize;
        let (groups, bytes) = bytes
            .split_at_checked(16 * count.div_ceil(GROUP))
            .ok_or(MalformedEncoding)?;
        let (entries, lists) = bytes
            .split_at_checked(entries_len)
            .ok_or(MalformedEncoding)?;
        Ok(Self {
            count,
            groups,
            entries,
            lists,
        })
    }

    fn group_key(&self, group: usize) -> Result<u64, MalformedEncoding> {
        Ok(u64_in(entry::<16>(self.groups, group)?, 0))
    }

    /// Returns the last group with a first key of at most `key` (binary search).
    fn group_of(&self, key: u64) -> Result<Option<usize>, MalformedEncoding> {
        let (mut low, mut high) = (0, self.count.div_ceil(GROUP));
        while low < high {
            let middle = low.midpoint(high);
            if self.group_key(middle)? <= key {
                low = middle + 1
            } else {
                high = middle
            }
        }
        Ok(low.checked_sub(1))
    }

    fn group(&self, group: usize) -> Result<DirectoryGroup<'a>, MalformedEncoding> {
        let header = entry::<16>(self.groups, group)?;
        let entries = self
            .entries
            .get(u32_in(header, 8) as usize..)
            .ok_or(MalformedEncoding)?;
        let lists = self
            .lists
            .get(u32_in(header, 12) as usize..)
            .ok_or(MalformedEncoding)?;
        let count = GROUP.min(self.count.saturating_sub(group * GROUP));
        Ok(DirectoryGroup {
            key: u64_in(header, 0),
            entries,
            lists,
            count,
        })
    }

    /// Calls `each` with the entries from a group on until it returns false.
    fn walk<E: DirectoryEntry<'a>>(
        &self,
        group: usize,
        mut each: impl FnMut(u64, E) -> bool,
    ) -> Result<(), MalformedEncoding> {
        for group in group..self.count.div_ceil(GROUP) {
            let DirectoryGroup {
                mut key,
                mut entries,
                mut lists,
                count,
            } = self.group(group)?;
            for _ in 0..count {
                key = key.wrapping_add(take_varint(&mut entries)?);
                if !each(key, E::take(&mut entries, &mut lists)?) {
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    /// Returns the entry of a key.
    pub fn find<E: DirectoryEntry<'a>>(&self, wanted: u64) -> Result<Option<E>, MalformedEncoding> {
        let Some(group) = self.group_of(wanted)? else {
            return Ok(None);
        };
        let DirectoryGroup {
            mut key,
            mut entries,
            mut lists,
            count,
        } = self.group(group)?;
        for _ in 0..count {
            key = key.wrapping_add(take_varint(&mut entries)?);
            if key >= wanted {
                return if key == wanted {
                    E::take(&mut entries, &mut lists).map(Some)
                } else {
                    Ok(None)
                };
            }
            E::skip(&mut entries, &mut lists)?;
        }
        Ok(None)
    }

    /// Calls `each` with all entries with keys of at least `from`, in ascending order, until it
    /// returns false.
    pub fn for_each_from<E: DirectoryEntry<'a>>(
        &self,
        from: u64,
        mut each: impl FnMut(u64, E) -> bool,
    ) -> Result<(), MalformedEncoding> {
        let group = self.group_of(from)?.unwrap_or(0);
        self.walk(group, |key, entry| key < from || each(key, entry))
    }
}

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
