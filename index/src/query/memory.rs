//! Queries for memory at a position: recorded bytes of one range ([`MemoryAt`]) or of several
//! ([`MemoryRangesAt`]), bytes inferred from the semantics of the steps ([`InferredMemory`]), and
//! the next block from an address on that was ever accessed. A step that accessed many of the bytes
//! is read only once.

use std::sync::Arc;

use stepback_machine::Address;
use stepback_parsers::{Position, RegisterSource};

use crate::answers::cell::{MemoryRange, ThreadId};
use crate::answers::error::{Cancel, QueryError};
use crate::answers::value::ByteState;
use crate::index::Index;
use crate::inference::contents::{MemoryMoment, fill_memory, infer_memory};
use crate::query::physical_memory::PhysicalMemoryAt;
use crate::query::question::{InMemory, Query};
use crate::read::byte_values::BlockState;
use crate::read::bytes::ByteReader;
use crate::read::fetches;
use crate::read::key_maps;
use crate::read::pages::{self, WantedPages};
use crate::read::slots::SlotReader;
use crate::store::granules::{GRANULE_BITS, granules_of, last_of};

/// Reads bytes of memory at a position. Cost: one step's text for each distinct last access; that
/// of [`crate::query::InferredMemory`] in a trace without values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MemoryAt {
    /// Position of the query.
    pub position: Position,
    /// Address of the first byte.
    pub address: Address,
    /// Number of bytes; bytes beyond the end of the address space are left out.
    pub len_bytes: u64,
}

/// Bytes of a block that are in a range, by the number of the range.
struct RangeBlock {
    range: usize,
    granule: u64,
    bytes: u64,
}

/// Number of blocks read together, some 1.5 kB each.
const BLOCKS: usize = 1 << 12;

impl Query for MemoryAt {
    type Answer = Vec<ByteState>;

    fn run(&self, index: &Index, cancel: &Cancel) -> Result<Vec<ByteState>, QueryError> {
        self.in_memory(index, None, cancel)
    }
}

impl InMemory for MemoryAt {
    fn in_memory(
        &self,
        index: &Index,
        thread: Option<ThreadId>,
        cancel: &Cancel,
    ) -> Result<Vec<ByteState>, QueryError> {
        let question = MemoryRangesAt {
            position: self.position,
            ranges: vec![self.range()],
        };
        Ok(question
            .in_memory(index, thread, cancel)?
            .pop()
            .unwrap_or_default())
    }
}

/// Reads bytes of several ranges of memory at a position, in their order. Cost: as [`MemoryAt`]; a
/// step that accessed many of them is read only once.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct MemoryRangesAt {
    /// Position of the query.
    pub position: Position,
    /// Ranges of memory.
    pub ranges: Vec<MemoryRange>,
}

impl Query for MemoryRangesAt {
    type Answer = Vec<Vec<ByteState>>;

    fn run(&self, index: &Index, cancel: &Cancel) -> Result<Vec<Vec<ByteState>>, QueryError> {
        self.in_memory(index, None, cancel)
    }
}

impl InMemory for MemoryRangesAt {
    fn in_memory(
        &self,
        index: &Index,
        thread: Option<ThreadId>,
        cancel: &Cancel,
    ) -> Result<Vec<Vec<ByteState>>, QueryError> {
        let mut states = self.by_address(index, thread, cancel)?;
        if index.source().traits().registers == RegisterSource::Recorded {
            for (range, bytes) in self.ranges.iter().zip(&mut states) {
                let MemoryRange { address, len_bytes } = *range;
                MemoryAt {
                    position: self.position,
                    address,
                    len_bytes,
                }
                .follow_pages(index, bytes, cancel)?;
            }
        }
        Ok(states)
    }
}

impl MemoryRangesAt {
    /// Returns the bytes shown by accesses to these virtual addresses, independent of the physical
    /// memory that they reached.
    fn by_address(
        &self,
        index: &Index,
        thread: Option<ThreadId>,
        cancel: &Cancel,
    ) -> Result<Vec<Vec<ByteState>>, QueryError> {
        SlotReader(index).check_position(self.position)?;
        let memory = SlotReader(index).memory_at(thread, self.position)?;
        let reader = ByteReader::in_memory(index, memory);
        let mut states = vec![Vec::new(); self.ranges.len()];
        let parts_of = |(range, MemoryRange { address, len_bytes }): (usize, &MemoryRange)| {
            granules_of(*address, *len_bytes).map(move |(granule, bytes)| RangeBlock {
                range,
                granule,
                bytes,
            })
        };
        let mut parts: Vec<_> = self.ranges.iter().enumerate().flat_map(parts_of).collect();
        // Ranges may share a block, which is read once.
        parts.sort_by_key(|part| part.granule);
        let shared: Vec<_> = parts
            .chunk_by(|one, next| one.granule == next.granule)
            .collect();
        for shared in shared.chunks(BLOCKS) {
            cancel.check()?;
            let block = |parts: &&[RangeBlock]| {
                let need = parts.iter().fold(0, |need, part| need | part.bytes);
                parts
                    .first()
                    .map(|part| BlockState::new(part.granule, need))
            };
            let mut blocks: Vec<_> = shared.iter().filter_map(block).collect();
            reader.fill(&mut blocks, self.position)?;
            for (parts, block) in shared.iter().zip(&blocks) {
                for RangeBlock { range, bytes, .. } in parts.iter() {
                    let wanted = block
                        .states
                        .iter()
                        .enumerate()
                        .filter(|(place, _)| bytes >> place & 1 != 0);
                    states[*range].extend(wanted.map(|(_, state)| *state));
                }
            }
        }
        for (range, bytes) in self.ranges.iter().zip(&mut states) {
            fill_memory(
                index,
                MemoryMoment {
                    range: *range,
                    memory,
                    at: self.position,
                },
                bytes,
                cancel,
            )?;
        }
        Ok(states)
    }
}

impl MemoryAt {
    fn range(&self) -> MemoryRange {
        MemoryRange {
            address: self.address,
            len_bytes: self.len_bytes,
        }
    }

    /// Returns the bytes shown by accesses to these virtual addresses, independent of the physical
    /// memory that they reached.
    pub(super) fn by_address(
        &self,
        index: &Index,
        thread: Option<ThreadId>,
        cancel: &Cancel,
    ) -> Result<Vec<ByteState>, QueryError> {
        let question = MemoryRangesAt {
            position: self.position,
            ranges: vec![self.range()],
        };
        Ok(question
            .by_address(index, thread, cancel)?
            .pop()
            .unwrap_or_default())
    }

    /// Replaces bytes of virtual pages that shared or changed physical pages with those of their
    /// physical pages. The mapping is the one recorded last, by any thread. After a recorded end of
    /// a mapping the physical page is unknown.
    fn follow_pages(
        &self,
        index: &Index,
        bytes: &mut [ByteState],
        cancel: &Cancel,
    ) -> Result<(), QueryError> {
        let known = pages::all_mappings(index, cancel)?;
        let moving = match &known {
            Some(pages) => pages.moving().to_vec(),
            // Too many translations were recorded to keep them: any page may have moved.
            None => vec![0..=u64::MAX],
        };
        let Some(last) = last_of(self.address, bytes.len() as u64) else {
            return Ok(());
        };
        for range in moving
            .iter()
            .filter(|range| *range.start() <= last && self.address.0 <= *range.end())
        {
            let mut first = self.address.0.max(*range.start());
            let end = last.min(*range.end());
            while first <= end {
                let pages = match &known {
                    Some(pages) => Arc::clone(pages),
                    None => pages::mappings(index, WantedPages::Virtual(first), cancel)?,
                };
                let Some(page_bytes) = pages.page_bytes else {
                    return Ok(());
                };
                let page_end = first | (page_bytes - 1);
                if let Some(stated) = pages.newest(first & !(page_bytes - 1), self.position.0) {
                    let address = Address(stated.physical | first & (page_bytes - 1));
                    let len_bytes = end.min(page_end) - first + 1;
                    let physical = PhysicalMemoryAt {
                        position: self.position,
                        address,
                        len_bytes,
                    }
                    .run(index, cancel)?;
                    let place = usize::try_from(first - self.address.0).unwrap_or(usize::MAX);
                    let of_page = bytes.get_mut(place..).unwrap_or_default();
                    of_page
                        .iter_mut()
                        .zip(physical)
                        .for_each(|(byte, state)| *byte = state);
                }
                let Some(next) = page_end.checked_add(1) else {
                    break;
                };
                first = next;
            }
        }
        Ok(())
    }
}

/// Finds the next memory from an address on that any step of the trace ever accessed or executed,
/// or a program image fills, as a whole block of 64 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct NextAccessedBlock {
    /// First address.
    pub from: Address,
}

impl Query for NextAccessedBlock {
    /// First address of the block.
    type Answer = Option<Address>;

    fn run(&self, index: &Index, cancel: &Cancel) -> Result<Option<Address>, QueryError> {
        cancel.check()?;
        let from = self.from.0 >> GRANULE_BITS;
        let (accessed, loaded) = (
            key_maps::next_granule(index, from)?,
            index.program().next_granule(from),
        );
        let granule = accessed
            .into_iter()
            .chain(loaded)
            .chain(fetches::next_granule(index, from))
            .min();
        Ok(granule.map(|granule| Address(granule << GRANULE_BITS)))
    }
}

/// Finds the next memory from an address on that any step of the trace ever accessed, as a whole
/// block of 64 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct NextTouchedBlock {
    /// First address.
    pub from: Address,
}

impl Query for NextTouchedBlock {
    /// First address of the block.
    type Answer = Option<Address>;

    fn run(&self, index: &Index, cancel: &Cancel) -> Result<Option<Address>, QueryError> {
        cancel.check()?;
        let granule = key_maps::next_granule(index, self.from.0 >> GRANULE_BITS)?;
        Ok(granule.map(|granule| Address(granule << GRANULE_BITS)))
    }
}

/// Infers bytes of memory at a position from the steps, without the values that the trace may
/// state. Cost: the runs of steps around their last accesses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct InferredMemory {
    /// Position of the query.
    pub position: Position,
    /// Address of the first byte.
    pub address: Address,
    /// Number of bytes.
    pub len_bytes: u64,
}

impl Query for InferredMemory {
    /// The bytes; none for an unknown one.
    type Answer = Vec<Option<u8>>;

    fn run(&self, index: &Index, cancel: &Cancel) -> Result<Vec<Option<u8>>, QueryError> {
        let range = MemoryRange {
            address: self.address,
            len_bytes: self.len_bytes,
        };
        infer_memory(index, range, self.position, cancel)
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use super::*;
    use crate::query::bytes_read::bytes_read_by;

    /// Returns the bytes read to query `ranges` ranges that one step wrote.
    fn bytes_read(ranges: u64) -> u64 {
        let mut text = "1 clk IT (1) 80000000 d50b7420 O EL3h_s : DC ZVA,x0\n".to_owned();
        for number in 0..ranges {
            writeln!(
                text,
                "1 clk MW4 {:08x} {number:08x}",
                0x1000_0000 + 64 * number
            )
            .unwrap();
        }
        let range = |number: u64| MemoryRange {
            address: Address(0x1000_0000 + 64 * number),
            len_bytes: 4,
        };
        let question = MemoryRangesAt {
            position: Position(1),
            ranges: (0..ranges).map(range).collect(),
        };
        bytes_read_by(text, |index| {
            let states = question.run(index, &Cancel::default()).unwrap();
            let low = |states: &Vec<ByteState>| {
                (states.len(), states.first().and_then(|state| state.value))
            };
            assert!(
                (0..ranges).all(|number| low(&states[number as usize]) == (4, Some(number as u8)))
            );
        })
    }

    #[test]
    fn the_cost_of_many_ranges_is_linear_in_the_cells_of_a_step() {
        let (few, many) = (bytes_read(500), bytes_read(4_000));
        // Reading the step again for each range would take 64 times as much.
        assert!(
            many < 16 * few,
            "{many} bytes for 4,000 ranges, {few} for 500"
        );
    }
}
