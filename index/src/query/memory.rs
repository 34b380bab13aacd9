//! Memory at a position.

use stepback_machine::Address;
use stepback_parsers::{Position, Source};

use crate::answers::byte_state::ByteState;
use crate::answers::cancel::Cancel;
use crate::answers::cell::MemoryRange;
use crate::answers::error::QueryError;
use crate::index::Index;
use crate::inference::contents::fill_memory;
use crate::query::question::Query;
use crate::read::bytes::ByteReader;
use crate::read::key_maps::KeyMapReader;
use crate::read::slots::SlotReader;
use crate::store::granules::{GRANULE_BITS, granules_of};

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

impl Query for MemoryAt {
    type Answer = Vec<ByteState>;

    fn run<S: Source>(&self, index: &Index<S>, cancel: &Cancel) -> Result<Vec<ByteState>, QueryError> {
        SlotReader(index).check_position(self.position)?;
        let range = MemoryRange { address: self.address, len_bytes: self.len_bytes };
        let mut bytes = Vec::new();
        for (granule, mask) in granules_of(self.address, self.len_bytes) {
            cancel.check()?;
            let states = ByteReader(index).granule_at(granule, mask, self.position)?;
            bytes
                .extend(states.iter().enumerate().filter(|(place, _)| mask >> place & 1 != 0).map(|(_, state)| *state));
        }
        fill_memory(index, range, self.position, &mut bytes, cancel)?;
        Ok(bytes)
    }
}

/// The next memory from an address on that any step of the trace ever accessed or a program image fills,
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
        let granule = accessed.into_iter().chain(loaded).min();
        Ok(granule.map(|granule| Address(granule << GRANULE_BITS)))
    }
}
