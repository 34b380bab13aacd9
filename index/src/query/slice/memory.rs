//! Last writers of bytes of memory: a store, the host, or none.

use std::collections::HashMap;

use stepback_machine::{AccessKind, Address};
use stepback_parsers::{Position, Step};

use crate::answers::cell::{MemoryRange, ThreadId};
use crate::answers::error::{Cancel, QueryError};
use crate::answers::slice::{SliceEndKind, UnknownInput};
use crate::index::Index;
use crate::inference::overwrites::OverwriteReader;
use crate::query::slice::beside::{LastByteWriter, is_contradicting};
use crate::query::slice::definers::{
    DefinitionLimit, DefinitionQuery, FoundDefinitions, ReachingDefinitions,
};
use crate::query::slice::pieces::StatePiece;
use crate::read::contradictions::Contradictions;
use crate::read::recorded_accesses::records_accesses;
use crate::read::slots::{SlotEvent, SlotEventKind, SlotReader, ThreadSlot};
use crate::read::touches::{TouchAt, TouchFilter, TouchReader};
use crate::store::granules::{GRANULE_BITS, runs_of};

/// Time of an event of a byte: in a slot, host writes come before all accesses.
type ByteEventTime = (u64, Option<TouchAt>);

impl ReachingDefinitions<'_> {
    pub(super) fn of_memory(
        &self,
        wish: DefinitionQuery,
        until: DefinitionLimit<'_>,
        finds: &mut FoundDefinitions<'_>,
        cancel: &Cancel,
    ) -> Result<(), QueryError> {
        let StatePiece::Memory { granule, mask } = wish.piece else {
            return Ok(());
        };
        let reader = TouchReader::in_memory(self.index, self.index.memories().of(wish.thread));
        let written = reader.last_touches(granule, mask, until.slot, TouchFilter::Writes)?;
        let by_host = self
            .index
            .host_regions
            .last_of_bytes(granule, mask, until.slot);
        let shown = if until.beside.is_some() {
            until.slot
        } else {
            until.shown
        };
        let changed = match self.index.contents.externals != 0 {
            true => reader.last_touches(granule, mask, shown, TouchFilter::External)?,
            false => [None; 64],
        };
        let mut slots = SlotAccesses::new(self.index);
        let mut who = |place: u32| -> Result<LastByteWriter, QueryError> {
            let address = Address((granule << GRANULE_BITS) + u64::from(place));
            if let Some(who) = until.beside.and_then(|beside| beside.who(address)) {
                return Ok(who);
            }
            let at =
                |touches: &[Option<TouchAt>; 64]| touches.get(place as usize).copied().flatten();
            let access = |touch: TouchAt| -> ByteEventTime { (touch.slot, Some(touch)) };
            let host = by_host.get(place as usize).copied().flatten();
            let stated = at(&written).map(access).max(host.map(|slot| (slot, None)));
            match at(&changed)
                .map(access)
                .filter(|change| stated.is_none_or(|stated| *change > stated))
            {
                Some((slot, _)) => Ok(LastByteWriter::Nobody(SliceEndKind::External {
                    seen_by: slots.reader_of(slot, address)?,
                })),
                None => match stated {
                    Some((slot, Some(_))) => Ok(LastByteWriter::Thread {
                        slot,
                        thread: slots.writer_of(slot, address)?,
                    }),
                    Some((slot, None)) => Ok(LastByteWriter::Thread {
                        slot,
                        thread: slots.host_call_thread(slot, address)?,
                    }),
                    None => Ok(LastByteWriter::Nobody(self.untouched(address)?)),
                },
            }
        };
        for run in runs_of(mask) {
            let mut groups: Vec<(LastByteWriter, u64)> = Vec::new();
            for place in run.first..run.first + run.len {
                let (who, bit) = (who(place)?, 1u64 << place);
                match groups.iter_mut().find(|(known, _)| *known == who) {
                    Some((_, mask)) => *mask |= bit,
                    None => groups.push((who, bit)),
                }
            }
            for (who, mask) in groups {
                let piece = StatePiece::Memory { granule, mask };
                let overwrites = OverwriteReader::new(self.index, Some(range_of(granule, mask)));
                match who {
                    LastByteWriter::Nobody(end) => {
                        let doubt = match end {
                            _ if self.index.contents.markers.is_empty() => None,
                            SliceEndKind::External { .. } => None,
                            _ => overwrites.untouched(
                                ThreadSlot {
                                    thread: wish.thread,
                                    slot: until.slot,
                                },
                                cancel,
                            )?,
                        };
                        finds.end(
                            &DefinitionQuery {
                                doubt: wish.doubt.or(doubt),
                                ..wish.clone()
                            },
                            &piece,
                            end,
                        );
                    }
                    LastByteWriter::Thread { slot, thread } => {
                        let wish = DefinitionQuery {
                            piece,
                            thread,
                            ..wish.clone()
                        };
                        let done = ThreadSlot { thread, slot };
                        let doubt = match self.index.contents.markers.is_empty() {
                            true => None,
                            false => overwrites.overtaken(done, Position(until.slot), cancel)?,
                        };
                        let doubt = wish.doubt.or(doubt);
                        self.written_in(DefinitionQuery { doubt, ..wish }, slot, finds, cancel)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// Returns the end for memory that nothing wrote.
    fn untouched(&self, address: Address) -> Result<SliceEndKind, QueryError> {
        Ok(match self.index.program().byte(address) {
            Some(_) => SliceEndKind::Image,
            None if records_accesses(self.index)? => SliceEndKind::Initial { line: None },
            None => SliceEndKind::Unknown(UnknownInput::AccessesNotRecorded),
        })
    }
}

/// Returns the bytes from the first to the last of a mask.
fn range_of(granule: u64, mask: u64) -> MemoryRange {
    let first = u64::from(mask.trailing_zeros() % 64);
    let len_bytes = u64::from(64 - mask.leading_zeros()).saturating_sub(first);
    MemoryRange {
        address: Address((granule << GRANULE_BITS) + first),
        len_bytes,
    }
}

/// Accesses of some slots, each read once: in a trace of several threads only the text of a slot
/// shows the thread of a write.
struct SlotAccesses<'a> {
    index: &'a Index,
    events: HashMap<u64, Vec<SlotEvent>>,
}

impl<'a> SlotAccesses<'a> {
    fn new(index: &'a Index) -> Self {
        Self {
            index,
            events: HashMap::new(),
        }
    }

    fn of_slot(&mut self, slot: u64) -> Result<&[SlotEvent], QueryError> {
        if !self.events.contains_key(&slot) {
            let mut events = SlotReader(self.index).events(slot..slot.saturating_add(1))?;
            events.retain(|event| event.slot == slot);
            self.events.insert(slot, events);
        }
        Ok(self.events.get(&slot).map_or(&[], Vec::as_slice))
    }

    /// Returns the thread that stored a byte last in a slot.
    fn writer_of(&mut self, slot: u64, byte: Address) -> Result<ThreadId, QueryError> {
        self.thread_in(slot, |events| {
            events
                .iter()
                .rev()
                .find(|event| accesses(event, AccessKind::Write, byte))
                .or_else(|| step_of(events))
        })
    }

    /// Returns the thread that let the host write a byte in a slot: that of the slot's step.
    fn host_call_thread(&mut self, slot: u64, byte: Address) -> Result<ThreadId, QueryError> {
        self.thread_in(slot, |events| {
            step_of(events).or_else(|| {
                events
                    .iter()
                    .find(|event| accesses(event, AccessKind::Write, byte))
            })
        })
    }

    fn thread_in(
        &mut self,
        slot: u64,
        find: impl Fn(&[SlotEvent]) -> Option<&SlotEvent>,
    ) -> Result<ThreadId, QueryError> {
        if self.index.threads().len() == 1 {
            return Ok(ThreadId(0));
        }
        Ok(find(self.of_slot(slot)?).map_or(ThreadId(0), |event| event.thread))
    }

    /// Returns the step with a read in a slot that found a byte changed.
    fn reader_of(&mut self, slot: u64, byte: Address) -> Result<Option<Step>, QueryError> {
        if self.index.threads().len() == 1 {
            return Ok(Position(slot).last_step());
        }
        let index = self.index;
        let events = self.of_slot(slot)?;
        let contradictions = Contradictions::of(index, events)?;
        let is_meant = |event: &&SlotEvent| {
            accesses(event, AccessKind::Read, byte)
                && is_contradicting(&contradictions, event, byte)
        };
        match events.iter().rev().find(is_meant) {
            Some(event) => SlotReader(index).owner(event.thread, slot),
            None => Ok(Position(slot).last_step()),
        }
    }
}

fn step_of(events: &[SlotEvent]) -> Option<&SlotEvent> {
    events
        .iter()
        .find(|event| matches!(event.kind, SlotEventKind::Step(_)))
}

fn accesses(event: &SlotEvent, wanted: AccessKind, byte: Address) -> bool {
    match event.kind {
        SlotEventKind::Access {
            kind,
            address,
            size_bytes,
            ..
        } => kind == wanted && byte.0.wrapping_sub(address.0) < u64::from(size_bytes),
        _ => false,
    }
}
