//! Memory as far as the steps force it.

use stepback_machine::Address;
use stepback_parsers::Position;

use crate::answers::cancel::Cancel;
use crate::answers::cell::MemoryRange;
use crate::answers::error::QueryError;
use crate::index::Index;
use crate::inference::contents::infer_memory;
use crate::query::question::Query;

/// Bytes of memory at a position as far as the steps force them, without the values that the trace may state.
/// Cost: the runs of steps around at most 12 places where they were accessed last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct InferredMemory {
    /// When.
    pub position: Position,
    /// The first byte.
    pub address: Address,
    /// How many.
    pub len_bytes: u64,
}

impl Query for InferredMemory {
    /// None for what is not known.
    type Answer = Vec<Option<u8>>;

    fn run(&self, index: &Index, cancel: &Cancel) -> Result<Vec<Option<u8>>, QueryError> {
        let range = MemoryRange {
            address: self.address,
            len_bytes: self.len_bytes,
        };
        infer_memory(index, range, self.position, cancel)
    }
}
