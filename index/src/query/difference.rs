//! What differs between two positions.

use std::collections::BTreeSet;
use std::ops::Range;

use stepback_machine::{AccessKind, Address};
use stepback_parsers::{Position, Source, Step};

use crate::answers::byte_state::ByteState;
use crate::answers::cancel::Cancel;
use crate::answers::cell::MemoryRange;
use crate::answers::difference::{Difference, MemoryDifference, RegisterDifference};
use crate::answers::error::QueryError;
use crate::answers::thread::ThreadId;
use crate::index::Index;
use crate::query::question::Query;
use crate::query::registers::{NamesOf, file_at};
use crate::read::bytes::ByteReader;
use crate::read::contradictions::Contradictions;
use crate::read::names::NameReader;
use crate::read::slots::{EventKind, SlotReader};
use crate::read::touches::{TouchAt, TouchReader, Wanted};
use crate::store::granules::{GRANULE_BITS, Granule};
use crate::store::regions::ranges::AddressRange;
use crate::store::segment::meta::Section;
use crate::store::segment::reader::damaged;

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
        SlotReader(index).check_position(self.from.max(self.to))?;
        let thread = match self.thread {
            Some(thread) => thread,
            None => SlotReader(index).thread_at(self.to)?,
        };
        if usize::from(thread.0) >= index.threads().len() {
            return Err(QueryError::NoThread(format!("#{}", thread.0)));
        }
        // The names are those of one position, or they could not be compared.
        let names = NamesOf { thread, set: NameReader(index).set_at(thread, self.to)? };
        let registers = |position| file_at(index, names, position, cancel);
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
        for granule in changed_granules(index, slots, cancel)? {
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
        let (from, to) = (
            ByteReader::new(index).granule_at(granule, u64::MAX, self.from)?,
            ByteReader::new(index).granule_at(granule, u64::MAX, self.to)?,
        );
        let is_changed = |place: usize| from[place].value != to[place].value;
        let changed = (0..64).filter(|place| is_changed(*place)).fold(0, |mask, place| mask | 1u64 << place);
        if changed == 0 {
            return Ok(());
        }
        let later = self.from.max(self.to).0;
        let written = TouchReader::new(index).last_touches(granule, changed, later, Wanted::Writes)?;
        let external = TouchReader::new(index).last_touches(granule, changed, later, Wanted::External)?;
        let by_host = index.host_regions.last_of_bytes(granule, changed, later);
        let mut writers = [None; 64];
        // What is only known of one of them, because the host may have written between, is no change that the trace shows.
        let earlier = Some(self.from.min(self.to).0);
        let is_shown = |place: usize| {
            let touch = written[place].max(external[place]).map(|touch| touch.slot);
            touch.max(by_host[place]) > earlier
        };
        let is_changed = |place: usize| is_changed(place) && is_shown(place);
        for place in (0..64).filter(|place| is_changed(*place)) {
            let touch = written[place].max(external[place]);
            writers[place] = match touch.filter(|touch| Some(touch.slot) >= by_host[place]) {
                Some(touch) => writer(index, touch, granule, place)?,
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

/// The step that wrote a byte of a block, or whose read showed that something else had.
fn writer<S: Source>(index: &Index<S>, touch: TouchAt, granule: u64, place: usize) -> Result<Option<Step>, QueryError> {
    if index.threads().len() == 1 {
        return Ok(Position(touch.slot).last_step());
    }
    let wanted = (granule << GRANULE_BITS) + place as u64;
    let events = SlotReader(index).events(touch.slot..touch.slot + 1)?;
    let contradictions = Contradictions::of(index, &events)?;
    for event in events.iter().rev() {
        let EventKind::Access { kind, address, size_bytes, .. } = event.kind else { continue };
        let is_write = kind == AccessKind::Write;
        if is_write != touch.is_write || wanted.wrapping_sub(address.0) >= u64::from(size_bytes) {
            continue;
        }
        if is_write || contradictions.bytes(event, granule) >> place & 1 != 0 {
            return SlotReader(index).owner(event.thread, touch.slot);
        }
    }
    Err(QueryError::TraceChanged)
}

/// All blocks that the slots of a range may have changed: written, or read with another value.
fn changed_granules<S: Source>(index: &Index<S>, slots: Range<u64>, cancel: &Cancel) -> Result<Vec<u64>, QueryError> {
    let mut found = BTreeSet::new();
    for number in 0..index.contents.segments.len() {
        let Some(segment) = index.segment(number) else { continue };
        let (first, last) = (segment.meta.step_base, segment.meta.step_base + u64::from(segment.meta.steps));
        if last < slots.start || first >= slots.end {
            continue;
        }
        let walked = segment.granules()?.for_each_from(0, |granule, list: Granule<'_>| {
            let is_written = list.masks().is_none_or(|masks| masks.write != 0);
            if is_written || list.has_external() {
                found.insert(granule);
            }
            true
        });
        walked.map_err(|_| damaged(Section::Granules))?;
        found.extend(segment.meta.seam_externals.iter().map(|seam| seam.granule));
    }
    for AddressRange { first, last } in index.host_regions.ranges(slots) {
        let range = MemoryRange { address: Address(first), len_bytes: (last - first).saturating_add(1) };
        // Memory that no step touches and no image fills was unknown and stays so.
        ByteReader::new(index).for_each_touched(range, cancel, |granule, _| {
            found.insert(granule);
            Ok(())
        })?;
        let loaded = std::iter::successors(index.program().next_granule(first >> GRANULE_BITS), |granule| {
            index.program().next_granule(granule + 1)
        });
        found.extend(loaded.take_while(|granule| *granule <= last >> GRANULE_BITS));
    }
    Ok(found.into_iter().collect())
}
