//! Effects of the exception, or exception return, that came with a step ([`StepException`]), and
//! the operand and byte that each access of a step belongs to ([`AccessedByte`]).

use stepback_machine::exception::{ExceptionFlow, FrameAccess, FrameEvent};
use stepback_machine::semantics::MemoryOperand;
use stepback_machine::{AccessKind, Endian, Instruction, RegisterId, RegisterView};
use stepback_parsers::{Step, TextKind, WrittenName};

use crate::answers::step_record::LATE_STEPS;
use crate::oracle::event::{OracleEvent, OracleEventKind, OracleStep, OracleWrite};
use crate::oracle::record::Oracle;

/// Maximum number of events of a step to examine.
const EVENTS: usize = 1 << 12;

/// An exception, or a return from one.
pub(super) struct StepException {
    pub flow: ExceptionFlow,
    /// Indices of the step's events.
    pub events: Vec<usize>,
}

/// Source of a register value that an exception writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ExceptionInput {
    /// Address of a byte of its frame; `None` if the trace does not show it.
    Frame(Option<u64>),
    /// The stack pointer itself.
    Stack,
    Constant,
    Unexplained,
}

impl StepException {
    /// Returns the index of an event among those of the step.
    fn place(&self, event: usize) -> Option<usize> {
        self.events.iter().position(|own| *own == event)
    }

    /// Returns true if an event is an access to an exception frame.
    pub fn is_access(&self, event: usize) -> bool {
        self.place(event)
            .is_some_and(|place| self.flow.has_access(place))
    }

    /// Returns the source of a byte written at an event, for a register that the instruction may
    /// also write.
    pub fn overrides(&self, event: usize, byte: RegisterView) -> Option<ExceptionInput> {
        let is_after = self.place(event)? >= self.flow.first_event;
        if is_after {
            self.moves(event, byte)
        } else {
            None
        }
    }

    /// Returns the source of a byte written at an event, for a register that the instruction does
    /// not write.
    pub fn gives(&self, event: usize, byte: RegisterView) -> Option<ExceptionInput> {
        self.place(event)?;
        let register = byte.register;
        let is_followed =
            register <= RegisterId::LR || matches!(register, RegisterId::FPSCR | RegisterId::VPR);
        let by = self.moves(event, byte).unwrap_or(match register {
            RegisterId::SP => ExceptionInput::Stack,
            _ if self.flow.is_return && is_followed => ExceptionInput::Frame(None),
            _ => ExceptionInput::Unexplained,
        });
        Some(by)
    }

    /// Returns the source of a byte that the exception loaded or computed.
    fn moves(&self, event: usize, byte: RegisterView) -> Option<ExceptionInput> {
        let loaded = self
            .flow
            .loaded
            .as_ref()
            .and_then(|frame| frame.address_of(byte));
        let is_link = self
            .place(event)
            .is_some_and(|place| self.flow.links_at(place));
        match byte.register {
            RegisterId::SP => None,
            RegisterId::LR if is_link => Some(ExceptionInput::Constant),
            _ if loaded.is_some() => Some(ExceptionInput::Frame(loaded)),
            RegisterId::LR if self.flow.is_entry => Some(ExceptionInput::Constant),
            _ => None,
        }
    }
}

/// Returns the plain register that a line named.
pub(super) fn plain_of(written: &OracleWrite) -> RegisterId {
    written
        .bank
        .map_or(written.view.register, |bank| bank.plain.register)
}

impl Oracle {
    /// Returns the exception that a step took or returned from.
    pub(super) fn exception_of(
        &self,
        step: Step,
        stated: &OracleStep,
        done: Option<&Instruction>,
    ) -> Option<StepException> {
        let layout = stated
            .instruction_set
            .exception_frame()
            .filter(|_| stated.mode.may_have_frames())?;
        let is_own = |event: &&OracleEvent| {
            event.owner == Some(step)
                && event.thread == stated.thread
                && event.slot == step.after().0
        };
        let events: Vec<usize> = (0..self.events.len())
            .filter(|number| self.events.get(*number).filter(is_own).is_some())
            .collect();
        if events.len() > EVENTS {
            return None;
        }
        let seen: Vec<FrameEvent> = events
            .iter()
            .filter_map(|number| self.events.get(*number))
            .map(frame_event)
            .collect();
        ExceptionFlow::find(layout, done, &seen).map(|flow| StepException { flow, events })
    }
}

fn frame_event(event: &OracleEvent) -> FrameEvent {
    match &event.kind {
        OracleEventKind::Access(access) => FrameEvent::Access(FrameAccess {
            kind: access.kind,
            address: access.address.0,
            size_bytes: access.size_bytes,
            bytes: access.bytes,
        }),
        OracleEventKind::Register(written)
            if written.view.offset == 0 && written.name != WrittenName::OfBank =>
        {
            let value = written
                .bytes
                .as_ref()
                .and_then(|bytes| bytes.first_chunk::<4>());
            FrameEvent::Register {
                plain: plain_of(written),
                value: value.map(|bytes| u32::from_le_bytes(*bytes).into()),
            }
        }
        OracleEventKind::Text {
            kind: TextKind::Exception,
            ..
        } => FrameEvent::Exception,
        _ => FrameEvent::Other,
    }
}

/// A byte that a step accessed.
#[derive(Clone, Copy, Debug)]
pub(super) struct AccessedByte {
    /// Index of its record among all events.
    pub event: usize,
    pub address: u64,
    /// Number of its operand and index of the byte in its value, least significant first. `None` if
    /// the records do not match the operands.
    pub operand: Option<(usize, u16)>,
}

impl Oracle {
    /// Returns the bytes that a step loaded or stored, in the order of their records.
    pub(super) fn accessed_bytes(
        &self,
        step: Step,
        kind: AccessKind,
        instruction: &Instruction,
    ) -> Vec<AccessedByte> {
        let last = step.after().0.saturating_add(LATE_STEPS);
        let mut bytes = Vec::new();
        let exception = self
            .step(step)
            .and_then(|stated| self.exception_of(step, stated, Some(instruction)));
        let is_frame = |event: usize| {
            exception
                .as_ref()
                .is_some_and(|exception| exception.is_access(event))
        };
        for (event, of_step) in self
            .events
            .iter()
            .enumerate()
            .filter(|(_, event)| event.owner == Some(step))
        {
            if let OracleEventKind::Access(access) = &of_step.kind
                && access.kind == kind
                && of_step.slot <= last
                && !is_frame(event)
            {
                bytes.extend(access.each_byte().map(|(address, _)| AccessedByte {
                    event,
                    address,
                    operand: None,
                }));
            }
        }
        let endian = if self.is_big_endian {
            Endian::Big
        } else {
            Endian::Little
        };
        let described: Option<Vec<_>> = instruction
            .meaning
            .memory
            .iter()
            .zip(0..)
            .filter(|(operand, _)| operand.kind == kind)
            .map(|(operand, number)| numbered(operand, number, endian))
            .collect();
        let described = described
            .map(|operands| operands.concat())
            .filter(|all| all.len() == bytes.len());
        for (byte, operand) in bytes.iter_mut().zip(described.into_iter().flatten()) {
            byte.operand = Some(operand);
        }
        bytes
    }
}

/// Returns the bytes of an operand in address order.
fn numbered(operand: &MemoryOperand, number: usize, endian: Endian) -> Option<Vec<(usize, u16)>> {
    let mut bytes: Vec<_> = (0..operand.size_bytes?)
        .map(|byte| (number, byte))
        .collect();
    if endian == Endian::Big {
        bytes.reverse();
    }
    Some(bytes)
}
