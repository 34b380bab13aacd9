//! Effects of instruction words, decoded once and cached.

use stepback_machine::banks::WindowChange;
use stepback_machine::flow::{BranchTarget, ControlFlowEffect, FlowKind, RecordedBranch};
use stepback_machine::semantics::{Expression, MemoryOperand};
use stepback_machine::{Address, Encoding, InstructionSet, RegisterView, decode};

use crate::rst::records::Instruction;
use crate::rst::replay::statements::OpenAccess;

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
