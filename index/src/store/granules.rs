//! Accesses of 64-byte blocks of memory (granules): posting lists with exact byte masks.
//!
//! ```text
//! entry of a granule (key: address / 64)
//!   n * 2 + (1 if a store repeats known bytes): varint
//!   n <= 4    n times (slot - slot before: varint, shape: varint, for an external change its
//!             mask: u8), then the bits of repeating stores, no list
//!   n > 4     list length * 2 + (1 if it holds an external change): varint;
//!             if n > 16 read mask: u64, write mask: u64
//! list
//!   n <= 128  first: u32, frame
//!   n > 128   (first: u32, end: u32, read mask: u64, write mask: u64) for each frame of 128,
//!             then the frames
//! frame       width: u8, least: varint, k: u8, k shapes: u16 (k = 255: none), deltas, then
//!             shape numbers in as few bits as k needs (k = 255: the shapes themselves: u16),
//!             then for each external change its mask: u8, then the bits of repeating stores
//! bits of repeating stores, if there are any in the granule
//!             one bit for each store of the entry or frame, in whole bytes
//! ```
//! A mask has bit i for byte i of the block. A slot may occur several times: its accesses are in
//! trace order.

use stepback_machine::{AccessKind, Address};

use crate::store::directory::DirectoryEntry;
use crate::store::packed::{
    FRAME, FrameDeltas, MalformedEncoding, bits_len, entry, push_bits, push_varint, read_bits,
    take, take_u32, take_u64, take_varint, u32_in, u64_in,
};

/// Binary logarithm of the block size in bytes.
pub const GRANULE_BITS: u32 = 6;
const INLINE: usize = 4;
const MASKS_FROM: usize = 16;
const RAW_SHAPES: u8 = 255;

/// Adjacent bytes of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockSpan {
    /// Index of the first byte.
    pub first: u32,
    /// Number of bytes, at least one.
    pub len: u32,
}

/// Returns the runs of set bits of a mask, lowest first.
pub fn runs_of(mut mask: u64) -> impl Iterator<Item = BlockSpan> {
    std::iter::from_fn(move || {
        if mask == 0 {
            return None;
        }
        let first = mask.trailing_zeros();
        let len = (mask >> first).trailing_ones();
        mask &= u64::MAX.checked_shl(first + len).unwrap_or(0);
        Some(BlockSpan { first, len })
    })
}

/// Bytes of a block that an access touched, and the kind of the access.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TouchShape(pub u16);

impl TouchShape {
    const WRITE: u16 = 1 << 12;
    const UNKNOWN: u16 = 1 << 13;
    const EXTERNAL: u16 = 1 << 14;
    const SPLIT: u16 = 1 << 15;

    /// Returns the shape of an access of `size` (1 to 64) bytes from `offset` (0 to 63) on, with a
    /// recorded value.
    pub fn new(offset: u64, size: u64, kind: AccessKind) -> Self {
        let kind = if kind == AccessKind::Write {
            Self::WRITE
        } else {
            0
        };
        Self((offset & 63) as u16 | (((size.wrapping_sub(1)) & 63) << 6) as u16 | kind)
    }

    /// Returns the shape for an access without a recorded value.
    pub fn as_unknown(self) -> Self {
        Self(self.0 | Self::UNKNOWN)
    }

    /// Returns the shape for a read that contradicted the known value.
    pub fn as_external(self) -> Self {
        Self(self.0 | Self::EXTERNAL)
    }

    /// Returns the shape for one part of an access that spans two blocks.
    pub fn as_split(self) -> Self {
        Self(self.0 | Self::SPLIT)
    }

    /// Returns true for one part of an access that spans two blocks.
    pub fn is_split(self) -> bool {
        self.0 & Self::SPLIT != 0
    }

    /// Returns true for the part in the second block, given a split access: it starts at offset 0,
    /// as the first part never does.
    pub fn is_second_part(self) -> bool {
        self.0 & 63 == 0
    }

    /// Returns true for a store.
    pub fn is_write(self) -> bool {
        self.0 & Self::WRITE != 0
    }

    /// Returns true if the trace records the value.
    pub fn is_known(self) -> bool {
        self.0 & Self::UNKNOWN == 0
    }

    /// Returns true for a read that contradicted the known value.
    pub fn is_external(self) -> bool {
        self.0 & Self::EXTERNAL != 0
    }

    /// Returns the mask of the touched bytes.
    pub fn mask(self) -> u64 {
        byte_mask(u64::from(self.0 & 63), u64::from(self.0 >> 6 & 63) + 1)
    }
}

/// Returns the mask of `size` bytes of a block from `offset` on; bytes beyond the end of the block
/// are dropped.
pub fn byte_mask(offset: u64, size: u64) -> u64 {
    let run = if size >= 64 {
        u64::MAX
    } else {
        (1 << size) - 1
    };
    if offset >= 64 { 0 } else { run << offset }
}

/// One access of a block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Touch {
    /// Local slot of its segment.
    pub slot: u32,
    /// Touched bytes, and kind.
    pub shape: TouchShape,
    /// Mask of the contradicting bytes, counted from the first touched byte; 0 unless the shape is
    /// external.
    pub external: u8,
    /// True for a store that repeats the value of its bytes. Only earlier accesses of the same
    /// segment are known, so it is false for the first access of a byte.
    pub is_repeat: bool,
}

impl Touch {
    /// Returns the mask of the contradicting bytes of the block.
    pub fn external_mask(self) -> u64 {
        u64::from(self.external) << (self.shape.0 & 63)
    }
}

/// Combined read and write masks of several touches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TouchMasks {
    /// Bytes read.
    pub read: u64,
    /// Bytes written.
    pub write: u64,
}

impl TouchMasks {
    /// Returns the masks of several touches.
    pub fn of(touches: &[Touch]) -> Self {
        touches.iter().fold(Self::default(), |mut masks, touch| {
            let side = if touch.shape.is_write() {
                &mut masks.write
            } else {
                &mut masks.read
            };
            *side |= touch.shape.mask();
            masks
        })
    }
}

/// Bytes of a block that several touches cover.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TouchCoverage {
    /// Bytes read and written.
    pub masks: TouchMasks,
    /// Bytes that a read contradicted.
    pub external: u64,
}

impl TouchCoverage {
    /// Adds a touch.
    pub fn add(&mut self, touch: Touch) {
        let side = if touch.shape.is_write() {
            &mut self.masks.write
        } else {
            &mut self.masks.read
        };
        *side |= touch.shape.mask();
        self.external |= touch.external_mask();
    }
}

/// Appends the entry of a block, and its list if it has one. Returns the bytes that the touches
/// cover.
pub fn push_granule(
    entries: &mut Vec<u8>,
    lists: &mut Vec<u8>,
    touches: &[Touch],
) -> TouchCoverage {
    let mut reach = TouchCoverage::default();
    touches.iter().for_each(|touch| reach.add(*touch));
    let has_repeats = touches.iter().any(|touch| touch.is_repeat);
    push_varint(
        entries,
        (touches.len() as u64) << 1 | u64::from(has_repeats),
    );
    if touches.len() <= INLINE {
        let mut before = 0;
        for touch in touches {
            push_varint(entries, u64::from(touch.slot - before));
            push_varint(entries, u64::from(touch.shape.0));
            entries.extend(touch.shape.is_external().then_some(touch.external));
            before = touch.slot;
        }
        if has_repeats {
            push_repeats(entries, touches);
        }
        return reach;
    }
    let start = lists.len();
    push_touches(lists, touches);
    push_varint(
        entries,
        ((lists.len() - start) as u64) << 1 | u64::from(reach.external != 0),
    );
    if touches.len() > MASKS_FROM {
        entries.extend_from_slice(&reach.masks.read.to_le_bytes());
        entries.extend_from_slice(&reach.masks.write.to_le_bytes());
    }
    reach
}

fn push_touches(out: &mut Vec<u8>, touches: &[Touch]) {
    let has_repeats = touches.iter().any(|touch| touch.is_repeat);
    let push_frame = |out: &mut Vec<u8>, touches: &[Touch]| {
        push_frame(out, touches);
        if has_repeats {
            push_repeats(out, touches);
        }
    };
    if touches.len() <= FRAME {
        out.extend_from_slice(&touches[0].slot.to_le_bytes());
        push_frame(out, touches);
        return;
    }
    let table = out.len();
    out.resize(table + 24 * touches.len().div_ceil(FRAME), 0);
    let base = out.len();
    for (frame, touches) in touches.chunks(FRAME).enumerate() {
        push_frame(out, touches);
        let end = (out.len() - base) as u32;
        let masks = TouchMasks::of(touches);
        let header = &mut out[table + 24 * frame..][..24];
        header[..4].copy_from_slice(&touches[0].slot.to_le_bytes());
        header[4..8].copy_from_slice(&end.to_le_bytes());
        header[8..16].copy_from_slice(&masks.read.to_le_bytes());
        header[16..].copy_from_slice(&masks.write.to_le_bytes());
    }
}

fn push_frame(out: &mut Vec<u8>, touches: &[Touch]) {
    let deltas = FrameDeltas::of(touches.windows(2).map(|pair| pair[1].slot - pair[0].slot));
    deltas.push_head(out);
    let mut shapes: [u16; 16] = [0; 16];
    let mut numbers = [0u8; FRAME];
    let mut count = 0;
    for (touch, number) in touches.iter().zip(&mut numbers) {
        let known = shapes[..count]
            .iter()
            .position(|shape| *shape == touch.shape.0);
        match known {
            Some(known) => *number = known as u8,
            None if count < shapes.len() => {
                shapes[count] = touch.shape.0;
                *number = count as u8;
                count += 1;
            }
            None => {
                out.push(RAW_SHAPES);
                deltas.push_rest(out);
                touches
                    .iter()
                    .for_each(|touch| out.extend_from_slice(&touch.shape.0.to_le_bytes()));
                push_external(out, touches);
                return;
            }
        }
    }
    out.push(count as u8);
    shapes[..count]
        .iter()
        .for_each(|shape| out.extend_from_slice(&shape.to_le_bytes()));
    deltas.push_rest(out);
    push_bits(
        out,
        numbers[..touches.len()]
            .iter()
            .map(|number| u64::from(*number)),
        shape_bits(count),
    );
    push_external(out, touches);
}

fn push_external(out: &mut Vec<u8>, touches: &[Touch]) {
    out.extend(
        touches
            .iter()
            .filter(|touch| touch.shape.is_external())
            .map(|touch| touch.external),
    );
}

/// Appends one bit for each store.
fn push_repeats(out: &mut Vec<u8>, touches: &[Touch]) {
    let stores = touches.iter().filter(|touch| touch.shape.is_write());
    push_bits(out, stores.map(|store| u64::from(store.is_repeat)), 1);
}

fn shape_bits(count: usize) -> u32 {
    usize::BITS - count.saturating_sub(1).leading_zeros()
}

/// The encoded touches of a block in a segment.
#[derive(Clone, Copy, Debug)]
pub struct Granule<'a> {
    len: usize,
    inline: [Touch; INLINE],
    list: &'a [u8],
    masks: Option<TouchMasks>,
    has_external: bool,
    has_repeats: bool,
}

impl<'a> DirectoryEntry<'a> for Granule<'a> {
    fn take(entries: &mut &'a [u8], lists: &mut &'a [u8]) -> Result<Self, MalformedEncoding> {
        let (len, has_repeats) = take_len(entries)?;
        let mut granule = Self {
            len,
            inline: [Touch::default(); INLINE],
            list: &[],
            masks: None,
            has_external: false,
            has_repeats,
        };
        if len <= INLINE {
            let mut slot = 0u32;
            for touch in &mut granule.inline[..len] {
                slot = slot.wrapping_add(take_varint(entries)? as u32);
                let shape = TouchShape(take_varint(entries)? as u16);
                let external = if shape.is_external() {
                    take(entries, 1)?[0]
                } else {
                    0
                };
                *touch = Touch {
                    slot,
                    shape,
                    external,
                    is_repeat: false,
                };
            }
            if has_repeats {
                take_repeats(entries, &mut granule.inline[..len])?;
            }
            granule.masks = Some(TouchMasks::of(&granule.inline[..len]));
            granule.has_external = granule.inline[..len]
                .iter()
                .any(|touch| touch.shape.is_external());
            return Ok(granule);
        }
        let tagged = take_varint(entries)?;
        granule.has_external = tagged & 1 != 0;
        if len > MASKS_FROM {
            let mut masks = take(entries, 16)?;
            let read = take_u64(&mut masks)?;
            granule.masks = Some(TouchMasks {
                read,
                write: take_u64(&mut masks)?,
            });
        }
        granule.list = take(
            lists,
            usize::try_from(tagged >> 1).map_err(|_| MalformedEncoding)?,
        )?;
        Ok(granule)
    }

    fn skip_after(
        _before: Option<Self>,
        entries: &mut &'a [u8],
        lists: &mut &'a [u8],
    ) -> Result<Option<Self>, MalformedEncoding> {
        let (len, has_repeats) = take_len(entries)?;
        if len > INLINE {
            let tagged = take_varint(entries)?;
            take(entries, if len > MASKS_FROM { 16 } else { 0 })?;
            take(
                lists,
                usize::try_from(tagged >> 1).map_err(|_| MalformedEncoding)?,
            )?;
            return Ok(None);
        }
        let mut stores = 0;
        for _ in 0..len {
            take_varint(entries)?;
            let shape = TouchShape(take_varint(entries)? as u16);
            take(entries, usize::from(shape.is_external()))?;
            stores += usize::from(shape.is_write());
        }
        if has_repeats {
            take(entries, bits_len(stores, 1))?;
        }
        Ok(None)
    }
}

/// A decoded frame of touches.
#[derive(Debug)]
struct TouchFrame {
    touches: [Touch; FRAME],
    len: usize,
}

impl Granule<'_> {
    /// Returns true if it contains a read that contradicted the known value.
    pub fn has_external(&self) -> bool {
        self.has_external
    }

    /// Returns the touched bytes, if they are known without decoding.
    pub fn masks(&self) -> Option<TouchMasks> {
        self.masks
    }

    /// Returns the touched bytes; decodes the list if the entry does not contain them.
    pub fn reach(&self) -> Result<TouchCoverage, MalformedEncoding> {
        if let Some(masks) = self.masks.filter(|_| !self.has_external) {
            return Ok(TouchCoverage { masks, external: 0 });
        }
        let mut reach = TouchCoverage::default();
        self.walk_forward(
            0,
            |_| true,
            |touch, _| {
                reach.add(touch);
                true
            },
        )?;
        Ok(reach)
    }

    fn frame_count(&self) -> usize {
        self.len.div_ceil(FRAME)
    }

    /// Returns the first slot and the masks of a frame.
    fn frame_header(&self, frame: usize) -> Result<(u32, Option<TouchMasks>), MalformedEncoding> {
        if self.len <= INLINE {
            return Ok((self.inline[0].slot, self.masks));
        }
        if self.len <= FRAME {
            return Ok((take_u32(&mut &self.list[..])?, self.masks));
        }
        let header = entry::<24>(self.list, frame)?;
        Ok((
            u32_in(header, 0),
            Some(TouchMasks {
                read: u64_in(header, 8),
                write: u64_in(header, 16),
            }),
        ))
    }

    /// Returns the number of frames that begin below a slot (binary search).
    fn frames_below(&self, slot: u32) -> Result<usize, MalformedEncoding> {
        let (mut low, mut high) = (0, self.frame_count());
        while low < high {
            let middle = low.midpoint(high);
            if self.frame_header(middle)?.0 < slot {
                low = middle + 1
            } else {
                high = middle
            }
        }
        Ok(low)
    }

    fn frame(&self, frame: usize) -> Result<TouchFrame, MalformedEncoding> {
        let mut decoded = TouchFrame {
            touches: [Touch::default(); FRAME],
            len: self.len,
        };
        if self.len <= INLINE {
            decoded.touches[..self.len].copy_from_slice(&self.inline[..self.len]);
            return Ok(decoded);
        }
        let (first, _) = self.frame_header(frame)?;
        let bytes = if self.len <= FRAME {
            self.list.get(4..)
        } else {
            let start = if frame == 0 {
                0
            } else {
                u32_in(entry::<24>(self.list, frame - 1)?, 4) as usize
            };
            self.list.get(24 * self.frame_count() + start..)
        };
        decoded.len = self.len.saturating_sub(frame * FRAME).min(FRAME);
        let touches = &mut decoded.touches[..decoded.len];
        let mut rest = decode_frame(bytes.ok_or(MalformedEncoding)?, first, touches)?;
        if self.has_repeats {
            take_repeats(&mut rest, touches)?;
        }
        Ok(decoded)
    }

    /// Returns a touch by its index in the list.
    pub fn get(&self, place: u32) -> Result<Option<Touch>, MalformedEncoding> {
        let place = place as usize;
        if place >= self.len {
            return Ok(None);
        }
        let frame = self.frame(place / FRAME)?;
        Ok(frame.touches[..frame.len].get(place % FRAME).copied())
    }

    /// Calls `each` with the touches below slot `below`, latest first, and their indices in the
    /// list, until it returns false. Skips frames for whose masks `wants` returns false.
    pub fn walk_back(
        &self,
        below: u32,
        mut wants: impl FnMut(TouchMasks) -> bool,
        mut each: impl FnMut(Touch, u32) -> bool,
    ) -> Result<(), MalformedEncoding> {
        for frame in (0..self.frames_below(below)?).rev() {
            let (_, masks) = self.frame_header(frame)?;
            if masks.is_some_and(|masks| !wants(masks)) {
                continue;
            }
            let decoded = self.frame(frame)?;
            let end = decoded.touches[..decoded.len].partition_point(|touch| touch.slot < below);
            for (place, touch) in decoded.touches[..end].iter().enumerate().rev() {
                if !each(*touch, (frame * FRAME + place) as u32) {
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    /// Calls `each` with the touches from slot `from` on, earliest first, until it returns false.
    /// Skips frames for whose masks `wants` returns false.
    pub fn walk_forward(
        &self,
        from: u32,
        mut wants: impl FnMut(TouchMasks) -> bool,
        mut each: impl FnMut(Touch, u32) -> bool,
    ) -> Result<(), MalformedEncoding> {
        for frame in self.frames_below(from)?.saturating_sub(1)..self.frame_count() {
            let (_, masks) = self.frame_header(frame)?;
            if masks.is_some_and(|masks| !wants(masks)) {
                continue;
            }
            let decoded = self.frame(frame)?;
            for (place, touch) in decoded.touches[..decoded.len].iter().enumerate() {
                if touch.slot >= from && !each(*touch, (frame * FRAME + place) as u32) {
                    return Ok(());
                }
            }
        }
        Ok(())
    }
}

/// Returns the number of touches of an entry, and whether some of them repeat known bytes.
fn take_len(entries: &mut &[u8]) -> Result<(usize, bool), MalformedEncoding> {
    let tagged = take_varint(entries)?;
    let len = usize::try_from(tagged >> 1).map_err(|_| MalformedEncoding)?;
    Ok((len, tagged & 1 != 0))
}

/// Decodes a frame, and returns the bytes after it.
fn decode_frame<'a>(
    mut bytes: &'a [u8],
    first: u32,
    touches: &mut [Touch],
) -> Result<&'a [u8], MalformedEncoding> {
    let width = u32::from(take(&mut bytes, 1)?[0]).min(33);
    let least = take_varint(&mut bytes)? as u32;
    let kinds = take(&mut bytes, 1)?[0];
    let is_raw = kinds == RAW_SHAPES;
    let shapes = take(&mut bytes, if is_raw { 0 } else { 2 * usize::from(kinds) })?;
    let deltas = touches.len().saturating_sub(1);
    let packed = take(&mut bytes, bits_len(deltas, width))?;
    if let Some(touch) = touches.first_mut() {
        touch.slot = first;
    }
    let (mut place, mut slot) = (1, first);
    read_bits(packed, deltas, width, |rest| {
        slot = slot.wrapping_add(least).wrapping_add(rest as u32);
        touches[place].slot = slot;
        place += 1;
    })?;
    let shape = |table: &[u8], number: usize| {
        entry::<2>(table, number).map(|bytes| TouchShape(u16::from_le_bytes(*bytes)))
    };
    if is_raw {
        for (number, touch) in touches.iter_mut().enumerate() {
            touch.shape = shape(bytes, number)?;
        }
        return take_external(
            bytes.get(2 * touches.len()..).ok_or(MalformedEncoding)?,
            touches,
        );
    }
    let mut place = 0;
    let mut bad = false;
    let number_bits = shape_bits(usize::from(kinds));
    let numbers = take(&mut bytes, bits_len(touches.len(), number_bits))?;
    read_bits(numbers, touches.len(), number_bits, |number| {
        match shape(shapes, number as usize) {
            Ok(shape) => touches[place].shape = shape,
            Err(MalformedEncoding) => bad = true,
        }
        place += 1;
    })?;
    if bad {
        Err(MalformedEncoding)
    } else {
        take_external(bytes, touches)
    }
}

fn take_external<'a>(
    mut bytes: &'a [u8],
    touches: &mut [Touch],
) -> Result<&'a [u8], MalformedEncoding> {
    for touch in touches.iter_mut().filter(|touch| touch.shape.is_external()) {
        touch.external = take(&mut bytes, 1)?[0];
    }
    Ok(bytes)
}

fn take_repeats(bytes: &mut &[u8], touches: &mut [Touch]) -> Result<(), MalformedEncoding> {
    let is_store = |touch: &&mut Touch| touch.shape.is_write();
    let count = touches.iter_mut().filter(is_store).count();
    let bits = take(bytes, bits_len(count, 1))?;
    let mut stores = touches.iter_mut().filter(is_store);
    read_bits(bits, count, 1, |bit| {
        if let Some(store) = stores.next() {
            store.is_repeat = bit != 0;
        }
    })
}

/// Returns the blocks of a memory range, each with the mask of its bytes in the range.
pub(crate) fn granules_of(address: Address, len_bytes: u64) -> impl Iterator<Item = (u64, u64)> {
    last_of(address, len_bytes)
        .into_iter()
        .flat_map(move |last| {
            let granules = address.0 >> GRANULE_BITS..=last >> GRANULE_BITS;
            granules.map(move |granule| (granule, bytes_between(granule, address.0, last)))
        })
}

/// Returns the last address of a range; `None` if the range is empty.
pub(crate) fn last_of(address: Address, len_bytes: u64) -> Option<u64> {
    len_bytes
        .checked_sub(1)
        .map(|rest| address.0.saturating_add(rest))
}

/// Returns the mask of the bytes of a block from `first` to `last`.
pub(crate) fn bytes_between(granule: u64, first: u64, last: u64) -> u64 {
    let start = granule << GRANULE_BITS;
    let (from, to) = (first.max(start), last.min(start | 63));
    if from > to {
        0
    } else {
        byte_mask(from - start, to - from + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::directory::{Directory, DirectoryWriter};
    use proptest::prelude::*;

    fn touches(seeds: &[(u8, u16)]) -> Vec<Touch> {
        let mut slot = 0;
        let touch = |(delta, shape): &(u8, u16)| {
            slot += u32::from(*delta);
            let shape = TouchShape(shape << 9 & 0x7fff | shape & 63);
            Touch {
                slot,
                shape,
                external: if shape.is_external() { *delta } else { 0 },
                is_repeat: shape.is_write() && delta % 3 == 0,
            }
        };
        seeds.iter().map(touch).collect()
    }

    proptest! {
        #[test]
        fn every_block_comes_back(
            blocks in prop::collection::btree_map(any::<u64>(), prop::collection::vec((any::<u8>(), 0u16..40), 1..300), 1..80),
            below: u16,
        ) {
            let mut writer = DirectoryWriter::default();
            for (key, seeds) in &blocks {
                writer.push(*key, |entries, lists| push_granule(entries, lists, &touches(seeds)));
            }
            let mut bytes = Vec::new();
            writer.finish(&mut bytes);
            let directory = Directory::new(&bytes).unwrap();
            for (key, seeds) in &blocks {
                let expected = touches(seeds);
                let granule: Granule<'_> = directory.find(*key).unwrap().unwrap();
                let mut reach = TouchCoverage::default();
                expected.iter().for_each(|touch| reach.add(*touch));
                prop_assert_eq!(granule.reach().unwrap(), reach);
                let mut found = Vec::new();
                granule.walk_forward(0, |_| true, |touch, _| { found.push(touch); true }).unwrap();
                prop_assert_eq!(&found, &expected);
                let mut found = Vec::new();
                granule.walk_back(u32::from(below), |_| true, |touch, place| { found.push((place as usize, touch)); true }).unwrap();
                let expected: Vec<_> = expected.into_iter().enumerate().filter(|(_, touch)| touch.slot < u32::from(below)).rev().collect();
                prop_assert_eq!(found, expected);
            }
            let mut keys = Vec::new();
            directory.for_each_from(0, |key, _: Granule<'_>| { keys.push(key); true }).unwrap();
            prop_assert!(keys.iter().eq(blocks.keys()));
        }

        #[test]
        fn damaged_directories_give_errors_not_panics(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
            if let Ok(directory) = Directory::new(&bytes) {
                let _error = directory.for_each_from(0, |_, granule: Granule<'_>| {
                    let _error = granule.walk_back(u32::MAX, |_| true, |_, _| true);
                    true
                });
            }
        }
    }
}
