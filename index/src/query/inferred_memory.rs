//! Memory inferred from the semantics of the steps.

use stepback_machine::Address;
use stepback_parsers::Position;

use crate::answers::cancel::Cancel;
use crate::answers::cell::MemoryRange;
use crate::answers::error::QueryError;
use crate::index::Index;
use crate::inference::contents::infer_memory;
use crate::query::question::Query;

/// Infers bytes of memory at a position from the steps, without the values that the trace may
/// state. Cost: the runs of steps around at most 12 places of their last accesses.
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
