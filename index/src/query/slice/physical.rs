//! A slice of physical memory begins at who wrote each byte last, through whichever virtual page lay there then.
//! From there on it is one of virtual memory: each step names what it loads by the page that it saw.

use stepback_machine::{Address, Endian};
use stepback_parsers::{Position, Source};

use crate::answers::access_kinds::AccessKinds;
use crate::answers::accesses_at::Accessed;
use crate::answers::byte_state::ByteState;
use crate::answers::cancel::Cancel;
use crate::answers::cell::{Cell, MemoryRange};
use crate::answers::error::QueryError;
use crate::answers::hit::{Doubt, Hit};
use crate::answers::slice::{End, WantedBy};
use crate::answers::step_record::{Access, AccessTarget};
use crate::answers::thread::ThreadId;
use crate::answers::value::ValueSource;
use crate::query::access::LastAccesses;
use crate::query::physical::VirtualPart;
use crate::query::physical_memory::PhysicalMemoryAt;
use crate::query::question::Query as _;
use crate::query::slice::definers::{Definers, Finds, Wish};
use crate::query::slice::pieces::Piece;
use crate::read::overtaken::DoubtReader;
use crate::read::slots::ThreadSlot;
use crate::store::granules::GRANULE_BITS;

/// What became of a byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum From {
    Step { slot: u64, thread: ThreadId, doubt: Option<Doubt> },
    Nobody(End),
}

/// A byte by the virtual address under which it was written, or lies there.
#[derive(Clone, Copy, Debug)]
struct Found {
    from: From,
    address: Address,
}

impl<S: Source> Definers<'_, S> {
    /// Adds who wrote bytes of physical memory last before a position. Cost: a question for the last write of each byte.
    ///
    /// # Errors
    /// Where no virtual page is known that ever lay there, and see [`QueryError`].
    pub(super) fn of_physical(
        &self,
        range: MemoryRange,
        at: Position,
        asked: &[WantedBy],
        finds: &mut Finds<'_>,
        cancel: &Cancel,
    ) -> Result<(), QueryError> {
        let MemoryRange { address, len_bytes } = range;
        let states = PhysicalMemoryAt { position: at, address, len_bytes }.run(self.index, cancel)?;
        let mut groups: Vec<(From, u64, u64)> = Vec::new();
        for (place, state) in (0u64..).zip(states) {
            let byte = Address(address.0.wrapping_add(place));
            let Found { from, address } = self.writer_of_physical(byte, at, state, cancel)?;
            let (granule, bit) = (address.0 >> GRANULE_BITS, 1u64 << (address.0 & 63));
            match groups.last_mut().filter(|(known, of, _)| (*known, *of) == (from, granule)) {
                Some((_, _, mask)) => *mask |= bit,
                None => groups.push((from, granule, bit)),
            }
        }
        for (from, granule, mask) in groups {
            let piece = Piece::Memory { granule, mask };
            let wish = |thread, doubt| Wish { thread, piece: piece.clone(), wanted_by: asked.to_vec(), doubt };
            match from {
                From::Nobody(end) => finds.end(&wish(ThreadId(0), None), &piece, end),
                From::Step { slot, thread, doubt } => self.written_in(wish(thread, doubt), slot, finds, cancel)?,
            }
        }
        Ok(())
    }

    fn writer_of_physical(
        &self,
        byte: Address,
        at: Position,
        state: ByteState,
        cancel: &Cancel,
    ) -> Result<Found, QueryError> {
        let cell = Cell::Physical { address: byte, len_bytes: 1 };
        let question = LastAccesses { cell, kinds: AccessKinds::Writes, thread: None, before: at, skip: 0, limit: 1 };
        let last = question.run(self.index, cancel)?.and_then(|last| last.accesses.into_iter().next());
        let parts = VirtualPart::all(self.index, MemoryRange { address: byte, len_bytes: 1 }, cancel)?;
        let nobody = |end| {
            let Some(part) = parts.first() else {
                let format = self.index.contents.traits.format.clone();
                return Err(QueryError::NotRecorded {
                    format,
                    what: "which virtual page lies at this physical address",
                });
            };
            Ok(Found { from: From::Nobody(end), address: part.range.address })
        };
        let hit = match last {
            Some(Accessed::Step(hit)) => hit,
            Some(Accessed::Initial(line)) => return nobody(End::Initial { line: Some(line) }),
            None if state.source == ValueSource::Inferred && state.seen_at.is_none() => return nobody(End::Image),
            None => return nobody(End::Initial { line: None }),
        };
        let addresses = parts.iter().map(|part| part.range.address);
        let stored = addresses.filter_map(|address| Some((address, self.stored_at(&hit, address)?))).next();
        let Some((address, stored)) = stored else { return Err(QueryError::TraceChanged) };
        // A later load that found something else.
        if stored.zip(state.value).is_some_and(|(stored, found)| stored != found)
            && let Some(seen_at) = state.seen_at.filter(|seen_at| *seen_at > hit.position)
        {
            return Ok(Found { from: From::Nobody(End::External { seen_by: seen_at.last_step() }), address });
        }
        let (slot, thread) = (hit.position.0, hit.record.thread);
        let doubt = match self.index.contents.markers.is_empty() {
            true => None,
            false => DoubtReader(self.index).overtaken(ThreadSlot { thread, slot }, at, cancel)?,
        };
        Ok(Found { from: From::Step { slot, thread, doubt: hit.doubt.or(doubt) }, address })
    }

    /// The byte that an access put at a virtual address, where its value is told; none where it is not there at all.
    fn stored_at(&self, hit: &Hit, byte: Address) -> Option<Option<u8>> {
        let Access { target: AccessTarget::Memory { address, size_bytes }, value, .. } = hit.access.as_ref()? else {
            return None;
        };
        let place = byte.0.checked_sub(address.0).filter(|place| place < size_bytes)?;
        let place = match self.index.contents.traits.endian {
            Endian::Little => place,
            Endian::Big => size_bytes - 1 - place,
        };
        Some(value.0.get(usize::try_from(place).ok()?).copied().flatten())
    }
}
