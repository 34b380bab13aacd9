//! Reads the values of bytes of memory from the text of the steps that accessed them.

use stepback_parsers::{EventSink, MemoryAccess, Position, StepEvent};

use crate::answers::cell::Direction;
use crate::answers::error::QueryError;
use crate::answers::value::{ByteState, ValueSource};
use crate::index::Index;
use crate::read::slots::SlotReader;
use crate::read::touches::ByteTouches;
use crate::store::granules::{GRANULE_BITS, granules_of};

/// Maximum distance in steps of accesses that are read in one run: the steps between cost less than
/// another read.
const NEAR: u64 = 16;

/// Bytes of one memory block at a position.
#[derive(Clone, Debug)]
pub(crate) struct BlockState {
    /// Number of the block.
    pub granule: u64,
    /// Mask of the requested bytes.
    pub need: u64,
    /// Mask of the bytes that were written, or read with a value.
    pub touched: u64,
    /// For each byte, the slot that last accessed it or in which the host wrote it.
    pub last: [Option<u64>; 64],
    /// One state per byte of the block.
    pub states: [ByteState; 64],
}

impl BlockState {
    /// Creates a block without known bytes.
    pub fn new(granule: u64, need: u64) -> Self {
        Self {
            granule,
            need,
            touched: 0,
            last: [None; 64],
            states: [ByteState::default(); 64],
        }
    }

    /// Returns the mask of the bytes without a value.
    pub fn unknown(&self) -> u64 {
        let unknown = (0..64).filter(|place| self.states[*place].value.is_none());
        unknown.fold(0, |mask, place| mask | 1u64 << place)
    }
}

/// Values to read, for any number of blocks.
/// A slot is parsed once for all blocks: one step may write tens of thousands of them.
#[derive(Debug, Default)]
pub(crate) struct ValueRequests(Vec<ValueRequest>);

/// Bytes of one block with values that one slot states.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct ValueRequest {
    slot: u64,
    granule: u64,
    /// Position of the block among those to fill.
    block: usize,
    /// Mask of the bytes to read.
    bytes: u64,
    /// Mask of the bytes found until now.
    found: u64,
}

impl ValueRequests {
    /// Requests the values that touches of a block state.
    pub fn add(&mut self, block: usize, granule: u64, touches: &ByteTouches) {
        let first = self.0.len();
        let known = touches
            .iter()
            .zip(0..)
            .filter_map(|(touch, place)| Some((touch.as_ref()?, place)));
        for (touch, place) in known.filter(|(touch, _)| touch.is_known) {
            let bytes = 1 << place;
            let added = self
                .0
                .iter_mut()
                .skip(first)
                .find(|request| request.slot == touch.slot);
            match added {
                Some(request) => request.bytes |= bytes,
                None => self.0.push(ValueRequest {
                    slot: touch.slot,
                    granule,
                    block,
                    bytes,
                    found: 0,
                }),
            }
        }
    }

    /// Reads the values into the blocks: for each byte the last one in its slot when reading back,
    /// else the first.
    pub fn read(
        mut self,
        index: &Index,
        direction: Direction,
        blocks: &mut [BlockState],
    ) -> Result<(), QueryError> {
        self.0.sort_unstable();
        for run in self
            .0
            .chunk_by_mut(|request, next| next.slot - request.slot <= NEAR)
        {
            let Some((first, last)) = run
                .first()
                .zip(run.last())
                .map(|(first, last)| (first.slot, last.slot))
            else {
                continue;
            };
            // The first step that is read is in the first slot; before slot 1 there is a slot
            // without a step.
            let slot = first.saturating_sub(1);
            let here = run.partition_point(|request| request.slot <= slot);
            let mut reader = ValueSink {
                slot,
                rest: run,
                here,
                direction,
                blocks: &mut *blocks,
            };
            SlotReader(index).parse_slots(first..last.saturating_add(1), &mut reader)?;
            let is_whole = reader.slot == last;
            // Fewer or more steps than were indexed, or others: the trace was rewritten.
            if !is_whole || run.iter().any(|request| request.found != request.bytes) {
                return Err(QueryError::TraceChanged);
            }
        }
        Ok(())
    }
}

/// Takes the requested values from the accesses of a run of slots.
struct ValueSink<'a> {
    slot: u64,
    /// Requests of this and later slots, sorted by slot and block.
    rest: &'a mut [ValueRequest],
    /// Number of requests of this slot.
    here: usize,
    direction: Direction,
    blocks: &'a mut [BlockState],
}

impl EventSink for ValueSink<'_> {
    fn begin_step(&mut self, _step: &StepEvent<'_>) {
        self.slot += 1;
        let passed = self
            .rest
            .partition_point(|request| request.slot < self.slot);
        self.rest = std::mem::take(&mut self.rest).split_at_mut(passed).1;
        self.here = self
            .rest
            .partition_point(|request| request.slot <= self.slot);
    }

    fn access(&mut self, access: &MemoryAccess) {
        let (Some(bytes), Some(here)) = (access.bytes, self.rest.get_mut(..self.here)) else {
            return;
        };
        if here.is_empty() {
            return;
        }
        for (granule, _) in granules_of(access.address, u64::from(access.size_bytes)) {
            let Ok(found) = here.binary_search_by_key(&granule, |request| request.granule) else {
                continue;
            };
            let Some(request) = here.get_mut(found) else {
                continue;
            };
            let Some(block) = self.blocks.get_mut(request.block) else {
                continue;
            };
            let wanted = if self.direction == Direction::Back {
                request.bytes
            } else {
                request.bytes & !request.found
            };
            for (byte, offset) in bytes.iter().zip(0..access.size_bytes) {
                let address = access.address.0.wrapping_add(u64::from(offset));
                let place = address.wrapping_sub(granule << GRANULE_BITS);
                if place < 64 && wanted >> place & 1 != 0 {
                    request.found |= 1 << place;
                    let (value, source, seen_at) = (
                        Some(*byte),
                        ValueSource::Recorded,
                        Some(Position(self.slot)),
                    );
                    block.states[place as usize] = ByteState {
                        value,
                        source,
                        seen_at,
                    };
                }
            }
        }
    }
}
