//! Last steps of a thread that may not have been completed.

use std::ops::Range;

use stepback_parsers::{Position, Step};

use crate::answers::cancel::Cancel;
use crate::answers::error::QueryError;
use crate::answers::thread::ThreadId;
use crate::index::Index;
use crate::inference::ending::unfinished_slots;
use crate::query::question::Query;
use crate::read::slots::SlotReader;

/// Finds the last steps of a thread before a position that may not have been completed, when no
/// step of it follows.
///
/// A program that dies by a signal ends so: the trace shows instructions after the one that
/// faulted. The writes of these steps are unknown at the position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct UnfinishedSteps {
    /// Position of the query.
    pub position: Position,
    /// Thread of the steps.
    pub thread: ThreadId,
}

impl Query for UnfinishedSteps {
    type Answer = Option<Range<Step>>;

    fn run(&self, index: &Index, _cancel: &Cancel) -> Result<Option<Range<Step>>, QueryError> {
        SlotReader(index).check_position(self.position)?;
        let slots = unfinished_slots(index, self.thread, self.position)?;
        let step = |slot: u64| Step(slot.saturating_sub(1));
        Ok(slots.map(|slots| step(slots.start)..step(slots.end)))
    }
}
