//! What an instruction does, as far as its word tells: decoded once and remembered.

use std::rc::Rc;

use foldhash::HashMap;
use stepback_machine::{
    AccessKind, Address, BranchTarget, ControlFlowEffect, Encoding, Expression, FlowKind,
    InstructionSet, MemoryOperand, RecordedBranch, RegisterView, WindowChange, decode,
};

/// So many instruction words are remembered before all are forgotten.
const REMEMBERED: usize = 1 << 18;
const SET: InstructionSet = InstructionSet::Sparc64;

/// What an instruction does when it is executed.
#[derive(Clone, Debug, Default)]
pub struct InstructionEffects {
    /// Its bytes as they lie in memory; none for a word that cannot be shown.
    pub encoding: Option<Encoding>,
    /// What it does to control.
    pub control: ControlFlowEffect,
    /// Its accesses, from the effective address on.
    pub accesses: Vec<RelativeAccess>,
    /// The registers that it writes, by their names before it.
    pub writes: Vec<RegisterView>,
    /// What it does to the windows.
    pub window: Option<WindowChange>,
    /// Where it chooses among windows or globals, the numbers by which it does, as far as it holds them itself.
    pub chosen: Vec<(RegisterView, u64)>,
    /// Whether it branches depends on more than itself.
    is_conditional: bool,
}

/// An access to memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RelativeAccess {
    /// Load or store.
    pub kind: AccessKind,
    /// How far behind the effective address.
    pub offset: u64,
    /// Bytes.
    pub size_bytes: u16,
}

impl InstructionEffects {
    fn of(word: u32) -> Self {
        let Some(encoding) = SET.encoding_of(word, 4) else {
            return Self::default();
        };
        // Nobody asks where the target is, so any place will do.
        let instruction = decode(encoding, Address(0), SET);
        let operands = &instruction.meaning.memory;
        let first = operands.first().map_or(0, |operand| operand.displacement);
        let touch = |operand: &MemoryOperand| {
            let offset = operand.displacement.wrapping_sub(first).cast_unsigned();
            Some(RelativeAccess {
                kind: operand.kind,
                offset,
                size_bytes: operand.size_bytes?,
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

    /// What it does to control, as a record says of it.
    pub fn branch(&self, is_taken: BranchOutcome) -> RecordedBranch {
        let is_direct = matches!(self.control.target, BranchTarget::Address(_));
        match self.control.flow {
            FlowKind::Branch if is_direct && self.is_conditional => {
                RecordedBranch::Conditional(Some(is_taken == BranchOutcome::Yes))
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

/// Whether a branch was taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BranchOutcome {
    /// It was.
    Yes,
    /// It was not.
    No,
}

/// Effects by instruction word.
#[derive(Debug, Default)]
pub struct EffectTable(HashMap<u32, Rc<InstructionEffects>>);

impl EffectTable {
    /// What a word does.
    pub fn of(&mut self, word: u32) -> Rc<InstructionEffects> {
        if let Some(known) = self.0.get(&word) {
            return Rc::clone(known);
        }
        if self.0.len() >= REMEMBERED {
            self.0.clear();
        }
        let effects = Rc::new(InstructionEffects::of(word));
        self.0.insert(word, Rc::clone(&effects));
        effects
    }
}
