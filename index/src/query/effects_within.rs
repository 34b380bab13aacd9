//! What steps took in and what they left behind.

use stepback_parsers::Position;

use crate::answers::cancel::Cancel;
use crate::answers::error::QueryError;
use crate::answers::range_effects::RangeEffects;
use crate::answers::thread::ThreadId;
use crate::index::Index;
use crate::query::question::Query;
use crate::read::range_collector::RangeCollector;
use crate::read::slots::SlotReader;

/// So many blocks of 64 bytes are told of, unless it is said otherwise: 32 MB of memory that was used.
pub const EFFECT_BLOCKS: usize = 1 << 19;

/// Steps that are read between two looks at whether anybody still wants the answer.
const BLOCK: u64 = 1 << 14;

/// What the steps of a thread between two positions read before they wrote it, and what they wrote:
/// all that takes effect behind the first position up to the second.
///
/// Registers that were read are those that the instructions name; those that were written are these and what the trace records.
/// Banks of one name (`sp` of two modes) count as one register.
/// Memory that another thread or the kernel wrote meanwhile is no output.
/// Cost: reads the text of these steps once, some hundred thousand a second or more. Memory: some 200 bytes for each block of
/// 64 bytes that is used, up to the limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct EffectsWithin {
    /// Whose steps.
    pub thread: ThreadId,
    /// From where.
    pub from: Position,
    /// Up to where.
    pub to: Position,
    /// At most so many blocks of 64 bytes are told of, those that are used first.
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
        let (mut first, end) = (self.from.0.saturating_add(1), self.to.0.saturating_add(1));
        while first < end {
            cancel.check()?;
            let behind = first.saturating_add(BLOCK).min(end);
            collector.begin_run(first);
            SlotReader(index).parse_slots(first..behind, &mut collector)?;
            // Fewer or more steps than were indexed: somebody rewrote the trace.
            if collector.slot().saturating_add(1) != behind {
                return Err(QueryError::TraceChanged);
            }
            first = behind;
        }
        Ok(collector.finish())
    }
}
