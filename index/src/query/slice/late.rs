//! Loads whose lines come after steps of other threads: their steps came earlier, and used the
//! memory contents of then.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use stepback_machine::AccessKind;

use crate::answers::error::QueryError;
use crate::answers::step_record::LATE_STEPS;
use crate::answers::thread::ThreadId;
use crate::index::Index;
use crate::query::slice::pieces::blocks_of;
use crate::read::slots::{SlotEventKind, SlotReader};
use crate::read::touches::{TouchFilter, TouchReader};

/// Cache of the late loads by slot: each slot is read once. Memory: those of [`LATE_STEPS`] slots.
#[derive(Debug, Default)]
pub(super) struct LateLoads {
    slots: BTreeMap<u64, Vec<LateLoad>>,
}

/// Bytes of a block that a step loaded later than in its own slot.
#[derive(Clone, Copy, Debug)]
struct LateLoad {
    /// Own slot of the step.
    own: u64,
    granule: u64,
    mask: u64,
}

/// Bytes of a block, and the first slot in which they hold the traced value.
#[derive(Clone, Copy, Debug)]
pub(super) struct WatchedBytes {
    pub granule: u64,
    pub mask: u64,
    pub first: u64,
}

impl LateLoads {
    /// Drops the slots before one.
    pub fn forget_before(&mut self, slot: u64) {
        self.slots = self.slots.split_off(&slot);
    }

    /// Returns the first slot with a step that loads some bytes late, before the slot that touches
    /// them first.
    pub fn first_step(
        &mut self,
        index: &Index,
        watched: WatchedBytes,
        touched: u64,
    ) -> Result<Option<u64>, QueryError> {
        let WatchedBytes {
            granule,
            mask,
            first,
        } = watched;
        let last = touched.saturating_add(LATE_STEPS).min(index.step_count());
        if index.threads().len() == 1 || !has_late(index, touched, last)? {
            return Ok(None);
        }
        let (mut found, mut from) = (None, touched);
        while from <= last && found != Some(first) {
            let read =
                TouchReader::new(index).next_touch(granule, mask, from, TouchFilter::Reads)?;
            let Some(slot) = read.map(|touch| touch.slot).filter(|slot| *slot <= last) else {
                break;
            };
            let loads = self.of_slot(index, slot)?.iter();
            let meant = loads.filter(|load| load.granule == granule && load.mask & mask != 0);
            let own = meant
                .map(|load| load.own)
                .filter(|own| (first..touched).contains(own))
                .min();
            found = found.into_iter().chain(own).min();
            from = slot.saturating_add(1);
        }
        Ok(found)
    }

    fn of_slot(&mut self, index: &Index, slot: u64) -> Result<&[LateLoad], QueryError> {
        Ok(match self.slots.entry(slot) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(none) => none.insert(read(index, slot)?),
        })
    }
}

/// Returns true if the slots may have late accesses. It is also true if they span several segments,
/// without a check of each.
fn has_late(index: &Index, first: u64, last: u64) -> Result<bool, QueryError> {
    let base = |slot| Ok::<_, QueryError>(SlotReader(index).locate(slot)?.0.meta.step_base);
    let is_told = |slot| {
        SlotReader(index)
            .locate_all(slot)
            .any(|(segment, _)| segment.meta.has_late_accesses)
    };
    Ok(base(first)? != base(last)? || is_told(first) || is_told(last))
}

fn read(index: &Index, slot: u64) -> Result<Vec<LateLoad>, QueryError> {
    let (mut owner, mut found): (Option<ThreadId>, Vec<(ThreadId, u64, u64)>) = Default::default();
    SlotReader(index).each_event(slot..slot.saturating_add(1), |event| {
        match event.kind {
            _ if event.slot != slot => {}
            SlotEventKind::Step(_) => owner = Some(event.thread),
            SlotEventKind::Access {
                kind: AccessKind::Read,
                address,
                size_bytes,
                ..
            } if Some(event.thread) != owner => {
                let blocks = blocks_of(address, size_bytes.into());
                for (granule, mask) in blocks {
                    let known = found
                        .iter_mut()
                        .find(|(thread, at, _)| (*thread, *at) == (event.thread, granule));
                    match known {
                        Some((.., bytes)) => *bytes |= mask,
                        None => found.push((event.thread, granule, mask)),
                    }
                }
            }
            _ => {}
        }
        Ok(())
    })?;
    let mut loads = Vec::new();
    for (thread, granule, mask) in found {
        if let Some(step) = SlotReader(index).owner(thread, slot)? {
            loads.push(LateLoad {
                own: step.0.saturating_add(1),
                granule,
                mask,
            });
        }
    }
    Ok(loads)
}
