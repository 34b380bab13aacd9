//! The condition flags of a thread, as far as the trace recorded them.

use stepback_machine::{
    Address, BranchTarget, CodeSite, Encoding, FlowKind, InstructionSet, Mode, RegisterId,
    RegisterView, decode,
};

/// Steps after a write of the status register during which its value counts.
const RECENT: usize = 8;

/// A step, as far as rules look back to it.
#[derive(Clone, Copy, Debug)]
pub struct LastStep {
    /// Address.
    pub pc: u64,
    /// How it decodes.
    pub set: InstructionSet,
    /// None when the trace could not show it.
    pub encoding: Option<Encoding>,
    /// What it does to control.
    pub flow: FlowKind,
    /// The processor's mode at it.
    pub mode: Mode,
    /// The register whose value it jumps to.
    pub target: Option<RegisterId>,
}

impl LastStep {
    /// Where a jump leads.
    pub fn jump_target(&self) -> BranchTarget {
        let site = |encoding| CodeSite {
            pc: Address(self.pc),
            encoding,
        };
        self.encoding.map_or(BranchTarget::Unsaid, |encoding| {
            self.set.control(&site(encoding)).target
        })
    }

    /// True when it certainly leaves the flags alone.
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

/// The status register as it was written last, and the steps since.
///
/// Some producers write it only now and then: its value counts while no instruction may have changed the flags.
#[derive(Clone, Debug, Default)]
pub struct KnownFlags {
    status: Option<u64>,
    since: Vec<LastStep>,
}

impl KnownFlags {
    /// Takes note of a write of the status register.
    pub fn write(&mut self, view: RegisterView, bytes: &[u8]) {
        let status = bytes
            .first_chunk()
            .filter(|_| view.offset == 0)
            .map(|bytes| u32::from_le_bytes(*bytes));
        self.status = status.map(u64::from);
        self.since.clear();
    }

    /// Takes note of a step. A write of the status register that belongs to it comes later.
    pub fn step(&mut self, step: LastStep) {
        if self.status.is_some() && self.since.len() < RECENT {
            self.since.push(step);
        } else {
            *self = Self::default();
        }
    }

    /// The status register, if its flags are certain. Cost: some decodings.
    pub fn current(&self) -> Option<u64> {
        self.status
            .filter(|_| self.since.iter().all(LastStep::keeps_flags))
    }
}
