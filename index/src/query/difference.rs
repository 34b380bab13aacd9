//! What differs between two positions.

use stepback_machine::{AccessKind, Address};
use stepback_parsers::{Position, Source, Step};

use crate::answers::byte_state::ByteState;
use crate::answers::cancel::Cancel;
use crate::answers::difference::{Difference, MemoryDifference, RegisterDifference};
use crate::answers::error::QueryError;
use crate::answers::thread::ThreadId;
use crate::index::{Index, Query};
use crate::query::registers::RegistersAt;
use crate::read::slots::EventKind;
use crate::read::touches::{TouchAt, Wanted};
use crate::store::granules::GRANULE_BITS;

/// The difference of the states at two positions, in either order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DifferenceBetween {
    /// One.
    pub from: Position,
    /// The other.
    pub to: Position,
    /// Whose registers; without it, those of the thread at `to`.
    pub thread: Option<ThreadId>,
}

const RUN_BYTES: usize = 16;

impl Query for DifferenceBetween {
    type Answer = Difference;

    fn run<S: Source>(&self, index: &Index<S>, cancel: &Cancel) -> Result<Difference, QueryError> {
        index.check_position(self.from.max(self.to))?;
        let thread = match self.thread {
            Some(thread) => thread,
            None => index.thread_at(self.to)?,
        };
        let registers = |position| RegistersAt { position, thread: Some(thread) }.run(index, cancel);
        let (from, to) = (registers(self.from)?, registers(self.to)?);
        let is_later_to = self.to >= self.from;
        let pairs = from.registers.into_iter().zip(to.registers).filter(|(from, to)| from.value != to.value);
        let registers = pairs.map(|(from, to)| RegisterDifference {
            last_write: if is_later_to { to.written_by } else { from.written_by },
            name: to.name,
            view: to.view,
            from: from.value,
            to: to.value,
        });
        let mut difference = Difference { registers: registers.collect(), memory: Vec::new() };
        let slots = self.from.min(self.to).0 + 1..self.from.max(self.to).0 + 1;
        for granule in index.changed_granules(slots, cancel)? {
            cancel.check()?;
            self.compare(index, granule, &mut difference.memory)?;
        }
        Ok(difference)
    }
}

impl DifferenceBetween {
    fn compare<S: Source>(
        &self,
        index: &Index<S>,
        granule: u64,
        runs: &mut Vec<MemoryDifference>,
    ) -> Result<(), QueryError> {
        let (from, to) =
            (index.granule_at(granule, u64::MAX, self.from)?, index.granule_at(granule, u64::MAX, self.to)?);
        let is_changed = |place: usize| from[place].value != to[place].value;
        let changed = (0..64).filter(|place| is_changed(*place)).fold(0, |mask, place| mask | 1u64 << place);
        if changed == 0 {
            return Ok(());
        }
        let later = self.from.max(self.to).0;
        let written = index.last_touches(granule, changed, later, Wanted::Writes)?;
        let external = index.last_touches(granule, changed, later, Wanted::External)?;
        let by_host = index.host_regions.last_of_bytes(granule, changed, later);
        let mut writers = [None; 64];
        for place in (0..64).filter(|place| is_changed(*place)) {
            let touch = written[place].max(external[place]);
            writers[place] = match touch.filter(|touch| Some(touch.slot) >= by_host[place]) {
                Some(touch) => index.writer(touch, granule, place)?,
                None => by_host[place].and_then(|slot| Position(slot).last_step()),
            };
        }
        let value = |states: &[ByteState; 64], place: usize| states[place].value;
        let mut before: Option<(usize, Option<Step>)> = None;
        for place in (0..64).filter(|place| is_changed(*place)) {
            let writer = writers[place];
            match runs
                .last_mut()
                .filter(|run| before == Some((place.wrapping_sub(1), writer)) && run.from.len() < RUN_BYTES)
            {
                Some(run) => {
                    run.from.push(value(&from, place));
                    run.to.push(value(&to, place));
                }
                None => runs.push(MemoryDifference {
                    address: Address((granule << GRANULE_BITS) + place as u64),
                    from: vec![value(&from, place)],
                    to: vec![value(&to, place)],
                    last_write: writer,
                }),
            }
            before = Some((place, writer));
        }
        Ok(())
    }
}

impl<S: Source> Index<S> {
    /// The step that wrote a byte of a block, or whose read showed that something else had.
    fn writer(&self, touch: TouchAt, granule: u64, place: usize) -> Result<Option<Step>, QueryError> {
        if self.threads().len() == 1 {
            return Ok(Position(touch.slot).last_step());
        }
        let wanted = (granule << GRANULE_BITS) + place as u64;
        let events = self.events(touch.slot..touch.slot + 1)?;
        for event in events.iter().rev() {
            let EventKind::Access { kind, address, size_bytes, .. } = event.kind else { continue };
            let is_write = kind == AccessKind::Write;
            if is_write != touch.is_write || wanted.wrapping_sub(address.0) >= u64::from(size_bytes) {
                continue;
            }
            if is_write || self.contradictions(event, granule)? >> place & 1 != 0 {
                return self.owner(event.thread, touch.slot);
            }
        }
        Err(QueryError::TraceChanged)
    }
}
