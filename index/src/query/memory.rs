//! Memory at a position.

use std::sync::Arc;

use stepback_machine::Address;
use stepback_parsers::{Position, RegisterSource, Source};

use crate::answers::byte_state::ByteState;
use crate::answers::cancel::Cancel;
use crate::answers::cell::MemoryRange;
use crate::answers::error::QueryError;
use crate::answers::thread::ThreadId;
use crate::index::Index;
use crate::inference::contents::{MemoryMoment, fill_memory};
use crate::query::in_memory::InMemory;
use crate::query::physical_memory::PhysicalMemoryAt;
use crate::query::question::Query;
use crate::read::byte_values::BlockState;
use crate::read::bytes::ByteReader;
use crate::read::fetches::FetchReader;
use crate::read::key_maps::KeyMapReader;
use crate::read::slots::SlotReader;
use crate::read::told_pages::{PageReader, WantedPages};
use crate::store::granules::{GRANULE_BITS, granules_of, last_of};

/// Bytes of memory at a position. Cost: one step's text for each distinct last access; that of
/// [`crate::InferredMemory`] in a trace without values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MemoryAt {
    /// When.
    pub position: Position,
    /// The first byte.
    pub address: Address,
    /// How many; bytes beyond the end of the address space are left out.
    pub len_bytes: u64,
}

/// Blocks whose bytes are read together, some 1.5 kB each.
const BLOCKS: usize = 1 << 12;

impl Query for MemoryAt {
    type Answer = Vec<ByteState>;

    fn run<S: Source>(&self, index: &Index<S>, cancel: &Cancel) -> Result<Vec<ByteState>, QueryError> {
        self.in_memory(index, None, cancel)
    }
}

impl InMemory for MemoryAt {
    fn in_memory<S: Source>(
        &self,
        index: &Index<S>,
        thread: Option<ThreadId>,
        cancel: &Cancel,
    ) -> Result<Vec<ByteState>, QueryError> {
        let mut bytes = self.by_address(index, thread, cancel)?;
        if index.source().traits().registers == RegisterSource::Recorded {
            self.follow_pages(index, &mut bytes, cancel)?;
        }
        Ok(bytes)
    }
}

impl MemoryAt {
    /// What accesses by these addresses told, wherever they led.
    pub(super) fn by_address<S: Source>(
        &self,
        index: &Index<S>,
        thread: Option<ThreadId>,
        cancel: &Cancel,
    ) -> Result<Vec<ByteState>, QueryError> {
        SlotReader(index).check_position(self.position)?;
        let range = MemoryRange { address: self.address, len_bytes: self.len_bytes };
        let memory = SlotReader(index).memory_at(thread, self.position)?;
        let reader = ByteReader::in_memory(index, memory);
        let mut bytes = Vec::new();
        let mut granules = granules_of(self.address, self.len_bytes).peekable();
        while granules.peek().is_some() {
            cancel.check()?;
            let blocks = granules.by_ref().take(BLOCKS).map(|(granule, need)| BlockState::new(granule, need));
            let mut blocks: Vec<_> = blocks.collect();
            reader.fill(&mut blocks, self.position)?;
            for BlockState { need, states, .. } in blocks {
                let needed = states.iter().enumerate().filter(|(place, _)| need >> place & 1 != 0);
                bytes.extend(needed.map(|(_, state)| *state));
            }
        }
        fill_memory(index, MemoryMoment { range, memory, at: self.position }, &mut bytes, cancel)?;
        Ok(bytes)
    }

    /// Pages that were told to lie elsewhere at times, or where others lie, too, hold what their physical pages do: those that
    /// the trace told last, of whichever thread. Where they lie is not known behind an end that was told.
    fn follow_pages<S: Source>(
        &self,
        index: &Index<S>,
        bytes: &mut [ByteState],
        cancel: &Cancel,
    ) -> Result<(), QueryError> {
        let reader = PageReader(index);
        let known = reader.all_pages(cancel)?;
        let moving = match &known {
            Some(pages) => pages.moving().to_vec(),
            // Too many were told to keep them: any page may have moved.
            None => vec![0..=u64::MAX],
        };
        let Some(last) = last_of(self.address, bytes.len() as u64) else { return Ok(()) };
        for range in moving.iter().filter(|range| *range.start() <= last && self.address.0 <= *range.end()) {
            let mut first = self.address.0.max(*range.start());
            let end = last.min(*range.end());
            while first <= end {
                let pages = match &known {
                    Some(pages) => Arc::clone(pages),
                    None => reader.pages(WantedPages::Virtual(first), cancel)?,
                };
                let Some(page_bytes) = pages.page_bytes else { return Ok(()) };
                let page_end = first | (page_bytes - 1);
                if let Some(told) = pages.newest(first & !(page_bytes - 1), self.position.0) {
                    let address = Address(told.physical | first & (page_bytes - 1));
                    let len_bytes = end.min(page_end) - first + 1;
                    let physical =
                        PhysicalMemoryAt { position: self.position, address, len_bytes }.run(index, cancel)?;
                    let place = usize::try_from(first - self.address.0).unwrap_or(usize::MAX);
                    let of_page = bytes.get_mut(place..).unwrap_or_default();
                    of_page.iter_mut().zip(physical).for_each(|(byte, state)| *byte = state);
                }
                let Some(next) = page_end.checked_add(1) else { break };
                first = next;
            }
        }
        Ok(())
    }
}

/// The next memory from an address on that any step of the trace ever accessed or executed, or a program image fills,
/// as a whole block of 64 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct NextAccessedBlock {
    /// From where.
    pub from: Address,
}

impl Query for NextAccessedBlock {
    /// The block's first address.
    type Answer = Option<Address>;

    fn run<S: Source>(&self, index: &Index<S>, cancel: &Cancel) -> Result<Option<Address>, QueryError> {
        cancel.check()?;
        let from = self.from.0 >> GRANULE_BITS;
        let (accessed, loaded) = (KeyMapReader(index).next_granule(from)?, index.program().next_granule(from));
        let granule = accessed.into_iter().chain(loaded).chain(FetchReader(index).next_granule(from)).min();
        Ok(granule.map(|granule| Address(granule << GRANULE_BITS)))
    }
}

/// The same of memory that steps accessed alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct NextTouchedBlock {
    /// From where.
    pub from: Address,
}

impl Query for NextTouchedBlock {
    /// The block's first address.
    type Answer = Option<Address>;

    fn run<S: Source>(&self, index: &Index<S>, cancel: &Cancel) -> Result<Option<Address>, QueryError> {
        cancel.check()?;
        let granule = KeyMapReader(index).next_granule(self.from.0 >> GRANULE_BITS)?;
        Ok(granule.map(|granule| Address(granule << GRANULE_BITS)))
    }
}
