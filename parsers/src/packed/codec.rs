//! Compresses and decompresses the blocks of a copy ([`Codec`]), and caches those that were
//! unpacked recently ([`BlockCache`]). Blocks are short, because a query for one step decompresses
//! one; a dictionary makes up for the lost compression.

use std::collections::HashMap;
use std::io;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use zstd::dict::{DecoderDictionary, EncoderDictionary};
use zstd::zstd_safe::{CCtx, CParameter, DCtx, compress_bound, get_error_name};

/// Bytes of text in a block. A query for one step decompresses one block. Measured: 8 KiB take 10
/// microseconds and compress to 19 % of the text, 16 KiB take 18 microseconds and 17 %.
pub(super) const BLOCK: usize = 8 << 10;
/// Compression level. In blocks this short, higher levels are slower and no smaller; negative ones
/// are no faster to decompress.
const LEVEL: i32 = 1;
/// Size of the dictionary, which holds content common to many blocks. Half the size costs 1 % of
/// the text, twice the size gains nothing.
const DICTIONARY_BYTES: usize = 64 << 10;
/// Length in bytes of the samples that the dictionary is trained from.
const SAMPLE: usize = 4 << 10;

/// Compression state of a copy. The first blocks come before the dictionary and do not use it.
#[derive(Default)]
pub(super) struct Codec {
    dictionary: OnceLock<Dictionary>,
    /// Contexts that are not in use.
    idle: Mutex<Vec<DCtx<'static>>>,
}

struct Dictionary {
    encoder: EncoderDictionary<'static>,
    decoder: DecoderDictionary<'static>,
}

/// Compresses blocks, each with a checksum.
pub(super) struct BlockPacker<'a>(CCtx<'a>);

/// Trains a dictionary from the beginning of a text. Returns none if the samples have too little in
/// common.
pub(super) fn train(head: &[u8]) -> Option<Vec<u8>> {
    let sizes = vec![SAMPLE; head.len() / SAMPLE];
    let whole = head.get(..sizes.len() * SAMPLE)?;
    zstd::dict::from_continuous(whole, &sizes, DICTIONARY_BYTES).ok()
}

impl Codec {
    /// Sets the dictionary for all blocks from now on. Must be called at most once.
    pub fn set_dictionary(&self, bytes: &[u8]) {
        let dictionary = Dictionary {
            encoder: EncoderDictionary::copy(bytes, LEVEL),
            decoder: DecoderDictionary::copy(bytes),
        };
        let is_first = self.dictionary.set(dictionary).is_ok();
        debug_assert!(is_first, "blocks could not be read with another dictionary");
    }

    /// Creates a packer, with the dictionary if it is set.
    pub fn packer(&self) -> io::Result<BlockPacker<'_>> {
        let mut context = CCtx::try_create().ok_or(io::ErrorKind::OutOfMemory)?;
        context
            .set_parameter(CParameter::CompressionLevel(LEVEL))
            .map_err(stated)?;
        context
            .set_parameter(CParameter::ChecksumFlag(true))
            .map_err(stated)?;
        if let Some(dictionary) = self.dictionary.get() {
            context
                .ref_cdict(dictionary.encoder.as_cdict())
                .map_err(stated)?;
        }
        Ok(BlockPacker(context))
    }

    /// Decompresses a block that fills `out` exactly.
    ///
    /// # Errors
    /// The block is damaged.
    pub fn unpack(&self, packed: &[u8], out: &mut [u8]) -> io::Result<()> {
        let idle = self
            .idle
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .pop();
        let mut context = idle
            .or_else(DCtx::try_create)
            .ok_or(io::ErrorKind::OutOfMemory)?;
        let count = match self.dictionary.get() {
            Some(dictionary) => {
                context.decompress_using_ddict(out, packed, dictionary.decoder.as_ddict())
            }
            None => context.decompress(out, packed),
        };
        self.idle
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(context);
        match count.map_err(stated)? == out.len() {
            true => Ok(()),
            false => Err(io::Error::new(
                io::ErrorKind::InvalidData,
                "a block is too short",
            )),
        }
    }
}

impl BlockPacker<'_> {
    /// Appends a compressed block to `out` and returns its length.
    pub fn pack(&mut self, text: &[u8], out: &mut Vec<u8>) -> io::Result<u16> {
        let mut packed = io::Cursor::new(out);
        let end = packed.get_ref().len();
        packed.get_mut().reserve(compress_bound(text.len()));
        packed.set_position(end as u64);
        let count = self.0.compress2(&mut packed, text).map_err(stated)?;
        u16::try_from(count)
            .map_err(|_| io::Error::other("a packed block is longer than any can be"))
    }
}

fn stated(code: usize) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, get_error_name(code))
}

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

    fn text(length: usize) -> Vec<u8> {
        let line = |number: usize| {
            format!(
                "{number} clk IT ({number}) {:08x} d503201f O EL1h_n : NOP\n",
                number * 4
            )
        };
        (0..)
            .flat_map(|number| line(number).into_bytes())
            .take(length)
            .collect()
    }

    #[test]
    fn blocks_from_before_the_dictionary_are_read_with_it() {
        let text = text(1 << 20);
        let codec = Codec::default();
        let (mut packed, mut out) = (Vec::new(), vec![0; BLOCK]);
        let plain = usize::from(
            codec
                .packer()
                .unwrap()
                .pack(&text[..BLOCK], &mut packed)
                .unwrap(),
        );
        codec.set_dictionary(&train(&text).unwrap());
        let rest = usize::from(
            codec
                .packer()
                .unwrap()
                .pack(&text[..BLOCK], &mut packed)
                .unwrap(),
        );
        assert_eq!(plain + rest, packed.len());
        for part in [&packed[..plain], &packed[plain..]] {
            codec.unpack(part, &mut out).unwrap();
            assert_eq!(out, text[..BLOCK]);
        }
    }

    #[test]
    fn a_flipped_bit_is_noticed() {
        let text = text(BLOCK);
        let codec = Codec::default();
        let mut packed = Vec::new();
        codec.packer().unwrap().pack(&text, &mut packed).unwrap();
        for place in 0..packed.len() {
            packed[place] ^= 4;
            let mut out = vec![0; BLOCK];
            assert!(
                codec.unpack(&packed, &mut out).is_err() || out == text,
                "{place}"
            );
            packed[place] ^= 4;
        }
    }

    #[test]
    fn what_cannot_be_packed_fits_too() {
        let mut state = 1u64;
        let mut noise = || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            (state >> 56) as u8
        };
        let text: Vec<u8> = (0..BLOCK).map(|_| noise()).collect();
        let codec = Codec::default();
        let (mut packed, mut out) = (Vec::new(), vec![0; BLOCK]);
        codec.packer().unwrap().pack(&text, &mut packed).unwrap();
        codec.unpack(&packed, &mut out).unwrap();
        assert_eq!(out, text);
    }
}

#[cfg(test)]
mod cache_tests {
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
