//! Facts about instructions: their successors, and the registers that they write.

use stepback_machine::flow::{
    BranchTarget, ControlFlowEffect, ControlSuccessor, DelaySlotRule, FlowKind, RecordedBranch,
};
use stepback_machine::semantics::FlagTest;
use stepback_machine::{Address, CodeSite, Encoding, InstructionSet, RegisterId, decode};
use stepback_parsers::StepEvent;

use crate::analysis::check::register_file::LastStep;

/// Number of entries of the direct-mapped cache of decoded instructions.
const REMEMBERED: usize = 1 << 12;

/// Possible successors of a step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Successors {
    /// Any address.
    #[default]
    Open,
    /// One address.
    One(u64),
    /// One of two addresses.
    Either(u64, u64),
}

impl Successors {
    pub fn is_choice(self) -> bool {
        matches!(self, Self::Either(..))
    }

    /// Formats the addresses, unless the thread may continue at `pc`.
    pub fn unless(self, pc: u64) -> Option<String> {
        match self {
            Self::One(one) if one != pc => Some(format!("{one:#x}")),
            Self::Either(one, other) if one != pc && other != pc => {
                Some(format!("{one:#x} or {other:#x}"))
            }
            Self::Open | Self::One(_) | Self::Either(..) => None,
        }
    }
}

/// Effect of an executed instruction on control flow.
#[derive(Clone, Copy, Debug, Default)]
pub struct ControlEffect {
    pub leads: Successors,
    pub flow: FlowKind,
    /// Target of the jump.
    pub target: BranchTarget,
    /// Test of the flags that chooses the second of two successors.
    pub test: Option<FlagTest>,
    /// Number of following instructions that are executed only if a condition holds.
    pub block: u8,
    /// Address of the following instruction.
    pub after: u64,
}

/// Registers that an instruction writes; `None` if they are unknown.
type WrittenRegisters = Option<Box<[RegisterId]>>;

/// Facts about an instruction at an address. The registers that it writes are computed when they are
/// first needed: that takes longer than all other checks of a step or write.
#[derive(Clone, Debug)]
pub struct InstructionFacts {
    pc: u64,
    set: InstructionSet,
    /// Encoding and length in bytes as a step has them; `None` for encodings of any length.
    opcode: Option<(u32, u8)>,
    branch: RecordedBranch,
    pub encoding: Encoding,
    pub effect: ControlEffect,
    written: Option<WrittenRegisters>,
}

impl InstructionFacts {
    fn new(step: &StepEvent<'_>) -> Option<Self> {
        let encoding = step.encoding()?;
        Some(Self {
            pc: step.pc.0,
            set: step.instruction_set,
            opcode: opcode_of(step),
            branch: step.branch,
            encoding,
            effect: effect_of(step, encoding),
            written: None,
        })
    }

    fn is_of(&self, step: &StepEvent<'_>) -> bool {
        self.pc == step.pc.0
            && self.set == step.instruction_set
            && self.opcode == opcode_of(step)
            && (self.opcode.is_some() || self.encoding.bytes() == step.bytes)
    }

    /// Returns the registers that it writes, each at least once; `None` if they are unknown.
    fn written(&mut self) -> Option<&[RegisterId]> {
        let Self {
            pc, set, encoding, ..
        } = *self;
        let new = || {
            let instruction = decode(encoding, Address(pc), set);
            let written = instruction.registers.as_ref();
            written.map(|known| known.writes.iter().map(|view| view.register).collect())
        };
        self.written.get_or_insert_with(new).as_deref()
    }

    /// Returns true if it certainly leaves the flags unchanged.
    pub fn keeps_flags(&mut self) -> bool {
        let written = self.written();
        written.is_some_and(|written| !written.contains(&RegisterId::PSR))
    }
}

fn opcode_of(step: &StepEvent<'_>) -> Option<(u32, u8)> {
    let is_short = step.bytes.is_empty();
    is_short.then_some((step.opcode, step.length_bytes))
}

/// Direct-mapped cache of facts about instructions.
pub struct InstructionCache {
    known: Vec<Option<InstructionFacts>>,
}

impl Default for InstructionCache {
    fn default() -> Self {
        Self {
            known: vec![None; REMEMBERED],
        }
    }
}

impl InstructionCache {
    /// Returns the instruction of a step; `None` if the trace does not contain its encoding.
    pub fn of_step(&mut self, step: &StepEvent<'_>) -> Option<&mut InstructionFacts> {
        let entry = self.known.get_mut(place_of(step.pc.0))?;
        match entry {
            Some(known) if known.is_of(step) => {
                if known.branch != step.branch {
                    known.effect = effect_of(step, known.encoding);
                    known.branch = step.branch;
                }
            }
            _ => *entry = InstructionFacts::new(step),
        }
        entry.as_mut()
    }

    /// Returns true unless the instruction of a step is known to change a register. Steps before the
    /// last one may be forgotten.
    pub fn may_keep(&mut self, step: &LastStep, register: RegisterId) -> bool {
        let known = self.known.get_mut(place_of(step.pc));
        let known = known.and_then(Option::as_mut).filter(|known| {
            known.pc == step.pc && known.set == step.set && Some(known.encoding) == step.encoding
        });
        known.is_none_or(|known| {
            let written = known.written();
            written.is_some_and(|written| step.keeps(register, written))
        })
    }
}

fn place_of(pc: u64) -> usize {
    (pc >> 1 ^ pc >> 12) as usize % REMEMBERED
}

impl LastStep {
    /// Returns true if the step certainly leaves a register unchanged. Its instruction writes the
    /// registers `written`.
    pub fn keeps(&self, register: RegisterId, written: &[RegisterId]) -> bool {
        let (is_plain, set) = (self.flow == FlowKind::Next || self.is_jump(), self.set);
        // An instruction that rotates the register window writes registers of the new window.
        let is_rotation = |encoding| set.window_step(&encoding).is_some();
        is_plain
            && !self.encoding.is_none_or(is_rotation)
            && !written.contains(&register)
            && !written.iter().any(|register| is_window(*register, set))
    }
}

/// Returns true for a register of a window other than the current one, or of another bank. RISC-V
/// has vector and control registers in their place.
fn is_window(register: RegisterId, set: InstructionSet) -> bool {
    register >= RegisterId::FIRST_BANK && !set.is_shown_when_written(register)
}

/// Returns true for a repeated string instruction of x86.
fn is_repeated(set: InstructionSet, site: &CodeSite) -> bool {
    let has_prefix = || {
        site.encoding
            .bytes()
            .iter()
            .any(|byte| matches!(byte, 0xf2 | 0xf3))
    };
    set.alignment() == 1 && has_prefix() && decode(site.encoding, site.pc, set).meaning.is_repeated
}

fn effect_of(step: &StepEvent<'_>, encoding: Encoding) -> ControlEffect {
    let (set, branch) = (step.instruction_set, step.branch);
    let after = step.pc.0.wrapping_add(u64::from(step.length_bytes));
    let site = CodeSite {
        pc: step.pc,
        encoding,
    };
    let ControlFlowEffect {
        flow,
        target,
        delay,
    } = set.control(&site);
    let leads = match (set.lead(&site, branch), target) {
        // Logs may have a step for each iteration.
        (ControlSuccessor::After, _) if is_repeated(set, &site) => Successors::Open,
        (ControlSuccessor::After, _) => Successors::One(after),
        (ControlSuccessor::Address(address), _) => Successors::One(set.code_address(address)),
        (ControlSuccessor::Register(_), _) => Successors::Open,
        // A branch whose outcome is not recorded.
        (ControlSuccessor::Open, BranchTarget::Address(address))
            if delay == DelaySlotRule::None
                && matches!(flow, FlowKind::Branch | FlowKind::Call | FlowKind::Return) =>
        {
            Successors::Either(after, set.code_address(address))
        }
        (ControlSuccessor::Open, _) => Successors::Open,
    };
    let (test, block) = (set.branch_test(&encoding), set.block_length(&encoding));
    ControlEffect {
        leads,
        flow,
        target,
        test,
        block,
        after,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn x87_registers_are_in_no_window() {
        let x87 = (0..8).map(|number| RegisterId(RegisterId::ST0.0 + number));
        let x86 = InstructionSet::X86_64;
        assert!(!x87.into_iter().any(|register| is_window(register, x86)));
        assert!(is_window(RegisterId::FIRST_BANK, InstructionSet::Sparc64));
        assert!(!is_window(RegisterId::FIRST_BANK, InstructionSet::Riscv64));
    }
}
