//! Reads the values of the bytes of a block from the text of the steps that accessed them.

use stepback_parsers::{EventSink, MemoryAccess, Position, Source, StepEvent};

use crate::answers::byte_state::ByteState;
use crate::answers::error::QueryError;
use crate::answers::value::ValueSource;
use crate::index::Index;
use crate::read::slots::SlotReader;
use crate::read::touches::ByteTouches;
use crate::store::granules::GRANULE_BITS;

/// Steps at most this far apart are read in one run: what lies between costs less than another read.
const NEAR: u64 = 16;

/// Which of several accesses in a slot gives the value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    First,
    Last,
}

/// Reads the values that touches gave: of each byte the last or first one in its slot.
pub(crate) fn read_values<S: Source>(
    index: &Index<S>,
    granule: u64,
    touches: &ByteTouches,
    order: Order,
    states: &mut [ByteState; 64],
) -> Result<(), QueryError> {
    let touches = touches.iter().zip(0..).filter_map(|(touch, place)| Some((touch.as_ref()?, place)));
    let known = touches.filter(|(touch, _)| touch.is_known);
    let mut slots: Vec<(u64, u64)> = known.map(|(touch, place)| (touch.slot, 1 << place)).collect();
    slots.sort_unstable();
    slots.dedup_by(|(slot, bytes), (kept, all)| {
        let is_same = slot == kept;
        *all |= if is_same { *bytes } else { 0 };
        is_same
    });
    let base = granule << GRANULE_BITS;
    for run in slots.chunk_by(|(slot, _), (next, _)| next - slot <= NEAR) {
        let [(first, _), ..] = *run else { continue };
        let last = run.last().map_or(first, |(last, _)| *last);
        // The first step that is read is in the first slot; before slot 1 there is a slot without a step.
        let slot = first.saturating_sub(1);
        let mut reader = ValueSink { slot, base, wanted: run, found: 0, order, states };
        SlotReader(index).parse_slots(first..last.saturating_add(1), &mut reader)?;
        // Fewer or more steps than were indexed, or others: somebody rewrote the trace.
        let wanted = run.iter().fold(0, |all, (_, bytes)| all | bytes);
        if reader.slot != last || reader.found != wanted {
            return Err(QueryError::TraceChanged);
        }
    }
    Ok(())
}

/// Takes the values of some bytes of a block.
struct ValueSink<'a> {
    slot: u64,
    /// The address of the block.
    base: u64,
    /// Which bytes are taken from which of the slots to come; each byte is taken from one slot.
    wanted: &'a [(u64, u64)],
    found: u64,
    order: Order,
    states: &'a mut [ByteState; 64],
}

impl EventSink for ValueSink<'_> {
    fn begin_step(&mut self, _step: &StepEvent<'_>) {
        self.slot += 1;
        let passed = self.wanted.partition_point(|(slot, _)| *slot < self.slot);
        self.wanted = self.wanted.get(passed..).unwrap_or_default();
    }

    fn access(&mut self, access: &MemoryAccess) {
        let Some((_, wanted)) = self.wanted.first().filter(|(slot, _)| *slot == self.slot) else { return };
        let wanted = if self.order == Order::Last { *wanted } else { wanted & !self.found };
        let Some(bytes) = access.bytes else { return };
        for (offset, byte) in bytes.iter().zip(0..access.size_bytes).map(|(byte, offset)| (offset, *byte)) {
            let place = access.address.0.wrapping_add(u64::from(offset)).wrapping_sub(self.base);
            if place < 64 && wanted >> place & 1 != 0 {
                self.found |= 1 << place;
                let (value, source, seen_at) = (Some(byte), ValueSource::Recorded, Some(Position(self.slot)));
                self.states[place as usize] = ByteState { value, source, seen_at };
            }
        }
    }
}
