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
//! An entry may refer to the one before it in its group ([`DirectoryEntry::take_after`]).

use crate::store::packed::{
    MalformedEncoding, entry, push_varint, take_u32, take_varint, u32_in, u64_in,
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

    /// Returns true if the next key is the first of a group.
    pub fn begins_group(&self) -> bool {
        self.count.is_multiple_of(GROUP)
    }

    /// Adds a key larger than the previous ones. `write` appends the rest of the entry to the first
    /// buffer and lists to the second. Returns the result of `write`.
    pub fn push<T>(&mut self, key: u64, write: impl FnOnce(&mut Vec<u8>, &mut Vec<u8>) -> T) -> T {
        debug_assert!(
            self.count == 0 || key > self.last_key,
            "keys come in ascending order"
        );
        if self.begins_group() {
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

    /// Takes an entry that may refer to `before`, the entry before it in its group.
    fn take_after(
        before: Option<Self>,
        entries: &mut &'a [u8],
        lists: &mut &'a [u8],
    ) -> Result<Self, MalformedEncoding> {
        let _not_needed = before;
        Self::take(entries, lists)
    }

    /// Returns the entry if the next one may refer to it.
    fn for_next(&self) -> Option<Self> {
        None
    }

    /// Skips an entry, and returns it if the next one may refer to it: a lookup skips half of its
    /// group on average.
    fn skip_after(
        before: Option<Self>,
        entries: &mut &'a [u8],
        lists: &mut &'a [u8],
    ) -> Result<Option<Self>, MalformedEncoding> {
        Ok(Self::take_after(before, entries, lists)?.for_next())
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
            let mut before = None;
            for _ in 0..count {
                key = key.wrapping_add(take_varint(&mut entries)?);
                let entry = E::take_after(before, &mut entries, &mut lists)?;
                before = entry.for_next();
                if !each(key, entry) {
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
        let mut before = None;
        for _ in 0..count {
            key = key.wrapping_add(take_varint(&mut entries)?);
            if key >= wanted {
                return if key == wanted {
                    E::take_after(before, &mut entries, &mut lists).map(Some)
                } else {
                    Ok(None)
                };
            }
            before = E::skip_after(before, &mut entries, &mut lists)?;
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
