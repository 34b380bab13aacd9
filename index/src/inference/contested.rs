//! Detection of accesses whose values may be outdated at a position although no record in between
//! shows a change.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::ops::RangeInclusive;

use stepback_machine::{AccessKind, Address, decode};
use stepback_parsers::Position;

use crate::answers::cell::ThreadId;
use crate::answers::error::{Cancel, QueryError};
use crate::index::Index;
use crate::inference::access_values::AccessedByte;
use crate::inference::engine::Engine;
use crate::inference::others::{OtherWriters, run_of};
use crate::inference::run_slots::{RunSlots, StepRadius};
use crate::inference::shared::{self, SharedRanges, StoreStatus};
use crate::inference::snapshot::circumstances;
use crate::inference::unshown::UnrecordedStore;
use crate::read::concurrent;
use crate::read::encodings::known_encoding;
use crate::read::slots::{SlotEvent, SlotEventKind, SlotReader};
use crate::read::visits::VisitReader;

/// Steps to follow around a store without a record, to determine its address.
const AROUND: StepRadius = StepRadius {
    before: 64,
    after: 1,
};
/// Maximum number of such stores to examine; any further one may store anywhere.
const STORES: usize = 8;

/// Possible changes of memory around a position.
pub(super) struct ContestedMemory<'i> {
    index: &'i Index,
    /// Writers at the time of the position, concurrent with the threads of the steps on both sides.
    here: Vec<OtherWriters<'i>>,
    /// Writers at the times of the examined accesses, by thread and start of its block.
    there: HashMap<(ThreadId, u64), OtherWriters<'i>>,
    /// Stores without records between the accesses and the position.
    unshown: Vec<UnrecordedStore>,
    /// Memory that changes without steps.
    shared: SharedRanges,
    at: Position,
}

impl<'i> ContestedMemory<'i> {
    /// Finds the writers around a position.
    pub fn new(index: &'i Index, at: Position) -> Result<Self, QueryError> {
        let mut here = Vec::new();
        let last = index.step_count();
        // Threads may have only markers: if there is no step, nothing was stored.
        if index.threads().len() > 1 && last > 0 {
            let mut sides = vec![at.0.clamp(1, last), at.0.saturating_add(1).min(last)];
            sides.dedup();
            let mut before = None;
            for slot in sides {
                let thread = SlotReader(index).thread_at(Position(slot))?;
                if before.replace(thread) != Some(thread) {
                    here.push(OtherWriters::of(
                        index,
                        thread,
                        slot..slot.saturating_add(1),
                    )?);
                }
            }
        }
        Ok(Self {
            index,
            here,
            there: HashMap::new(),
            unshown: Vec::new(),
            shared: SharedRanges::default(),
            at,
        })
    }

    /// Prepares the checks of accesses in a range of slots, which contains the position.
    pub fn examine(
        &mut self,
        slots: RangeInclusive<u64>,
        cancel: &Cancel,
    ) -> Result<(), QueryError> {
        self.shared = shared::shared_before(self.index, *slots.end())?;
        self.unshown = unshown_between(self.index, slots, cancel)?;
        Ok(())
    }

    /// Returns true if the byte may differ at the position from the value that its access shows.
    pub fn is_contested(
        &mut self,
        accessed: AccessedByte,
        is_stored: StoreStatus,
    ) -> Result<bool, QueryError> {
        let AccessedByte {
            slot,
            kind,
            address,
        } = accessed;
        if self.shared.reach(address, 1, is_stored) && !self.is_stated_here(slot, kind)? {
            return Ok(true);
        }
        let (first, last) = (slot.min(self.at.0), slot.max(self.at.0));
        if self
            .unshown
            .iter()
            .any(|store| (first..=last).contains(&store.slot) && store.reaches(address))
        {
            return Ok(true);
        }
        if self.here.is_empty() {
            return Ok(false);
        }
        if self.here.iter().any(|others| others.reach(address, 1)) {
            return Ok(true);
        }
        let thread = SlotReader(self.index).thread_at(Position(slot))?;
        let key = (thread, concurrent::block_of(self.index, thread, slot)?);
        let others = match self.there.entry(key) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(free) => free.insert(OtherWriters::of(
                self.index,
                thread,
                slot..slot.saturating_add(1),
            )?),
        };
        Ok(others.reach(address, 1))
    }
}

impl ContestedMemory<'_> {
    /// Returns true if an access of a slot shows the bytes at this very position.
    fn is_stated_here(&self, slot: u64, kind: AccessKind) -> Result<bool, QueryError> {
        if slot != self.at.0 || kind == AccessKind::Write {
            return Ok(slot == self.at.0 || slot == self.at.0.saturating_add(1));
        }
        // A store of this step may reach the location through another address.
        let is_store = |event: &SlotEvent| {
            matches!(
                event.kind,
                SlotEventKind::Access {
                    kind: AccessKind::Write,
                    ..
                }
            )
        };
        Ok(!SlotReader(self.index)
            .events(slot..slot.saturating_add(1))?
            .iter()
            .any(is_store))
    }
}

/// Returns the stores of some slots that extend beyond their records.
fn unshown_between(
    index: &Index,
    slots: RangeInclusive<u64>,
    cancel: &Cancel,
) -> Result<Vec<UnrecordedStore>, QueryError> {
    let slots = *slots.start()..slots.end().saturating_add(1);
    let mut found = Vec::new();
    for pc in unshown_stores(index) {
        for step in VisitReader(index).visits_between(*pc, slots.clone(), STORES + 1)? {
            cancel.check()?;
            let slot = step.after().0;
            if found.len() >= STORES {
                found.push(UnrecordedStore {
                    slot,
                    address: None,
                    size_bytes: u64::MAX,
                });
                continue;
            }
            let thread = SlotReader(index).thread_at(Position(slot))?;
            let run = run_of(
                index,
                thread,
                &RunSlots::single(index, AROUND.of(index, slot..slot)),
            )?;
            let mut engine = Engine::new(&run, circumstances(index));
            (0..run.steps.len()).for_each(|place| engine.step(place));
            found.extend(engine.unshown.iter().filter(|store| store.slot == slot));
        }
    }
    Ok(found)
}

/// Returns the addresses of instructions that store more than their records show.
fn unshown_stores(index: &Index) -> &[Address] {
    index.caches.unshown_stores.get_or_init(|| {
        let known = index.source().instructions().unwrap_or_default();
        let is_wide = |known: &stepback_parsers::KnownInstruction| {
            let encoding = known_encoding(index, known);
            let found = encoding.map(|encoding| decode(encoding, known.pc, known.instruction_set));
            found.is_some_and(|found| found.meaning.extent.is_some())
        };
        let mut found: Vec<Address> = known
            .iter()
            .filter(|known| is_wide(known))
            .map(|known| known.pc)
            .collect();
        found.sort_unstable();
        found.dedup();
        found
    })
}
