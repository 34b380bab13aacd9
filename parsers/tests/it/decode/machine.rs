//! The registers of the traced machine, and a check of each instruction's decoded effects.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use stepback_machine::semantics::{ExecutionCondition, MemoryOperand};
use stepback_machine::{AccessKind, Instruction, InstructionSet, RegisterId, RegisterView, decode};
use stepback_parsers::{EventSink, MemoryAccess, RegisterWrite, StepEvent, ThreadNumber};

/// Numbers of compared items, and the differences.
#[derive(Debug, Default)]
pub struct Report {
    pub steps: u64,
    /// Number of instructions with known registers.
    pub described: u64,
    /// Number of compared register values.
    pub values: u64,
    /// Number of compared access addresses.
    pub addresses: u64,
    /// One line for each instruction with different effects.
    pub wrong: BTreeSet<String>,
}

type Bytes = HashMap<(RegisterId, u16), u8>;

/// A step with its traced effects.
struct Shown {
    instruction: Arc<Instruction>,
    thread: ThreadNumber,
    is_executed: bool,
    writes: Vec<(RegisterView, Vec<u8>)>,
    accesses: Vec<(AccessKind, u64, u8)>,
    /// Loaded bytes by address.
    loaded: HashMap<u64, u8>,
}

/// An [`EventSink`] that tracks the registers of all threads.
#[derive(Default)]
pub struct Machine {
    registers: HashMap<ThreadNumber, Bytes>,
    last: Option<Shown>,
    /// Number of instructions left in a T32 block.
    block: u8,
    report: Report,
}

impl Machine {
    /// Returns the report on the whole trace.
    pub fn finish(mut self) -> Report {
        self.compare_last();
        self.report
    }

    fn compare_last(&mut self) {
        let Some(shown) = self.last.take() else {
            return;
        };
        let registers = self.registers.entry(shown.thread).or_default();
        let mut after = registers.clone();
        for (view, bytes) in &shown.writes {
            let ids = (view.offset..).map(|offset| (view.register, offset));
            after.extend(ids.zip(bytes.iter().copied()));
        }
        self.report.steps += 1;
        if shown.is_executed {
            let wrong = shown.wrong(registers, &after, &mut self.report);
            self.report
                .wrong
                .extend(wrong.map(|what| format!("{}: {what}", shown.instruction.text)));
        }
        *registers = after;
    }
}

/// Returns the value of some bytes. None if any is unknown or there are more than 8.
fn value(bytes: &Bytes, view: RegisterView) -> Option<u64> {
    if view.size_bytes > 8 {
        return None;
    }
    let byte = |place: u16| bytes.get(&(view.register, place)).copied();
    let places = (view.offset..view.offset + view.size_bytes).rev();
    places
        .map(byte)
        .try_fold(0u64, |value, byte| Some(value << 8 | u64::from(byte?)))
}

impl Shown {
    fn wrong(&self, before: &Bytes, after: &Bytes, report: &mut Report) -> Option<String> {
        let known = self.instruction.registers.as_ref()?;
        report.described += 1;
        for (view, _) in &self.writes {
            let is_stated = known
                .writes
                .iter()
                .any(|write| write.register == view.register);
            // The program counter is in no list, exceptions bank registers, and cumulative flags
            // are ignored.
            let is_left_out = matches!(
                view.register,
                RegisterId::PC | RegisterId::FPSR | RegisterId::FPSCR
            );
            if !is_stated && !is_left_out && view.register < RegisterId::FIRST_NAMED {
                return Some(format!("writes {view:?}, told {:?}", known.writes));
            }
        }
        let address = |operand: &MemoryOperand| self.address(operand, before);
        for operand in &self.instruction.meaning.memory {
            let Some(at) = address(operand) else { continue };
            let is_there = |(kind, start, size): &(AccessKind, u64, u8)| {
                *kind == operand.kind && at.wrapping_sub(*start) < u64::from(*size)
            };
            if !self.accesses.is_empty() && !self.accesses.iter().any(is_there) {
                return Some(format!(
                    "accesses {:x?}, told {at:x} {operand:?}",
                    self.accesses
                ));
            }
            report.addresses += u64::from(!self.accesses.is_empty());
        }
        let loaded = |number: usize| {
            let operand = self.instruction.meaning.memory.get(number)?;
            let (at, size) = (address(operand)?, u64::from(operand.size_bytes?));
            let bytes = (0..size)
                .rev()
                .map(|place| self.loaded.get(&(at + place)).copied());
            bytes
                .take(8)
                .try_fold(0, |value, byte| Some(value << 8 | u64::from(byte?)))
                .filter(|_| size <= 8)
        };
        for effect in &self.instruction.meaning.writes {
            let Some(stated) = effect.value.value(&|view| value(before, view), &loaded) else {
                continue;
            };
            let low = RegisterView {
                size_bytes: effect.view.size_bytes.min(8),
                ..effect.view
            };
            let Some(found) = value(after, low) else {
                continue;
            };
            let stated = if low.size_bytes < 8 {
                stated & ((1 << (low.size_bytes * 8)) - 1)
            } else {
                stated
            };
            if found != stated {
                return Some(format!(
                    "{low:?} is {found:x}, told {stated:x} by {:?}",
                    effect.value
                ));
            }
            report.values += 1;
        }
        None
    }

    fn address(&self, operand: &MemoryOperand, before: &Bytes) -> Option<u64> {
        let base = |view: Option<RegisterView>| view.map_or(Some(0), |view| value(before, view));
        let index = match operand.index {
            Some(index) => {
                let value = value(before, index.view)?;
                let is_narrow = index.is_signed && index.view.size_bytes == 4;
                let value = if is_narrow {
                    i64::from(value as u32 as i32)
                } else {
                    value.cast_signed()
                };
                value.wrapping_mul(index.scale)
            }
            None => 0,
        };
        let sum = base(operand.base)?
            .wrapping_add(base(operand.segment)?)
            .wrapping_add_signed(index)
            .wrapping_add_signed(operand.displacement);
        Some(if operand.address_bytes == 4 {
            sum & 0xffff_ffff
        } else {
            sum
        })
    }
}

impl EventSink for Machine {
    fn begin_step(&mut self, step: &StepEvent<'_>) {
        self.compare_last();
        let Some(encoding) = step.encoding() else {
            return;
        };
        let mut instruction = decode(encoding, step.pc, step.instruction_set);
        let is_in_block = std::mem::take(&mut self.block);
        if is_in_block > 0 {
            self.block = is_in_block - 1;
        }
        if let ExecutionCondition::Block(count) = instruction.meaning.condition {
            self.block = count;
        }
        if is_in_block > 0 && step.instruction_set == InstructionSet::T32 {
            // In an IT block, the decoding does not describe the effect on the flags.
            let mut changed = (*instruction).clone();
            changed
                .meaning
                .writes
                .retain(|effect| effect.view.register != RegisterId::PSR);
            instruction = changed.into();
        }
        self.last = Some(Shown {
            instruction,
            thread: step.thread,
            is_executed: step.is_executed,
            writes: Vec::new(),
            accesses: Vec::new(),
            loaded: HashMap::new(),
        });
    }

    fn register_write(&mut self, write: &RegisterWrite<'_>) {
        let Some(bytes) = write.bytes else { return };
        match self
            .last
            .as_mut()
            .filter(|shown| shown.thread == write.thread)
        {
            Some(shown) => shown.writes.push((write.view, bytes.to_vec())),
            None => {
                let ids = (write.view.offset..).map(|offset| (write.view.register, offset));
                let known = self.registers.entry(write.thread).or_default();
                known.extend(ids.zip(bytes.iter().copied()));
            }
        }
    }

    fn access(&mut self, access: &MemoryAccess) {
        let Some(shown) = self
            .last
            .as_mut()
            .filter(|shown| shown.thread == access.thread)
        else {
            return;
        };
        shown
            .accesses
            .push((access.kind, access.address.0, access.size_bytes));
        if let (AccessKind::Read, Some(bytes)) = (access.kind, access.bytes) {
            let places = (access.address.0..).take(usize::from(access.size_bytes));
            shown.loaded.extend(places.zip(bytes));
        }
    }
}
