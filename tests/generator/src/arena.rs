//! The memory of the machine.

use crate::Dice;

/// Start address of the heap.
pub const HEAP: u64 = 0x0050_0000;
/// Size of the heap in bytes.
pub const HEAP_BYTES: u64 = 2 << 20;
/// Size of the stack in bytes.
pub const STACK_BYTES: u64 = 1 << 20;
/// Address after the highest byte of the stack.
pub const STACK_END: u64 = 0x7f_ffff_f000;
/// Start address of the stack.
pub const STACK: u64 = STACK_END - STACK_BYTES;

/// Heap and stack, filled with bytes that the trace has not stated.
#[derive(Debug)]
pub struct Arena {
    heap: Vec<u8>,
    stack: Vec<u8>,
}

impl Arena {
    pub fn new(dice: &mut Dice) -> Self {
        let mut fill = |len: u64| {
            (0..len / 8)
                .flat_map(|_| dice.number().to_le_bytes())
                .collect()
        };
        Self {
            heap: fill(HEAP_BYTES),
            stack: fill(STACK_BYTES),
        }
    }

    /// Returns the index of an address among all bytes of the arena, heap first.
    pub fn place(address: u64) -> Option<usize> {
        let in_heap = address
            .checked_sub(HEAP)
            .filter(|offset| *offset < HEAP_BYTES);
        let in_stack = || {
            Some(
                address
                    .checked_sub(STACK)
                    .filter(|offset| *offset < STACK_BYTES)?
                    + HEAP_BYTES,
            )
        };
        in_heap.or_else(in_stack).map(|place| place as usize)
    }

    /// Number of bytes in the arena.
    pub const LEN: usize = (HEAP_BYTES + STACK_BYTES) as usize;

    fn part(&mut self, address: u64, size: u64) -> &mut [u8] {
        let place = Self::place(address)
            .unwrap_or_else(|| panic!("the machine has no memory at {address:#x}"));
        let (part, place) = match place.checked_sub(HEAP_BYTES as usize) {
            Some(place) => (&mut self.stack, place),
            None => (&mut self.heap, place),
        };
        &mut part[place..place + size as usize]
    }

    /// Returns a little-endian number of up to 8 bytes.
    pub fn load(&mut self, address: u64, size: u64) -> u64 {
        self.part(address, size)
            .iter()
            .rev()
            .fold(0, |value, byte| value << 8 | u64::from(*byte))
    }

    pub fn store(&mut self, address: u64, size: u64, value: u64) {
        self.part(address, size)
            .copy_from_slice(&value.to_le_bytes()[..size as usize]);
    }
}
