//! Data flow of one step: the parts of a traced definition that it wrote, and the inputs that it
//! used for them.

use std::cell::OnceCell;
use std::sync::Arc;

use stepback_machine::exception::ExceptionFlow;
use stepback_machine::flow::FlowKind;
use stepback_machine::semantics::{ExecutionCondition, InstructionInput, ValueOrigin};
use stepback_machine::{
    AccessKind, Address, Endian, Instruction, RegisterId, RegisterView, decode,
};
use stepback_parsers::Step;

use crate::answers::cell::ThreadId;
use crate::answers::error::QueryError;
use crate::answers::slice::{
    Edge, EdgeKinds, SliceCell, SliceDefinition, SliceEndKind, SliceStepAccess, SliceStepDetail,
    UnknownInput,
};
use crate::answers::step_record::{Doubt, LATE_STEPS};
use crate::answers::value::Value;
use crate::index::Index;
use crate::index::homes::Homes;
use crate::query::slice::accesses::{
    BYTES_DISTINGUISHED, SlotAddress, StepAccesses, StepEvents, StoredBlocks, ValueBytes,
    late_slots, late_writes,
};
use crate::query::slice::beside::OtherThreadWrites;
use crate::query::slice::definers::status_view;
use crate::query::slice::exceptions::exception_flow;
use crate::query::slice::frontier::TracedDefinition;
use crate::query::slice::pieces::{StatePiece, cell_of, grow_view, joined, parts_of};
use crate::query::slice::written::ByteProducer;
use crate::read::slots::{SlotEvent, SlotEventKind, SlotReader, StepText};
use crate::read::views::ViewReader;
use crate::store::granules::{BlockSpan, GRANULE_BITS, runs_of};

/// Slots in which the events of a step are read.
#[derive(Clone, Debug)]
pub(super) enum FlowExtent {
    /// Its own slot, these, and those in which it accessed memory.
    Slots(Vec<u64>),
    /// All slots in which it had an effect.
    Whole,
}

/// An input of a step, at the position before it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum StepInput {
    Register(RegisterView),
    /// A physical register, regardless of its name in the line that wrote it.
    Home(RegisterView),
    Flags(u64),
    Memory(Vec<Address>),
}

impl StepInput {
    /// Returns the number of bytes; none for flags.
    pub fn len_bytes(&self) -> Option<usize> {
        match self {
            Self::Register(view) | Self::Home(view) => Some(usize::from(view.size_bytes)),
            Self::Memory(addresses) => Some(addresses.len()),
            Self::Flags(_) => None,
        }
    }

    /// Returns true if it contains all of another input.
    pub fn includes(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Register(view), Self::Register(other)) => view.includes(*other),
            (Self::Memory(addresses), Self::Memory(others)) => {
                others.iter().all(|other| addresses.contains(other))
            }
            _ => false,
        }
    }
}

/// Contribution of a step to the values being traced.
#[derive(Debug, Default)]
pub(super) struct StepContribution {
    pub defines: Vec<SliceDefinition>,
    /// Inputs with their kinds of edge; each once.
    pub inputs: Vec<(StepInput, Edge)>,
    /// Chains that end at the step.
    pub ends: Vec<(SliceEndKind, SliceCell)>,
    /// Parts that it did not write after all.
    pub rests: Vec<TracedDefinition>,
    /// True if it decided that something ran.
    pub decides: bool,
    /// Doubt that it wrote the requested piece.
    pub doubt: Option<Doubt>,
}

impl StepContribution {
    pub(super) fn take_in(&mut self, taken: StepInput, edge: Edge) {
        let input = (taken, edge);
        if !self.inputs.contains(&input) {
            self.inputs.push(input);
        }
    }
}

/// Maximum number of accesses of a step in [`SliceStepDetail`].
const SEEN_ACCESSES: usize = 256;

/// A step, its instruction and its accesses.
pub(super) struct StepFlow<'a> {
    pub index: &'a Index,
    pub thread: ThreadId,
    kinds: EdgeKinds,
    pub text: Option<StepText>,
    /// None if the trace does not show it, or its bytes cannot be decoded.
    instruction: Option<Arc<Instruction>>,
    /// Events of the thread, in the requested slots.
    pub events: Vec<SlotEvent>,
    /// Events of other threads in its own slot.
    pub others: Vec<SlotEvent>,
    /// Exception that it takes or returns from.
    pub(super) exception: Option<ExceptionFlow>,
    loads: StepAccesses,
    stores: StepAccesses,
    /// Stored bytes by block; computed on first use.
    stored: OnceCell<StoredBlocks>,
    endian: Endian,
    /// Flags on which the `it` block of the step depends.
    block_flags: u64,
    /// Writes of other threads to memory in its slot.
    pub beside: Option<OtherThreadWrites>,
    /// True if it loads more than is examined.
    is_cut: bool,
}

impl<'a> StepFlow<'a> {
    /// Reads a step again. Cost: the text of its slot, and of the slots of the requested pieces.
    pub fn of(
        index: &'a Index,
        step: Step,
        wants: &[TracedDefinition],
        kinds: EdgeKinds,
    ) -> Result<Self, QueryError> {
        let slots = wants.iter().map(|want| want.slot).collect();
        let events = StepEvents::about(wants.iter().map(|want| &want.piece));
        Self::within(index, step, FlowExtent::Slots(slots), kinds, events)
    }

    /// Reads a step again in the slots of an extent.
    pub fn within(
        index: &'a Index,
        step: Step,
        extent: FlowExtent,
        kinds: EdgeKinds,
        mut events: StepEvents,
    ) -> Result<Self, QueryError> {
        let own = step.0.saturating_add(1);
        events.read(index, &[own])?;
        let text = events.kept.iter().find_map(|event| match &event.kind {
            SlotEventKind::Step(text) => Some((event.thread, text.clone())),
            _ => None,
        });
        let (thread, text) =
            text.map_or((ThreadId(0), None), |(thread, text)| (thread, Some(text)));
        let beside = OtherThreadWrites::of(index, &events.kept, thread)?;
        let instruction = text.as_ref().and_then(|text| {
            let found = decode(text.encoding?, text.pc, text.instruction_set);
            found.registers.is_some().then_some(found)
        });
        let has_memory = instruction.as_ref().is_some_and(|known| {
            !known.meaning.memory.is_empty() || !known.meaning.is_memory_known
        });
        let (mut slots, is_whole) = match extent {
            FlowExtent::Slots(slots) => (slots, false),
            FlowExtent::Whole => (late_writes(index, thread, step)?, true),
        };
        if has_memory || is_whole {
            slots.extend(late_slots(index, thread, step)?);
        }
        slots.retain(|slot| *slot != own);
        slots.sort_unstable();
        slots.dedup();
        for near in slots.chunk_by(|one, next| one + 1 == *next) {
            events.read(index, near)?;
        }
        let StepEvents {
            kept: mut events,
            is_cut,
            ..
        } = events;
        events.sort_by_key(|event| event.slot);
        let (events, mut others): (Vec<_>, Vec<_>) =
            events.into_iter().partition(|event| event.thread == thread);
        others.retain(|event| event.slot == own);
        let last = own.saturating_add(LATE_STEPS);
        let exception = exception_flow(index, text.as_ref(), instruction.as_deref(), &events);
        let is_frame = |number: usize| {
            exception
                .as_ref()
                .is_some_and(|exception| exception.has_access(number))
        };
        let operands = || {
            events
                .iter()
                .enumerate()
                .filter(|(number, _)| !is_frame(*number))
                .map(|(_, event)| event)
        };
        let accesses = |kind| match &instruction {
            Some(instruction) => StepAccesses::of(operands(), instruction, kind, last),
            None => StepAccesses::default(),
        };
        let (loads, stores) = (accesses(AccessKind::Read), accesses(AccessKind::Write));
        let endian = index.contents.traits.endian;
        let block_flags = match &text {
            Some(text) if kinds.flags || kinds.control => block_flags(index, thread, own, text)?,
            _ => 0,
        };
        let stored = OnceCell::new();
        Ok(Self {
            index,
            thread,
            kinds,
            text,
            instruction,
            events,
            others,
            exception,
            loads,
            stores,
            stored,
            endian,
            block_flags,
            beside,
            is_cut,
        })
    }

    /// Returns true if it accesses few enough bytes to trace each separately.
    pub fn is_traced_by_byte(&self) -> bool {
        self.loads.all().len() + self.stores.all().len() <= BYTES_DISTINGUISHED
    }

    /// Returns the operand, and the byte of its value, of a stored byte; none if unknown.
    pub fn stored_bytes(&self, at: SlotAddress) -> Option<ValueBytes> {
        self.stores.value_byte(at, self.endian)
    }

    /// Returns true if the bytes of each loaded operand are known.
    pub fn are_loads_assigned(&self) -> bool {
        self.loads.are_operands_known()
    }

    pub fn endian(&self) -> Endian {
        self.endian
    }

    pub fn thread(&self) -> ThreadId {
        self.thread
    }

    /// Returns the visible part of the step; none if the trace does not show it.
    pub fn detail(&self) -> Option<SliceStepDetail> {
        let text = self.text.as_ref()?;
        let accesses = self.events.iter().filter_map(|event| match event.kind {
            SlotEventKind::Access {
                kind,
                address,
                size_bytes,
                ..
            } => Some(SliceStepAccess {
                kind,
                address,
                size_bytes,
            }),
            _ => None,
        });
        let accesses = accesses.take(SEEN_ACCESSES);
        Some(SliceStepDetail {
            pc: text.pc,
            set: text.instruction_set,
            instruction: self.instruction.clone().filter(|_| text.is_executed),
            accesses: accesses.collect(),
        })
    }

    /// Adds the step's contribution to a traced definition.
    pub fn take(
        &self,
        want: TracedDefinition,
        outcome: &mut StepContribution,
    ) -> Result<(), QueryError> {
        match &want.piece {
            StatePiece::Register { view, homes } => {
                let (view, homes) = (*view, homes.clone());
                self.take_register(view, &homes, want, outcome)
            }
            StatePiece::Flags(bits) => {
                let bits = *bits;
                self.take_flags(bits, want, outcome)
            }
            StatePiece::Memory { granule, mask } => {
                let (granule, mask) = (*granule, *mask);
                self.take_memory(granule, mask, want, outcome)
            }
            StatePiece::Decision => {
                outcome.decides = true;
                self.decided_by()
                    .into_iter()
                    .for_each(|(taken, edge)| outcome.take_in(taken, edge));
                Ok(())
            }
        }
    }

    /// Returns the instruction, if it was executed.
    pub fn done(&self) -> Option<&Instruction> {
        let is_executed = self.text.as_ref().is_some_and(|text| text.is_executed);
        self.instruction.as_deref().filter(|_| is_executed)
    }

    fn take_register(
        &self,
        view: RegisterView,
        homes: &Arc<Homes>,
        want: TracedDefinition,
        outcome: &mut StepContribution,
    ) -> Result<(), QueryError> {
        let written = self.written_bytes(view, homes, want.slot)?;
        let byte = |offset: u16| {
            written
                .get(usize::from(offset - view.offset))
                .copied()
                .flatten()
        };
        for (part, by) in parts_of(view, |offset| byte(offset).map(|byte| byte.by)) {
            let Some(by) = by else {
                let piece = StatePiece::Register {
                    view: part,
                    homes: homes.clone(),
                };
                outcome.rests.push(TracedDefinition {
                    piece,
                    ..want.clone()
                });
                continue;
            };
            let bytes = (part.offset..part.offset.saturating_add(part.size_bytes)).map(byte);
            outcome.doubt = outcome
                .doubt
                .or_else(|| bytes.clone().flatten().find_map(|byte| byte.doubt));
            let value = Value(bytes.map(|byte| byte.and_then(|byte| byte.value)).collect());
            let cell = SliceCell::Register {
                thread: self.thread,
                view: part,
            };
            outcome.defines.push(SliceDefinition::new(cell, value));
            self.add_register_inputs(part, by, cell, outcome)?;
        }
        Ok(())
    }

    /// Adds the inputs of bytes of a register, for the cell that holds them.
    pub(super) fn add_register_inputs(
        &self,
        part: RegisterView,
        by: ByteProducer,
        cell: SliceCell,
        outcome: &mut StepContribution,
    ) -> Result<(), QueryError> {
        match by {
            ByteProducer::Unstacked => {
                let plain = RegisterView {
                    register: self.index.plain_register(part.register),
                    ..part
                };
                self.add_unstacked_inputs(plain, cell, outcome);
                return Ok(());
            }
            ByteProducer::StackMoved(register) => {
                outcome.take_in(
                    StepInput::Home(RegisterView { register, ..part }),
                    Edge::Data,
                );
                return Ok(());
            }
            ByteProducer::Constant => {
                outcome.ends.push((SliceEndKind::Constant, cell));
                return Ok(());
            }
            ByteProducer::Effect(_)
            | ByteProducer::Result(_)
            | ByteProducer::Cleared
            | ByteProducer::Unexplained => {}
        }
        let Some(instruction) = self.done() else {
            outcome.ends.push((self.unknown_inputs_end(), cell));
            return Ok(());
        };
        if by == ByteProducer::Cleared {
            self.take_in(instruction, Vec::new(), cell, outcome);
            outcome.ends.push((SliceEndKind::Constant, cell));
            return Ok(());
        }
        if instruction.control.flow == FlowKind::Trap {
            outcome
                .ends
                .push((self.system_call_end(instruction)?, cell));
            return Ok(());
        }
        let effects = &instruction.meaning.writes;
        let origins = match by {
            ByteProducer::Effect(number) => effects.get(number).map_or_else(Vec::new, |effect| {
                let first = part.offset - effect.view.offset;
                instruction
                    .origins_of_value(&effect.value, first..first.saturating_add(part.size_bytes))
            }),
            ByteProducer::Result(register) => {
                instruction.origins_of_selection(self.flags_before(instruction)?, Some(register))
            }
            ByteProducer::Unexplained if self.exception.is_some() => Vec::new(),
            ByteProducer::Cleared
            | ByteProducer::Unexplained
            | ByteProducer::Unstacked
            | ByteProducer::StackMoved(_)
            | ByteProducer::Constant => instruction.origins_of_unwritten(part),
        };
        let is_made_of_nothing = origins.is_empty();
        self.take_in(instruction, origins, cell, outcome);
        if self.kinds.listed {
            let listed = instruction
                .meaning
                .listed_reads
                .iter()
                .filter(|view| view.register == part.register);
            listed.for_each(|view| outcome.take_in(StepInput::Register(*view), Edge::Data));
        }
        if is_made_of_nothing {
            let is_stated = by != ByteProducer::Unexplained;
            let end = if is_stated {
                SliceEndKind::Constant
            } else {
                SliceEndKind::Unknown(UnknownInput::NotOfInstruction)
            };
            outcome.ends.push((end, cell));
        }
        Ok(())
    }

    /// Returns the reason why the inputs of the step are unknown.
    fn unknown_inputs_end(&self) -> SliceEndKind {
        let is_executed = self.text.as_ref().is_none_or(|text| text.is_executed);
        SliceEndKind::Unknown(if is_executed {
            UnknownInput::Undecoded
        } else {
            UnknownInput::NotOfInstruction
        })
    }

    fn take_flags(
        &self,
        bits: u64,
        want: TracedDefinition,
        outcome: &mut StepContribution,
    ) -> Result<(), QueryError> {
        let set = self.text.as_ref().map(|text| text.instruction_set);
        let all = self
            .done()
            .zip(set)
            .map_or(0, |(instruction, set)| instruction.flags_written(set));
        let (stated, recorded) = (all & bits, self.status_written(want.slot));
        // Taking an exception does not change the flags.
        let recorded = recorded.filter(|_| all != 0 || !self.takes_exception());
        // An instruction may set only some flags: the others are recorded unchanged.
        let is_whole = all == 0 && (recorded.is_some() || self.may_write_all());
        let taken = if is_whole { bits } else { stated };
        if taken != bits {
            outcome.rests.push(TracedDefinition {
                piece: StatePiece::Flags(bits & !taken),
                ..want
            });
        }
        if taken == 0 {
            return Ok(());
        }
        let cell = SliceCell::Flags {
            thread: self.thread,
            bits: taken,
        };
        let value = Value(
            recorded
                .unwrap_or_default()
                .iter()
                .zip(0u32..8)
                .map(|(byte, place)| {
                    let mask = taken
                        .to_le_bytes()
                        .get(place as usize)
                        .copied()
                        .unwrap_or(0);
                    byte.map(|byte| byte & mask)
                })
                .collect(),
        );
        outcome.defines.push(SliceDefinition::new(cell, value));
        if stated == 0 && self.take_exception_flags(taken, outcome) {
            return Ok(());
        }
        match self.done() {
            Some(instruction) if instruction.control.flow == FlowKind::Trap => {
                outcome
                    .ends
                    .push((self.system_call_end(instruction)?, cell));
            }
            Some(instruction) => self.add_flag_inputs(instruction, stated, cell, outcome)?,
            None => outcome.ends.push((self.unknown_inputs_end(), cell)),
        }
        Ok(())
    }

    /// Adds the inputs of condition flags. `flags` is 0 if the instruction does not write them.
    pub(super) fn add_flag_inputs(
        &self,
        instruction: &Instruction,
        flags: u64,
        cell: SliceCell,
        outcome: &mut StepContribution,
    ) -> Result<(), QueryError> {
        let set = self.text.as_ref().map(|text| text.instruction_set);
        let origins = if flags != 0 {
            self.origins_of_flags(instruction)?
        } else {
            instruction.origins_of_result(None)
        };
        let is_made_of_nothing =
            origins.is_empty() && set.is_none_or(|set| instruction.flags_read(set) == 0);
        self.take_in(instruction, origins, cell, outcome);
        if is_made_of_nothing {
            let end = if flags != 0 {
                SliceEndKind::Constant
            } else {
                SliceEndKind::Unknown(UnknownInput::NotOfInstruction)
            };
            outcome.ends.push((end, cell));
        }
        Ok(())
    }

    fn origins_of_flags(&self, instruction: &Instruction) -> Result<Vec<ValueOrigin>, QueryError> {
        match instruction.meaning.selection {
            Some(_) => Ok(instruction.origins_of_selection(self.flags_before(instruction)?, None)),
            None => Ok(instruction.origins_of_flags()),
        }
    }

    /// Returns the condition flags before a step that selects by them, if the trace states them.
    fn flags_before(&self, instruction: &Instruction) -> Result<Option<u64>, QueryError> {
        let (Some(text), Some(step)) = (&self.text, self.step()) else {
            return Ok(None);
        };
        let flags = text.instruction_set.flag_bits();
        if instruction.meaning.selection.is_none() || self.index.has_operands_alone() || flags == 0
        {
            return Ok(None);
        }
        let view = status_view(flags);
        let Some(slot) = ViewReader(self.index).last_register_slot(self.thread, view, step.0)?
        else {
            return Ok(None);
        };
        let events = SlotReader(self.index).events(slot..slot.saturating_add(1))?;
        let own = events
            .iter()
            .filter(|event| event.slot == slot && event.thread == self.thread);
        let mut status = None;
        for event in own {
            if let SlotEventKind::Register {
                view: written,
                bytes,
                ..
            } = &event.kind
                && written.register == RegisterId::PSR
            {
                status = bytes.as_ref().filter(|_| written.offset == 0).map(|bytes| {
                    bytes
                        .iter()
                        .take(8)
                        .rev()
                        .fold(0u64, |number, byte| number << 8 | u64::from(*byte))
                });
            }
        }
        Ok(status)
    }

    fn take_memory(
        &self,
        granule: u64,
        mask: u64,
        want: TracedDefinition,
        outcome: &mut StepContribution,
    ) -> Result<(), QueryError> {
        let address = |place: u32| Address((granule << GRANULE_BITS) + u64::from(place));
        let stored = |place: u32| self.stored_byte(want.slot, address(place));
        let places = (0..64u32).filter(|place| mask >> place & 1 == 1);
        let taken = places
            .filter(|place| stored(*place).is_some())
            .fold(0u64, |taken, place| taken | 1 << place);
        let by_host = mask & !taken;
        if by_host != 0 {
            self.take_from_host(granule, by_host, want.clone(), outcome);
        }
        let is_frame =
            |place: &u32| taken >> place & 1 == 1 && self.is_stacked(want.slot, address(*place));
        let in_frame = (0..64u32)
            .filter(is_frame)
            .fold(0u64, |mask, place| mask | 1 << place);
        for run in runs_of(taken & !in_frame).chain(runs_of(in_frame)) {
            let bytes = (run.first..run.first + run.len).map(|place| stored(place).flatten());
            let cell = cell_of(run, granule);
            outcome
                .defines
                .push(SliceDefinition::new(cell, Value(bytes.collect())));
            if in_frame >> run.first & 1 == 1 {
                self.add_frame_inputs(granule, run, want.slot, outcome)?;
                continue;
            }
            let first = SlotAddress {
                slot: want.slot,
                address: address(run.first),
            };
            self.make_memory(run, first, cell, outcome);
        }
        Ok(())
    }

    /// Adds bytes that the host wrote on behalf of the step.
    fn take_from_host(
        &self,
        granule: u64,
        mask: u64,
        want: TracedDefinition,
        outcome: &mut StepContribution,
    ) {
        let region = self.index.host_regions.at(want.slot);
        for run in runs_of(mask) {
            let cell = cell_of(run, granule);
            let Some(region) = region else {
                let piece = StatePiece::Memory { granule, mask };
                outcome.rests.push(TracedDefinition { piece, ..want });
                return;
            };
            let name = Some(region.operation.name());
            outcome.defines.push(SliceDefinition::new(
                cell,
                Value(vec![None; run.len as usize]),
            ));
            outcome.ends.push((
                SliceEndKind::System {
                    step: self.step(),
                    name,
                },
                cell,
            ));
        }
    }

    /// Adds the inputs of contiguous bytes of memory.
    fn make_memory(
        &self,
        run: BlockSpan,
        first: SlotAddress,
        cell: SliceCell,
        outcome: &mut StepContribution,
    ) {
        let Some(instruction) = self.done() else {
            outcome.ends.push((self.unknown_inputs_end(), cell));
            return;
        };
        let at = |offset| SlotAddress {
            address: Address(first.address.0.wrapping_add(offset)),
            ..first
        };
        let bytes =
            (0..u64::from(run.len)).map(|offset| self.stores.value_byte(at(offset), self.endian));
        let known: Option<Vec<_>> = bytes.collect();
        let memory = &instruction.meaning.memory;
        let mut origins = Vec::new();
        match known {
            Some(known) => {
                for bytes in known {
                    let Some(operand) = memory.get(bytes.operand) else {
                        continue;
                    };
                    origins.extend(instruction.origins_of_value(&operand.value, bytes.bytes));
                    self.take_address(operand.address_registers(), outcome);
                }
            }
            None => {
                origins = instruction.origins_of_result(None);
                let stores = memory
                    .iter()
                    .filter(|operand| operand.kind == AccessKind::Write);
                stores.for_each(|operand| self.take_address(operand.address_registers(), outcome));
            }
        }
        let is_made_of_nothing = origins.is_empty();
        self.take_in(instruction, joined_origins(origins), cell, outcome);
        if is_made_of_nothing {
            outcome.ends.push((SliceEndKind::Constant, cell));
        }
    }

    /// Adds the inputs of a result, with the addresses of loads and the flags that it depends on.
    fn take_in(
        &self,
        instruction: &Instruction,
        origins: Vec<ValueOrigin>,
        cell: SliceCell,
        outcome: &mut StepContribution,
    ) {
        for ValueOrigin { input, is_copy } in origins {
            let edge = if is_copy { Edge::Copy } else { Edge::Data };
            match input {
                InstructionInput::Register(view) => {
                    outcome.take_in(StepInput::Register(view), edge)
                }
                InstructionInput::Loaded {
                    operand,
                    first,
                    len_bytes,
                } => {
                    let end = len_bytes.map_or(u16::MAX, |len| first.saturating_add(len));
                    let addresses = self
                        .loads
                        .addresses(operand, first..end, self.endian)
                        .to_vec();
                    self.take_loaded(addresses, edge, cell, outcome);
                    let known = instruction.meaning.memory.get(operand).into_iter();
                    known.for_each(|known| self.take_address(known.address_registers(), outcome));
                }
                InstructionInput::AllLoaded => {
                    // Without a described operand it is not known to load at all.
                    if !self.loads.is_empty() {
                        self.take_loaded(self.loads.all().to_vec(), edge, cell, outcome);
                    }
                }
            }
        }
        let set = self.text.as_ref().map(|text| text.instruction_set);
        let kept = match cell {
            SliceCell::Flags { bits, .. } => bits & instruction.flags_kept(),
            _ => 0,
        };
        let flags = set.map_or(0, |set| instruction.flags_read(set)) | self.block_flags | kept;
        if flags != 0 && self.kinds.flags {
            outcome.take_in(StepInput::Flags(flags), Edge::Flags);
        }
    }

    fn take_loaded(
        &self,
        addresses: Vec<Address>,
        edge: Edge,
        cell: SliceCell,
        outcome: &mut StepContribution,
    ) {
        if self.is_cut {
            outcome
                .ends
                .push((SliceEndKind::Unknown(UnknownInput::TooMuchLoaded), cell));
        }
        if addresses.is_empty() {
            outcome
                .ends
                .push((SliceEndKind::Unknown(UnknownInput::LoadNotShown), cell));
        } else {
            outcome.take_in(StepInput::Memory(addresses), edge);
        }
    }

    fn take_address(
        &self,
        registers: impl Iterator<Item = RegisterView>,
        outcome: &mut StepContribution,
    ) {
        if self.kinds.addresses {
            registers.for_each(|view| outcome.take_in(StepInput::Register(view), Edge::Address));
        }
    }

    /// Returns the inputs of a step that defines no value: a branch, taken or not, a call, or a
    /// comparison whose flags are not shown.
    pub fn decided_by(&self) -> Vec<(StepInput, Edge)> {
        let Some((instruction, text)) = self.instruction.as_deref().zip(self.text.as_ref()) else {
            return Vec::new();
        };
        let mut outcome = StepContribution::default();
        let origins = instruction.origins_of_result(None);
        // A branch defines no cell; empty flags replace one, and ends at it are not used.
        let cell = SliceCell::Flags {
            thread: self.thread,
            bits: 0,
        };
        self.take_in(instruction, origins, cell, &mut outcome);
        let flags = instruction.flags_read(text.instruction_set) | self.block_flags;
        if flags != 0 && (self.kinds.flags || self.kinds.control) {
            outcome.take_in(StepInput::Flags(flags), Edge::Flags);
        }
        outcome.inputs
    }

    pub fn step(&self) -> Option<Step> {
        let is_step = |event: &&SlotEvent| matches!(event.kind, SlotEventKind::Step(_));
        self.events
            .iter()
            .find(is_step)
            .map(|event| Step(event.slot.saturating_sub(1)))
    }

    /// Returns the number of the event that stored a byte last in a slot.
    pub(super) fn storing_event(&self, slot: u64, wanted: Address) -> Option<usize> {
        self.stored
            .get_or_init(|| StoredBlocks::of(&self.events))
            .event(slot, wanted)
    }

    /// Returns the byte that the step stored at an address in a slot, with its value if known; none
    /// if it stored none.
    fn stored_byte(&self, slot: u64, wanted: Address) -> Option<Option<u8>> {
        self.stored
            .get_or_init(|| StoredBlocks::of(&self.events))
            .byte(&self.events, slot, wanted)
    }
}

/// Returns the flags on which a step depends that another instruction made conditional (`it` of
/// T32); 0 for others.
fn block_flags(
    index: &Index,
    thread: ThreadId,
    slot: u64,
    text: &StepText,
) -> Result<u64, QueryError> {
    let (mut before, mut after) = (slot, text.pc);
    for distance in 1..=text.instruction_set.longest_block() {
        let Some(step) = SlotReader(index).owner(thread, before.saturating_sub(1))? else {
            return Ok(0);
        };
        before = step.0.saturating_add(1);
        let step = SlotReader(index).step_of(before)?.map(|(_, step)| step);
        let Some(step) = step.filter(|step| step.next_pc() == after) else {
            return Ok(0);
        };
        after = step.pc;
        let Some(encoding) = step.encoding else {
            return Ok(0);
        };
        let instruction = decode(encoding, step.pc, step.instruction_set);
        if let ExecutionCondition::Block(count) = instruction.meaning.condition {
            let is_block = step.is_executed && distance <= count;
            return Ok(if is_block {
                instruction.flags_read(step.instruction_set)
            } else {
                0
            });
        }
    }
    Ok(0)
}

/// Merges the origins of adjacent bytes.
fn joined_origins(mut origins: Vec<ValueOrigin>) -> Vec<ValueOrigin> {
    let key = |origin: &ValueOrigin| match origin.input {
        InstructionInput::Register(view) => (0, usize::from(view.register.0), view.offset),
        InstructionInput::Loaded { operand, first, .. } => (1, operand, first),
        InstructionInput::AllLoaded => (2, 0, 0),
    };
    origins.sort_by_key(key);
    origins.dedup();
    joined(origins, |last, next| match (&mut last.input, next.input) {
        _ if last.is_copy != next.is_copy => false,
        (InstructionInput::Register(view), InstructionInput::Register(more)) => {
            grow_view(view, more)
        }
        (
            InstructionInput::Loaded {
                operand,
                first,
                len_bytes: Some(len),
            },
            InstructionInput::Loaded {
                operand: of,
                first: from,
                len_bytes: Some(more),
            },
        ) if *operand == of && first.checked_add(*len) == Some(from) => {
            *len = len.saturating_add(more);
            true
        }
        _ => false,
    })
}
