//! Inputs and outputs of a range of steps.

use stepback_parsers::Position;

use crate::answers::cell::ThreadId;
use crate::answers::difference::RangeEffects;
use crate::answers::error::{Cancel, QueryError};
use crate::in_order::parse_in_order;
use crate::index::Index;
use crate::query::question::Query;
use crate::read::range_collector::RangeCollector;
use crate::read::slots::SlotReader;

/// Default maximum number of 64-byte blocks: 32 MB of used memory.
pub const EFFECT_BLOCKS: usize = 1 << 19;

/// Collects the inputs and outputs of a thread's steps between two positions: what they read before
/// they wrote it, and what they wrote.
///
/// Read registers are those that the instructions name; written registers are these and those that
/// the trace records. Banks of one name (`sp` of two modes) count as one register. Memory that
/// another thread or the kernel wrote meanwhile is no output. Cost: reads the text of these steps
/// once, on all threads, some million a second. Memory: some 200 bytes for each block of 64 bytes
/// that is used, up to the limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct EffectsWithin {
    /// Thread of the steps.
    pub thread: ThreadId,
    /// Position before the first step.
    pub from: Position,
    /// Position after the last step.
    pub to: Position,
    /// Maximum number of 64-byte blocks in the answer: those that are used first.
    pub blocks: usize,
}

impl Query for EffectsWithin {
    type Answer = RangeEffects;

    fn run(&self, index: &Index, cancel: &Cancel) -> Result<RangeEffects, QueryError> {
        SlotReader(index).check_position(self.to)?;
        if usize::from(self.thread.0) >= index.threads().len() {
            return Err(QueryError::NoThread(format!("#{}", self.thread.0)));
        }
        let mut collector = RangeCollector::new(index, self.thread, self.blocks);
        let slots = self.from.0.saturating_add(1)..self.to.0.saturating_add(1);
        collector.begin_run(slots.start);
        let parts = SlotReader(index).slot_parts(slots.clone());
        let parts = parts.map(|part| cancel.check().and(part));
        parse_in_order(index.source().as_ref(), parts, &mut collector)?;
        // Fewer or more steps than were indexed: the trace was rewritten.
        if !slots.is_empty() && collector.slot().saturating_add(1) != slots.end {
            return Err(QueryError::TraceChanged);
        }
        Ok(collector.finish())
    }
}
