//! Memory of a segment: the accesses of each block, and the known contents of memory while the
//! segment is read, to detect reads that contradict them.

use std::ops::Range;

use stepback_parsers::{MemoryAccess, RegisterSource};

use crate::builder::segment::keyed_events::KeyedEvents;
use crate::builder::segment::sealed::SealedSegment;
use crate::store::granules::{GRANULE_BITS, Touch, TouchShape, byte_mask, push_granule};
use crate::store::packed::push_list;

/// Collects the accesses of memory.
#[derive(Debug, Default)]
pub(super) struct MemoryColumns {
    /// True if the trace has no values.
    is_blank: bool,
    touches: KeyedEvents<Touch>,
    /// States of the blocks by number; empty if the trace has no values.
    states: Vec<GranuleState>,
    /// Number of reads that contradict the known contents.
    externals: u64,
    external_slots: Vec<u32>,
}

impl MemoryColumns {
    /// Creates the columns of a trace with or without values.
    pub fn of(registers: RegisterSource) -> Self {
        Self {
            is_blank: registers == RegisterSource::Operands,
            ..Self::default()
        }
    }

    /// Begins a segment.
    pub fn clear(&mut self) {
        self.touches.clear();
        self.states.clear();
        self.externals = 0;
        self.external_slots.clear();
    }

    /// Returns the number of accesses of blocks.
    #[inline(always)]
    pub fn touch_count(&self) -> usize {
        self.touches.len()
    }

    /// Returns the number of accessed blocks.
    #[inline(always)]
    pub fn block_count(&self) -> usize {
        self.touches.keys.keys().len()
    }

    /// Records an access.
    #[inline(always)]
    pub fn push(&mut self, slot: u32, access: &MemoryAccess) {
        let (key, offset) = (
            access.address.0 >> GRANULE_BITS,
            (access.address.0 & 63) as usize,
        );
        let size = usize::from(access.size_bytes);
        let here = size.min(64 - offset);
        let is_split = here < size;
        let bytes = access.bytes.as_ref().map(|bytes| &bytes[..size.min(8)]);
        let touch = |offset: usize, size: usize| {
            let mut shape = TouchShape::new(offset as u64, size as u64, access.kind);
            if bytes.is_none() {
                shape = shape.as_unknown();
            }
            if is_split {
                shape = shape.as_split();
            }
            Touch {
                slot,
                shape,
                external: 0,
                is_repeat: false,
            }
        };
        let first = bytes.map(|bytes| &bytes[..here]);
        let mut is_external = self.touch(key, touch(offset, here), offset..offset + here, first);
        if is_split {
            let rest = bytes.map(|bytes| &bytes[here..]);
            is_external |= self.touch(key + 1, touch(0, size - here), 0..size - here, rest);
        }
        if is_external {
            self.note_external(slot);
        }
    }

    /// Records an access of a part of a block; returns true when it contradicts the known bytes.
    #[inline]
    fn touch(
        &mut self,
        key: u64,
        mut touch: Touch,
        part: Range<usize>,
        bytes: Option<&[u8]>,
    ) -> bool {
        let number = self.touches.keys.number(key);
        if !self.is_blank {
            if number == self.states.len() {
                self.states.push(GranuleState::default());
            }
            let state = &mut self.states[number];
            match (touch.shape.is_write(), bytes) {
                (true, bytes) => touch.is_repeat = state.write(part.start, part.len(), bytes),
                (false, Some(bytes)) => touch.external = state.read(part.start, bytes),
                (false, None) => {}
            }
            if touch.external != 0 {
                touch.shape = touch.shape.as_external();
            }
        }
        self.touches.push(number as u32, touch);
        touch.external != 0
    }

    #[cold]
    fn note_external(&mut self, slot: u32) {
        self.externals += 1;
        if self.external_slots.last() != Some(&slot) {
            self.external_slots.push(slot);
        }
    }

    /// Appends the lists of blocks, and hands over their states.
    pub fn finish(&mut self, bytes: &mut Vec<u8>, sealed: &mut SealedSegment) {
        sealed.reaches = self.touches.finish(bytes, |entries, lists, key| {
            push_granule(entries, lists, key.events)
        });
        let order = self.touches.sorted();
        sealed.granule_keys = order.iter().map(|(key, _)| *key).collect();
        let states = &mut self.states;
        let state = |(key, number): &(u64, u32)| {
            Some((*key, std::mem::take(states.get_mut(*number as usize)?)))
        };
        // Without excess capacity, since they wait for the sequential pass.
        sealed.granules = Vec::with_capacity(order.len());
        sealed.granules.extend(order.iter().filter_map(state));
        sealed.meta.externals = self.externals;
        sealed.meta.external_slots = self.external_slots.len() as u32;
    }

    /// Appends the slots of contradicting reads.
    pub fn push_externals(&self, bytes: &mut Vec<u8>) {
        push_list(bytes, &self.external_slots);
    }
}

/// Known state of a memory block at the end of a segment, and the first reads that its start must
/// agree with.
#[derive(Clone, Debug)]
pub struct GranuleState {
    /// Bytes with a known value.
    pub known: u64,
    /// Values of the known bytes.
    pub data: [u8; 64],
    /// Bytes that this segment read before it wrote them.
    pub first_read: u64,
    /// Values of these first reads.
    pub first_data: [u8; 64],
    /// Bytes that this segment wrote, with known or unknown values.
    pub written: u64,
}

impl Default for GranuleState {
    fn default() -> Self {
        Self {
            known: 0,
            data: [0; 64],
            first_read: 0,
            first_data: [0; 64],
            written: 0,
        }
    }
}

impl GranuleState {
    /// Records a store; without `bytes`, of a value that the trace does not contain. Returns true if
    /// it repeats the known values.
    #[inline]
    pub fn write(&mut self, offset: usize, size: usize, bytes: Option<&[u8]>) -> bool {
        let mask = byte_mask(offset as u64, size as u64);
        self.written |= mask;
        let Some(bytes) = bytes else {
            self.known &= !mask;
            return false;
        };
        let held = &mut self.data[offset..offset + size];
        let is_repeat = self.known & mask == mask && is_equal(held, bytes);
        copy(held, bytes);
        self.known |= mask;
        is_repeat
    }

    /// Records a load of up to 8 bytes; returns a mask of the bytes that contradict the known
    /// values.
    #[inline]
    pub fn read(&mut self, offset: usize, bytes: &[u8]) -> u8 {
        let mask = byte_mask(offset as u64, bytes.len() as u64);
        let held = &self.data[offset..offset + bytes.len()];
        if self.known & mask == mask && is_equal(held, bytes) {
            return 0;
        }
        self.read_slowly(offset, bytes)
    }

    #[cold]
    fn read_slowly(&mut self, offset: usize, bytes: &[u8]) -> u8 {
        let mask = byte_mask(offset as u64, bytes.len() as u64);
        let held = &mut self.data[offset..offset + bytes.len()];
        let mut contradicting = 0;
        for (place, byte) in bytes.iter().enumerate() {
            let bit = 1u64 << (offset + place);
            contradicting |= u8::from(self.known & bit != 0 && held[place] != *byte) << place;
            held[place] = *byte;
            if self.known & bit == 0 && self.written & bit == 0 {
                self.first_read |= bit;
                self.first_data[offset + place] = *byte;
            }
        }
        self.known |= mask;
        contradicting
    }

    /// Returns the bytes that this segment read first with values other than those known before it.
    pub fn contradictions(&self, known: u64, data: &[u8; 64]) -> u64 {
        let compared = self.first_read & known;
        (0..64)
            .filter(|place| compared >> place & 1 != 0)
            .fold(0, |mask, place| {
                mask | u64::from(self.first_data[place] != data[place]) << place
            })
    }

    /// Updates the state before this segment to the state after it.
    pub fn follow(&self, known: &mut u64, data: &mut [u8; 64]) {
        for place in (0..64).filter(|place| self.known >> place & 1 != 0) {
            data[place] = self.data[place];
        }
        *known = *known & !self.written | self.known;
    }
}

/// Copies between slices of equal length; most accesses have four or eight bytes, which need no
/// call.
#[inline(always)]
fn copy(to: &mut [u8], from: &[u8]) {
    if let (Ok(to), Ok(from)) = (
        <&mut [u8; 8]>::try_from(&mut *to),
        <&[u8; 8]>::try_from(from),
    ) {
        *to = *from;
    } else if let (Ok(to), Ok(from)) = (
        <&mut [u8; 4]>::try_from(&mut *to),
        <&[u8; 4]>::try_from(from),
    ) {
        *to = *from;
    } else {
        to.copy_from_slice(from);
    }
}

/// Compares slices of equal length; four or eight bytes need no call.
#[inline(always)]
fn is_equal(one: &[u8], other: &[u8]) -> bool {
    if let (Ok(one), Ok(other)) = (<&[u8; 8]>::try_from(one), <&[u8; 8]>::try_from(other)) {
        return one == other;
    }
    if let (Ok(one), Ok(other)) = (<&[u8; 4]>::try_from(one), <&[u8; 4]>::try_from(other)) {
        return one == other;
    }
    one == other
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_read_that_differs_from_the_last_write_is_a_contradiction_once() {
        let mut state = GranuleState::default();
        state.write(4, 2, Some(&[1, 2]));
        assert_eq!(state.read(4, &[1, 2]), 0);
        assert_eq!(state.read(4, &[1, 9]), 0b10);
        assert_eq!(state.read(4, &[1, 9]), 0);
        assert_eq!(state.first_read, 0);
    }

    #[test]
    fn a_store_repeats_the_known_values_of_all_its_bytes() {
        let mut state = GranuleState::default();
        assert!(!state.write(4, 2, Some(&[0, 0])));
        assert!(state.write(4, 2, Some(&[0, 0])));
        assert!(!state.write(4, 2, Some(&[0, 1])));
        assert!(!state.write(5, 2, Some(&[1, 0])));
        assert_eq!(state.read(5, &[7]), 1);
        assert!(state.write(5, 1, Some(&[7])));
        state.write(5, 1, None);
        assert!(!state.write(5, 1, Some(&[7])));
    }

    #[test]
    fn a_first_read_is_compared_byte_by_byte_with_what_came_before() {
        let mut before = GranuleState::default();
        before.write(0, 2, Some(&[1, 2]));
        let mut later = GranuleState::default();
        later.write(0, 1, Some(&[7]));
        assert_eq!(later.read(0, &[7, 3, 4]), 0);
        assert_eq!(later.contradictions(before.known, &before.data), 0b10);
        later.follow(&mut before.known, &mut before.data);
        assert_eq!((before.known, &before.data[..3]), (0b111, &[7, 3, 4][..]));
    }

    #[test]
    fn a_store_of_an_unknown_value_makes_the_bytes_unknown() {
        let mut before = GranuleState::default();
        before.write(0, 4, Some(&[1, 2, 3, 4]));
        let mut later = GranuleState::default();
        later.write(1, 2, None);
        later.follow(&mut before.known, &mut before.data);
        assert_eq!(before.known, 0b1001);
        assert_eq!(later.read(1, &[8]), 0);
        assert_eq!(later.first_read, 0);
    }
}
