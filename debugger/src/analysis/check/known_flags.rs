//! Tracks the condition flags of a thread from recorded writes of the status register.

use stepback_machine::{
    Address, BranchTarget, CodeSite, Encoding, FlowKind, InstructionSet, Mode, RegisterId,
    RegisterView, decode,
};

/// Maximum number of steps for which a write of the status register stays usable.
const RECENT: usize = 8;

/// The facts about a step that later rules need.
#[derive(Clone, Copy, Debug)]
pub struct LastStep {
    pub pc: u64,
    /// Instruction set that it decodes in.
    pub set: InstructionSet,
    /// `None` if the trace could not show it.
    pub encoding: Option<Encoding>,
    /// Effect on control flow.
    pub flow: FlowKind,
    /// Processor mode at the step.
    pub mode: Mode,
    /// Register that holds the target of the jump.
    pub target: Option<RegisterId>,
}

impl LastStep {
    /// Returns the target of a jump.
    pub fn jump_target(&self) -> BranchTarget {
        let site = |encoding| CodeSite {
            pc: Address(self.pc),
            encoding,
        };
        self.encoding.map_or(BranchTarget::Unsaid, |encoding| {
            self.set.control(&site(encoding)).target
        })
    }

    /// Returns true if the instruction certainly leaves the flags unchanged.
    fn keeps_flags(&self) -> bool {
        let Some(encoding) = self.encoding else {
            return false;
        };
        let instruction = decode(encoding, Address(self.pc), self.set);
        instruction.registers.as_ref().is_some_and(|known| {
            !known
                .writes
                .iter()
                .any(|view| view.register == RegisterId::PSR)
        })
    }
}

/// The last written value of the status register, and the steps since.
///
/// Some producers write it only now and then. Its value is usable while no later instruction may
/// have changed the flags.
#[derive(Clone, Debug, Default)]
pub struct KnownFlags {
    status: Option<u64>,
    since: Vec<LastStep>,
}

impl KnownFlags {
    /// Records a write of the status register.
    pub fn write(&mut self, view: RegisterView, bytes: &[u8]) {
        let status = bytes
            .first_chunk()
            .filter(|_| view.offset == 0)
            .map(|bytes| u32::from_le_bytes(*bytes));
        self.status = status.map(u64::from);
        self.since.clear();
    }

    /// Records a step. A write of the status register by that step arrives later.
    pub fn step(&mut self, step: LastStep) {
        if self.status.is_some() && self.since.len() < RECENT {
            self.since.push(step);
        } else {
            *self = Self::default();
        }
    }

    /// Returns the status register if its flags are certain. Cost: up to [`RECENT`] decodings.
    pub fn current(&self) -> Option<u64> {
        self.status
            .filter(|_| self.since.iter().all(LastStep::keeps_flags))
    }
}
