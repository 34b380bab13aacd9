//! Effects of other threads on memory in the slot of a step, before its last load there.
//!
//! The loads of a step are treated as one: they see the memory at the last of them, or at the end
//! of the step's own slot if they come even later. Stores of other threads after later steps are
//! not in its past.

use crate::answers::cell::ThreadId;
use crate::answers::error::QueryError;
use crate::answers::slice::SliceEndKind;
use crate::index::Index;
use crate::read::contradictions::Contradictions;
use crate::read::slots::{SlotEvent, SlotEventKind, SlotReader};
use crate::store::granules::GRANULE_BITS;
use std::collections::HashMap;
use stepback_machine::{AccessKind, Address};

/// Last writer of a byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LastByteWriter {
    /// A thread, in a slot.
    Thread { slot: u64, thread: ThreadId },
    /// No step.
    Nobody(SliceEndKind),
}

/// Bytes that were written or changed.
#[derive(Debug)]
pub(super) struct OtherThreadWrites {
    bytes: HashMap<Address, LastByteWriter>,
}

impl OtherThreadWrites {
    /// Collects the bytes from all events of the slot; none if only the step itself accesses memory
    /// in it.
    pub fn of(
        index: &Index,
        events: &[SlotEvent],
        thread: ThreadId,
    ) -> Result<Option<Self>, QueryError> {
        let is_access = |event: &SlotEvent| matches!(event.kind, SlotEventKind::Access { .. });
        if !events
            .iter()
            .any(|event| event.thread != thread && is_access(event))
        {
            return Ok(None);
        }
        let is_load = |event: &SlotEvent| {
            matches!(
                event.kind,
                SlotEventKind::Access {
                    kind: AccessKind::Read,
                    ..
                }
            )
        };
        let last = events
            .iter()
            .rposition(|event| event.thread == thread && is_load(event));
        let before = last.map_or(events, |last| events.get(..=last).unwrap_or(events));
        let contradictions = Contradictions::of(index, events)?;
        let mut bytes = HashMap::new();
        for event in before {
            let SlotEventKind::Access {
                kind,
                address,
                size_bytes,
                ..
            } = event.kind
            else {
                continue;
            };
            let slot = event.slot;
            for address in
                (0..u64::from(size_bytes)).map(|place| Address(address.0.wrapping_add(place)))
            {
                let who = match kind {
                    AccessKind::Write if event.thread == thread => continue,
                    AccessKind::Write => LastByteWriter::Thread {
                        slot,
                        thread: event.thread,
                    },
                    AccessKind::Read if is_contradicting(&contradictions, event, address) => {
                        LastByteWriter::Nobody(SliceEndKind::External {
                            seen_by: SlotReader(index).owner(event.thread, slot)?,
                        })
                    }
                    AccessKind::Read => continue,
                };
                bytes.insert(address, who);
            }
        }
        Ok(Some(Self { bytes }))
    }

    /// Returns the last writer of a byte in the slot, if any.
    pub fn who(&self, address: Address) -> Option<LastByteWriter> {
        self.bytes.get(&address).copied()
    }
}

/// Returns true if a read found another value of a byte than the known one.
pub(super) fn is_contradicting(
    contradictions: &Contradictions,
    event: &SlotEvent,
    address: Address,
) -> bool {
    let place = address.0 & ((1 << GRANULE_BITS) - 1);
    contradictions.bytes(event, address.0 >> GRANULE_BITS) >> place & 1 == 1
}
