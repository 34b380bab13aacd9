//! Last accesses of each byte of some memory.

use stepback_machine::Address;
use stepback_parsers::Position;

use crate::answers::byte_state::ByteTouch;
use crate::answers::cancel::Cancel;
use crate::answers::error::QueryError;
use crate::index::Index;
use crate::query::question::Query;
use crate::read::slots::SlotReader;
use crate::read::touches::{ByteTouches, TouchFilter, TouchReader};
use crate::store::granules::granules_of;

/// Finds the last read and write of each byte before a position. Cost: as many lookups as there are
/// blocks of 64 bytes; no text is read, so it is cheap if values are not recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TouchesAt {
    /// Position of the query.
    pub position: Position,
    /// Address of the first byte.
    pub address: Address,
    /// Number of bytes; bytes beyond the end of the address space are left out.
    pub len_bytes: u64,
}

impl Query for TouchesAt {
    type Answer = Vec<ByteTouch>;

    fn run(&self, index: &Index, cancel: &Cancel) -> Result<Vec<ByteTouch>, QueryError> {
        SlotReader(index).check_position(self.position)?;
        let reader =
            TouchReader::in_memory(index, SlotReader(index).memory_at(None, self.position)?);
        let mut bytes = Vec::new();
        for (granule, mask) in granules_of(self.address, self.len_bytes) {
            cancel.check()?;
            let writes =
                reader.last_touches(granule, mask, self.position.0, TouchFilter::Writes)?;
            let reads = reader.last_touches(granule, mask, self.position.0, TouchFilter::Reads)?;
            let at = |touches: &ByteTouches, place: usize| {
                touches[place].map(|touch| Position(touch.slot))
            };
            let wanted = (0..64).filter(|place| mask >> place & 1 != 0);
            bytes.extend(wanted.map(|place| ByteTouch {
                written_at: at(&writes, place),
                read_at: at(&reads, place),
            }));
        }
        Ok(bytes)
    }
}

#[cfg(test)]
mod tests {
    use crate::builder::in_memory::index_in_memory;
    use std::sync::Arc;

    use stepback_parsers::Tarmac;

    use super::*;
    use crate::builder::options::BuildOptions;

    #[test]
    fn each_byte_knows_its_last_load_and_store() {
        let text =
            b"1 clk IT (1) 00008000 e5801000 A svc : STR r1,[r0]\n1 clk MW4 00001000 01020304\n\
            2 clk IT (2) 00008004 e5d02000 A svc : LDRB r2,[r0]\n2 clk MR1 00001000 04\n";
        let tarmac = Arc::new(Tarmac::open(Box::new(text.to_vec()), Default::default()).unwrap());
        let index = index_in_memory(tarmac, &BuildOptions::default()).unwrap();
        let touches = |position| {
            let query = TouchesAt {
                position: Position(position),
                address: Address(0x1000),
                len_bytes: 5,
            };
            let touches = query.run(&index, &Cancel::default()).unwrap();
            touches
                .iter()
                .map(|byte| [byte.written_at, byte.read_at].map(|at| at.map(|at| at.0)))
                .collect::<Vec<_>>()
        };
        assert_eq!(
            touches(2),
            [
                [Some(1), Some(2)],
                [Some(1), None],
                [Some(1), None],
                [Some(1), None],
                [None, None]
            ]
        );
        assert_eq!(touches(0), [[None, None]; 5]);
    }
}
