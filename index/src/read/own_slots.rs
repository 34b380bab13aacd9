//! The slots in which a thread may have accessed memory: where all accesses show with the steps that did them, those of
//! its own steps, so that what thousands of other threads did with the same address need not be read.

use crate::answers::error::QueryError;
use crate::answers::thread::ThreadId;
use crate::index::Index;
use crate::read::slots::{SlotReader, first_step_of, last_step_of};

/// Looks for slots of a thread.
pub(crate) struct OwnSlots<'a> {
    pub index: &'a Index,
    pub thread: ThreadId,
}

impl OwnSlots<'_> {
    /// A slot, or the next one below it that may hold an access of the thread. One lookup; nothing is read again.
    pub fn until(&self, slot: u64) -> Result<u64, QueryError> {
        if self.may_be_late(slot) {
            return Ok(slot);
        }
        let (segment, local) = SlotReader(self.index).locate(slot)?;
        let own = last_step_of(&segment, self.thread, local)?;
        Ok(segment.meta.step_base + own.map_or(0, u64::from))
    }

    /// A slot, or the next one above it that may hold an access of the thread. One lookup; nothing is read again.
    pub fn from(&self, slot: u64) -> Result<u64, QueryError> {
        if self.may_be_late(slot) {
            return Ok(slot);
        }
        let (segment, local) = SlotReader(self.index).locate(slot)?;
        let (base, steps) = (segment.meta.step_base, segment.meta.steps);
        let own = first_step_of(&segment, self.thread, local)?;
        // More of the last slot may stand in segments behind, late.
        let behind = if local < steps {
            steps
        } else {
            steps.saturating_add(1)
        };
        Ok(base + u64::from(own.unwrap_or(behind)))
    }

    /// Whether an access in the slot may be that of a thread whose step it is not.
    fn may_be_late(&self, slot: u64) -> bool {
        slot == 0
            || SlotReader(self.index)
                .locate_all(slot)
                .any(|(segment, _)| segment.meta.has_late_accesses)
    }
}
