//! Memory address of a pointer: processors ignore tags in its top bits.

use stepback_machine::Address;

use crate::answers::cancel::Cancel;
use crate::answers::error::QueryError;
use crate::answers::thread::ThreadId;
use crate::index::Index;
use crate::query::question::Query;
use crate::read::key_maps::KeyMapReader;
use crate::store::granules::GRANULE_BITS;

/// Finds the address under which the trace shows the memory of a pointer: without the tag that
/// processors ignore (TBI and MTE of Arm, LAM and UAI of x86), unless the trace itself shows
/// accesses of the tagged address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PlainAddress {
    /// Thread with the pointer in its registers.
    pub thread: ThreadId,
    /// Pointer as the register holds it.
    pub pointer: Address,
}

impl Query for PlainAddress {
    type Answer = Address;

    fn run(&self, index: &Index, _cancel: &Cancel) -> Result<Address, QueryError> {
        let plain = Address(
            index
                .instruction_set(self.thread)
                .plain_address(self.pointer.0),
        );
        let granule = self.pointer.0 >> GRANULE_BITS;
        let is_shown = || {
            KeyMapReader(index)
                .next_granule(granule)
                .map(|next| next == Some(granule))
        };
        Ok(if plain == self.pointer || is_shown()? {
            self.pointer
        } else {
            plain
        })
    }
}
