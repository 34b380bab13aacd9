//! Slices of physical memory begin at the last writer of each byte, through any virtual page mapped
//! there then. From there on they are of virtual memory: each step names its loads by the page that
//! it saw.

use stepback_machine::Address;
use stepback_parsers::Position;

use crate::answers::cancel::Cancel;
use crate::answers::cell::MemoryRange;
use crate::answers::error::QueryError;
use crate::answers::slice::SliceUse;
use crate::answers::thread::ThreadId;
use crate::query::physical::VirtualPart;
use crate::query::physical_memory::PhysicalMemoryAt;
use crate::query::question::Query as _;
use crate::query::slice::definers::{DefinitionQuery, FoundDefinitions, ReachingDefinitions};
use crate::query::slice::physical_writers::{PhysicalByteWriter, PhysicalDefinitionFinder};
use crate::query::slice::pieces::StatePiece;
use crate::store::granules::GRANULE_BITS;

impl ReachingDefinitions<'_> {
    /// Adds the definitions of bytes of physical memory that reach a position. Cost: the recorded
    /// translations are collected once, and there is a query for each access that is found.
    ///
    /// # Errors
    /// Fails if no virtual page is known that was ever mapped there; see [`QueryError`].
    pub(super) fn of_physical(
        &self,
        range: MemoryRange,
        at: Position,
        asked: &[SliceUse],
        finds: &mut FoundDefinitions<'_>,
        cancel: &Cancel,
    ) -> Result<(), QueryError> {
        let MemoryRange { address, len_bytes } = range;
        let states = PhysicalMemoryAt {
            position: at,
            address,
            len_bytes,
        }
        .run(self.index, cancel)?;
        let mut groups: Vec<(PhysicalByteWriter, u64, u64)> = Vec::new();
        let parts = VirtualPart::all(self.index, range, cancel)?;
        let mut next = address;
        for parts in parts.chunk_by(|one, next| one.within.physical() == next.within.physical()) {
            let Some(first) = parts.first().filter(|first| first.physical() == next) else {
                break;
            };
            next = Address(next.0.wrapping_add(first.range.len_bytes));
            let place =
                usize::try_from(first.physical().0.wrapping_sub(address.0)).unwrap_or(usize::MAX);
            let writers = PhysicalDefinitionFinder {
                index: self.index,
                parts,
                at,
                states: states.get(place..).unwrap_or_default(),
                cancel,
            };
            for found in writers.find()? {
                let (granule, bit) = (
                    found.address.0 >> GRANULE_BITS,
                    1u64 << (found.address.0 & 63),
                );
                match groups
                    .last_mut()
                    .filter(|(known, of, _)| (*known, *of) == (found.from, granule))
                {
                    Some((_, _, mask)) => *mask |= bit,
                    None => groups.push((found.from, granule, bit)),
                }
            }
        }
        if next.0.wrapping_sub(address.0) < states.len() as u64 {
            let format = self.index.contents.traits.format.clone();
            return Err(QueryError::NotRecorded {
                format,
                what: "which virtual page lies at this physical address",
            });
        }
        for (from, granule, mask) in groups {
            let piece = StatePiece::Memory { granule, mask };
            let wish = |thread, doubt| DefinitionQuery {
                thread,
                piece: piece.clone(),
                wanted_by: asked.to_vec(),
                doubt,
            };
            match from {
                PhysicalByteWriter::Nobody(end) => finds.end(&wish(ThreadId(0), None), &piece, end),
                PhysicalByteWriter::Step {
                    slot,
                    thread,
                    doubt,
                } => self.written_in(wish(thread, doubt), slot, finds, cancel)?,
            }
        }
        Ok(())
    }
}
