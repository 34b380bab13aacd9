//! Cache of recently unpacked blocks.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::packed::codec::BLOCK;

/// Total memory for blocks, in bytes.
const BYTES: usize = 32 << 20;
/// Several threads read at once; neighbouring blocks are in different shards, each with its own
/// lock.
const SHARDS: usize = 16;
const SLOTS: usize = BYTES / BLOCK / SHARDS;

/// Block cache with second-chance (clock) eviction: blocks that were used again stay longer.
pub(super) struct BlockCache(Vec<Mutex<Shard>>);

#[derive(Default)]
struct Shard {
    places: HashMap<u64, usize>,
    slots: Vec<BlockSlot>,
    /// Clock hand: the slot that is examined next for eviction.
    hand: usize,
}

struct BlockSlot {
    block: u64,
    text: Vec<u8>,
    is_used: bool,
}

impl Default for BlockCache {
    fn default() -> Self {
        Self((0..SHARDS).map(|_| Mutex::default()).collect())
    }
}

impl BlockCache {
    /// Copies a part of a block, from offset `from` on. Returns false if the cache does not hold
    /// it.
    pub fn copy(&self, block: u64, from: usize, out: &mut [u8]) -> bool {
        let Some(mut shard) = self.shard(block) else {
            return false;
        };
        let Some(place) = shard.places.get(&block).copied() else {
            return false;
        };
        let Some(slot) = shard.slots.get_mut(place) else {
            return false;
        };
        slot.is_used = true;
        let part = from
            .checked_add(out.len())
            .and_then(|end| slot.text.get(from..end));
        part.is_some_and(|part| {
            out.copy_from_slice(part);
            true
        })
    }

    /// Adds or replaces a block.
    pub fn insert(&self, block: u64, text: &[u8]) {
        if let Some(mut shard) = self.shard(block) {
            shard.insert(block, text);
        }
    }

    /// Removes all blocks.
    pub fn clear(&self) {
        for shard in &self.0 {
            *shard.lock().unwrap_or_else(PoisonError::into_inner) = Shard::default();
        }
    }

    fn shard(&self, block: u64) -> Option<MutexGuard<'_, Shard>> {
        let number = usize::try_from(block % SHARDS as u64).ok()?;
        Some(
            self.0
                .get(number)?
                .lock()
                .unwrap_or_else(PoisonError::into_inner),
        )
    }
}

impl Shard {
    fn insert(&mut self, block: u64, text: &[u8]) {
        if let Some(slot) = self
            .places
            .get(&block)
            .and_then(|place| self.slots.get_mut(*place))
        {
            // The last block of the text may have been shorter when it was cached.
            slot.text.clear();
            slot.text.extend_from_slice(text);
            return;
        }
        if self.slots.len() < SLOTS {
            self.places.insert(block, self.slots.len());
            self.slots.push(BlockSlot {
                block,
                text: text.to_vec(),
                is_used: false,
            });
            return;
        }
        let place = self.free_place();
        let Some(slot) = self.slots.get_mut(place) else {
            return;
        };
        self.places.remove(&slot.block);
        self.places.insert(block, place);
        (slot.block, slot.is_used) = (block, false);
        slot.text.clear();
        slot.text.extend_from_slice(text);
    }

    /// Returns the next slot that was not used since the hand last passed it.
    fn free_place(&mut self) -> usize {
        loop {
            let place = self.hand;
            self.hand = (self.hand + 1) % SLOTS;
            match self.slots.get_mut(place) {
                Some(slot) if slot.is_used => slot.is_used = false,
                _ => return place,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(cache: &BlockCache, block: u64, expected: bool) {
        let mut out = [0; 2];
        assert_eq!(cache.copy(block, 1, &mut out), expected, "{block}");
        assert!(!expected || out == [block as u8; 2]);
    }

    #[test]
    fn what_is_used_stays_and_memory_is_bounded() {
        let cache = BlockCache::default();
        let count = (3 * SHARDS * SLOTS) as u64;
        for block in 0..count {
            cache.insert(block, &[block as u8; 3]);
            check(&cache, 7, block >= 7);
        }
        check(&cache, 8, false);
        check(&cache, count - 1, true);
        assert!(!cache.copy(count - 1, 2, &mut [0; 2]), "it is not so long");
        assert_eq!(
            cache
                .0
                .iter()
                .map(|shard| shard.lock().unwrap().slots.len())
                .sum::<usize>(),
            SHARDS * SLOTS
        );
        cache.clear();
        check(&cache, 7, false);
    }
}
