//! What recent stores and loads left in memory, as terms.

use std::collections::HashMap;

use stepback_machine::Endian;
use stepback_parsers::Step;

use crate::inference::symbols::Term;

/// What an access left.
#[derive(Clone, Copy, Debug)]
struct Cell {
    /// Of its first byte in the block.
    place: u8,
    size_bytes: u8,
    term: Term,
    step: Step,
}

impl Cell {
    fn overlaps(&self, place: u8, end: u8) -> bool {
        self.place < end && place < self.place + self.size_bytes
    }
}

/// Memory by aligned blocks of 8 bytes, each with what at most two accesses left.
/// Accesses across blocks are not followed; what they change is forgotten.
#[derive(Debug)]
pub(super) struct Memory {
    blocks: HashMap<u64, [Option<Cell>; 2], foldhash::fast::RandomState>,
    is_big_endian: bool,
}

impl Memory {
    /// Memory that nothing is known of.
    pub fn new(endian: Endian) -> Self {
        Self { blocks: HashMap::default(), is_big_endian: endian == Endian::Big }
    }

    /// Forgets all.
    pub fn clear(&mut self) {
        self.blocks.clear();
    }

    /// Forgets some bytes.
    pub fn forget(&mut self, address: u64, size_bytes: u64) {
        let Some(last) = size_bytes.checked_sub(1).map(|more| address.saturating_add(more)) else { return };
        if last / 8 - address / 8 > 64 {
            return self.blocks.retain(|block, _| !(address / 8..=last / 8).contains(block));
        }
        for block in address / 8..=last / 8 {
            let Some(cells) = self.blocks.get_mut(&block) else { continue };
            let first = if block == address / 8 { address % 8 } else { 0 } as u8;
            let end = if block == last / 8 { last % 8 + 1 } else { 8 } as u8;
            cells.iter_mut().for_each(|cell| *cell = cell.filter(|cell| !cell.overlaps(first, end)));
        }
    }

    /// What some bytes are, as far as one access left them all, and the step of that.
    pub fn load(&self, address: u64, size_bytes: u8) -> Option<(Term, Step)> {
        let place = (address % 8) as u8;
        let cells = self.blocks.get(&(address / 8))?;
        let is_whole =
            |cell: &Cell| cell.size_bytes == size_bytes || cell.size_bytes > size_bytes && !self.is_big_endian;
        let cell = cells.iter().flatten().find(|cell| cell.place == place && is_whole(cell))?;
        Some((cell.term.cut(8 * size_bytes), cell.step))
    }

    /// Some bytes, whose old contents were forgotten, are a term from here on.
    pub fn keep(&mut self, address: u64, size_bytes: u8, term: Term, step: Step) {
        let place = (address % 8) as u8;
        if size_bytes == 0 || place + size_bytes > 8 {
            return;
        }
        let cells = self.blocks.entry(address / 8).or_default();
        if cells.iter().flatten().any(|cell| cell.overlaps(place, place + size_bytes)) {
            return;
        }
        if let Some(free) = cells.iter_mut().find(|cell| cell.is_none()) {
            *free = Some(Cell { place, size_bytes, term, step });
        }
    }
}
