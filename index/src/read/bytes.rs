//! Bytes of memory at a position, from the trace and the program images.

use stepback_machine::Address;
use stepback_parsers::Position;

use crate::answers::cell::{Direction, MemoryRange};
use crate::answers::error::{Cancel, QueryError};
use crate::answers::value::{ByteState, ValueSource};
use crate::index::Index;
use crate::index::memories::MemoryId;
use crate::read::byte_values::{BlockState, ValueRequests};
use crate::read::fetches::{self, Fetch};
use crate::read::key_maps;
use crate::read::touches::{ByteTouches, TouchAt, TouchFilter, TouchReader};
use crate::store::granules::{GRANULE_BITS, bytes_between, last_of};

/// Length above which blocks that no step touches are skipped.
const SHORT_RANGE_BYTES: u64 = 4096;

/// Reads the bytes of memory.
pub(crate) struct ByteReader<'a> {
    index: &'a Index,
    /// Address space whose accesses count; none if there is only one.
    memory: Option<MemoryId>,
}

impl<'a> ByteReader<'a> {
    /// Creates a reader for the accesses of all threads.
    pub fn new(index: &'a Index) -> Self {
        Self {
            index,
            memory: None,
        }
    }

    /// Creates a reader for one address space.
    pub fn in_memory(index: &'a Index, memory: Option<MemoryId>) -> Self {
        Self { index, memory }
    }

    fn touches(&self) -> TouchReader<'a> {
        TouchReader::in_memory(self.index, self.memory)
    }

    /// Calls `each` with the blocks of a range of memory that steps touch, and their bytes that are
    /// in it. Cost: that of the blocks, independent of the range's length.
    pub(crate) fn for_each_touched(
        &self,
        range: MemoryRange,
        cancel: &Cancel,
        mut each: impl FnMut(u64, u64) -> Result<(), QueryError>,
    ) -> Result<(), QueryError> {
        let MemoryRange { address, len_bytes } = range;
        let Some(last) = last_of(address, len_bytes) else {
            return Ok(());
        };
        let mut from = address.0 >> GRANULE_BITS;
        loop {
            cancel.check()?;
            let granule = if len_bytes > SHORT_RANGE_BYTES {
                key_maps::next_granule(self.index, from)?
            } else {
                Some(from)
            };
            let Some(granule) = granule.filter(|granule| *granule <= last >> GRANULE_BITS) else {
                return Ok(());
            };
            each(granule, bytes_between(granule, address.0, last))?;
            from = granule + 1;
        }
    }

    /// Fills the requested bytes of some blocks with their values at a position. Cost: a lookup per
    /// block, and one read of each distinct step that states a value.
    pub(crate) fn fill(&self, blocks: &mut [BlockState], at: Position) -> Result<(), QueryError> {
        self.fill_recorded(blocks, at)?;
        blocks
            .iter_mut()
            .try_for_each(|block| self.take_fetches(block, at))?;
        self.infer(blocks, at)?;
        for block in blocks {
            let need = block.need & block.unknown() & !block.touched;
            self.infer_from_image(block.granule, need, at, &mut block.states);
        }
        Ok(())
    }

    /// Takes the bytes of instructions that were fetched after the last access. A byte that the
    /// trace stated before with the same value stays recorded.
    fn take_fetches(&self, block: &mut BlockState, at: Position) -> Result<(), QueryError> {
        let fetches =
            fetches::nearest_fetches(self.index, block.granule, block.need, at.0, Direction::Back)?;
        for (place, fetch) in fetches.iter().enumerate() {
            let Some(Fetch { slot, byte }) = *fetch else {
                continue;
            };
            if block.last[place].is_some_and(|last| last >= slot) {
                continue;
            }
            block.touched |= 1 << place;
            if block.states[place].value != Some(byte) {
                let (value, seen_at) = (Some(byte), Some(Position(slot)));
                block.states[place] = ByteState {
                    value,
                    source: ValueSource::Inferred,
                    seen_at,
                };
            }
        }
        Ok(())
    }

    /// Fills in image bytes that were never touched up to the position. If the host may have
    /// written anywhere, only read-only bytes count.
    fn infer_from_image(
        &self,
        granule: u64,
        mut need: u64,
        at: Position,
        states: &mut [ByteState; 64],
    ) {
        let program = self.index.program();
        if program.is_empty() {
            return;
        }
        let is_doubtful = self.index.open_calls.any_up_to(at.0);
        while need != 0 {
            let place = need.trailing_zeros();
            let address = Address((granule << GRANULE_BITS) + u64::from(place));
            let byte = if is_doubtful {
                program.constant_byte(address)
            } else {
                program.byte(address)
            };
            if let Some(byte) = byte {
                let (value, source) = (Some(byte), ValueSource::Inferred);
                states[place as usize] = ByteState {
                    value,
                    source,
                    seen_at: None,
                };
            }
            need &= need - 1;
        }
    }

    /// Fills the requested bytes of some blocks with values that the trace states up to the
    /// position.
    pub(crate) fn fill_recorded(
        &self,
        blocks: &mut [BlockState],
        at: Position,
    ) -> Result<(), QueryError> {
        let mut requests = ValueRequests::default();
        let mut loaded = Vec::new();
        for (number, block) in blocks.iter_mut().enumerate() {
            let mut evidence = self.touches().last_touches(
                block.granule,
                block.need,
                at.0,
                TouchFilter::Evidence,
            )?;
            block.touched = mask_where(&evidence, |_| true);
            let by_host = self
                .index
                .host_regions
                .last_of_bytes(block.granule, block.need, at.0);
            for (place, slot) in by_host
                .iter()
                .enumerate()
                .filter(|(_, slot)| slot.is_some())
            {
                block.touched |= 1 << place;
                // An access of the call's own slot comes after the host's write.
                evidence[place] = evidence[place].filter(|touch| Some(touch.slot) >= *slot);
            }
            block.last = std::array::from_fn(|place| {
                evidence[place].map(|touch| touch.slot).max(by_host[place])
            });
            requests.add(number, block.granule, &evidence);
            loaded.push(mask_where(&evidence, |touch| !touch.is_write));
        }
        requests.read(self.index, Direction::Back, blocks)?;
        if self.index.contents.externals != 0 {
            let loaded = blocks.iter_mut().zip(loaded).filter(|(_, read)| *read != 0);
            loaded
                .into_iter()
                .try_for_each(|(block, read)| self.mark_external(block, read, at))?;
        }
        Ok(())
    }

    /// Marks the bytes of `read` with a last load that contradicted the earlier value.
    fn mark_external(
        &self,
        block: &mut BlockState,
        read: u64,
        at: Position,
    ) -> Result<(), QueryError> {
        let external =
            self.touches()
                .last_touches(block.granule, read, at.0, TouchFilter::External)?;
        // Usually there is none, and then earlier writes do not matter.
        let changed = mask_where(&external, |_| true);
        let written = match changed {
            0 => return Ok(()),
            _ => self
                .touches()
                .last_touches(block.granule, changed, at.0, TouchFilter::Writes)?,
        };
        let by_host = self
            .index
            .host_regions
            .last_of_bytes(block.granule, changed, at.0);
        for (place, state) in block.states.iter_mut().enumerate() {
            let is_after_host =
                external[place].is_some_and(|touch| Some(touch.slot) >= by_host[place]);
            if is_after_host && external[place] > written[place] {
                state.source = ValueSource::External;
            }
        }
        Ok(())
    }

    /// Fills unknown bytes from the first access after a position if it is a load, or from the
    /// first fetch if that comes earlier.
    fn infer(&self, blocks: &mut [BlockState], at: Position) -> Result<(), QueryError> {
        let mut requests = ValueRequests::default();
        let mut loaded = Vec::new();
        let from = at.0.saturating_add(1);
        let open = self.index.open_calls.next(from);
        for (number, block) in blocks.iter_mut().enumerate() {
            let need = block.need & block.unknown();
            if need == 0 {
                continue;
            }
            let mut later =
                self.touches()
                    .next_touches(block.granule, need, from, TouchFilter::Evidence)?;
            let fetches = fetches::nearest_fetches(
                self.index,
                block.granule,
                need,
                from,
                Direction::Forward,
            )?;
            let by_host = self
                .index
                .host_regions
                .next_of_bytes(block.granule, need, from);
            for place in 0..64 {
                let host = [by_host[place], open].into_iter().flatten().min();
                let touch = later[place];
                let is_first = |fetch: &Fetch| {
                    [touch.map(|touch| touch.slot), host]
                        .into_iter()
                        .flatten()
                        .all(|other| other >= fetch.slot)
                };
                let fetch = fetches[place].filter(is_first);
                let is_stated =
                    |touch: &TouchAt| !touch.is_write && host.is_none_or(|host| host > touch.slot);
                later[place] = touch.filter(|touch| fetch.is_none() && is_stated(touch));
                if let Some(Fetch { slot, byte }) = fetch {
                    let (value, seen_at) = (Some(byte), Some(Position(slot)));
                    block.states[place] = ByteState {
                        value,
                        source: ValueSource::Inferred,
                        seen_at,
                    };
                }
            }
            requests.add(number, block.granule, &later);
            loaded.push((number, mask_where(&later, |_| true)));
        }
        requests.read(self.index, Direction::Forward, blocks)?;
        for (number, mask) in loaded {
            let states = blocks.get_mut(number).map(|block| block.states.iter_mut());
            let marked = states
                .into_iter()
                .flatten()
                .enumerate()
                .filter(|(place, _)| mask >> place & 1 != 0);
            marked.for_each(|(_, state)| state.source = ValueSource::Inferred);
        }
        Ok(())
    }
}

fn mask_where(touches: &ByteTouches, is_met: impl Fn(&TouchAt) -> bool) -> u64 {
    let place = |(place, touch): (usize, &Option<TouchAt>)| {
        u64::from(touch.as_ref().is_some_and(&is_met)) << place
    };
    touches
        .iter()
        .enumerate()
        .map(place)
        .fold(0, |mask, bit| mask | bit)
}
