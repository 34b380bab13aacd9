//! Inputs of a byte that a step defined.

use stepback_machine::convention::SemihostingCall;
use stepback_machine::flow::FlowKind;
use stepback_machine::semantics::{ExecutionCondition, InstructionInput, ValueOrigin};
use stepback_machine::{AccessKind, Instruction, RegisterId, RegisterView, Registers, decode};
use stepback_parsers::{MarkerKind, Position, Step};

use crate::answers::slice::{Edge, EdgeKinds, SliceCell, SliceEndKind, UnknownInput};
use crate::oracle::banks::PhysicalRegister;
use crate::oracle::event::{OracleEventKind, OracleStep, OracleWrite};
use crate::oracle::record::Oracle;
use crate::oracle::slice::exceptions::{AccessedByte, ExceptionInput, StepException, plain_of};
use crate::oracle::slice::writers::{ByteWriter, WriteMethod, covers};

/// An input of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum OracleInput {
    Register(RegisterView),
    /// A byte of the register that an event wrote: event index and offset.
    Home(usize, u16),
    Flags(u64),
    Memory(u64),
}

/// Inputs of a byte.
#[derive(Debug, Default)]
pub(super) struct OracleInputs {
    pub taken: Vec<(OracleInput, Edge)>,
    pub ends: Vec<SliceEndKind>,
}

/// A defining step.
struct DefiningStep<'a> {
    oracle: &'a Oracle,
    step: Step,
    stated: &'a OracleStep,
    instruction: Instruction,
    kinds: EdgeKinds,
    exception: Option<StepException>,
}

impl Oracle {
    /// Returns the inputs of a byte, or a flag, that a step defined.
    pub(super) fn ingredients(
        &self,
        made: ByteWriter,
        cell: SliceCell,
        kinds: EdgeKinds,
    ) -> OracleInputs {
        let mut into = OracleInputs::default();
        let Some(stated) = self.step(made.step) else {
            return into;
        };
        let event = match made.how {
            WriteMethod::Recorded(event)
            | WriteMethod::Doubtful(event)
            | WriteMethod::Cleared(event) => self.events.get(event).map(|event| &event.kind),
            WriteMethod::Operands(_) => None,
        };
        if let Some(OracleEventKind::HostWrite { operation, .. }) = event {
            into.ends.push(SliceEndKind::System {
                step: Some(made.step),
                name: Some(operation.name()),
            });
            return into;
        }
        let done = self.done(stated);
        let exception = self.exception_of(made.step, stated, done.as_ref());
        let is_done = done.is_some();
        let maker = DefiningStep {
            oracle: self,
            step: made.step,
            stated,
            instruction: done.unwrap_or_default(),
            kinds,
            exception,
        };
        let is_memory = matches!(cell, SliceCell::Memory { .. });
        let is_by_exception = match (cell, event) {
            (SliceCell::Register { view, .. }, Some(OracleEventKind::Register(written))) => {
                let by = maker.by_exception(view, written, made.how);
                by.is_some_and(|(by, _)| by != ExceptionInput::Unexplained)
            }
            (SliceCell::Memory { .. }, _) => match made.how {
                WriteMethod::Recorded(event) => maker
                    .exception
                    .as_ref()
                    .is_some_and(|exception| exception.is_access(event)),
                _ => false,
            },
            (SliceCell::Flags { .. }, _) => maker
                .exception
                .as_ref()
                .is_some_and(|exception| exception.flow.is_return),
            _ => false,
        };
        // An exception may follow an instruction that is skipped or unknown.
        if !is_done && !is_by_exception {
            let why = if stated.is_executed {
                UnknownInput::Undecoded
            } else {
                UnknownInput::NotOfInstruction
            };
            into.ends.push(SliceEndKind::Unknown(why));
            return into;
        }
        if maker.instruction.control.flow == FlowKind::Trap && !is_memory && !is_by_exception {
            into.ends.push(SliceEndKind::System {
                step: Some(made.step),
                name: maker.requested(),
            });
            return into;
        }
        match (cell, made.how) {
            (SliceCell::Register { view, .. }, how) => {
                let written = match event {
                    Some(OracleEventKind::Register(written)) => Some(written),
                    _ => None,
                };
                maker.make_register(view, written, how, &mut into);
            }
            (SliceCell::Flags { bits, .. }, _) => maker.make_flag(bits, &mut into),
            (SliceCell::Memory { address, .. }, WriteMethod::Recorded(event)) => {
                maker.make_memory(address.0, event, &mut into);
            }
            (SliceCell::Memory { .. }, _) => {}
        }
        into
    }

    /// Returns the inputs of a step without definitions that decide its effect: a branch or a call,
    /// a comparison with unrecorded flags.
    pub(super) fn decided_by(&self, step: Step, kinds: EdgeKinds) -> Vec<(OracleInput, Edge)> {
        let Some(stated) = self.step(step) else {
            return Vec::new();
        };
        let Some(instruction) = self.done(stated) else {
            return Vec::new();
        };
        let origins = instruction.origins_of_result(None);
        let flags = instruction.flags_read(stated.instruction_set);
        let exception = self.exception_of(step, stated, Some(&instruction));
        let maker = DefiningStep {
            oracle: self,
            step,
            stated,
            instruction,
            kinds,
            exception,
        };
        let mut into = OracleInputs::default();
        maker.take_in(origins, &mut into);
        let flags = flags | maker.flags_of_block();
        if flags != 0 && (kinds.flags || kinds.control) {
            into.taken.push((OracleInput::Flags(flags), Edge::Flags));
        }
        into.taken
    }
}

impl DefiningStep<'_> {
    fn make_register(
        &self,
        byte: RegisterView,
        written: Option<&OracleWrite>,
        how: WriteMethod,
        into: &mut OracleInputs,
    ) {
        if matches!(how, WriteMethod::Cleared(_)) {
            self.take_flags(0, into);
            into.ends.push(SliceEndKind::Constant);
            return;
        }
        let is_meant = |named: RegisterId| self.is_meant(named, how, written);
        let has_byte = |view: RegisterView| covers(view, byte.offset) && is_meant(view.register);
        let meaning = &self.instruction.meaning;
        let effect = meaning.writes.iter().find(|effect| has_byte(effect.view));
        let listed = self
            .instruction
            .registers
            .iter()
            .flat_map(|known| &known.writes)
            .find(|view| has_byte(**view));
        let is_explained = effect.is_some() || listed.is_some() || self.instruction.clears(byte);
        let by = written.and_then(|written| self.by_exception(byte, written, how));
        if let Some((by, event)) = by {
            match by {
                ExceptionInput::Frame(Some(address)) => {
                    into.taken.push((OracleInput::Memory(address), Edge::Copy))
                }
                ExceptionInput::Frame(None) => into
                    .ends
                    .push(SliceEndKind::Unknown(UnknownInput::LoadNotShown)),
                ExceptionInput::Stack => into
                    .taken
                    .push((OracleInput::Home(event, byte.offset), Edge::Data)),
                ExceptionInput::Constant => into.ends.push(SliceEndKind::Constant),
                ExceptionInput::Unexplained => into
                    .ends
                    .push(SliceEndKind::Unknown(UnknownInput::NotOfInstruction)),
            }
            return;
        }
        let origins = match (effect, listed) {
            (Some(effect), _) => {
                let place = byte.offset - effect.view.offset;
                self.instruction
                    .origins_of_value(&effect.value, place..place + 1)
            }
            (None, Some(view)) => self
                .instruction
                .origins_of_selection(self.flags_before(), Some(view.register)),
            (None, None) if self.exception.is_some() => Vec::new(),
            (None, None) => self.instruction.origins_of_unwritten(byte),
        };
        if origins.is_empty() {
            into.ends.push(if is_explained {
                SliceEndKind::Constant
            } else {
                SliceEndKind::Unknown(UnknownInput::NotOfInstruction)
            });
        }
        self.take_in(origins, into);
        if self.kinds.listed {
            let views = meaning
                .listed_reads
                .iter()
                .filter(|view| is_meant(view.register));
            into.taken
                .extend(views.map(|view| (OracleInput::Register(*view), Edge::Data)));
        }
    }

    /// Returns the source of a byte that the exception of the step wrote, and the event.
    fn by_exception(
        &self,
        byte: RegisterView,
        written: &OracleWrite,
        how: WriteMethod,
    ) -> Option<(ExceptionInput, usize)> {
        let exception = self.exception.as_ref()?;
        let (WriteMethod::Recorded(event) | WriteMethod::Doubtful(event)) = how else {
            return None;
        };
        let has_byte = |view: &RegisterView| {
            covers(*view, byte.offset) && self.is_meant(view.register, how, Some(written))
        };
        let registers = self
            .instruction
            .registers
            .iter()
            .flat_map(|known| &known.writes);
        let mut written_views = self
            .instruction
            .meaning
            .writes
            .iter()
            .map(|effect| &effect.view)
            .chain(registers);
        let is_explained = written_views.any(has_byte);
        let byte = RegisterView {
            register: plain_of(written),
            ..byte
        };
        let by = if is_explained {
            exception.overrides(event, byte)
        } else {
            exception.gives(event, byte)
        };
        Some((by?, event))
    }

    /// Adds the inputs of a byte that an exception stored: the register as the instruction left it.
    fn make_stacked(&self, byte: Option<RegisterView>, event: usize, into: &mut OracleInputs) {
        match byte {
            Some(byte) if byte.register == RegisterId::PSR => {
                let bits = self.stated.instruction_set.flag_bits() & 0xff << (8 * byte.offset);
                let own = self.instruction.flags_written(self.stated.instruction_set) & bits;
                if bits == 0 {
                    into.ends.push(SliceEndKind::Constant);
                }
                if own != 0 {
                    self.make_flag(own, into);
                }
                if bits & !own != 0 {
                    into.taken
                        .push((OracleInput::Flags(bits & !own), Edge::Copy));
                }
            }
            Some(byte) if byte.register != RegisterId::PC => {
                let mode = self.oracle.mode_of_step(self.step, self.stated);
                let physical = PhysicalRegister::of_write(byte.register, None, mode);
                let events = self
                    .exception
                    .iter()
                    .flat_map(|exception| &exception.events)
                    .copied();
                let own = events.take_while(|own| *own < event).filter_map(|own| {
                    match &self.oracle.events.get(own)?.kind {
                        OracleEventKind::Register(written) => Some((own, written)),
                        _ => None,
                    }
                });
                let is_it = |written: &OracleWrite| {
                    written.physical == physical
                        && written.view.register == byte.register
                        && covers(written.view, byte.offset)
                };
                match own.filter(|(_, written)| is_it(written)).last() {
                    Some((number, written)) => {
                        self.make_register(byte, Some(written), WriteMethod::Recorded(number), into)
                    }
                    None => into.taken.push((OracleInput::Register(byte), Edge::Copy)),
                }
            }
            _ => into.ends.push(SliceEndKind::Constant),
        }
    }

    /// Returns true if a register named by the instruction is the written one.
    fn is_meant(&self, named: RegisterId, how: WriteMethod, written: Option<&OracleWrite>) -> bool {
        let mode = self.oracle.mode_of_step(self.step, self.stated);
        let own = PhysicalRegister::of_write(named, None, mode);
        match (written, how) {
            (Some(written), _) => {
                let plain = written
                    .bank
                    .map_or(written.view.register, |bank| bank.plain.register);
                let is_open = matches!(own, PhysicalRegister::Some(_))
                    || matches!(written.physical, PhysicalRegister::Some(_));
                own == written.physical || is_open && plain == named
            }
            (None, WriteMethod::Operands(wanted)) => {
                named == wanted || own == PhysicalRegister::of_write(wanted, None, mode)
            }
            (None, _) => false,
        }
    }

    fn make_flag(&self, bit: u64, into: &mut OracleInputs) {
        let set = self.stated.instruction_set;
        let is_set = self.instruction.flags_written(set) & bit != 0;
        if let Some(exception) = self
            .exception
            .as_ref()
            .filter(|exception| !is_set && exception.flow.is_return)
        {
            let place = u16::try_from(bit.trailing_zeros() / 8).unwrap_or(u16::MAX);
            let byte = RegisterView::new(RegisterId::PSR, place, 1);
            match exception
                .flow
                .loaded
                .as_ref()
                .and_then(|frame| frame.address_of(byte))
            {
                Some(address) => into.taken.push((OracleInput::Memory(address), Edge::Copy)),
                None => into
                    .ends
                    .push(SliceEndKind::Unknown(UnknownInput::LoadNotShown)),
            }
            return;
        }
        let origins = match (is_set, &self.instruction.meaning.selection) {
            (true, Some(_)) => self
                .instruction
                .origins_of_selection(self.flags_before(), None),
            (true, None) => self.instruction.origins_of_flags(),
            (false, _) => self.instruction.origins_of_result(None),
        };
        if origins.is_empty() && self.instruction.flags_read(set) == 0 {
            into.ends.push(if is_set {
                SliceEndKind::Constant
            } else {
                SliceEndKind::Unknown(UnknownInput::NotOfInstruction)
            });
        }
        self.take_in(origins, into);
        // A flag that may keep its value depends on itself.
        self.take_flags(bit & self.instruction.meaning.flags.kept, into);
    }

    /// Returns the recorded status register before the step, if it covers the flags.
    fn flags_before(&self) -> Option<u64> {
        let bits = self.stated.instruction_set.flag_bits();
        let flags = RegisterView::new(
            RegisterId::PSR,
            u16::try_from(bits.trailing_zeros() / 8).ok()?,
            1,
        );
        let thread = self.stated.thread;
        let events = self.oracle.events_until(Position(self.step.0)).iter().rev();
        let own = events.filter(|event| event.thread == thread);
        let status = own.filter_map(|event| match &event.kind {
            OracleEventKind::Register(written) if written.view.overlaps(flags) => Some(written),
            _ => None,
        });
        let last = status
            .into_iter()
            .next()
            .filter(|written| written.view.offset == 0)?;
        let bytes = last.bytes.as_ref()?;
        Some(
            bytes
                .iter()
                .take(8)
                .rev()
                .fold(0u64, |number, byte| number << 8 | u64::from(*byte)),
        )
    }

    /// Returns the name of the request to the system or the host.
    fn requested(&self) -> Option<&'static str> {
        let set = self.stated.instruction_set;
        if self.stated.naive().is_host_call() {
            return SemihostingCall::operation_name(
                self.register_before(set.host_call()?.operation)?,
            );
        }
        let stated = self
            .oracle
            .events
            .iter()
            .rev()
            .filter(|event| event.owner == Some(self.step))
            .find_map(|event| match event.kind {
                OracleEventKind::Marker(marker) if marker.kind == MarkerKind::SYSTEM_CALL => {
                    Some(marker.value)
                }
                _ => None,
            });
        let number = stated.or_else(|| self.register_before(set.abi().system_calls.number?))?;
        set.system_call_name(number)
    }

    fn register_before(&self, name: &str) -> Option<u64> {
        let view = Registers::view(name, self.oracle.instruction_set(self.stated.thread))?;
        let is_recorded = !self.oracle.has_operands_alone;
        is_recorded.then(|| {
            self.oracle
                .register_value(self.stated.thread, view, self.step.before())
                .to_u64()
        })?
    }

    fn make_memory(&self, address: u64, event: usize, into: &mut OracleInputs) {
        if let Some(exception) = self
            .exception
            .as_ref()
            .filter(|exception| exception.is_access(event))
        {
            let byte = exception
                .flow
                .stored
                .as_ref()
                .and_then(|frame| frame.register_at(address));
            self.make_stacked(byte, event, into);
            return;
        }
        let stored = self
            .oracle
            .accessed_bytes(self.step, AccessKind::Write, &self.instruction);
        let byte = stored
            .iter()
            .find(|byte| byte.event == event && byte.address == address);
        let operands = &self.instruction.meaning.memory;
        let origins = match byte.and_then(|byte| byte.operand) {
            Some((number, place)) => {
                self.take_address(number, into);
                operands.get(number).map_or_else(Vec::new, |operand| {
                    self.instruction
                        .origins_of_value(&operand.value, place..place + 1)
                })
            }
            None => {
                let stores = operands
                    .iter()
                    .enumerate()
                    .filter(|(_, operand)| operand.kind == AccessKind::Write);
                stores.for_each(|(number, _)| self.take_address(number, into));
                self.instruction.origins_of_result(None)
            }
        };
        if origins.is_empty() {
            into.ends.push(SliceEndKind::Constant);
        }
        self.take_in(origins, into);
    }

    fn take_in(&self, origins: Vec<ValueOrigin>, into: &mut OracleInputs) {
        for ValueOrigin { input, is_copy } in origins {
            let edge = if is_copy { Edge::Copy } else { Edge::Data };
            let loaded = || {
                self.oracle
                    .accessed_bytes(self.step, AccessKind::Read, &self.instruction)
            };
            let bytes: Vec<AccessedByte> = match input {
                InstructionInput::Register(view) => {
                    into.taken.push((OracleInput::Register(view), edge));
                    continue;
                }
                InstructionInput::Loaded {
                    operand,
                    first,
                    len_bytes,
                } => {
                    self.take_address(operand, into);
                    let is_wanted = |byte: &AccessedByte| {
                        byte.operand.is_none_or(|(number, place)| {
                            let rest = place.checked_sub(first);
                            number == operand
                                && rest.is_some_and(|rest| len_bytes.is_none_or(|len| rest < len))
                        })
                    };
                    let wanted: Vec<_> = loaded().into_iter().filter(is_wanted).collect();
                    if wanted.is_empty() {
                        into.ends
                            .push(SliceEndKind::Unknown(UnknownInput::LoadNotShown));
                    }
                    wanted
                }
                InstructionInput::AllLoaded => loaded(),
            };
            into.taken.extend(
                bytes
                    .iter()
                    .map(|byte| (OracleInput::Memory(byte.address), edge)),
            );
        }
        self.take_flags(0, into);
    }

    fn take_address(&self, operand: usize, into: &mut OracleInputs) {
        if let Some(operand) = self
            .instruction
            .meaning
            .memory
            .get(operand)
            .filter(|_| self.kinds.addresses)
        {
            into.taken.extend(
                operand
                    .address_registers()
                    .map(|view| (OracleInput::Register(view), Edge::Address)),
            );
        }
    }

    fn take_flags(&self, besides: u64, into: &mut OracleInputs) {
        let flags = self.instruction.flags_read(self.stated.instruction_set)
            | self.flags_of_block()
            | besides;
        if self.kinds.flags && flags != 0 {
            into.taken.push((OracleInput::Flags(flags), Edge::Flags));
        }
    }

    /// Returns the flags by which an `it` made this step conditional.
    fn flags_of_block(&self) -> u64 {
        let own = self
            .oracle
            .steps
            .iter()
            .take(usize::try_from(self.step.0).unwrap_or(usize::MAX))
            .rev();
        let mut after = self.stated;
        for (stated, distance) in own
            .filter(|stated| stated.thread == self.stated.thread)
            .zip(1..=4u8)
        {
            if stated.pc.0.wrapping_add(u64::from(stated.length_bytes)) != after.pc.0 {
                return 0;
            }
            let Some(encoding) = self.oracle.encoding_of(stated) else {
                return 0;
            };
            let instruction = decode(encoding, stated.pc, stated.instruction_set);
            if let ExecutionCondition::Block(count) = instruction.meaning.condition {
                let is_block = stated.is_executed && distance <= count;
                return if is_block {
                    instruction.flags_read(stated.instruction_set)
                } else {
                    0
                };
            }
            after = stated;
        }
        0
    }
}
