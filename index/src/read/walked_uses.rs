//! Next uses of registers for a walk with many queries.
//!
//! At first the steps nearby are decoded one by one. A walk that has decoded many lists the
//! addresses of all steps of a segment and decodes each address once.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::collections::hash_map::Entry;
use std::ops::{ControlFlow, Range};
use std::sync::Arc;

use foldhash::{HashMap, HashMapExt};
use stepback_machine::{Address, Instruction, RegisterId, RegisterView, decode};
use stepback_parsers::{KnownInstruction, Step};

use crate::answers::cell::{Direction, ThreadId};
use crate::answers::error::{Cancel, QueryError};
use crate::index::Index;
use crate::index::operand_table::OperandKinds;
use crate::read::encodings::known_encoding;
use crate::read::far_uses::FarUses;
use crate::read::operands::{BLOCK, NEARBY, OperandReader, use_of};
use crate::read::slots::local_thread;
use crate::store::codes::{CodeTable, ExecutedCode};
use crate::store::segment::meta::Section;
use crate::store::segment::reader::{SegmentReader, damaged};
use crate::store::visits::SegmentVisits;

/// Maximum number of segments whose steps a walk lists before it builds the table of all addresses.
const SEGMENTS: usize = 64;
/// Number of steps that a walk decodes one by one before it lists those of a segment, which takes
/// about as long.
const DECODED: u64 = 1024;
/// Number of segments whose steps are kept: registers queried in turn may have their next uses in
/// several.
const KEPT: usize = 8;

/// Maximum number of register views whose uses are kept per segment.
const REGISTERS: usize = 64;

/// State of a walk. Memory: for each kept segment, four bytes per step, and a byte per address and
/// register.
pub(crate) struct WalkedUses<'a> {
    index: &'a Index,
    /// Number of steps decoded one by one.
    decoded: u64,
    /// Number of segments whose steps were listed.
    listed: usize,
    segments: VecDeque<SegmentSteps>,
    /// Instructions of the whole trace, once they were needed.
    codes: Option<Cow<'a, CodeTable>>,
}

/// Use of a register by the steps at an address.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum UseAt {
    #[default]
    NotDecoded,
    No,
    Yes,
    /// Some steps use it, or that is not known: each has to be read.
    Perhaps,
}

/// Addresses of all steps of a segment.
struct SegmentSteps {
    number: usize,
    pcs: Vec<Address>,
    /// For each local slot the place of its address plus 1; 0 without a step.
    places: Vec<u32>,
    /// Local slots of threads; none for the only thread of the segment.
    own: HashMap<ThreadId, Option<Vec<u32>>>,
    /// Instruction at each address, once it was decoded; the inner `None` if it is unknown, or there
    /// were several.
    instructions: Vec<Option<Option<Arc<Instruction>>>>,
    /// For each register, its use at each address.
    uses: HashMap<(RegisterView, OperandKinds), Vec<UseAt>>,
}

impl<'a> WalkedUses<'a> {
    /// Creates the state for the beginning of a walk.
    pub fn new(index: &'a Index) -> Self {
        Self {
            index,
            decoded: 0,
            listed: 0,
            segments: VecDeque::new(),
            codes: None,
        }
    }

    /// Returns the first of some slots in which a step of the reader's thread uses a view. A
    /// conditional step that was not executed may count.
    pub fn next(
        &mut self,
        reader: &OperandReader<'a>,
        view: RegisterView,
        slots: Range<u64>,
        cancel: &Cancel,
    ) -> Result<Option<u64>, QueryError> {
        if view.register == RegisterId::PC {
            return Ok(None);
        }
        let view = reader.cell(view, slots.start)?;
        let mut slots = slots.start.max(1)..slots.end;
        if self.codes.is_none() {
            let found = reader.nearby(view, slots.clone(), NEARBY, cancel)?;
            let end = match found {
                ControlFlow::Break(found) => found.map_or(slots.start, |found| found.slot),
                ControlFlow::Continue(end) => end,
            };
            self.decoded = self
                .decoded
                .saturating_add(end.saturating_sub(slots.start).max(BLOCK));
            // In each window a register has another name.
            if self.decoded >= DECODED && !self.index.instruction_set(reader.thread).has_windows() {
                self.codes = codes_of(self.index);
            }
            if let ControlFlow::Break(found) = found {
                return Ok(found.map(|found| found.slot));
            }
            slots.start = end;
        }
        match self.next_listed(reader, view, slots.clone(), cancel)? {
            ControlFlow::Break(found) => Ok(found),
            ControlFlow::Continue(first) => {
                let found = FarUses::new(reader, view, Direction::Forward).next(first, cancel)?;
                Ok(found
                    .map(|found| found.slot)
                    .filter(|slot| *slot < slots.end))
            }
        }
    }

    /// Searches the listed steps; continues with the slot after the last segment that may be
    /// listed.
    fn next_listed(
        &mut self,
        reader: &OperandReader<'a>,
        view: RegisterView,
        slots: Range<u64>,
        cancel: &Cancel,
    ) -> Result<ControlFlow<Option<u64>, u64>, QueryError> {
        if self.codes.is_none() {
            return Ok(ControlFlow::Continue(slots.start));
        }
        let segments = (self.index).segments_with(slots.start..slots.end.saturating_sub(1));
        let current = segments.start;
        for number in segments {
            cancel.check()?;
            let Some(segment) = self.index.segment(number) else {
                continue;
            };
            let is_far = self.listed >= SEGMENTS || self.index.caches.operands.get().is_some();
            if is_far
                && number > current
                && !self.segments.iter().any(|known| known.number == number)
            {
                return Ok(ControlFlow::Continue(segment.trace_slot(1)));
            }
            self.list(number, &segment)?;
            if let Some(slot) = self.next_in(&segment, reader, view, slots.clone(), cancel)? {
                return Ok(ControlFlow::Break(Some(slot)));
            }
        }
        Ok(ControlFlow::Break(None))
    }

    /// Lists the steps of a segment, unless they are listed, and moves them to the end of the
    /// lists.
    fn list(&mut self, number: usize, segment: &SegmentReader<'a>) -> Result<(), QueryError> {
        let steps = match self
            .segments
            .iter()
            .position(|known| known.number == number)
        {
            Some(place) => self.segments.remove(place),
            None => {
                self.listed += 1;
                Some(SegmentSteps::of(number, segment)?)
            }
        };
        self.segments.extend(steps);
        while self.segments.len() > KEPT {
            self.segments.pop_front();
        }
        Ok(())
    }

    /// Returns the first of some slots of the segment listed last in which a view is used.
    fn next_in(
        &mut self,
        segment: &SegmentReader<'a>,
        reader: &OperandReader<'a>,
        view: RegisterView,
        slots: Range<u64>,
        cancel: &Cancel,
    ) -> Result<Option<u64>, QueryError> {
        let (Some(steps), Some(codes)) = (self.segments.back_mut(), &self.codes) else {
            return Ok(None);
        };
        let first = segment.local_slot(slots.start);
        let end = segment.local_slot(slots.end).min(steps.places.len() as u32);
        let SegmentSteps {
            pcs,
            places,
            instructions,
            uses,
            own,
            ..
        } = steps;
        let own = match own.entry(reader.thread) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(place) => place.insert(slots_of_thread(segment, reader.thread)?),
        };
        if uses.len() >= REGISTERS {
            uses.clear();
        }
        let uses = uses
            .entry((view, reader.kinds))
            .or_insert_with(|| vec![UseAt::default(); pcs.len()]);
        let is_use = |slot: u32| -> Result<bool, QueryError> {
            let place = places.get(slot as usize).copied().unwrap_or_default() as usize;
            let Some(known) = place.checked_sub(1).and_then(|place| uses.get_mut(place)) else {
                return Ok(false);
            };
            if *known == UseAt::NotDecoded {
                let code =
                    instructions[place - 1].get_or_insert_with(|| code_at(codes, pcs[place - 1]));
                *known = use_by(code.as_deref(), view, reader.kinds);
            }
            if *known != UseAt::Perhaps {
                return Ok(*known == UseAt::Yes);
            }
            cancel.check()?;
            let slot = segment.trace_slot(slot);
            let step = reader.steps_of(slot..slot + 1)?.pop();
            Ok(step.is_some_and(|step| use_of(&step, view, reader.kinds).is_some()))
        };
        match own {
            None => first_of(first..end, is_use),
            Some(own) => {
                let after = own
                    .get(own.partition_point(|slot| *slot < first)..)
                    .unwrap_or_default();
                first_of(after.iter().copied().take_while(|slot| *slot < end), is_use)
            }
        }
        .map(|found| found.map(|slot| segment.trace_slot(slot)))
    }
}

impl SegmentSteps {
    /// Lists the steps of a segment. Cost: that of its visits, a few nanoseconds each.
    fn of(number: usize, segment: &SegmentReader<'_>) -> Result<Self, QueryError> {
        let (mut pcs, mut places) = (Vec::new(), Vec::new());
        let mut malformed = Ok(());
        let stated = segment
            .pcs()?
            .for_each_from(0, |pc, visits: SegmentVisits<'_>| {
                pcs.push(Address(pc));
                let place = pcs.len() as u32;
                malformed = visits.for_each(|slot| {
                    if slot <= segment.meta.steps {
                        if slot as usize >= places.len() {
                            places.resize(slot as usize + 1, 0);
                        }
                        places[slot as usize] = place;
                    }
                });
                malformed.is_ok()
            });
        stated.and(malformed).map_err(|_| damaged(Section::Pcs))?;
        let instructions = vec![None; pcs.len()];
        Ok(Self {
            number,
            pcs,
            places,
            own: HashMap::new(),
            instructions,
            uses: HashMap::new(),
        })
    }
}

/// Returns the first of some slots for which a predicate holds.
fn first_of(
    mut slots: impl Iterator<Item = u32>,
    mut is_it: impl FnMut(u32) -> Result<bool, QueryError>,
) -> Result<Option<u32>, QueryError> {
    slots
        .find_map(|slot| is_it(slot).map(|is_it| is_it.then_some(slot)).transpose())
        .transpose()
}

/// Returns the local slots of a thread's steps; none if a segment has no other thread.
fn slots_of_thread(
    segment: &SegmentReader<'_>,
    thread: ThreadId,
) -> Result<Option<Vec<u32>>, QueryError> {
    let Some(local) = local_thread(segment, thread) else {
        return Ok(Some(Vec::new()));
    };
    let Some(own) = segment.steps_of_thread(local)? else {
        return Ok(None);
    };
    let mut slots = Vec::new();
    own.for_each(|slot| slots.push(slot))
        .map_err(|_| damaged(Section::Registers))?;
    Ok(Some(slots))
}

/// Returns the instructions of a trace; none if not all of them are known.
fn codes_of(index: &Index) -> Option<Cow<'_, CodeTable>> {
    match index.source().instructions() {
        Some(all) => {
            let code = |known: &KnownInstruction| {
                let encoding = known_encoding(index, known)?;
                Some(ExecutedCode {
                    pc: known.pc,
                    set: known.instruction_set,
                    encoding,
                    first: Step(0),
                })
            };
            all.iter()
                .map(code)
                .collect::<Option<Vec<_>>>()
                .map(|codes| Cow::Owned(CodeTable::of(codes)))
        }
        None => Some(&index.codes)
            .filter(|codes| codes.is_complete() && !codes.all().is_empty())
            .map(Cow::Borrowed),
    }
}

/// Returns the only instruction at an address.
fn code_at(codes: &CodeTable, pc: Address) -> Option<Arc<Instruction>> {
    let mut known = codes.around(pc.0, pc.0).iter().filter(|code| code.pc == pc);
    match (known.next(), known.next()) {
        (Some(code), None) => Some(decode(code.encoding, pc, code.set)),
        _ => None,
    }
}

/// Returns the use of a view by the steps at an address, from the instruction there.
fn use_by(code: Option<&Instruction>, view: RegisterView, kinds: OperandKinds) -> UseAt {
    let Some(instruction) = code else {
        return UseAt::Perhaps;
    };
    let is_used = kinds
        .uses(instruction)
        .map(|mut uses| uses.any(|used| used.overlaps(view)));
    match is_used {
        Some(true) => UseAt::Yes,
        Some(false) => UseAt::No,
        None => UseAt::Perhaps,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use stepback_generator::Dice;
    use stepback_machine::flow::RecordedBranch;
    use stepback_machine::{InstructionSet, Registers};

    use super::*;
    use crate::answers::cell::AccessKinds;
    use crate::builder::build_index::BuildOptions;
    use crate::builder::build_index::index_in_memory;
    use crate::read::far_uses::records::{Record, Records};

    const NOP: [u8; 4] = [0x1f, 0x20, 0x03, 0xd5];
    const X1_TO_X0: [u8; 4] = [0xe0, 0x03, 0x01, 0xaa];
    const X3_TO_X2: [u8; 4] = [0xe2, 0x03, 0x03, 0xaa];

    /// A trace of three threads, the last of which has few steps. Two addresses have two
    /// instructions each.
    fn trace() -> Arc<Records> {
        let mut dice = Dice(3);
        let records = (0..6000).map(|_| {
            let thread = if dice.one_in(500) {
                2
            } else {
                dice.below(2) as u16
            };
            let pc = 0x1000 + 4 * dice.below(200);
            let code = match pc {
                0x1000 if dice.one_in(2) => X1_TO_X0,
                0x1000 | 0x1004 => X3_TO_X2,
                0x1008 if dice.one_in(9) => {
                    return Record::step(thread, pc, 4, RecordedBranch::None);
                }
                0x1008 => X1_TO_X0,
                _ => NOP,
            };
            Record::instruction(thread, pc, &code, RecordedBranch::None)
        });
        Records::new(records.collect(), InstructionSet::A64)
    }

    #[test]
    fn a_walk_finds_the_uses_that_single_questions_find() {
        for segment_bytes in [500, 1 << 20] {
            let options = BuildOptions {
                segment_bytes,
                threads: 1,
            };
            // A query for a distant use builds the table of all addresses, which a walk uses if it
            // exists.
            let [requested, with_table, without] =
                [(); 3].map(|()| index_in_memory(trace(), &options).unwrap());
            let cancel = Cancel::default();
            for thread in [0, 1, 2].map(ThreadId) {
                let (mut walked, mut far) =
                    (WalkedUses::new(&without), WalkedUses::new(&with_table));
                for name in ["x0", "x1", "x2", "x3", "x4"] {
                    let view = Registers::view(name, InstructionSet::A64).unwrap();
                    let reader = |index| OperandReader {
                        index,
                        thread,
                        kinds: AccessKinds::All.into(),
                    };
                    reader(&with_table)
                        .last_uses(&[view], 5990, &cancel)
                        .unwrap();
                    for first in (1..6000).step_by(61) {
                        for end in [first + 40, u64::MAX] {
                            let expected = reader(&requested)
                                .next_use(view, first..end, &cancel)
                                .unwrap();
                            let expected = expected.map(|found| found.slot);
                            let found = walked
                                .next(&reader(&without), view, first..end, &cancel)
                                .unwrap();
                            assert_eq!(found, expected, "{name} of {thread:?} in {first}..{end}");
                            let found = far
                                .next(&reader(&with_table), view, first..end, &cancel)
                                .unwrap();
                            assert_eq!(
                                found, expected,
                                "{name} of {thread:?} in {first}..{end}, with a table"
                            );
                        }
                    }
                }
                assert!(walked.codes.is_some() && !walked.segments.is_empty());
            }
            assert!(with_table.caches.operands.get().is_some());
            // Beyond a large number of segments a walk builds it, too.
            assert_eq!(
                without.caches.operands.get().is_some(),
                segment_bytes == 500
            );
        }
    }
}
