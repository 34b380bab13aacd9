//! Effects of instruction words, decoded once and cached.

use stepback_machine::banks::WindowChange;
use stepback_machine::flow::{BranchTarget, ControlFlowEffect, FlowKind, RecordedBranch};
use stepback_machine::semantics::{Expression, MemoryOperand};
use stepback_machine::{AccessKind, Address, Encoding, InstructionSet, RegisterView, decode};

use crate::rst::records::{Instruction, MemoryValue};

const SET: InstructionSet = InstructionSet::Sparc64;

/// Effects of an instruction when it is executed.
#[derive(Clone, Debug, Default)]
pub struct InstructionEffects {
    /// Bytes in memory order; none for a word that cannot be shown.
    pub encoding: Option<Encoding>,
    /// Effect on control flow.
    pub control: ControlFlowEffect,
    /// Accesses, with addresses relative to the effective address.
    pub accesses: Vec<OpenAccess>,
    /// Registers that it writes, under their names before it.
    pub writes: Vec<RegisterView>,
    /// Effect on the register windows.
    pub window: Option<WindowChange>,
    /// Registers and values of an instruction that chooses windows or globals by constants in its
    /// encoding.
    pub chosen: Vec<(RegisterView, u64)>,
    /// True if the branch depends on a register.
    is_conditional: bool,
}

impl InstructionEffects {
    /// Decodes a word.
    pub fn of(word: u32) -> Self {
        let Some(encoding) = SET.encoding_of(word, 4) else {
            return Self::default();
        };
        // The target is not used, so any address will do.
        let instruction = decode(encoding, Address(0), SET);
        let operands = &instruction.meaning.memory;
        let first = operands.first().map_or(0, |operand| operand.displacement);
        let touch = |operand: &MemoryOperand| {
            Some(OpenAccess {
                kind: operand.kind,
                address: operand.displacement.wrapping_sub(first).cast_unsigned(),
                size_bytes: operand.size_bytes?,
                value: None,
            })
        };
        let registers = instruction.registers.as_ref();
        let window = SET.window_step(&encoding);
        let chosen = instruction
            .meaning
            .writes
            .iter()
            .filter_map(|write| match write.value {
                Expression::Constant(value) if window == Some(WindowChange::Choice) => {
                    Some((write.view, value))
                }
                _ => None,
            });
        Self {
            encoding: Some(encoding),
            control: instruction.control,
            accesses: operands.iter().filter_map(touch).collect(),
            writes: registers
                .map(|known| known.writes.clone())
                .unwrap_or_default(),
            window,
            chosen: chosen.collect(),
            is_conditional: registers.is_some_and(|known| !known.reads.is_empty()),
        }
    }

    /// Returns the kind of branch of an executed instruction.
    pub fn branch(&self, found: &Instruction) -> RecordedBranch {
        let is_direct = matches!(self.control.target, BranchTarget::Address(_));
        match self.control.flow {
            FlowKind::Branch if is_direct && self.is_conditional => {
                RecordedBranch::Conditional(Some(found.is_taken))
            }
            FlowKind::Branch if is_direct => RecordedBranch::Jump,
            FlowKind::Branch => RecordedBranch::IndirectJump,
            FlowKind::Call if is_direct => RecordedBranch::Call,
            FlowKind::Call => RecordedBranch::IndirectCall,
            FlowKind::Return => RecordedBranch::Return,
            FlowKind::Next | FlowKind::Trap | FlowKind::ExceptionReturn => RecordedBranch::None,
        }
    }
}

/// Bytes of memory at an address: at most 8, as a number with the first byte highest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ObservedBytes {
    /// Address of the first byte.
    pub address: u64,
    /// Number of bytes, 1 to 8.
    pub size_bytes: u8,
    /// The bytes.
    pub value: u64,
}

/// An access of the last instruction, until the trace has recorded its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OpenAccess {
    /// Load or store.
    pub kind: AccessKind,
    /// Address of the first byte.
    pub address: u64,
    /// Number of bytes.
    pub size_bytes: u16,
    /// Value of the access; none until the trace records it.
    pub value: Option<u64>,
}

impl ObservedBytes {
    /// Splits the bytes of a record at an address into pieces. Pieces of an invalid size are
    /// dropped.
    pub fn of(address: u64, value: &MemoryValue) -> impl Iterator<Item = Self> {
        let sizes = if value.size_bytes == 16 {
            [8, 8]
        } else {
            [value.size_bytes, 0]
        };
        let addresses = [address, address.wrapping_add(8)].into_iter();
        let pieces = addresses.zip(sizes).zip(value.words);
        let pieces = pieces.map(|((address, size_bytes), value)| Self {
            address,
            size_bytes,
            value,
        });
        pieces.filter(|piece| (1..=8).contains(&piece.size_bytes))
    }

    /// Returns the address after the last byte.
    pub fn end(&self) -> u64 {
        self.address.wrapping_add(self.size_bytes.into())
    }
}

impl OpenAccess {
    /// Returns the access of an instruction with the effective address `ea`, if the address is
    /// relative to it.
    pub fn at(self, ea: u64) -> Self {
        Self {
            address: ea.wrapping_add(self.address),
            ..self
        }
    }

    /// Takes the value from a piece of memory. Returns false if the piece does not contain the
    /// whole access.
    pub fn take(&mut self, piece: &ObservedBytes) -> bool {
        let before = self.address.wrapping_sub(piece.address);
        let after =
            u64::from(piece.size_bytes).checked_sub(before.saturating_add(self.size_bytes.into()));
        let Some(after) = after.filter(|_| self.size_bytes > 0) else {
            return false;
        };
        let unused_bits = 64 - 8 * u32::from(self.size_bytes);
        self.value = Some(piece.value >> (8 * after) << unused_bits >> unused_bits);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_access_finds_its_bytes_in_a_piece() {
        let piece = ObservedBytes {
            address: 0x100,
            size_bytes: 8,
            value: 0x0102_0304_0506_0708,
        };
        let take = |address, size_bytes| {
            let mut access = OpenAccess {
                kind: AccessKind::Read,
                address,
                size_bytes,
                value: None,
            };
            access.take(&piece);
            access.value
        };
        assert_eq!(take(0x100, 8), Some(piece.value));
        assert_eq!(take(0x100, 4), Some(0x0102_0304));
        assert_eq!(take(0x103, 1), Some(4));
        assert_eq!(take(0x106, 2), Some(0x0708));
        assert_eq!(
            (
                take(0x106, 4),
                take(0xff, 2),
                take(0x108, 1),
                take(0x100, 16)
            ),
            (None, None, None, None)
        );
        let value = |size_bytes| MemoryValue {
            cpu: 0,
            is_virtual: true,
            address: None,
            size_bytes,
            words: [1, 2],
        };
        let ends: Vec<_> = ObservedBytes::of(u64::MAX - 7, &value(16))
            .map(|piece| piece.end())
            .collect();
        assert_eq!(ends, [0, 8]);
        assert_eq!(ObservedBytes::of(0, &value(0)).count(), 0);
    }
}
