//! The bytes of memory at a position, as far as the trace and the program images tell them.

use stepback_machine::Address;
use stepback_parsers::{Position, Source};

use crate::answers::byte_state::ByteState;
use crate::answers::cancel::Cancel;
use crate::answers::cell::MemoryRange;
use crate::answers::error::QueryError;
use crate::answers::value::ValueSource;
use crate::index::Index;
use crate::index::memories::MemoryId;
use crate::read::byte_values::{Order, read_values};
use crate::read::fetches::{Fetch, FetchReader};
use crate::read::key_maps::KeyMapReader;
use crate::read::touches::{ByteTouches, TouchAt, TouchReader, Wanted};
use crate::store::granules::{GRANULE_BITS, bytes_between, last_of};

/// In a longer range, blocks that no step touches are skipped over.
const SHORT_RANGE_BYTES: u64 = 4096;

/// Reads the bytes of memory.
pub(crate) struct ByteReader<'a, S> {
    index: &'a Index<S>,
    /// Accesses by steps that see another memory do not count; none where there is only one.
    memory: Option<MemoryId>,
}

impl<'a, S: Source> ByteReader<'a, S> {
    /// Reads what all threads access.
    pub fn new(index: &'a Index<S>) -> Self {
        Self { index, memory: None }
    }

    /// Reads one memory.
    pub fn in_memory(index: &'a Index<S>, memory: Option<MemoryId>) -> Self {
        Self { index, memory }
    }

    fn touches(&self) -> TouchReader<'a, S> {
        TouchReader::in_memory(self.index, self.memory)
    }

    /// Calls `each` with the blocks of a range of memory that steps touch, and their bytes that are in it.
    /// Cost: that of the blocks, however long the range.
    pub(crate) fn for_each_touched(
        &self,
        range: MemoryRange,
        cancel: &Cancel,
        mut each: impl FnMut(u64, u64) -> Result<(), QueryError>,
    ) -> Result<(), QueryError> {
        let MemoryRange { address, len_bytes } = range;
        let Some(last) = last_of(address, len_bytes) else { return Ok(()) };
        let mut from = address.0 >> GRANULE_BITS;
        loop {
            cancel.check()?;
            let granule =
                if len_bytes > SHORT_RANGE_BYTES { KeyMapReader(self.index).next_granule(from)? } else { Some(from) };
            let Some(granule) = granule.filter(|granule| *granule <= last >> GRANULE_BITS) else { return Ok(()) };
            each(granule, bytes_between(granule, address.0, last))?;
            from = granule + 1;
        }
    }

    /// The bytes of `need` of a block at a position.
    pub(crate) fn granule_at(&self, granule: u64, need: u64, at: Position) -> Result<[ByteState; 64], QueryError> {
        let mut recorded = self.recorded_at(granule, need, at)?;
        self.take_fetches(granule, need, at, &mut recorded)?;
        let Recorded { mut states, touched, .. } = recorded;
        self.infer(granule, need & unknown_in(&states), at, &mut states)?;
        let need = need & unknown_in(&states) & !touched;
        self.infer_from_image(granule, need, at, &mut states);
        Ok(states)
    }

    /// Bytes of instructions that were executed after the last access are what was fetched.
    /// Where that is what the trace told before, it stays told.
    fn take_fetches(&self, granule: u64, need: u64, at: Position, recorded: &mut Recorded) -> Result<(), QueryError> {
        let fetches = FetchReader(self.index).last(granule, need, at.0)?;
        for (place, fetch) in fetches.iter().enumerate() {
            let Some(Fetch { slot, byte }) = *fetch else { continue };
            if recorded.last[place].is_some_and(|last| last >= slot) {
                continue;
            }
            recorded.touched |= 1 << place;
            if recorded.states[place].value != Some(byte) {
                let (value, seen_at) = (Some(byte), Some(Position(slot)));
                recorded.states[place] = ByteState { value, source: ValueSource::Inferred, seen_at };
            }
        }
        Ok(())
    }

    /// What was loaded and never touched up to the position.
    /// Where the host may have written anywhere, that is what cannot be written to.
    fn infer_from_image(&self, granule: u64, mut need: u64, at: Position, states: &mut [ByteState; 64]) {
        let program = self.index.program();
        if program.is_empty() {
            return;
        }
        let is_doubtful = self.index.open_calls.any_up_to(at.0);
        while need != 0 {
            let place = need.trailing_zeros();
            let address = Address((granule << GRANULE_BITS) + u64::from(place));
            let byte = if is_doubtful { program.constant_byte(address) } else { program.byte(address) };
            if let Some(byte) = byte {
                let (value, source) = (Some(byte), ValueSource::Inferred);
                states[place as usize] = ByteState { value, source, seen_at: None };
            }
            need &= need - 1;
        }
    }

    /// The same as far as the trace tells it up to the position.
    pub(crate) fn recorded_at(&self, granule: u64, need: u64, at: Position) -> Result<Recorded, QueryError> {
        let mut states = [ByteState::default(); 64];
        let mut evidence = self.touches().last_touches(granule, need, at.0, Wanted::Evidence)?;
        let mut touched = mask_where(&evidence, |_| true);
        let by_host = self.index.host_regions.last_of_bytes(granule, need, at.0);
        for (place, slot) in by_host.iter().enumerate().filter(|(_, slot)| slot.is_some()) {
            touched |= 1 << place;
            // An access of the call's own slot comes after what the host wrote.
            evidence[place] = evidence[place].filter(|touch| Some(touch.slot) >= *slot);
        }
        read_values(self.index, granule, &evidence, Order::Last, &mut states)?;
        let read = mask_where(&evidence, |touch| !touch.is_write);
        if read != 0 && self.index.contents.externals != 0 {
            let external = self.touches().last_touches(granule, read, at.0, Wanted::External)?;
            // Usually there is none, and then what was written before does not matter.
            let changed = mask_where(&external, |_| true);
            let written = match changed {
                0 => [None; 64],
                _ => self.touches().last_touches(granule, changed, at.0, Wanted::Writes)?,
            };
            for (place, state) in states.iter_mut().enumerate() {
                let is_behind_host = external[place].is_some_and(|touch| Some(touch.slot) >= by_host[place]);
                if is_behind_host && external[place] > written[place] {
                    state.source = ValueSource::External;
                }
            }
        }
        let last = std::array::from_fn(|place| evidence[place].map(|touch| touch.slot).max(by_host[place]));
        Ok(Recorded { states, touched, last })
    }

    /// What the first access after a position tells, when it is a load, or the first fetch, when it comes before.
    fn infer(&self, granule: u64, need: u64, at: Position, states: &mut [ByteState; 64]) -> Result<(), QueryError> {
        if need == 0 {
            return Ok(());
        }
        let from = at.0.saturating_add(1);
        let mut later = self.touches().next_touches(granule, need, from, Wanted::Evidence)?;
        let fetches = FetchReader(self.index).next(granule, need, from)?;
        let by_host = self.index.host_regions.next_of_bytes(granule, need, from);
        let open = self.index.open_calls.next(from);
        for place in 0..64 {
            let host = [by_host[place], open].into_iter().flatten().min();
            let touch = later[place];
            let is_first = |fetch: &Fetch| {
                [touch.map(|touch| touch.slot), host].into_iter().flatten().all(|other| other >= fetch.slot)
            };
            let fetch = fetches[place].filter(is_first);
            let is_told = |touch: &TouchAt| !touch.is_write && host.is_none_or(|host| host > touch.slot);
            later[place] = touch.filter(|touch| fetch.is_none() && is_told(touch));
            if let Some(Fetch { slot, byte }) = fetch {
                let (value, seen_at) = (Some(byte), Some(Position(slot)));
                states[place] = ByteState { value, source: ValueSource::Inferred, seen_at };
            }
        }
        read_values(self.index, granule, &later, Order::First, states)?;
        for place in (0..64).filter(|place| later[*place].is_some()) {
            states[place].source = ValueSource::Inferred;
        }
        Ok(())
    }
}

/// What the trace tells of the bytes of a block up to a position.
pub(crate) struct Recorded {
    pub states: [ByteState; 64],
    /// The bytes that were written, or read with a value: their value is known, or no longer what it was at the start.
    pub touched: u64,
    /// The slots of the accesses, or of what the host wrote, that tell of each byte last.
    pub last: [Option<u64>; 64],
}

fn unknown_in(states: &[ByteState; 64]) -> u64 {
    (0..64).filter(|place| states[*place].value.is_none()).fold(0, |mask, place| mask | 1u64 << place)
}

fn mask_where(touches: &ByteTouches, is_met: impl Fn(&TouchAt) -> bool) -> u64 {
    let place = |(place, touch): (usize, &Option<TouchAt>)| u64::from(touch.as_ref().is_some_and(&is_met)) << place;
    touches.iter().enumerate().map(place).fold(0, |mask, bit| mask | bit)
}
