//! Results of instructions as terms over the state before them, and the facts that their addresses
//! state.

use stepback_machine::semantics::{Expression, MemoryOperand, Operation, ScaledRegister};
use stepback_machine::{AccessKind, RegisterId, RegisterView};

use crate::answers::register_file::{Fact, ValueDerivation};
use crate::inference::engine::{Engine, Loaded};
use crate::inference::here::CurrentStep;
use crate::inference::memory::TermPart;
use crate::inference::run::{MemoryUse, RunAccess};
use crate::inference::symbols::{BitField, Term};

/// Maximum distance in bytes from the last stack access of memory that counts as the thread's
/// stack.
const STACK_BYTES: u64 = 64 << 10;
/// Size in bytes of the C library's thread record at the base of a segment register.
const THREAD_BLOCK_BYTES: u64 = 4096;

/// A new value of a register.
#[derive(Clone, Copy, Debug)]
pub(super) struct RegisterChange {
    pub view: RegisterView,
    pub term: Term,
    pub way: ValueDerivation,
}

impl Engine<'_> {
    /// States the known addresses of a step's accesses.
    pub fn state_addresses(&mut self, here: CurrentStep<'_>) {
        for (operand, address) in here.instruction.meaning.memory.iter().zip(here.addresses) {
            let Some(address) = *address else { continue };
            if operand
                .base
                .is_some_and(|base| here.step.set.is_stack_pointer(base.register))
            {
                self.stack = Some(address);
            }
            if operand.segment.is_some() && operand.base.is_none() && operand.index.is_none() {
                self.note_thread_block(address.wrapping_sub(operand.displacement.cast_unsigned()));
            }
            let tag = self.tag_at(here, address);
            if operand.segment.is_none() && (operand.base.is_some() || operand.index.is_some()) {
                let fact = Fact::Address(here.step.step());
                let term = self.address_term(operand, fact);
                self.state_address(term, address ^ tag, fact);
            }
        }
    }

    /// Excludes the start of the thread's segment from followed memory: the kernel stores the
    /// number of the core there.
    fn note_thread_block(&mut self, address: u64) {
        if self.thread_block.replace(address) != Some(address) {
            self.memory.forget(address, THREAD_BLOCK_BYTES);
        }
    }

    /// Returns the top bits of an address in registers that the processor ignores.
    fn tag_at(&self, here: CurrentStep<'_>, address: u64) -> u64 {
        let accesses = self.run.accesses(here.step).iter();
        let is_inside = |access: &RunAccess| {
            address.wrapping_sub(access.address) < u64::from(access.size_bytes)
        };
        accesses
            .copied()
            .find(is_inside)
            .map_or(0, |access| access.tag)
    }

    pub fn address_term(&mut self, operand: &MemoryOperand, fact: Fact) -> Term {
        let bits = if operand.address_bytes == 4 { 32 } else { 64 };
        let base = operand
            .base
            .map(|base| self.registers.read(base, &mut self.symbols, fact));
        let index = operand.index.map(|index| self.scaled(index, fact));
        let sum = match (base, index) {
            (Some(base), Some(index)) => self.symbols.binary(Operation::Add, base, index),
            (Some(one), None) | (None, Some(one)) => one,
            (None, None) => self.symbols.constant(0, fact),
        };
        self.symbols
            .sum(sum, operand.displacement.cast_unsigned(), bits, fact)
            .cut(bits)
    }

    fn scaled(&mut self, index: ScaledRegister, fact: Fact) -> Term {
        let mut term = self.registers.read(index.view, &mut self.symbols, fact);
        if index.is_signed && index.view.size_bytes < 8 {
            term = self
                .symbols
                .sign_extended(term, 8 * index.view.size_bytes as u8);
        }
        let scale = index.scale.unsigned_abs();
        if scale != 1 {
            let is_shift = scale.is_power_of_two();
            let number = if is_shift {
                u64::from(scale.trailing_zeros())
            } else {
                scale
            };
            let number = self.symbols.constant(number, fact);
            let operation = if is_shift {
                Operation::ShiftLeft
            } else {
                Operation::Multiply
            };
            term = self.symbols.binary(operation, term, number);
        }
        if index.scale < 0 {
            let zero = self.symbols.constant(0, fact);
            term = self.symbols.binary(Operation::Subtract, zero, term);
        }
        term
    }

    /// Adds the register writes of a step.
    pub fn register_changes(&mut self, here: CurrentStep<'_>, changes: &mut Vec<RegisterChange>) {
        for write in &here.instruction.meaning.writes {
            let RegisterView {
                register,
                offset,
                size_bytes,
            } = write.view;
            if register == RegisterId::PC {
                continue;
            }
            if size_bytes <= 8 {
                // The number of iterations is unknown until all are complete.
                let is_unfinished = here.instruction.meaning.is_repeated && !here.goes_on();
                let value = if is_unfinished {
                    &Expression::Unknown
                } else {
                    &write.value
                };
                let (term, way) = self.term(value, 8 * size_bytes as u8, here);
                let is_return = here.is_branch() && matches!(write.value, Expression::Constant(_));
                let way = if is_return {
                    ValueDerivation::Returned(here.step.step())
                } else {
                    way
                };
                changes.push(RegisterChange {
                    view: write.view,
                    term,
                    way,
                });
                continue;
            }
            for lane in 0..size_bytes / 8 {
                let view = RegisterView::new(register, offset.saturating_add(8 * lane), 8);
                let (term, way) = self.lane_term(&write.value, lane, here);
                changes.push(RegisterChange { view, term, way });
            }
        }
    }

    /// Adds the pointers of a repeated instruction after its last access. A single access does not
    /// show the direction.
    pub fn moved_along(&mut self, here: CurrentStep<'_>, changes: &mut Vec<RegisterChange>) {
        let meaning = &here.instruction.meaning;
        let run = self.run;
        let step = here.step.step();
        // The base register of an operand with a segment holds no linear address.
        for operand in meaning
            .memory
            .iter()
            .filter(|operand| meaning.is_repeated && operand.segment.is_none())
        {
            let (Some(base), Some(size_bytes)) = (operand.base, operand.size_bytes) else {
                continue;
            };
            let own = run
                .accesses(here.step)
                .iter()
                .filter(|access| access.kind == operand.kind);
            let Some(rounds) = StrideRun::of(own, size_bytes) else {
                continue;
            };
            let fact = Fact::Address(step);
            let before = self.registers.read(base, &mut self.symbols, fact);
            self.state_address(before, rounds.first, fact);
            let Some(end) = rounds.end.filter(|_| here.goes_on()) else {
                continue;
            };
            let term = self
                .symbols
                .constant(end, fact)
                .cut(8 * base.size_bytes.min(8) as u8);
            changes.push(RegisterChange {
                view: base,
                term,
                way: ValueDerivation::Moved(step),
            });
        }
    }

    /// Returns the stores of a step.
    pub fn memory_changes(&mut self, here: CurrentStep<'_>) -> Vec<(u64, u8, Term)> {
        let mut changes = Vec::new();
        for (operand, address) in here.instruction.meaning.memory.iter().zip(here.addresses) {
            let stored = address
                .zip(operand.size_bytes)
                .filter(|_| operand.kind == AccessKind::Write);
            let Some((address, size_bytes)) =
                stored.filter(|_| operand.value != Expression::Unknown)
            else {
                continue;
            };
            if !self.is_own_memory(address, size_bytes, MemoryUse::Stored) || is_exclusive(here) {
                continue;
            }
            if size_bytes <= 8 {
                let bits = 8 * size_bytes as u8;
                changes.push((
                    address,
                    size_bytes as u8,
                    self.term(&operand.value, bits, here).0.cut(bits),
                ));
                continue;
            }
            for lane in 0..size_bytes / 8 {
                let (term, _) = self.lane_term(&operand.value, lane, here);
                changes.push((address.wrapping_add(8 * u64::from(lane)), 8, term));
            }
        }
        changes
    }

    /// Returns the value of an expression; bits from `bits` up are unspecified.
    pub fn term(
        &mut self,
        expression: &Expression,
        bits: u8,
        here: CurrentStep<'_>,
    ) -> (Term, ValueDerivation) {
        let step = here.step.step();
        let (fact, computed) = (Fact::Constant(step), ValueDerivation::Computed(step));
        match expression {
            Expression::Unknown => (self.symbols.free(), computed),
            Expression::Constant(value) => (self.symbols.constant(*value, fact), computed),
            Expression::Register(view) => (
                self.registers.read(*view, &mut self.symbols, fact),
                computed,
            ),
            Expression::Loaded(operand) => {
                let (term, source) = self.loaded(*operand, 0, here);
                (term, ValueDerivation::Loaded(step, source))
            }
            Expression::Extended {
                value,
                bits: kept,
                is_signed: false,
            } => {
                let (term, way) = self.term(value, (*kept).min(bits), here);
                (term.cut(*kept), way)
            }
            Expression::Extended {
                value, bits: kept, ..
            } if *kept >= bits => self.term(value, bits, here),
            Expression::Extended {
                value, bits: kept, ..
            } => {
                let (term, way) = self.term(value, *kept, here);
                (self.symbols.sign_extended(term, *kept), way)
            }
            Expression::Binary(operation, left, right) => {
                self.binary(*operation, [left, right], bits, here)
            }
        }
    }

    fn binary(
        &mut self,
        operation: Operation,
        operands: [&Expression; 2],
        bits: u8,
        here: CurrentStep<'_>,
    ) -> (Term, ValueDerivation) {
        let [left, right] = operands;
        let step = here.step.step();
        let fact = Fact::Constant(step);
        // Only right shifts move high bits down.
        let left_bits = match operation {
            Operation::ShiftRight | Operation::ShiftRightSigned => 64,
            _ => bits,
        };
        match (operation, right) {
            (Operation::Add | Operation::Subtract, Expression::Constant(addend)) => {
                let addend = if operation == Operation::Add {
                    *addend
                } else {
                    addend.wrapping_neg()
                };
                let (term, _) = self.term(left, bits, here);
                (
                    self.symbols.sum(term, addend, bits, fact),
                    ValueDerivation::Moved(step),
                )
            }
            (Operation::Subtract | Operation::Xor, _) if left == right => (
                self.symbols.constant(0, fact),
                ValueDerivation::Computed(step),
            ),
            _ => {
                let (left, _) = self.term(left, left_bits, here);
                let (right, _) = self.term(right, if left_bits == bits { bits } else { 64 }, here);
                (
                    self.symbols.binary(operation, left, right),
                    ValueDerivation::Computed(step),
                )
            }
        }
    }

    /// Returns 8 bytes of a wide value.
    pub fn lane_term(
        &mut self,
        expression: &Expression,
        lane: u16,
        here: CurrentStep<'_>,
    ) -> (Term, ValueDerivation) {
        let step = here.step.step();
        match expression {
            Expression::Register(view) => {
                let rest = view.size_bytes.saturating_sub(8 * lane);
                if rest > 0 {
                    let part = RegisterView::new(
                        view.register,
                        view.offset.saturating_add(8 * lane),
                        rest.min(8),
                    );
                    return (
                        self.registers
                            .read(part, &mut self.symbols, Fact::Constant(step)),
                        ValueDerivation::Computed(step),
                    );
                }
            }
            Expression::Loaded(operand) => {
                let (term, source) = self.loaded(*operand, lane, here);
                return (term, ValueDerivation::Loaded(step, source));
            }
            _ if lane == 0 => return self.term(expression, 64, here),
            _ => {}
        }
        let is_zero = !matches!(expression, Expression::Unknown);
        let term = if is_zero {
            self.symbols.constant(0, Fact::Constant(step))
        } else {
            self.symbols.free()
        };
        (term, ValueDerivation::Computed(step))
    }

    /// Returns the value that an operand loads: the one that the last access left there, if known.
    pub fn loaded(&mut self, operand: usize, lane: u16, here: CurrentStep<'_>) -> Loaded {
        if let Some((_, known)) = self
            .loads
            .iter()
            .find(|(place, _)| *place == (operand, lane))
        {
            return *known;
        }
        let loaded = self.load(operand, lane, here);
        self.loads.push(((operand, lane), loaded));
        loaded
    }

    fn load(&mut self, operand: usize, lane: u16, here: CurrentStep<'_>) -> Loaded {
        let known = here.instruction.meaning.memory.get(operand);
        let Some(size_bytes) = known.and_then(|known| known.size_bytes) else {
            return (self.symbols.free(), None);
        };
        let Some(rest) = size_bytes.checked_sub(8 * lane).filter(|rest| *rest > 0) else {
            // A narrow value has zeros above.
            return (
                self.symbols.constant(0, Fact::Constant(here.step.step())),
                None,
            );
        };
        let size_bytes = rest.min(8) as u8;
        let address = here.addresses.get(operand).copied().flatten();
        let Some(address) = address.map(|address| address.wrapping_add(8 * u64::from(lane))) else {
            return (self.symbols.free().cut(8 * size_bytes), None);
        };
        if let Some((term, step)) = self.memory.load(address, size_bytes) {
            return (term, Some(step));
        }
        let parts = self.memory.parts(address, size_bytes);
        let source = parts.iter().map(|part| part.step).max();
        let term = self.joined(&parts, size_bytes, here);
        if self.is_own_memory(address, u16::from(size_bytes), MemoryUse::Loaded) {
            self.memory.forget(address, u64::from(size_bytes));
            self.memory
                .keep(address, size_bytes, term, here.step.step());
        }
        (term, source)
    }

    /// Joins the parts that several accesses left; bytes without a part are a free symbol.
    fn joined(&mut self, parts: &[TermPart], size_bytes: u8, here: CurrentStep<'_>) -> Term {
        let mut whole = self.symbols.free().cut(8 * size_bytes);
        for part in parts {
            let (bits, place) = (8 * part.size_bytes, 8 * part.place);
            let mut term = part.term;
            if part.skip > 0 {
                let places = self
                    .symbols
                    .constant(8 * u64::from(part.skip), Fact::Constant(here.step.step()));
                term = self.symbols.binary(Operation::ShiftRight, term, places);
            }
            whole = self
                .symbols
                .inserted(term.cut(bits), whole, BitField { place, bits })
                .cut(8 * size_bytes);
        }
        whole
    }

    /// Returns true if no other thread is known to write there.
    fn is_own_memory(&self, address: u64, size_bytes: u16, memory_use: MemoryUse) -> bool {
        if !self.circumstances.is_memory_followed {
            return false;
        }
        let is_in_block = |block: u64| address.wrapping_sub(block) < THREAD_BLOCK_BYTES;
        if self.thread_block.is_some_and(is_in_block) {
            return false;
        }
        let is_on_stack = self
            .stack
            .is_some_and(|stack| stack.abs_diff(address) < STACK_BYTES);
        let memory_use = if is_on_stack {
            MemoryUse::Stack
        } else {
            memory_use
        };
        (!self.circumstances.is_shared || is_on_stack)
            && !self
                .run
                .is_foreign(address, u64::from(size_bytes), memory_use)
    }
}

/// Accesses of equal size, each adjacent to the previous one.
struct StrideRun {
    first: u64,
    /// Address after the last access; `None` if the direction is unknown.
    end: Option<u64>,
}

impl StrideRun {
    fn of<'a>(accesses: impl Iterator<Item = &'a RunAccess>, size_bytes: u16) -> Option<Self> {
        let (mut first, mut last, mut stride) = (None, 0u64, None);
        for access in accesses {
            if u16::from(access.size_bytes) != size_bytes {
                return None;
            }
            if first.is_none() {
                first = Some(access.address);
            } else {
                let distance = access.address.wrapping_sub(last);
                let is_beside = distance == size_bytes.into()
                    || distance == u64::from(size_bytes).wrapping_neg();
                if !is_beside || *stride.get_or_insert(distance) != distance {
                    return None;
                }
            }
            last = access.address;
        }
        Some(Self {
            first: first?,
            end: stride.map(|stride| last.wrapping_add(stride)),
        })
    }
}

/// Returns true for a store that may fail, although the trace may record it.
pub(super) fn is_exclusive(here: CurrentStep<'_>) -> bool {
    here.step
        .encoding
        .is_some_and(|encoding| here.step.set.is_exclusive_store(&encoding))
}
