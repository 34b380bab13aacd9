//! Slots in which a thread may have accessed memory. If all accesses are in the slots of their
//! steps, these are the thread's own steps, so that accesses of the same address by thousands of
//! other threads need not be read.

use crate::answers::direction::Direction;
use crate::answers::error::QueryError;
use crate::answers::thread::ThreadId;
use crate::index::Index;
use crate::read::slots::{SlotReader, first_step_of, last_step_of};

/// Finds slots of a thread.
pub(crate) struct OwnSlots<'a> {
    pub index: &'a Index,
    pub thread: ThreadId,
}

impl OwnSlots<'_> {
    /// Returns a slot, or the next one in a direction that may have an access of the thread. Cost:
    /// one lookup; nothing is read again.
    pub fn nearest(&self, slot: u64, direction: Direction) -> Result<u64, QueryError> {
        if self.may_be_late(slot) {
            return Ok(slot);
        }
        let (segment, local) = SlotReader(self.index).locate(slot)?;
        let (base, steps) = (segment.meta.step_base, segment.meta.steps);
        let own = match direction {
            Direction::Back => last_step_of(&segment, self.thread, local)?.unwrap_or(0),
            Direction::Forward => first_step_of(&segment, self.thread, local)?
                // Later segments may have late events of the last slot.
                .unwrap_or_else(|| steps.saturating_add(u32::from(local >= steps))),
        };
        Ok(base + u64::from(own))
    }

    /// Returns true if an access in the slot may be of a thread other than that of the slot's step.
    fn may_be_late(&self, slot: u64) -> bool {
        slot == 0
            || SlotReader(self.index)
                .locate_all(slot)
                .any(|(segment, _)| segment.meta.has_late_accesses)
    }
}
