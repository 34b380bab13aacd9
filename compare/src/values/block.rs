//! Effects of consecutive steps of a thread, read from the trace ([`EffectBlock`]).

use std::ops::Range;
use std::sync::Arc;

use stepback_index::answer::ThreadId;
use stepback_index::read::{StepEvents, TraceEvent, TraceEventKind, encoding_of};
use stepback_index::{Cancel, Index, QueryError};
use stepback_machine::flow::FlowKind;
use stepback_machine::{
    AccessKind, Address, CodeSite, Encoding, Instruction, InstructionSet, RegisterId, RegisterView,
    decode,
};
use stepback_parsers::{Flow, Position, Step, StepEvent, TextKind};

use crate::values::registers::RegisterNumbers;

/// Effects of a step, in the arrays of its block.
#[derive(Clone, Debug, Default)]
pub(crate) struct StepEffects {
    pub pc: Address,
    pub set: InstructionSet,
    pub encoding: Option<Encoding>,
    pub is_executed: bool,
    accesses: Range<usize>,
    registers: Range<usize>,
    /// Disassembly of an instruction whose encoding is unknown, in the arrays of its block.
    text: Range<usize>,
    /// An exception was taken during the step: what follows is not its own doing.
    is_over: bool,
}

impl StepEffects {
    /// Returns true if the instruction may transfer control.
    pub fn is_branch(&self) -> bool {
        self.flow().is_some_and(|flow| flow != FlowKind::Next)
    }

    /// Returns true if the instruction calls a function or returns.
    pub fn is_call_or_return(&self) -> bool {
        matches!(self.flow(), Some(FlowKind::Call | FlowKind::Return))
    }

    /// Returns true if the instruction raises an exception, such as a system call.
    pub fn is_trap(&self) -> bool {
        self.flow() == Some(FlowKind::Trap)
    }

    /// Returns true if the instruction loads from memory.
    pub fn is_load(&self) -> bool {
        self.instruction().is_some_and(|instruction| {
            let mut operands = instruction.meaning.memory.iter();
            operands.any(|operand| operand.kind == AccessKind::Read)
        })
    }

    /// Returns the instruction, if its encoding is known.
    pub fn instruction(&self) -> Option<Arc<Instruction>> {
        let encoding = self.encoding?;
        Some(decode(encoding, self.pc, self.set))
    }

    fn flow(&self) -> Option<FlowKind> {
        let encoding = self.encoding?;
        let site = CodeSite {
            pc: self.pc,
            encoding,
        };
        Some(self.set.control(&site).flow)
    }
}

/// A recorded access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct AccessEffect {
    pub kind: AccessKind,
    pub address: u64,
    pub size_bytes: u8,
    pub bytes: Option<[u8; 8]>,
}

impl AccessEffect {
    /// Returns the address after it.
    pub fn end(&self) -> u64 {
        self.address.saturating_add(u64::from(self.size_bytes))
    }
}

/// A recorded register write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RegisterEffect {
    /// Bytes of the register, numbered as in the first trace.
    pub view: RegisterView,
    /// Value in the arrays of the block; `None` if unknown.
    bytes: Option<Range<usize>>,
}

/// The steps of a thread between two positions.
pub(crate) struct StepRange<'a> {
    pub index: &'a Index,
    pub thread: ThreadId,
    pub range: Range<Position>,
}

/// Effects of consecutive steps of a thread, with those before the first step of the trace.
#[derive(Debug, Default)]
pub(crate) struct EffectBlock {
    steps: Vec<StepEffects>,
    accesses: Vec<AccessEffect>,
    registers: Vec<RegisterEffect>,
    values: Vec<u8>,
    texts: Vec<u8>,
    /// The trace has further threads, which may write memory between its steps.
    pub has_other_threads: bool,
}

impl EffectBlock {
    /// Reads the steps of a thread between two positions. From position 0 to 0, reads the effects
    /// before the first step, as those of one step.
    pub fn read(
        index: &Index,
        thread: ThreadId,
        range: Range<Position>,
        numbers: &mut RegisterNumbers<'_>,
        cancel: &Cancel,
    ) -> Result<Self, QueryError> {
        let steps = StepRange {
            index,
            thread,
            range,
        };
        Self::default().refill(steps, numbers, cancel)
    }

    /// Reads other steps into the memory of this block.
    pub fn refill(
        self,
        StepRange {
            index,
            thread,
            range,
        }: StepRange<'_>,
        numbers: &mut RegisterNumbers<'_>,
        cancel: &Cancel,
    ) -> Result<Self, QueryError> {
        let mut block = self;
        block.steps.clear();
        block.accesses.clear();
        block.registers.clear();
        block.values.clear();
        block.texts.clear();
        block.has_other_threads = index.threads().len() > 1;
        let is_initial = range.end == Position(0);
        if is_initial {
            block.steps.push(StepEffects {
                set: index.instruction_set(thread),
                ..StepEffects::default()
            });
        }
        let events = StepEvents {
            from: range.start,
            to: range.end,
        };
        let mut last = None;
        events.each_recorded(index, cancel, |event| {
            if event.thread == thread {
                block.take(index, &event, &mut last, numbers);
            }
            Flow::Continue
        })?;
        Ok(block)
    }

    /// Reads the steps of a thread between two positions, with the trace's own register numbers.
    pub fn read_plain(
        index: &Index,
        thread: ThreadId,
        range: Range<Position>,
        cancel: &Cancel,
    ) -> Result<Self, QueryError> {
        Self::read(
            index,
            thread,
            range,
            &mut RegisterNumbers::new(index, thread),
            cancel,
        )
    }

    /// Returns the steps.
    pub fn steps(&self) -> &[StepEffects] {
        &self.steps
    }

    pub fn accesses(&self, step: &StepEffects) -> &[AccessEffect] {
        self.accesses.get(step.accesses.clone()).unwrap_or_default()
    }

    pub fn registers(&self, step: &StepEffects) -> &[RegisterEffect] {
        self.registers
            .get(step.registers.clone())
            .unwrap_or_default()
    }

    /// Returns the disassembly of an instruction, if its encoding is unknown and the trace contains
    /// the disassembly.
    pub fn disassembly(&self, step: &StepEffects) -> Option<&[u8]> {
        let text = self.texts.get(step.text.clone());
        text.filter(|text| !text.is_empty())
    }

    /// Returns the value of a register write.
    pub fn value(&self, write: &RegisterEffect) -> Option<&[u8]> {
        self.values.get(write.bytes.clone()?)
    }

    /// Adds an event. An effect of a step before the block is dropped; `last` is the last step.
    fn take(
        &mut self,
        index: &Index,
        event: &TraceEvent<'_>,
        last: &mut Option<Step>,
        numbers: &mut RegisterNumbers<'_>,
    ) {
        if let TraceEventKind::Step { event: step, .. } = event.kind {
            *last = event.step;
            self.begin(index, step);
            return;
        }
        let Some(step) = self.steps.last_mut() else {
            return;
        };
        if event.step != *last || step.is_over {
            return;
        }
        match event.kind {
            TraceEventKind::Register { view, bytes, .. } => {
                let Some(view) = numbers.in_first(index, event.thread, view) else {
                    return;
                };
                let start = self.values.len();
                self.values.extend_from_slice(bytes.unwrap_or_default());
                self.registers.push(RegisterEffect {
                    view,
                    bytes: bytes.map(|_| start..self.values.len()),
                });
                step.registers.end = self.registers.len();
            }
            TraceEventKind::Access { event, .. } => {
                self.accesses.push(AccessEffect {
                    kind: event.kind,
                    address: event.address.0,
                    size_bytes: event.size_bytes,
                    bytes: event.bytes.filter(|_| event.size_bytes <= 8),
                });
                step.accesses.end = self.accesses.len();
            }
            TraceEventKind::Text { kind, .. } => {
                step.is_over = kind == TextKind::Exception && last.is_some();
            }
            TraceEventKind::Step { .. }
            | TraceEventKind::HostWrite { .. }
            | TraceEventKind::Marker(_) => {}
        }
    }

    fn begin(&mut self, index: &Index, step: &StepEvent<'_>) {
        let encoding = encoding_of(index, step);
        let text = self.texts.len();
        if encoding.is_none() {
            self.texts.extend_from_slice(step.text);
        }
        self.steps.push(StepEffects {
            pc: step.pc,
            set: step.instruction_set,
            encoding,
            is_executed: step.is_executed,
            accesses: self.accesses.len()..self.accesses.len(),
            registers: self.registers.len()..self.registers.len(),
            text: text..self.texts.len(),
            is_over: false,
        });
    }

    /// Returns the registers that the block's effects leave, each with its last value.
    pub fn register_values(&self, step: &StepEffects) -> Vec<(RegisterView, Vec<Option<u8>>)> {
        let mut found: Vec<(RegisterId, Vec<Option<u8>>)> = Vec::new();
        for write in self.registers(step) {
            let register = write.view.register;
            let place = found.iter().position(|(known, _)| *known == register);
            let place = place.unwrap_or_else(|| {
                found.push((register, Vec::new()));
                found.len() - 1
            });
            let Some((_, bytes)) = found.get_mut(place) else {
                continue;
            };
            let start = usize::from(write.view.offset);
            let end = start + usize::from(write.view.size_bytes);
            if bytes.len() < end {
                bytes.resize(end, None);
            }
            let value = self.value(write);
            for (place, byte) in bytes.iter_mut().skip(start).take(end - start).enumerate() {
                *byte = value.and_then(|value| value.get(place).copied());
            }
        }
        let whole = |(register, bytes): (RegisterId, Vec<Option<u8>>)| {
            let size = u16::try_from(bytes.len()).unwrap_or(u16::MAX);
            (RegisterView::new(register, 0, size), bytes)
        };
        found.into_iter().map(whole).collect()
    }
}
