//! Differences between two positions.

use std::collections::BTreeSet;
use std::ops::Range;

use foldhash::HashMap;
use stepback_machine::{AccessKind, Address};
use stepback_parsers::{Position, Step};

use crate::answers::cell::{MemoryRange, ThreadId};
use crate::answers::difference::{Difference, MemoryDifference, RegisterDifference};
use crate::answers::error::{Cancel, QueryError};
use crate::index::Index;
use crate::index::memories::MemoryId;
use crate::inference::contents::{MemoryMoment, fill_memory};
use crate::query::question::Query;
use crate::query::registers::{NamesOf, file_at};
use crate::read::byte_values::BlockState;
use crate::read::bytes::ByteReader;
use crate::read::contradictions::Contradictions;
use crate::read::fetches;
use crate::read::names::NameReader;
use crate::read::slots::{SlotEvent, SlotEventKind, SlotReader};
use crate::read::touches::{TouchAt, TouchFilter, TouchReader};
use crate::store::granules::{GRANULE_BITS, Granule};
use crate::store::regions::host_regions::AddressRange;
use crate::store::segment::meta::Section;
use crate::store::segment::reader::damaged;

/// Compares the states at two positions, in either order. Cost: the text of the steps that changed
/// memory; for at most 256 blocks also that of [`crate::query::InferredMemory`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DifferenceBetween {
    /// First position.
    pub from: Position,
    /// Second position.
    pub to: Position,
    /// Thread of the registers; without it, the thread at `to`.
    pub thread: Option<ThreadId>,
}

const RUN_BYTES: usize = 16;
/// Number of blocks compared together, about 4 kB each. A step that writes more blocks is read
/// again for the next ones.
const BLOCKS: usize = 1 << 14;
/// Maximum number of blocks with inferred bytes: each block costs some milliseconds.
const INFERRED_BLOCKS: usize = 256;

impl Query for DifferenceBetween {
    type Answer = Difference;

    fn run(&self, index: &Index, cancel: &Cancel) -> Result<Difference, QueryError> {
        SlotReader(index).check_position(self.from.max(self.to))?;
        let thread = match self.thread {
            Some(thread) => thread,
            None => SlotReader(index).thread_at(self.to)?,
        };
        if usize::from(thread.0) >= index.threads().len() {
            return Err(QueryError::NoThread(format!("#{}", thread.0)));
        }
        // The names are those of one position, or they could not be compared.
        let names = NamesOf {
            thread,
            set: NameReader(index).set_at(thread, self.to)?,
        };
        let registers = |position| file_at(index, names, position, cancel);
        let (from, to) = (registers(self.from)?, registers(self.to)?);
        let is_later_to = self.to >= self.from;
        let pairs = from
            .registers
            .into_iter()
            .zip(to.registers)
            .filter(|(from, to)| from.value != to.value);
        let registers = pairs.map(|(from, to)| RegisterDifference {
            last_write: if is_later_to {
                to.written_by
            } else {
                from.written_by
            },
            name: to.name,
            view: to.view,
            from: from.value,
            to: to.value,
        });
        let mut difference = Difference {
            registers: registers.collect(),
            ..Difference::default()
        };
        let slots = self.from.min(self.to).0 + 1..self.from.max(self.to).0 + 1;
        let memory = SlotReader(index).memory_at(self.thread, self.to)?;
        let mut writers = WriterFinder {
            index,
            memory,
            slots: HashMap::default(),
            last: None,
        };
        let mut granules = changed_granules(index, slots, cancel)?.into_iter();
        let mut missing = MissingBytes {
            index,
            memory,
            inferred: BTreeSet::new(),
            left_out: BTreeSet::new(),
        };
        loop {
            cancel.check()?;
            let changes = granules.by_ref().map(|granule| {
                cancel.check()?;
                self.change_of(granule, &writers)
            });
            let changes = changes
                .filter_map(Result::transpose)
                .take(BLOCKS)
                .collect::<Result<Vec<_>, _>>()?;
            if changes.is_empty() {
                difference.blocks_not_inferred = missing.left_out.len() as u64;
                return Ok(difference);
            }
            let mut values_at = |position| {
                let blocks = changes
                    .iter()
                    .map(|change| BlockState::new(change.granule, change.bytes()));
                let mut blocks: Vec<_> = blocks.collect();
                ByteReader::in_memory(index, memory).fill(&mut blocks, position)?;
                blocks
                    .iter_mut()
                    .try_for_each(|block| missing.fill(block, position, cancel))?;
                Ok::<Vec<BlockValues>, QueryError>(
                    blocks
                        .iter()
                        .map(|block| block.states.map(|state| state.value))
                        .collect(),
                )
            };
            let (from, to) = (values_at(self.from)?, values_at(self.to)?);
            for (change, (from, to)) in changes.iter().zip(from.iter().zip(&to)) {
                change.compare(&mut writers, from, to, &mut difference.memory)?;
            }
        }
    }
}

/// Infers bytes without a recorded value.
struct MissingBytes<'a> {
    index: &'a Index,
    /// Address space that is compared; none if there is only one.
    memory: Option<MemoryId>,
    /// Blocks that were inferred.
    inferred: BTreeSet<u64>,
    /// Blocks beyond the limit.
    left_out: BTreeSet<u64>,
}

impl MissingBytes<'_> {
    fn fill(
        &mut self,
        block: &mut BlockState,
        at: Position,
        cancel: &Cancel,
    ) -> Result<(), QueryError> {
        let missing = block.need & block.unknown();
        if missing == 0 || !self.index.is_inferred() {
            return Ok(());
        }
        if self.inferred.len() >= INFERRED_BLOCKS && !self.inferred.contains(&block.granule) {
            self.left_out.insert(block.granule);
            return Ok(());
        }
        self.inferred.insert(block.granule);
        let (first, end) = (
            missing.trailing_zeros() as usize,
            64 - missing.leading_zeros() as usize,
        );
        let Some(bytes) = block.states.get_mut(first..end) else {
            return Ok(());
        };
        let address = Address((block.granule << GRANULE_BITS) + first as u64);
        let range = MemoryRange {
            address,
            len_bytes: bytes.len() as u64,
        };
        fill_memory(
            self.index,
            MemoryMoment {
                range,
                memory: self.memory,
                at,
            },
            bytes,
            cancel,
        )
    }
}

/// Values of the bytes of a block.
type BlockValues = [Option<u8>; 64];

/// Last changes of the bytes of a block between two positions.
struct BlockChange {
    granule: u64,
    last: Box<[Option<ByteChanger>; 64]>,
}

/// Access or host call that may have changed a byte.
#[derive(Clone, Copy)]
enum ByteChanger {
    /// A write, or a read that shows another value.
    Access { slot: u64, is_write: bool },
    /// A call that let the host write.
    Host { slot: u64 },
}

impl DifferenceBetween {
    /// Returns the last changes of a block between the two positions; none if the trace shows no
    /// change. A byte known at only one position, because the host may have written in between,
    /// does not count as changed.
    fn change_of(
        &self,
        granule: u64,
        writers: &WriterFinder<'_>,
    ) -> Result<Option<BlockChange>, QueryError> {
        let (earlier, later) = (self.from.min(self.to).0, self.from.max(self.to).0);
        let reader = TouchReader::in_memory(writers.index, writers.memory);
        let written = reader.last_touches(granule, u64::MAX, later, TouchFilter::Writes)?;
        let external = reader.last_touches(granule, u64::MAX, later, TouchFilter::External)?;
        let by_host = writers
            .index
            .host_regions
            .last_of_bytes(granule, u64::MAX, later);
        let last = |place: usize| {
            let host = by_host[place].filter(|slot| *slot > earlier);
            // An access of the call's own slot comes after the host's write.
            let is_last = |touch: &TouchAt| touch.slot > earlier && Some(touch.slot) >= host;
            let touch = written[place].max(external[place]).filter(is_last);
            let access =
                touch.map(|TouchAt { slot, is_write, .. }| ByteChanger::Access { slot, is_write });
            access.or(host.map(|slot| ByteChanger::Host { slot }))
        };
        let change = BlockChange {
            granule,
            last: Box::new(std::array::from_fn(last)),
        };
        Ok(Some(change).filter(|change| change.bytes() != 0))
    }
}

impl BlockChange {
    /// Returns the bytes that may have changed, a bit each.
    fn bytes(&self) -> u64 {
        (0..64)
            .filter(|place| self.last[*place].is_some())
            .fold(0, |mask, place| mask | 1 << place)
    }

    fn compare(
        &self,
        writers: &mut WriterFinder<'_>,
        from: &BlockValues,
        to: &BlockValues,
        runs: &mut Vec<MemoryDifference>,
    ) -> Result<(), QueryError> {
        let bytes = self.bytes();
        let mut before: Option<(usize, Option<Step>)> = None;
        for place in (0..64).filter(|place| bytes >> place & 1 != 0 && from[*place] != to[*place]) {
            let writer = self.writer_of(place, writers)?;
            match runs.last_mut().filter(|run| {
                before == Some((place.wrapping_sub(1), writer)) && run.from.len() < RUN_BYTES
            }) {
                Some(run) => {
                    run.from.push(from[place]);
                    run.to.push(to[place]);
                }
                None => runs.push(MemoryDifference {
                    address: Address((self.granule << GRANULE_BITS) + place as u64),
                    from: vec![from[place]],
                    to: vec![to[place]],
                    last_write: writer,
                }),
            }
            before = Some((place, writer));
        }
        Ok(())
    }

    fn writer_of(
        &self,
        place: usize,
        writers: &mut WriterFinder<'_>,
    ) -> Result<Option<Step>, QueryError> {
        match self.last[place] {
            Some(ByteChanger::Access { slot, is_write }) => {
                let kind = if is_write {
                    AccessKind::Write
                } else {
                    AccessKind::Read
                };
                writers.of_byte(slot, kind, self.granule, place)
            }
            Some(ByteChanger::Host { slot }) => Ok(Position(slot).last_step()),
            None => Ok(None),
        }
    }
}

/// Finds the steps that wrote bytes. Each slot is read once, except if several threads access
/// memory in it.
struct WriterFinder<'a> {
    index: &'a Index,
    /// Address space that is compared; none if there is only one.
    memory: Option<MemoryId>,
    /// For each slot that was read, the owner of all its accesses if one thread made them.
    slots: HashMap<u64, Option<Option<Step>>>,
    /// Last slot read with accesses of several threads.
    last: Option<(u64, Vec<SlotEvent>, Contradictions)>,
}

impl WriterFinder<'_> {
    /// Returns the step that wrote a byte of a block, or that showed by a read that something else
    /// had.
    fn of_byte(
        &mut self,
        slot: u64,
        kind: AccessKind,
        granule: u64,
        place: usize,
    ) -> Result<Option<Step>, QueryError> {
        if self.index.threads().len() == 1 {
            return Ok(Position(slot).last_step());
        }
        let owner = match self.slots.get(&slot) {
            Some(owner) => *owner,
            None => {
                let owner = self.owner_of_all(slot)?;
                *self.slots.entry(slot).or_insert(owner)
            }
        };
        owner.map_or_else(|| self.among_threads(slot, kind, granule, place), Ok)
    }

    fn owner_of_all(&self, slot: u64) -> Result<Option<Option<Step>>, QueryError> {
        let (mut thread, mut is_shared) = (None, false);
        SlotReader(self.index).each_event(slot..slot.saturating_add(1), |event| {
            if matches!(event.kind, SlotEventKind::Access { .. }) {
                is_shared |= *thread.get_or_insert(event.thread) != event.thread;
            }
            Ok(())
        })?;
        let thread = thread.filter(|_| !is_shared);
        thread
            .map(|thread| SlotReader(self.index).owner(thread, slot))
            .transpose()
    }

    fn among_threads(
        &mut self,
        slot: u64,
        wanted_kind: AccessKind,
        granule: u64,
        place: usize,
    ) -> Result<Option<Step>, QueryError> {
        if self.last.as_ref().is_none_or(|(known, ..)| *known != slot) {
            let events = SlotReader(self.index).events(slot..slot.saturating_add(1))?;
            let contradictions = Contradictions::of(self.index, &events)?;
            self.last = Some((slot, events, contradictions));
        }
        let Some((_, events, contradictions)) = &self.last else {
            return Ok(None);
        };
        let wanted = (granule << GRANULE_BITS) + place as u64;
        for event in events.iter().rev() {
            let SlotEventKind::Access {
                kind,
                address,
                size_bytes,
                ..
            } = event.kind
            else {
                continue;
            };
            let is_write = kind == AccessKind::Write;
            if kind != wanted_kind || wanted.wrapping_sub(address.0) >= u64::from(size_bytes) {
                continue;
            }
            if is_write || contradictions.bytes(event, granule) >> place & 1 != 0 {
                return SlotReader(self.index).owner(event.thread, slot);
            }
        }
        Err(QueryError::TraceChanged)
    }
}

/// Returns all blocks that the slots of a range may have changed: written, or read with another
/// value.
fn changed_granules(
    index: &Index,
    slots: Range<u64>,
    cancel: &Cancel,
) -> Result<Vec<u64>, QueryError> {
    let mut found = BTreeSet::new();
    for number in 0..index.contents.segments.len() {
        let Some(segment) = index.segment(number) else {
            continue;
        };
        let (first, last) = (
            segment.meta.step_base,
            segment.meta.step_base + u64::from(segment.meta.steps),
        );
        if last < slots.start || first >= slots.end {
            continue;
        }
        let walked = segment
            .granules()?
            .for_each_from(0, |granule, list: Granule<'_>| {
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
        let range = MemoryRange {
            address: Address(first),
            len_bytes: (last - first).saturating_add(1),
        };
        // Memory that no step touches or executes and no image fills was unknown and stays so.
        ByteReader::new(index).for_each_touched(range, cancel, |granule, _| {
            found.insert(granule);
            Ok(())
        })?;
        let mut add_all = |next: &dyn Fn(u64) -> Option<u64>| {
            let all =
                std::iter::successors(next(first >> GRANULE_BITS), |granule| next(granule + 1));
            found.extend(all.take_while(|granule| *granule <= last >> GRANULE_BITS));
        };
        add_all(&|from| index.program().next_granule(from));
        add_all(&|from| fetches::next_granule(index, from));
    }
    Ok(found.into_iter().collect())
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use super::*;
    use crate::query::bytes_read::bytes_read_by;

    /// Returns the bytes read to compare the positions around a step that writes a word to each of
    /// `blocks` blocks.
    fn bytes_read(blocks: u64) -> u64 {
        let mut text = "1 clk IT (1) 80000000 d503201f O EL3h_s : NOP\n".to_owned();
        text.push_str("2 clk IT (2) 80000004 d50b7420 O EL3h_s : DC ZVA,x0\n");
        for block in 0..blocks {
            writeln!(
                text,
                "2 clk MW4 {:08x} {block:08x}",
                0x1000_0000 + 64 * block
            )
            .unwrap();
        }
        text.push_str("3 clk IT (3) 80000008 d503201f O EL3h_s : NOP\n");
        bytes_read_by(text, |index| {
            let question = DifferenceBetween {
                from: Position(1),
                to: Position(2),
                thread: None,
            };
            let difference = question.run(index, &Cancel::default()).unwrap();
            assert_eq!(difference.memory.len() as u64, blocks);
            assert!(
                difference
                    .memory
                    .iter()
                    .all(|run| run.last_write == Some(Step(1)) && run.to.len() == 4)
            );
        })
    }

    #[test]
    fn the_cost_of_a_difference_is_linear_in_the_cells_of_a_step() {
        let (few, many) = (bytes_read(500), bytes_read(4_000));
        // Reading the step again for each block would take 64 times as much.
        assert!(
            many < 16 * few,
            "{many} bytes for 4,000 blocks, {few} for 500"
        );
    }
}
