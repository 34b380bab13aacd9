//! A step as a slice sees it: what of a want it gave a value, and what it took in for that.

use std::sync::Arc;

use stepback_machine::{
    AccessKind, Address, Condition, Endian, Flow, HostCall, Input, Instruction, Origin, RegisterId, RegisterView,
    Registers, decode,
};
use stepback_parsers::{MarkerKind, Source, Step};

use crate::answers::error::QueryError;
use crate::answers::slice::{Defined, Edge, EdgeKinds, End, NotKnown, SliceCell};
use crate::answers::slice_sight::{SightAccess, SliceSight};
use crate::answers::thread::ThreadId;
use crate::answers::value::Value;
use crate::index::Index;
use crate::query::slice::accesses::StepAccesses;
use crate::query::slice::definers::status_view;
use crate::query::slice::frontier::Want;
use crate::query::slice::pieces::{Piece, Run, parts_of, runs_of};
use crate::read::homes::Homes;
use crate::read::open_writes::OpenWrites;
use crate::read::register_reader::RegisterReader;
use crate::read::slots::{EventKind, SlotEvent, SlotReader, StepText};
use crate::read::views::ViewReader;
use crate::store::granules::GRANULE_BITS;

/// Something that a step takes in, at the position before it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Taken {
    Register(RegisterView),
    Flags(u64),
    Memory(Vec<Address>),
}

/// What a step had of what was wanted of it.
#[derive(Debug, Default)]
pub(super) struct Outcome {
    pub defines: Vec<Defined>,
    /// What it took in, and what for; each once.
    pub inputs: Vec<(Taken, Edge)>,
    /// Chains that end at it.
    pub ends: Vec<(End, SliceCell)>,
    /// What it did not write after all, or in part.
    pub rests: Vec<Want>,
    /// It decided that something ran.
    pub decides: bool,
}

impl Outcome {
    fn take_in(&mut self, taken: Taken, edge: Edge) {
        let input = (taken, edge);
        if !self.inputs.contains(&input) {
            self.inputs.push(input);
        }
    }
}

/// A step, its instruction and its accesses.
pub(super) struct StepFlow<'a, S> {
    pub index: &'a Index<S>,
    thread: ThreadId,
    kinds: EdgeKinds,
    pub text: Option<StepText>,
    /// None where the trace does not show it, or its bytes mean nothing.
    instruction: Option<Arc<Instruction>>,
    /// Those of the thread, in the slots that are wanted.
    pub events: Vec<SlotEvent>,
    loads: StepAccesses,
    stores: StepAccesses,
    endian: Endian,
    /// The flags by which the block of an `it` was executed.
    block_flags: u64,
}

/// What of the instruction gave a byte of a register its value.
#[derive(Clone, Copy, PartialEq, Eq)]
enum By {
    /// The step did not write it.
    Nobody,
    /// An effect that is described, by its number.
    Effect(usize),
    /// A result that is not.
    Result(RegisterId),
    /// The trace shows a write that the instruction does not tell of.
    Unexplained,
}

impl<'a, S: Source> StepFlow<'a, S> {
    /// Reads a step again. Cost: the text of its slot, and of those in which something of it is wanted.
    pub fn of(index: &'a Index<S>, step: Step, wants: &[Want], kinds: EdgeKinds) -> Result<Self, QueryError> {
        let slots = wants.iter().map(|want| want.slot).collect();
        Self::in_slots(index, step, slots, kinds)
    }

    /// The same with the slots beside its own in which it did something.
    pub fn in_slots(
        index: &'a Index<S>,
        step: Step,
        mut slots: Vec<u64>,
        kinds: EdgeKinds,
    ) -> Result<Self, QueryError> {
        let own = step.0.saturating_add(1);
        slots.push(own);
        slots.sort_unstable();
        slots.dedup();
        let mut events = Vec::new();
        for slot in slots {
            let here = SlotReader(index).events(slot..slot.saturating_add(1))?;
            events.extend(here.into_iter().filter(|event| event.slot == slot));
        }
        let text = events.iter().find_map(|event| match &event.kind {
            EventKind::Step(text) if event.slot == own => Some((event.thread, text.clone())),
            _ => None,
        });
        let (thread, text) = text.map_or((ThreadId(0), None), |(thread, text)| (thread, Some(text)));
        events.retain(|event| event.thread == thread);
        let instruction = text.as_ref().and_then(|text| {
            let found = decode(text.encoding?, text.pc, text.instruction_set);
            found.registers.is_some().then_some(found)
        });
        let accesses = |kind| match &instruction {
            Some(instruction) => StepAccesses::of(&events, instruction, kind),
            None => StepAccesses::default(),
        };
        let (loads, stores) = (accesses(AccessKind::Read), accesses(AccessKind::Write));
        let endian = index.contents.traits.endian;
        let block_flags = match &text {
            Some(text) if kinds.flags => block_flags(index, thread, own, text)?,
            _ => 0,
        };
        Ok(Self { index, thread, kinds, text, instruction, events, loads, stores, endian, block_flags })
    }

    pub fn thread(&self) -> ThreadId {
        self.thread
    }

    /// What was seen of the step; none where the trace does not show it.
    pub fn sight(&self) -> Option<SliceSight> {
        let text = self.text.as_ref()?;
        let accesses = self.events.iter().filter_map(|event| match event.kind {
            EventKind::Access { kind, address, size_bytes, .. } => Some(SightAccess { kind, address, size_bytes }),
            _ => None,
        });
        Some(SliceSight {
            pc: text.pc,
            set: text.instruction_set,
            instruction: self.instruction.clone().filter(|_| text.is_executed),
            accesses: accesses.collect(),
        })
    }

    /// Takes what of a want the step wrote.
    pub fn take(&self, want: Want, outcome: &mut Outcome) -> Result<(), QueryError> {
        match &want.piece {
            Piece::Register { view, homes } => {
                let (view, homes) = (*view, homes.clone());
                self.take_register(view, &homes, want, outcome)
            }
            Piece::Flags(bits) => {
                let bits = *bits;
                self.take_flags(bits, want, outcome)
            }
            Piece::Memory { granule, mask } => {
                let (granule, mask) = (*granule, *mask);
                self.take_memory(granule, mask, want, outcome);
                Ok(())
            }
            Piece::Decision => {
                outcome.decides = true;
                self.decided_by().into_iter().for_each(|(taken, edge)| outcome.take_in(taken, edge));
                Ok(())
            }
        }
    }

    /// The instruction, if it was executed.
    pub fn done(&self) -> Option<&Instruction> {
        let is_executed = self.text.as_ref().is_some_and(|text| text.is_executed);
        self.instruction.as_deref().filter(|_| is_executed)
    }

    fn take_register(
        &self,
        view: RegisterView,
        homes: &Arc<Homes>,
        want: Want,
        outcome: &mut Outcome,
    ) -> Result<(), QueryError> {
        let written = self.written_bytes(view, homes, want.slot)?;
        let place = |offset: u16| usize::from(offset - view.offset);
        let by = |offset: u16| match written.get(place(offset)).copied().flatten() {
            None => By::Nobody,
            Some(_) => self.by(homes, offset),
        };
        for (part, by) in parts_of(view, by) {
            if by == By::Nobody {
                let piece = Piece::Register { view: part, homes: homes.clone() };
                outcome.rests.push(Want { piece, ..want.clone() });
                continue;
            }
            let bytes = (part.offset..part.offset + part.size_bytes).map(|offset| written.get(place(offset)).copied());
            let value = Value(bytes.map(|byte| byte.flatten().flatten()).collect());
            let cell = SliceCell::Register { thread: self.thread, view: part };
            outcome.defines.push(Defined { cell, value });
            self.make_register(part, by, outcome)?;
        }
        Ok(())
    }

    /// Notes what went into bytes of a register.
    fn make_register(&self, part: RegisterView, by: By, outcome: &mut Outcome) -> Result<(), QueryError> {
        let cell = SliceCell::Register { thread: self.thread, view: part };
        let Some(instruction) = self.done() else {
            let reason = if self.text.as_ref().is_some_and(|text| !text.is_executed) {
                NotKnown::NotOfInstruction
            } else {
                NotKnown::Undecoded
            };
            outcome.ends.push((End::Unknown(reason), cell));
            return Ok(());
        };
        if instruction.control.flow == Flow::Trap {
            outcome.ends.push((self.asked_system(instruction)?, cell));
            return Ok(());
        }
        let effects = &instruction.meaning.writes;
        let origins = match by {
            By::Effect(number) => effects.get(number).map_or_else(Vec::new, |effect| {
                let first = part.offset - effect.view.offset;
                instruction.origins_of_value(&effect.value, first..first + part.size_bytes)
            }),
            By::Result(register) => instruction.origins_of_selection(self.flags_before(instruction)?, Some(register)),
            By::Nobody | By::Unexplained => instruction.origins_of_result(None),
        };
        let is_made_of_nothing = origins.is_empty();
        self.take_in(instruction, origins, cell, outcome);
        if self.kinds.listed {
            let listed = instruction.meaning.listed_reads.iter().filter(|view| view.register == part.register);
            listed.for_each(|view| outcome.take_in(Taken::Register(*view), Edge::Data));
        }
        if is_made_of_nothing {
            let is_told = by != By::Unexplained;
            let end = if is_told { End::Constant } else { End::Unknown(NotKnown::NotOfInstruction) };
            outcome.ends.push((end, cell));
        }
        Ok(())
    }

    fn take_flags(&self, bits: u64, want: Want, outcome: &mut Outcome) -> Result<(), QueryError> {
        let set = self.text.as_ref().map(|text| text.instruction_set);
        let told = self.done().zip(set).map_or(0, |(instruction, set)| instruction.flags_written(set) & bits);
        let recorded = self.status_written(want.slot);
        let taken = if told == 0 && recorded.is_some() { bits } else { told };
        if taken != bits {
            outcome.rests.push(Want { piece: Piece::Flags(bits & !taken), ..want });
        }
        if taken == 0 {
            return Ok(());
        }
        let cell = SliceCell::Flags { thread: self.thread, bits: taken };
        let value = Value(
            recorded
                .unwrap_or_default()
                .iter()
                .zip(0u32..8)
                .map(|(byte, place)| {
                    let mask = taken.to_le_bytes().get(place as usize).copied().unwrap_or(0);
                    byte.map(|byte| byte & mask)
                })
                .collect(),
        );
        outcome.defines.push(Defined { cell, value });
        match self.done() {
            Some(instruction) if instruction.control.flow == Flow::Trap => {
                outcome.ends.push((self.asked_system(instruction)?, cell));
            }
            Some(instruction) => {
                let origins =
                    if told != 0 { self.origins_of_flags(instruction)? } else { instruction.origins_of_result(None) };
                let is_made_of_nothing = origins.is_empty() && set.is_none_or(|set| instruction.flags_read(set) == 0);
                self.take_in(instruction, origins, cell, outcome);
                if is_made_of_nothing {
                    let end = if told != 0 { End::Constant } else { End::Unknown(NotKnown::NotOfInstruction) };
                    outcome.ends.push((end, cell));
                }
            }
            None => outcome.ends.push((End::Unknown(NotKnown::Undecoded), cell)),
        }
        Ok(())
    }

    /// What a trap asked the system for, by its name.
    fn asked_system(&self, instruction: &Instruction) -> Result<End, QueryError> {
        let step = self.step();
        let (Some(text), Some(asking)) = (&self.text, step) else { return Ok(End::System { step, name: None }) };
        let set = text.instruction_set;
        if let Some(host) = set.host_call().filter(|_| set.is_host_call(text.opcode, text.length_bytes)) {
            let number = self.register_before(asking, host.operation)?;
            return Ok(End::System { step, name: number.and_then(HostCall::operation_name) });
        }
        let told = self.events.iter().find_map(|event| match event.kind {
            EventKind::Marker(marker) if marker.kind == MarkerKind::SYSTEM_CALL => Some(marker.value),
            _ => None,
        });
        let number = match (told, set.abi().system_calls.number) {
            (Some(number), _) => Some(number),
            (None, Some(name)) if instruction.control.flow == Flow::Trap => self.register_before(asking, name)?,
            (None, _) => None,
        };
        Ok(End::System { step, name: number.and_then(|number| set.system_call_name(number)) })
    }

    /// What a register held before a step, where the trace states it.
    fn register_before(&self, step: Step, name: &str) -> Result<Option<u64>, QueryError> {
        let set = self.index.instruction_set(self.thread);
        let Some(view) = Registers::view(name, set).filter(|_| !self.index.has_operands_alone()) else {
            return Ok(None);
        };
        let mut reader = RegisterReader::new(self.index, self.thread, step.before());
        Ok(reader.state(name.to_owned(), view)?.value.to_u64())
    }

    fn origins_of_flags(&self, instruction: &Instruction) -> Result<Vec<Origin>, QueryError> {
        match instruction.meaning.selection {
            Some(_) => Ok(instruction.origins_of_selection(self.flags_before(instruction)?, None)),
            None => Ok(instruction.origins_of_flags()),
        }
    }

    /// The condition flags before a step that chooses by them, where the trace states them.
    fn flags_before(&self, instruction: &Instruction) -> Result<Option<u64>, QueryError> {
        let (Some(text), Some(step)) = (&self.text, self.step()) else { return Ok(None) };
        let flags = text.instruction_set.flag_bits();
        if instruction.meaning.selection.is_none() || self.index.has_operands_alone() || flags == 0 {
            return Ok(None);
        }
        let view = status_view(flags);
        let Some(slot) = ViewReader(self.index).last_register_slot(self.thread, view, step.0)? else { return Ok(None) };
        let events = SlotReader(self.index).events(slot..slot.saturating_add(1))?;
        let own = events.iter().filter(|event| event.slot == slot && event.thread == self.thread);
        let mut status = None;
        for event in own {
            if let EventKind::Register { view: written, bytes, .. } = &event.kind
                && written.register == RegisterId::PSR
            {
                status = bytes
                    .as_ref()
                    .filter(|_| written.offset == 0)
                    .map(|bytes| bytes.iter().take(8).rev().fold(0u64, |number, byte| number << 8 | u64::from(*byte)));
            }
        }
        Ok(status)
    }

    fn take_memory(&self, granule: u64, mask: u64, want: Want, outcome: &mut Outcome) {
        let address = |place: u32| Address((granule << GRANULE_BITS) + u64::from(place));
        let stored = |place: u32| self.stored_byte(want.slot, address(place));
        let places = (0..64u32).filter(|place| mask >> place & 1 == 1);
        let taken = places.filter(|place| stored(*place).is_some()).fold(0u64, |taken, place| taken | 1 << place);
        let by_host = mask & !taken;
        if by_host != 0 {
            self.take_from_host(granule, by_host, want.clone(), outcome);
        }
        for run in runs_of(taken) {
            let bytes = (run.first..run.first + run.len).map(|place| stored(place).flatten());
            let cell = run.cell(granule);
            outcome.defines.push(Defined { cell, value: Value(bytes.collect()) });
            self.make_memory(run, address(run.first), cell, outcome);
        }
    }

    /// Bytes that the host wrote when the step asked it.
    fn take_from_host(&self, granule: u64, mask: u64, want: Want, outcome: &mut Outcome) {
        let region = self.index.host_regions.at(want.slot);
        for run in runs_of(mask) {
            let cell = run.cell(granule);
            let Some(region) = region else {
                let piece = Piece::Memory { granule, mask };
                outcome.rests.push(Want { piece, ..want });
                return;
            };
            let name = Some(region.operation.name());
            outcome.defines.push(Defined { cell, value: Value(vec![None; run.len as usize]) });
            outcome.ends.push((End::System { step: self.step(), name }, cell));
        }
    }

    /// Notes what went into bytes of memory that lie one behind the other.
    fn make_memory(&self, run: Run, first: Address, cell: SliceCell, outcome: &mut Outcome) {
        let Some(instruction) = self.done() else {
            outcome.ends.push((End::Unknown(NotKnown::Undecoded), cell));
            return;
        };
        let addresses = (0..u64::from(run.len)).map(|offset| Address(first.0.wrapping_add(offset)));
        let known: Option<Vec<_>> = addresses.map(|address| self.stores.value_byte(address, self.endian)).collect();
        let memory = &instruction.meaning.memory;
        let mut origins = Vec::new();
        match known {
            Some(known) => {
                for bytes in known {
                    let Some(operand) = memory.get(bytes.operand) else { continue };
                    origins.extend(instruction.origins_of_value(&operand.value, bytes.bytes));
                    self.take_address(operand.address_registers(), outcome);
                }
            }
            None => {
                origins = instruction.origins_of_result(None);
                let stores = memory.iter().filter(|operand| operand.kind == AccessKind::Write);
                stores.for_each(|operand| self.take_address(operand.address_registers(), outcome));
            }
        }
        let is_made_of_nothing = origins.is_empty();
        self.take_in(instruction, joined(origins), cell, outcome);
        if is_made_of_nothing {
            outcome.ends.push((End::Constant, cell));
        }
    }

    /// Notes what flows into a result, with the addresses of loads and the flags that decide.
    fn take_in(&self, instruction: &Instruction, origins: Vec<Origin>, cell: SliceCell, outcome: &mut Outcome) {
        for Origin { input, is_copy } in origins {
            let edge = if is_copy { Edge::Copy } else { Edge::Data };
            match input {
                Input::Register(view) => outcome.take_in(Taken::Register(view), edge),
                Input::Loaded { operand, first, len_bytes } => {
                    let end = len_bytes.map_or(u16::MAX, |len| first.saturating_add(len));
                    let addresses = self.loads.addresses(operand, first..end, self.endian).to_vec();
                    self.take_loaded(addresses, edge, cell, outcome);
                    let known = instruction.meaning.memory.get(operand).into_iter();
                    known.for_each(|known| self.take_address(known.address_registers(), outcome));
                }
                Input::AllLoaded => {
                    // Without an operand that is described it is not known to load at all.
                    if !self.loads.is_empty() {
                        self.take_loaded(self.loads.all().to_vec(), edge, cell, outcome);
                    }
                }
            }
        }
        let set = self.text.as_ref().map(|text| text.instruction_set);
        let flags = set.map_or(0, |set| instruction.flags_read(set)) | self.block_flags;
        if flags != 0 && self.kinds.flags {
            outcome.take_in(Taken::Flags(flags), Edge::Flags);
        }
    }

    fn take_loaded(&self, addresses: Vec<Address>, edge: Edge, cell: SliceCell, outcome: &mut Outcome) {
        if addresses.is_empty() {
            outcome.ends.push((End::Unknown(NotKnown::LoadNotShown), cell));
        } else {
            outcome.take_in(Taken::Memory(addresses), edge);
        }
    }

    fn take_address(&self, registers: impl Iterator<Item = RegisterView>, outcome: &mut Outcome) {
        if self.kinds.addresses {
            registers.for_each(|view| outcome.take_in(Taken::Register(view), Edge::Address));
        }
    }

    /// What decides what a step does that gives nothing a value: a branch, taken or not, or a call.
    pub fn decided_by(&self) -> Vec<(Taken, Edge)> {
        let Some((instruction, text)) = self.instruction.as_deref().zip(self.text.as_ref()) else { return Vec::new() };
        let mut outcome = Outcome::default();
        let origins = instruction.origins_of_result(None);
        // A branch has no cell of its own: where what it loads is not shown nobody asks.
        let cell = SliceCell::Flags { thread: self.thread, bits: 0 };
        self.take_in(instruction, origins, cell, &mut outcome);
        let flags = instruction.flags_read(text.instruction_set);
        if flags != 0 && (self.kinds.flags || self.kinds.control) {
            outcome.take_in(Taken::Flags(flags), Edge::Flags);
        }
        outcome.inputs
    }

    fn step(&self) -> Option<Step> {
        let is_step = |event: &&SlotEvent| matches!(event.kind, EventKind::Step(_));
        self.events.iter().find(is_step).map(|event| Step(event.slot.saturating_sub(1)))
    }

    /// The bytes of a view that the step wrote in a slot: those that it did, each with its value where that is told.
    fn written_bytes(
        &self,
        view: RegisterView,
        homes: &Homes,
        slot: u64,
    ) -> Result<Vec<Option<Option<u8>>>, QueryError> {
        let mut written = vec![None; usize::from(view.size_bytes)];
        let mut write = |from: RegisterView, bytes: Option<&[u8]>| {
            for (byte, offset) in written.iter_mut().zip(view.offset..) {
                let place = offset.checked_sub(from.offset).filter(|place| *place < from.size_bytes);
                if let Some(place) = place {
                    *byte = Some(bytes.and_then(|bytes| bytes.get(usize::from(place)).copied()));
                }
            }
        };
        let mut is_told = false;
        let mut open = OpenWrites::of(self.index, self.thread, homes, slot)?;
        for mut event in self.events.iter().filter(|event| event.slot == slot).cloned() {
            if let Some(open) = &mut open {
                open.tell(&mut event);
            }
            let Some(meant) = homes.written(&event) else { continue };
            if let EventKind::Register { bytes, .. } = &event.kind {
                write(meant.view, bytes.as_deref());
                is_told = true;
            }
        }
        let is_status = (RegisterId::PSR..=RegisterId::VPR).contains(&view.register);
        if self.index.has_operands_alone() || is_status && !is_told {
            let writes = self.done().and_then(|instruction| instruction.registers.as_ref());
            let views = writes.into_iter().flat_map(|known| &known.writes);
            views.filter(|known| self.is_meant(homes, known.register)).for_each(|known| write(*known, None));
        }
        Ok(written)
    }

    /// What gave a byte its value of which it is known that the step wrote it.
    fn by(&self, homes: &Homes, offset: u16) -> By {
        let Some(instruction) = self.done() else { return By::Unexplained };
        let covers = |view: &RegisterView| {
            let place = offset.checked_sub(view.offset);
            place.is_some_and(|place| place < view.size_bytes) && self.is_meant(homes, view.register)
        };
        if let Some(number) = instruction.meaning.writes.iter().position(|effect| covers(&effect.view)) {
            return By::Effect(number);
        }
        let writes = instruction.registers.iter().flat_map(|known| &known.writes);
        writes.into_iter().find(|view| covers(view)).map_or(By::Unexplained, |view| By::Result(view.register))
    }

    /// Whether a register that the instruction names is one of those that are meant.
    fn is_meant(&self, homes: &Homes, named: RegisterId) -> bool {
        let home = self.text.as_ref().map_or(named, |text| text.mode.home(named));
        homes.lists().any(|view| view.register == home || view.register == named)
    }

    /// What the step wrote into the status register in a slot, where the trace shows that.
    fn status_written(&self, slot: u64) -> Option<[Option<u8>; 8]> {
        let mut written = None;
        for event in self.events.iter().filter(|event| event.slot == slot) {
            if let EventKind::Register { view, bytes, .. } = &event.kind
                && view.register == RegisterId::PSR
            {
                let all: &mut [Option<u8>; 8] = written.get_or_insert_default();
                let places = all.iter_mut().skip(usize::from(view.offset)).take(usize::from(view.size_bytes));
                let values = bytes.iter().flatten().copied().map(Some).chain(std::iter::repeat(None));
                places.zip(values).for_each(|(byte, value)| *byte = value);
            }
        }
        written
    }

    /// The byte that the step stored at an address in a slot: its value where that is told; none where it stored none.
    fn stored_byte(&self, slot: u64, wanted: Address) -> Option<Option<u8>> {
        self.events.iter().rev().filter(|event| event.slot == slot).find_map(|event| match &event.kind {
            EventKind::Access { kind: AccessKind::Write, address, size_bytes, bytes } => {
                let place = wanted.0.checked_sub(address.0).filter(|place| *place < u64::from(*size_bytes))?;
                Some(bytes.and_then(|bytes| bytes.get(usize::try_from(place).ok()?).copied()))
            }
            _ => None,
        })
    }
}

/// The flags that decide about a step that another instruction has made conditional (`it` of T32); 0 for others.
fn block_flags<S: Source>(index: &Index<S>, thread: ThreadId, slot: u64, text: &StepText) -> Result<u64, QueryError> {
    let (mut before, mut behind) = (slot, text.pc);
    for distance in 1..=text.instruction_set.longest_block() {
        let Some(step) = SlotReader(index).owner(thread, before.saturating_sub(1))? else { return Ok(0) };
        before = step.0.saturating_add(1);
        let events = SlotReader(index).events(before..before.saturating_add(1))?;
        let step = events.into_iter().find_map(|event| match event.kind {
            EventKind::Step(step) if event.slot == before => Some(step),
            _ => None,
        });
        let Some(step) = step.filter(|step| step.next_pc() == behind) else { return Ok(0) };
        behind = step.pc;
        let Some(encoding) = step.encoding else { return Ok(0) };
        let instruction = decode(encoding, step.pc, step.instruction_set);
        if let Condition::Block(count) = instruction.meaning.condition {
            return Ok(if distance <= count { instruction.flags_read(step.instruction_set) } else { 0 });
        }
    }
    Ok(0)
}

/// The origins of bytes one by one: those of bytes that lie side by side are taken together.
fn joined(mut origins: Vec<Origin>) -> Vec<Origin> {
    let key = |origin: &Origin| match origin.input {
        Input::Register(view) => (0, usize::from(view.register.0), view.offset),
        Input::Loaded { operand, first, .. } => (1, operand, first),
        Input::AllLoaded => (2, 0, 0),
    };
    origins.sort_by_key(key);
    origins.dedup();
    let mut joined: Vec<Origin> = Vec::new();
    for origin in origins {
        let is_grown = joined.last_mut().is_some_and(|last| grow(last, origin));
        if !is_grown {
            joined.push(origin);
        }
    }
    joined
}

/// Takes another origin into one, if it lies right behind it.
fn grow(last: &mut Origin, next: Origin) -> bool {
    if last.is_copy != next.is_copy {
        return false;
    }
    match (&mut last.input, next.input) {
        (Input::Register(view), Input::Register(more))
            if view.register == more.register && view.offset + view.size_bytes == more.offset =>
        {
            view.size_bytes += more.size_bytes;
            true
        }
        (
            Input::Loaded { operand, first, len_bytes: Some(len) },
            Input::Loaded { operand: of, first: from, len_bytes: Some(more) },
        ) if *operand == of && *first + *len == from => {
            *len += more;
            true
        }
        _ => false,
    }
}
