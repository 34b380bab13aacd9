//! Terms that recent stores and loads left in memory.

use std::collections::HashMap;

use stepback_machine::Endian;
use stepback_parsers::Step;

use crate::inference::symbols::Term;

/// Bytes that an access left.
#[derive(Clone, Copy, Debug)]
struct StoredTerm {
    /// Offset of the first byte in the block.
    place: u8,
    size_bytes: u8,
    term: Term,
    /// Number of less significant bytes of the term that are stored elsewhere.
    skip: u8,
    step: Step,
}

/// Adjacent bytes of an access, with their value.
#[derive(Clone, Copy, Debug)]
pub(super) struct TermPart {
    pub term: Term,
    /// Number of less significant bytes of the term that do not belong to the part.
    pub skip: u8,
    pub size_bytes: u8,
    /// Number of less significant bytes of the access.
    pub place: u8,
    /// Step of the access.
    pub step: Step,
}

/// Number of cells kept for a block.
const CELLS: usize = 4;
const BLOCK_BYTES: u64 = 8;

/// Memory as aligned blocks of 8 bytes, each with the terms of at most four accesses.
#[derive(Debug)]
pub(super) struct TermMemory {
    blocks: HashMap<u64, [Option<StoredTerm>; CELLS], foldhash::fast::RandomState>,
    endian: Endian,
}

impl StoredTerm {
    fn end(&self) -> u8 {
        self.place + self.size_bytes
    }

    fn overlaps(&self, place: u8, end: u8) -> bool {
        self.place < end && place < self.end()
    }

    /// Returns the bytes of the cell within a range of its block; `None` if there are none.
    fn between(&self, place: u8, end: u8, endian: Endian) -> Option<Self> {
        let (first, end) = (self.place.max(place), self.end().min(end));
        let size_bytes = end.checked_sub(first).filter(|size| *size > 0)?;
        let less_significant = match endian {
            Endian::Little => first - self.place,
            Endian::Big => self.end() - end,
        };
        Some(Self {
            place: first,
            size_bytes,
            skip: self.skip + less_significant,
            ..*self
        })
    }
}

impl TermMemory {
    /// Returns memory without known contents.
    pub fn new(endian: Endian) -> Self {
        Self {
            blocks: HashMap::default(),
            endian,
        }
    }

    /// Discards all contents.
    pub fn clear(&mut self) {
        self.blocks.clear();
    }

    /// Discards some bytes.
    pub fn forget(&mut self, address: u64, size_bytes: u64) {
        let Some(last) = size_bytes
            .checked_sub(1)
            .map(|more| address.saturating_add(more))
        else {
            return;
        };
        let blocks = address / BLOCK_BYTES..=last / BLOCK_BYTES;
        if blocks.end() - blocks.start() > 64 {
            return self.blocks.retain(|block, _| !blocks.contains(block));
        }
        for block in blocks.clone() {
            let Some(cells) = self.blocks.get_mut(&block) else {
                continue;
            };
            let first = if block == *blocks.start() {
                address % BLOCK_BYTES
            } else {
                0
            } as u8;
            let end = if block == *blocks.end() {
                last % BLOCK_BYTES + 1
            } else {
                BLOCK_BYTES
            } as u8;
            if !cells.iter().flatten().any(|cell| cell.overlaps(first, end)) {
                continue;
            }
            let endian = self.endian;
            let rests = |cell: StoredTerm| {
                [
                    cell.between(0, first, endian),
                    cell.between(end, BLOCK_BYTES as u8, endian),
                ]
            };
            let mut kept = cells.iter().flatten().copied().flat_map(rests).flatten();
            *cells = std::array::from_fn(|_| kept.next());
        }
    }

    /// Returns the value of some bytes and the step that left them, if one access left all of them
    /// as the low part of its term.
    pub fn load(&self, address: u64, size_bytes: u8) -> Option<(Term, Step)> {
        let place = (address % BLOCK_BYTES) as u8;
        let cells = self.blocks.get(&(address / BLOCK_BYTES))?;
        let is_whole = |cell: &&StoredTerm| cell.place <= place && place + size_bytes <= cell.end();
        let cell = cells.iter().flatten().find(is_whole)?.between(
            place,
            place + size_bytes,
            self.endian,
        )?;
        (cell.skip == 0).then(|| (cell.term.cut(8 * size_bytes), cell.step))
    }

    /// The known parts of at most 8 bytes.
    pub fn parts(&self, address: u64, size_bytes: u8) -> Vec<TermPart> {
        let mut parts = Vec::new();
        for (block, first, end) in blocks_of(address, size_bytes) {
            let cells = self.blocks.get(&block).into_iter().flatten().flatten();
            for cell in cells.filter_map(|cell| cell.between(first, end, self.endian)) {
                let start = block * BLOCK_BYTES + u64::from(cell.place) - address;
                let place = match self.endian {
                    Endian::Little => start as u8,
                    Endian::Big => size_bytes - start as u8 - cell.size_bytes,
                };
                let StoredTerm {
                    term,
                    skip,
                    size_bytes,
                    step,
                    ..
                } = cell;
                parts.push(TermPart {
                    term,
                    skip,
                    size_bytes,
                    place,
                    step,
                });
            }
        }
        parts
    }

    /// Stores a term in at most 8 bytes, whose old contents were discarded before.
    pub fn keep(&mut self, address: u64, size_bytes: u8, term: Term, step: Step) {
        for (block, place, end) in blocks_of(address, size_bytes) {
            let before = (block * BLOCK_BYTES).saturating_sub(address) as u8;
            let skip = match self.endian {
                Endian::Little => before,
                Endian::Big => size_bytes - before - (end - place),
            };
            let cells = self.blocks.entry(block).or_default();
            if cells.iter().flatten().any(|cell| cell.overlaps(place, end)) {
                continue;
            }
            if let Some(free) = cells.iter_mut().find(|cell| cell.is_none()) {
                *free = Some(StoredTerm {
                    place,
                    size_bytes: end - place,
                    term,
                    skip,
                    step,
                });
            }
        }
    }
}

/// Returns the blocks of at most 8 bytes, each with the offsets of the first byte and of the end.
/// Yields nothing for ranges that exceed the address space.
fn blocks_of(address: u64, size_bytes: u8) -> impl Iterator<Item = (u64, u8, u8)> {
    let last = u64::from(size_bytes)
        .checked_sub(1)
        .and_then(|more| address.checked_add(more));
    let (first_block, place) = (address / BLOCK_BYTES, (address % BLOCK_BYTES) as u8);
    let end = place + size_bytes.min(BLOCK_BYTES as u8);
    let is_whole = last.is_some() && u64::from(size_bytes) <= BLOCK_BYTES;
    let first = is_whole.then_some((first_block, place, end.min(8)));
    let second =
        (is_whole && end > 8).then_some((first_block.wrapping_add(1), 0, end.wrapping_sub(8)));
    first.into_iter().chain(second)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::inference::symbols::Symbols;

    /// Stores, each as address, size and value.
    type Stores = [(u64, u8, u64)];

    /// Checks the known contents of some bytes after some stores against the bytes themselves.
    #[track_caller]
    fn check(stores: &Stores, address: u64, size_bytes: u8) {
        for endian in [Endian::Little, Endian::Big] {
            let (mut symbols, mut memory) = (Symbols::default(), TermMemory::new(endian));
            let mut bytes = HashMap::new();
            let mut terms = Vec::new();
            for (address, size_bytes, value) in stores {
                let term = symbols.free();
                terms.push((term, *value));
                memory.forget(*address, u64::from(*size_bytes));
                memory.keep(*address, *size_bytes, term, Step(0));
                let numbers = value.to_le_bytes();
                let numbers = numbers.iter().take(usize::from(*size_bytes)).copied();
                let places = 0..u64::from(*size_bytes);
                let places: Vec<u64> = match endian {
                    Endian::Little => places.collect(),
                    Endian::Big => places.rev().collect(),
                };
                bytes.extend(places.iter().map(|place| address + place).zip(numbers));
            }
            let value_of = |term: Term| terms.iter().find(|(known, _)| *known == term).unwrap().1;
            let (mut found, mut mask) = (0, 0);
            for part in memory.parts(address, size_bytes) {
                let low = |bytes: u8| {
                    if bytes == 8 {
                        u64::MAX
                    } else {
                        (1 << (8 * bytes)) - 1
                    }
                };
                let value = value_of(part.term) >> (8 * part.skip) & low(part.size_bytes);
                found |= value << (8 * part.place);
                mask |= low(part.size_bytes) << (8 * part.place);
            }
            for offset in 0..size_bytes {
                let place = match endian {
                    Endian::Little => offset,
                    Endian::Big => size_bytes - 1 - offset,
                };
                let is_known = mask >> (8 * place) & 0xff == 0xff;
                let byte = is_known.then_some((found >> (8 * place)) as u8);
                let expected = bytes.get(&(address + u64::from(offset))).copied();
                assert_eq!(byte, expected, "{endian:?}: byte {offset} of {address:#x}");
            }
        }
    }

    #[test]
    fn bytes_are_those_of_the_last_store() {
        let stores = [
            (0x1000, 8, 0x1122_3344_5566_7788),
            (0x1002, 2, 0xaabb),
            (0x1005, 1, 0xcc),
            (0x1006, 4, 0xdead_beef),
        ];
        for size_bytes in [1, 2, 4, 8] {
            for address in 0xffc..0x100c {
                check(&stores[..1], address, size_bytes);
                check(&stores[..2], address, size_bytes);
                check(&stores[1..], address, size_bytes);
            }
        }
    }
}
