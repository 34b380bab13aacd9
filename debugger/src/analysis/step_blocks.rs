//! Reads steps block by block, so that memory stays small for long lists ([`StepBlocks`]).

use stepback_index::answer::StepRecord;
use stepback_index::query::Steps;
use stepback_index::{Cancel, Index, Query as _, QueryError};
use stepback_parsers::Position;

/// Maximum number of steps of a block. If steps have many effects, the answer shortens later ones,
/// which are read again in the next block.
const BLOCK_STEPS: u64 = 1024;

/// Reader of consecutive steps.
#[derive(Debug)]
pub struct StepBlocks {
    next: Position,
    /// Number of steps to read at once.
    block_steps: u64,
}

impl StepBlocks {
    /// Starts with the step after a position.
    pub fn new(from: Position) -> Self {
        Self {
            next: from,
            block_steps: BLOCK_STEPS,
        }
    }

    /// Returns the position before the next step.
    pub fn next(&self) -> Position {
        self.next
    }

    /// Reads the next steps, at most `most`; none at the end of the trace.
    ///
    /// # Errors
    /// See [`QueryError`].
    pub fn read(
        &mut self,
        most: u64,
        index: &Index,
        cancel: &Cancel,
    ) -> Result<Vec<StepRecord>, QueryError> {
        let count = self.block_steps.min(most);
        if count == 0 || self.next >= index.end() {
            return Ok(Vec::new());
        }
        let first = self.next.next_step();
        let mut block = Steps { first, count }.run(index, cancel)?;
        // The first step of an answer has all the effects that any query returns.
        let cut = block.iter().skip(1).position(StepRecord::is_cut_by_others);
        block.truncate(cut.map_or(usize::MAX, |place| place + 1));
        self.block_steps = (2 * block.len() as u64).clamp(1, BLOCK_STEPS);
        if let Some(last) = block.last() {
            self.next = last.step.after();
        }
        Ok(block)
    }
}
