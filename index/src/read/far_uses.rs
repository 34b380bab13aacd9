//! Distant uses of registers: a table of all addresses lists the instructions that use the register
//! at all, and the visit lists give their slots.

use std::collections::{BTreeSet, BinaryHeap};

use stepback_machine::{Address, Encoding, InstructionSet, RegisterId, RegisterView, decode};

use crate::answers::cell::{Direction, ThreadId};
use crate::answers::error::{Cancel, QueryError};
use crate::answers::step_record::Doubt;
use crate::index::operand_table::{OperandTable, UserAddresses};
use crate::read::encodings::known_encoding;
use crate::read::key_maps;
use crate::read::operands::{OperandReader, OperandUse, use_of};
use crate::read::thread_steps::nearest_visit;
use crate::store::key_map::SegmentKey;
use crate::store::segment::meta::Section;
use crate::store::segment::reader::{SegmentReader, damaged};

/// Maximum number of visits examined: an address may have had different instructions, and not all
/// of them use the register.
const VISITS: u32 = 1 << 12;
/// Maximum number of addresses with which only the segments with one of them are walked; beyond it,
/// all are.
const FEW: usize = 64;

/// Walk of one query.
pub(crate) struct FarUses<'a> {
    reader: &'a OperandReader<'a>,
    view: RegisterView,
    direction: Direction,
    /// Remaining number of visits to examine.
    left: u32,
}

impl<'a> FarUses<'a> {
    /// Creates a walk over the uses of a view in a direction.
    pub fn new(reader: &'a OperandReader<'a>, view: RegisterView, direction: Direction) -> Self {
        Self {
            reader,
            view,
            direction,
            left: VISITS,
        }
    }

    /// Returns the nearest use of the view from a slot on, in the walk's direction.
    pub fn next(&mut self, from: u64, cancel: &Cancel) -> Result<Option<OperandUse>, QueryError> {
        let (index, thread, direction) = (self.reader.index, self.reader.thread, self.direction);
        let users = self.users(cancel)?;
        for number in self.segments_of(&users, from)? {
            let Some(segment) = index.segment(number) else {
                continue;
            };
            let visit = |pc: Address, from: u64| visit_in(&segment, pc, thread, from, direction);
            let rank = |slot: u64| direction.rank(slot);
            let mut visits = BinaryHeap::new();
            for pc in users.iter().copied() {
                visits.extend(visit(pc, from)?.map(|slot| (rank(slot), pc)));
            }
            while let Some((ranked, pc)) = visits.pop() {
                let slot = rank(ranked);
                if let Some(found) = self.use_at(slot, cancel)? {
                    return Ok(Some(found));
                }
                let after = match direction {
                    Direction::Back => slot - 1,
                    Direction::Forward => slot + 1,
                };
                visits.extend(visit(pc, after)?.map(|slot| (rank(slot), pc)));
            }
        }
        Ok(None)
    }

    /// Returns the segments in the walk's direction that may have one of some addresses; all
    /// segments if there are many addresses.
    fn segments_of(&self, users: &[Address], from: u64) -> Result<Vec<usize>, QueryError> {
        let index = self.reader.index;
        let range = index.segments_with(self.direction.slots_from(from));
        let mut numbers: Vec<usize> = match users.len() > FEW {
            true => range.collect(),
            false => {
                let mut numbers = BTreeSet::new();
                for pc in users {
                    let key = SegmentKey::Pc(pc.0);
                    numbers.extend(key_maps::segments_with(index, key, range.clone())?);
                }
                numbers.into_iter().collect()
            }
        };
        if self.direction == Direction::Back {
            numbers.reverse();
        }
        Ok(numbers)
    }

    /// Returns the use of a visit, if it is one: another instruction may have been at the address
    /// then. After too many visits without a use, the next one counts, with a doubt.
    fn use_at(&mut self, slot: u64, cancel: &Cancel) -> Result<Option<OperandUse>, QueryError> {
        cancel.check()?;
        if self.left == 0 {
            return Ok(Some(OperandUse {
                slot,
                doubt: Some(Doubt::Undecoded),
            }));
        }
        self.left -= 1;
        let step = self.reader.steps_of(slot..slot + 1)?.pop();
        let doubt = step.and_then(|step| use_of(&step, self.view, self.reader.kinds));
        Ok(doubt.map(|doubt| OperandUse { slot, doubt }))
    }

    /// Returns the addresses of instructions that may use the view; for a cell of a window, of
    /// those that use a register which is the cell in some window.
    fn users(&self, cancel: &Cancel) -> Result<UserAddresses, QueryError> {
        let (table, kinds) = (self.table(cancel)?, self.reader.kinds);
        let names = self
            .reader
            .index
            .instruction_set(self.reader.thread)
            .names_of_cell(self.view.register);
        if names.is_empty() {
            return Ok(table.users(self.view, kinds));
        }
        let of_name = |register: RegisterId| {
            table.users(
                RegisterView {
                    register,
                    ..self.view
                },
                kinds,
            )
        };
        let users: BTreeSet<Address> = names
            .into_iter()
            .flat_map(|name| of_name(name).to_vec())
            .collect();
        Ok(users.into_iter().collect())
    }

    /// Returns the table of all addresses. Cost: they are decoded on first use.
    fn table(&self, cancel: &Cancel) -> Result<&'a OperandTable, QueryError> {
        let index = self.reader.index;
        if let Some(known) = index.caches.operands.get() {
            return Ok(known);
        }
        let (mut table, mut others) = (OperandTable::default(), BTreeSet::new());
        key_maps::for_each_pc(index, |pc| _ = others.insert(pc))?;
        let mut add = |pc: Address, set: InstructionSet, encoding: Option<Encoding>| {
            let decoded = encoding.map(|encoding| decode(encoding, pc, set));
            table.add(pc.0, decoded.as_deref());
            others.remove(&pc.0);
            cancel.check()
        };
        match index.source().instructions() {
            Some(all) => all.iter().try_for_each(|known| {
                add(
                    known.pc,
                    known.instruction_set,
                    known_encoding(index, known),
                )
            })?,
            None if index.codes.is_complete() => {
                index
                    .codes
                    .all()
                    .iter()
                    .try_for_each(|code| add(code.pc, code.set, Some(code.encoding)))?;
            }
            None => {}
        }
        others.into_iter().for_each(|pc| table.add(pc, None));
        table.sort();
        Ok(index.caches.operands.get_or_init(|| table))
    }
}

/// Returns the visit of an address by a thread nearest to a slot, in a segment.
fn visit_in(
    segment: &SegmentReader<'_>,
    pc: Address,
    thread: ThreadId,
    bound: u64,
    direction: Direction,
) -> Result<Option<u64>, QueryError> {
    let base = segment.meta.step_base;
    let is_before = direction == Direction::Back && bound < base;
    let Some(visits) = segment.visits(pc.0)?.filter(|_| !is_before) else {
        return Ok(None);
    };
    let bound = segment.local_slot(bound);
    let Some(place) = nearest_visit(segment, &visits, Some(thread), bound, direction)? else {
        return Ok(None);
    };
    let slot = visits.get(place).map_err(|_| damaged(Section::Pcs))?;
    Ok(Some(base + u64::from(slot)))
}

#[cfg(test)]
#[path = "../../tests/it/support/records.rs"]
pub(crate) mod records;

#[cfg(test)]
mod tests {
    use crate::builder::build_index::index_in_memory;
    use std::sync::Arc;

    use stepback_generator::Dice;
    use stepback_machine::Registers;
    use stepback_machine::flow::RecordedBranch;
    use stepback_parsers::MarkerKind;

    use super::records::{Record, Records};
    use super::*;
    use crate::answers::cell::AccessKinds;
    use crate::builder::build_index::BuildOptions;
    use crate::read::walked_uses::WalkedUses;

    const X1_TO_X0: [u8; 4] = [0xe0, 0x03, 0x01, 0xaa];
    const X2_PLUS_X1_TO_X3: [u8; 4] = [0x43, 0x00, 0x01, 0x8b];

    /// A trace of two threads with few addresses, one of which has two instructions.
    fn trace() -> Arc<Records> {
        let mut dice = Dice(7);
        let records = (0..500).map(|_| {
            let (thread, pc) = (dice.below(2) as u16, 0x1000 + 4 * dice.below(40));
            let code = match pc {
                0x1000 if dice.one_in(2) => X1_TO_X0,
                0x1004 => X2_PLUS_X1_TO_X3,
                0x1008 => return Record::read(thread, 0x8000),
                0x100c => return Record::write(thread, 0x8000),
                0x1010 => return Record::marker(thread, MarkerKind::TIMESTAMP, 0),
                // It uses none of the queried registers.
                _ => return Record::step(thread, pc, 4, RecordedBranch::None),
            };
            Record::instruction(thread, pc, &code, RecordedBranch::None)
        });
        Records::new(records.collect(), InstructionSet::A64)
    }

    #[test]
    fn the_lists_of_visits_find_what_the_steps_nearby_show() {
        for segment_bytes in [160, 1 << 20] {
            let options = BuildOptions {
                segment_bytes,
                threads: 1,
            };
            let index = index_in_memory(trace(), &options).unwrap();
            let (kinds, cancel) = (AccessKinds::All.into(), Cancel::default());
            let mut walked = WalkedUses::new(&index);
            for (name, slot) in ["x0", "x1", "x2", "x3", "x4"]
                .iter()
                .flat_map(|name| (1..300).map(move |slot| (name, slot)))
            {
                let (thread, view) = (
                    ThreadId(slot % 2),
                    Registers::view(name, InstructionSet::A64).unwrap(),
                );
                let slot = u64::from(slot);
                let reader = OperandReader {
                    index: &index,
                    thread,
                    kinds,
                };
                let near = reader
                    .last_uses(&[view], slot, &cancel)
                    .unwrap()
                    .pop()
                    .flatten();
                let far = FarUses::new(&reader, view, Direction::Back)
                    .next(slot, &cancel)
                    .unwrap();
                assert_eq!(near, far, "{name} before {slot}");
                let near = reader.next_use(view, slot..u64::MAX, &cancel).unwrap();
                let far = FarUses::new(&reader, view, Direction::Forward)
                    .next(slot, &cancel)
                    .unwrap();
                assert_eq!(near, far, "{name} from {slot}");
                let found = walked.next(&reader, view, slot..u64::MAX, &cancel).unwrap();
                assert_eq!(
                    near.map(|found| found.slot),
                    found,
                    "{name} from {slot}, for a walk"
                );
            }
        }
    }
}
