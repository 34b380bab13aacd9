//! Who used a register last and who does next, in traces that record no registers: by the operands of the instructions.
//!
//! The steps nearby are decoded one by one. Beyond them a table of all addresses says which instructions use the register at all,
//! and the lists of their visits say when: a register that nothing uses costs a lookup.

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap, HashMap};
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use stepback_machine::{
    AccessKind, Address, Condition, Encoding, Instruction, InstructionSet, RegisterId, RegisterUse, RegisterView,
    decode,
};
use stepback_parsers::{EventSink, KnownInstruction, RegisterSource, Source, StepEvent, ThreadNumber};

use crate::answers::access_kinds::AccessKinds;
use crate::answers::cancel::Cancel;
use crate::answers::error::QueryError;
use crate::answers::hit::Doubt;
use crate::answers::step_record::{Access, AccessTarget, StepRecord};
use crate::answers::thread::ThreadId;
use crate::answers::value::Value;
use crate::index::{Index, Key};
use crate::read::slots::local_thread;
use crate::store::segment::meta::Section;
use crate::store::segment::reader::{SegmentReader, damaged};

/// So many steps of the thread are decoded before the table is asked.
const NEARBY: u64 = 2048;
/// Steps that are read at once, at first.
const BLOCK: u64 = 32;

/// A step that uses a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct OperandUse {
    /// The slot of its effects.
    pub slot: u64,
    /// Why it may not use it after all.
    pub doubt: Option<Doubt>,
}

/// Which registers an instruction uses: none when that is not known.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Uses(Option<(Vec<RegisterView>, Vec<RegisterView>)>);

impl Uses {
    fn of(registers: Option<&RegisterUse>) -> Self {
        Self(registers.map(|known| (known.reads.clone(), known.writes.clone())))
    }

    /// Whether it uses a byte of a view, as far as that is known.
    fn includes(&self, view: RegisterView, kinds: AccessKinds) -> bool {
        self.0.as_ref().is_none_or(|(reads, writes)| is_used((reads, writes), view, kinds))
    }
}

fn is_used((reads, writes): (&[RegisterView], &[RegisterView]), view: RegisterView, kinds: AccessKinds) -> bool {
    let uses = |kind, views: &[RegisterView]| kinds.includes(kind) && views.iter().any(|known| known.overlaps(view));
    uses(AccessKind::Read, reads) || uses(AccessKind::Write, writes)
}

/// A step with what decodes it.
struct OperandStep {
    slot: u64,
    pc: Address,
    set: InstructionSet,
    encoding: Option<Encoding>,
    is_executed: bool,
}

/// So many visits of addresses are looked at where different instructions were at one address.
const VISITS: u32 = 1 << 12;
/// For so many addresses it is looked up which segments have them.
const FEW: usize = 64;

/// The addresses with an instruction that may use a register.
type Users = Arc<[Address]>;

/// The registers that the instructions at each address of a trace use.
#[derive(Debug, Default)]
pub(crate) struct OperandTable {
    uses: Vec<Uses>,
    /// Addresses with the places of what the instructions there use.
    addresses: Vec<(u64, u32)>,
    /// What was asked of late.
    users: Mutex<HashMap<(RegisterView, AccessKinds), Users>>,
}

impl OperandTable {
    /// The addresses with an instruction that may use a view.
    fn users(&self, view: RegisterView, kinds: AccessKinds) -> Users {
        let mut known = self.users.lock().unwrap_or_else(PoisonError::into_inner);
        let find = || {
            let is_user: Vec<_> = self.uses.iter().map(|uses| uses.includes(view, kinds)).collect();
            let of = |place: u32| is_user.get(place as usize) == Some(&true);
            self.addresses.iter().filter(|(_, uses)| of(*uses)).map(|(address, _)| Address(*address)).collect()
        };
        known.entry((view, kinds)).or_insert_with(find).clone()
    }
}

/// What a step that uses a view does to it when anything was asked for: a write, unless it is known to read it only.
pub(crate) fn kind_of_use(record: &StepRecord, view: RegisterView, kinds: AccessKinds) -> AccessKind {
    let instruction = record.encoding.map(|encoding| decode(encoding, record.pc, record.instruction_set));
    let is_written = |registers: &RegisterUse| registers.writes.iter().any(|known| known.overlaps(view));
    let known = instruction.as_deref().and_then(|instruction| instruction.registers.as_ref());
    match kinds {
        AccessKinds::Reads => AccessKind::Read,
        AccessKinds::Writes => AccessKind::Write,
        AccessKinds::All if known.is_none_or(is_written) => AccessKind::Write,
        AccessKinds::All => AccessKind::Read,
    }
}

/// What a step does to a view, as its encoding says: none when it does not use it.
fn use_of(step: &OperandStep, view: RegisterView, kinds: AccessKinds) -> Option<Option<Doubt>> {
    let instruction = step.encoding.map(|encoding| decode(encoding, step.pc, step.set));
    use_by(step, instruction.as_deref(), view, kinds)
}

/// The same of a step that is decoded.
fn use_by(
    step: &OperandStep,
    instruction: Option<&Instruction>,
    view: RegisterView,
    kinds: AccessKinds,
) -> Option<Option<Doubt>> {
    let Some(instruction) = instruction else { return Some(Some(Doubt::Undecoded)) };
    if !step.is_executed {
        return None;
    }
    let Some(registers) = &instruction.registers else { return Some(Some(Doubt::Undecoded)) };
    let is_conditional = instruction.meaning.condition == Condition::Conditional;
    is_used((&registers.reads, &registers.writes), view, kinds).then_some(is_conditional.then_some(Doubt::Conditional))
}

impl<S: Source> Index<S> {
    /// Whether what is known of registers is what the operands of instructions say.
    pub(crate) fn has_operands_alone(&self) -> bool {
        self.contents.traits.registers == RegisterSource::Operands
    }

    /// Fails where not even the operands tell of registers.
    pub(crate) fn check_operands(&self, thread: ThreadId) -> Result<(), QueryError> {
        if self.instruction_set(thread).is_decoded() {
            return Ok(());
        }
        let format = self.contents.traits.format.clone();
        Err(QueryError::NotRecorded { format, what: "what these instructions do to registers" })
    }

    /// For each view the last step of a thread up to a slot that uses it. The program counter has none.
    pub(crate) fn last_uses(
        &self,
        thread: ThreadId,
        views: &[RegisterView],
        kinds: AccessKinds,
        last: u64,
        cancel: &Cancel,
    ) -> Result<Vec<Option<OperandUse>>, QueryError> {
        let mut found = vec![None; views.len()];
        let mut open: Vec<_> = (0..views.len()).filter(|place| views[*place].register != RegisterId::PC).collect();
        let (mut last, mut left, mut block) = (last, NEARBY, BLOCK);
        // Most steps use none of the registers that are still open.
        let mut open_bits = bits_of(open.iter().map(|place| &views[*place]));
        while !open.is_empty() && left > 0 {
            cancel.check()?;
            let Some(newest) = self.owner(thread, last)?.map(|step| step.after().0) else { return Ok(found) };
            let first = newest.saturating_sub(block - 1).max(1);
            for step in self.steps_of(thread, first..newest + 1)?.iter().rev() {
                let instruction = step.encoding.map(|encoding| decode(encoding, step.pc, step.set));
                let registers = instruction.as_ref().and_then(|instruction| instruction.registers.as_ref());
                let used = registers.map_or(u128::MAX, |known| bits_of(known.reads.iter().chain(&known.writes)));
                if used & open_bits == 0 {
                    continue;
                }
                open.retain(|place| {
                    let used = use_by(step, instruction.as_deref(), views[*place], kinds);
                    found[*place] = used.map(|doubt| OperandUse { slot: step.slot, doubt });
                    used.is_none()
                });
                open_bits = bits_of(open.iter().map(|place| &views[*place]));
            }
            (last, left, block) = (first - 1, left.saturating_sub(block), 2 * block);
        }
        for place in open {
            found[place] = self.last_use_far(thread, views[place], kinds, last, cancel)?;
        }
        Ok(found)
    }

    /// The first step of a thread from a slot on that uses a view.
    pub(crate) fn next_use(
        &self,
        thread: ThreadId,
        view: RegisterView,
        kinds: AccessKinds,
        first: u64,
        cancel: &Cancel,
    ) -> Result<Option<OperandUse>, QueryError> {
        if view.register == RegisterId::PC {
            return Ok(None);
        }
        let (mut first, mut left, mut block) = (first.max(1), NEARBY, BLOCK);
        while left > 0 {
            cancel.check()?;
            let from = stepback_parsers::Position(first - 1);
            let Some(nearest) = self.next_step_of(thread, from)?.map(|step| step.after().0) else { return Ok(None) };
            let behind = nearest.saturating_add(block).min(self.step_count() + 1);
            for step in self.steps_of(thread, nearest..behind)? {
                if let Some(doubt) = use_of(&step, view, kinds) {
                    return Ok(Some(OperandUse { slot: step.slot, doubt }));
                }
            }
            (first, left, block) = (behind, left.saturating_sub(block), 2 * block);
        }
        self.next_use_far(thread, view, kinds, first, cancel)
    }

    /// The steps of a thread in some slots, with these.
    fn steps_of(&self, thread: ThreadId, slots: Range<u64>) -> Result<Vec<OperandStep>, QueryError> {
        let (slot, threads, steps) = (slots.start.saturating_sub(1), Vec::new(), Vec::new());
        let mut reader = OperandReader { index: self, thread, slot, threads, steps };
        self.parse(self.text_start(slots.start)?..self.text_start(slots.end)?, &mut reader)?;
        if reader.slot.saturating_add(1) != slots.end.min(self.step_count() + 1) {
            return Err(QueryError::TraceChanged);
        }
        Ok(reader.steps)
    }

    fn last_use_far(
        &self,
        thread: ThreadId,
        view: RegisterView,
        kinds: AccessKinds,
        last: u64,
        cancel: &Cancel,
    ) -> Result<Option<OperandUse>, QueryError> {
        let users = self.operand_table(cancel)?.users(view, kinds);
        let after = self.contents.segments.partition_point(|segment| segment.step_base < last);
        let mut left = VISITS;
        for number in self.segments_of(&users, 0..after)?.into_iter().rev() {
            let Some(segment) = self.segment(number) else { continue };
            let mut visits = BinaryHeap::new();
            for pc in users.iter().copied() {
                visits.extend(last_visit(&segment, pc, thread, last)?.map(|slot| (slot, pc)));
            }
            while let Some((slot, pc)) = visits.pop() {
                if let Some(found) = self.use_at(thread, slot, (view, kinds), &mut left, cancel)? {
                    return Ok(Some(found));
                }
                visits.extend(last_visit(&segment, pc, thread, slot - 1)?.map(|slot| (slot, pc)));
            }
        }
        Ok(None)
    }

    fn next_use_far(
        &self,
        thread: ThreadId,
        view: RegisterView,
        kinds: AccessKinds,
        first: u64,
        cancel: &Cancel,
    ) -> Result<Option<OperandUse>, QueryError> {
        let users = self.operand_table(cancel)?.users(view, kinds);
        let segments = &self.contents.segments;
        let start = segments.partition_point(|segment| segment.step_base < first).saturating_sub(1);
        let mut left = VISITS;
        for number in self.segments_of(&users, start..segments.len())? {
            let Some(segment) = self.segment(number) else { continue };
            let mut visits = BinaryHeap::new();
            for pc in users.iter().copied() {
                visits.extend(next_visit(&segment, pc, thread, first)?.map(|slot| Reverse((slot, pc))));
            }
            while let Some(Reverse((slot, pc))) = visits.pop() {
                if let Some(found) = self.use_at(thread, slot, (view, kinds), &mut left, cancel)? {
                    return Ok(Some(found));
                }
                visits.extend(next_visit(&segment, pc, thread, slot + 1)?.map(|slot| Reverse((slot, pc))));
            }
        }
        Ok(None)
    }

    /// The segments that may have one of some addresses, ascending: only those, where there are few addresses.
    fn segments_of(&self, users: &[Address], range: Range<usize>) -> Result<Vec<usize>, QueryError> {
        if users.len() > FEW {
            return Ok(range.collect());
        }
        let mut numbers = BTreeSet::new();
        for pc in users {
            numbers.extend(self.segments_with(Key::Pc(pc.0), range.clone())?);
        }
        Ok(numbers.into_iter().collect())
    }

    /// What a visit of an address with a user does: another instruction may have been there then.
    /// When too many were in vain, the next counts, with a doubt.
    fn use_at(
        &self,
        thread: ThreadId,
        slot: u64,
        (view, kinds): (RegisterView, AccessKinds),
        left: &mut u32,
        cancel: &Cancel,
    ) -> Result<Option<OperandUse>, QueryError> {
        cancel.check()?;
        if *left == 0 {
            return Ok(Some(OperandUse { slot, doubt: Some(Doubt::Undecoded) }));
        }
        *left -= 1;
        let step = self.steps_of(thread, slot..slot + 1)?.pop();
        let doubt = step.and_then(|step| use_of(&step, view, kinds));
        Ok(doubt.map(|doubt| OperandUse { slot, doubt }))
    }

    /// The table of all addresses. Cost: they are decoded when the first question needs it.
    fn operand_table(&self, cancel: &Cancel) -> Result<&OperandTable, QueryError> {
        if let Some(known) = self.operands.get() {
            return Ok(known);
        }
        let (mut table, mut places) = (OperandTable::default(), HashMap::new());
        let mut add = |pc: u64, uses: Uses| {
            let place = *places.entry(uses).or_insert_with_key(|uses| {
                table.uses.push(uses.clone());
                table.uses.len() as u32 - 1
            });
            table.addresses.push((pc, place));
        };
        let mut others = BTreeSet::new();
        self.for_each_pc(|pc| _ = others.insert(pc))?;
        for instruction in self.source().instructions().unwrap_or_default() {
            cancel.check()?;
            let uses = self.known_encoding(&instruction).map(|encoding| uses_at(&instruction, encoding));
            add(instruction.pc.0, uses.unwrap_or(Uses(None)));
            others.remove(&instruction.pc.0);
        }
        others.into_iter().for_each(|pc| add(pc, Uses(None)));
        table.addresses.sort_unstable();
        table.addresses.dedup();
        Ok(self.operands.get_or_init(|| table))
    }

    /// What a step did to a register by its operands.
    pub(crate) fn operand_access(&self, view: RegisterView, thread: ThreadId, kind: AccessKind) -> Access {
        Access {
            kind,
            target: AccessTarget::Register(self.register_name(view, thread)),
            value: Value(vec![None; usize::from(view.size_bytes)]),
            is_inferred: false,
            is_external: false,
            host_operation: None,
        }
    }
}

/// A bit for each register; those with high numbers stand for all.
fn bits_of<'a>(views: impl Iterator<Item = &'a RegisterView>) -> u128 {
    let bit = |view: &RegisterView| 1u128.checked_shl(u32::from(view.register.0)).unwrap_or(u128::MAX);
    views.map(bit).fold(0, |all, bit| all | bit)
}

/// Keeps the steps of a thread.
struct OperandReader<'a, S> {
    index: &'a Index<S>,
    thread: ThreadId,
    slot: u64,
    threads: Vec<ThreadId>,
    steps: Vec<OperandStep>,
}

impl<S: Source> EventSink for OperandReader<'_, S> {
    fn thread_named(&mut self, _thread: ThreadNumber, name: &str) {
        self.threads.push(self.index.thread_by_name(name).unwrap_or_default());
    }

    fn begin_step(&mut self, step: &StepEvent<'_>) {
        self.slot += 1;
        if self.threads.get(usize::from(step.thread.0)).copied().unwrap_or_default() == self.thread {
            let (pc, set) = (step.pc, step.instruction_set);
            let (encoding, is_executed) = (self.index.encoding_of(step), step.is_executed);
            self.steps.push(OperandStep { slot: self.slot, pc, set, encoding, is_executed });
        }
    }
}

fn uses_at(instruction: &KnownInstruction, encoding: Encoding) -> Uses {
    Uses::of(decode(encoding, instruction.pc, instruction.instruction_set).registers.as_ref())
}

/// The last visit of an address by a thread up to a slot, in a segment.
fn last_visit(
    segment: &SegmentReader<'_>,
    pc: Address,
    thread: ThreadId,
    last: u64,
) -> Result<Option<u64>, QueryError> {
    let Some((visits, local)) = segment.visits(pc.0)?.zip(local_thread(segment, thread)) else { return Ok(None) };
    let own = segment.steps_of_thread(local)?;
    let base = segment.meta.step_base;
    let mut below = u32::try_from((last + 1).saturating_sub(base)).unwrap_or(u32::MAX);
    loop {
        let count = visits.count_below(below).map_err(|_| damaged(Section::Pcs))?;
        let Some(place) = count.checked_sub(1) else { return Ok(None) };
        let slot = visits.get(place).map_err(|_| damaged(Section::Pcs))?;
        let Some(own) = &own else { return Ok(Some(base + u64::from(slot))) };
        let owned = own.last_below(slot.saturating_add(1)).map_err(|_| damaged(Section::Registers))?;
        match owned {
            Some(owned) if owned == slot => return Ok(Some(base + u64::from(slot))),
            Some(owned) => below = owned.saturating_add(1),
            None => return Ok(None),
        }
    }
}

/// The first visit of an address by a thread from a slot on, in a segment.
fn next_visit(
    segment: &SegmentReader<'_>,
    pc: Address,
    thread: ThreadId,
    first: u64,
) -> Result<Option<u64>, QueryError> {
    let Some((visits, local)) = segment.visits(pc.0)?.zip(local_thread(segment, thread)) else { return Ok(None) };
    let own = segment.steps_of_thread(local)?;
    let base = segment.meta.step_base;
    let mut from = u32::try_from(first.saturating_sub(base)).unwrap_or(u32::MAX);
    loop {
        let place = visits.count_below(from).map_err(|_| damaged(Section::Pcs))?;
        if place >= visits.len() {
            return Ok(None);
        }
        let slot = visits.get(place).map_err(|_| damaged(Section::Pcs))?;
        let Some(own) = &own else { return Ok(Some(base + u64::from(slot))) };
        match own.first_from(slot).map_err(|_| damaged(Section::Registers))? {
            Some(owned) if owned == slot => return Ok(Some(base + u64::from(slot))),
            Some(owned) => from = owned,
            None => return Ok(None),
        }
    }
}

#[cfg(test)]
#[path = "../../tests/support/records.rs"]
mod records;

#[cfg(test)]
mod tests {
    use crate::builder::in_memory::index_in_memory;
    use stepback_generator::Dice;
    use stepback_machine::{Branch, Registers};
    use stepback_parsers::MarkerKind;

    use super::records::{Record, Records};
    use super::*;
    use crate::builder::options::BuildOptions;

    const X1_TO_X0: [u8; 4] = [0xe0, 0x03, 0x01, 0xaa];
    const X2_PLUS_X1_TO_X3: [u8; 4] = [0x43, 0x00, 0x01, 0x8b];

    /// A trace of two threads with few addresses, at one of which there are two instructions.
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
                // It uses none of the registers that are asked for.
                _ => return Record::step(thread, pc, 4, Branch::None),
            };
            Record::instruction(thread, pc, &code, Branch::None)
        });
        Records::new(records.collect(), InstructionSet::A64)
    }

    #[test]
    fn the_lists_of_visits_find_what_the_steps_nearby_show() {
        for segment_bytes in [160, 1 << 20] {
            let options = BuildOptions { segment_bytes, threads: 1 };
            let index = index_in_memory(trace(), &options).unwrap();
            let (kinds, cancel) = (AccessKinds::All, Cancel::default());
            for (name, slot) in
                ["x0", "x1", "x2", "x3", "x4"].iter().flat_map(|name| (1..300).map(move |slot| (name, slot)))
            {
                let (thread, view) = (ThreadId(slot % 2), Registers::view(name, InstructionSet::A64).unwrap());
                let slot = u64::from(slot);
                let near = index.last_uses(thread, &[view], kinds, slot, &cancel).unwrap().pop().flatten();
                let far = index.last_use_far(thread, view, kinds, slot, &cancel).unwrap();
                assert_eq!(near, far, "{name} before {slot}");
                let near = index.next_use(thread, view, kinds, slot, &cancel).unwrap();
                let far = index.next_use_far(thread, view, kinds, slot, &cancel).unwrap();
                assert_eq!(near, far, "{name} from {slot}");
            }
        }
    }
}
