//! The steps of a segment that may use a register, kept for a walk that asks for the next of them again and again.

use std::collections::HashMap;

use stepback_machine::RegisterView;

use crate::answers::error::QueryError;
use crate::answers::thread::ThreadId;
use crate::index::operand_table::OperandKinds;

/// Maximum number of lists. Each has at most as many slots as a segment.
const LISTS: usize = 64;

/// Key of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Listed {
    pub thread: ThreadId,
    pub view: RegisterView,
    pub kinds: OperandKinds,
}

/// Lists of slots, for each view those of the segment that was asked about last.
#[derive(Debug, Default)]
pub(crate) struct UseLists(HashMap<Listed, SegmentUses>);

/// Uses in a segment.
#[derive(Debug)]
struct SegmentUses {
    segment: usize,
    /// Local slots, ascending.
    slots: Vec<u32>,
}

impl UseLists {
    /// Whether a list is kept.
    pub fn has(&self, listed: &Listed, segment: usize) -> bool {
        self.0.get(listed).is_some_and(|known| known.segment == segment)
    }

    /// The local slots of a segment, which `find` finds where they are not kept.
    pub fn of(
        &mut self,
        listed: Listed,
        segment: usize,
        find: impl FnOnce() -> Result<Vec<u32>, QueryError>,
    ) -> Result<&[u32], QueryError> {
        if !self.has(&listed, segment) {
            if self.0.len() >= LISTS {
                self.0.clear();
            }
            self.0.insert(listed, SegmentUses { segment, slots: find()? });
        }
        Ok(self.0.get(&listed).map_or(&[], |known| &known.slots))
    }
}
