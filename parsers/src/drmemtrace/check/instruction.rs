//! Expectations that the encoding of an instruction sets for its records.

use stepback_machine::flow::{BranchTarget, FlowKind, RecordedBranch};
use stepback_machine::semantics::{ExecutionCondition, Meaning};
use stepback_machine::{AccessKind, CodeSite, InstructionSet, decode};

use crate::step_store::code::Code;

/// Instruction of a thread, with the facts that the rules need.
#[derive(Clone, Copy, Debug)]
pub(super) struct CheckedInstruction {
    pub pc: u64,
    pub length_bytes: u16,
    pub branch: RecordedBranch,
    /// True for an instruction that raises an exception, as system calls do; `None` if its encoding
    /// is unknown.
    pub is_trap: Option<bool>,
    pub is_kernel: bool,
    /// True if the encoding states the size of each access, or cannot be decoded.
    pub has_lengths: bool,
    /// Target of a direct branch.
    direct_target: Option<u64>,
    /// Recorded target of an indirect branch.
    pub recorded_target: Option<u64>,
    /// Maximum numbers of access records.
    loads: Option<u16>,
    stores: Option<u16>,
}

impl CheckedInstruction {
    pub fn of(code: &Code) -> Self {
        let mut known = Self {
            pc: code.pc,
            length_bytes: code.length_bytes,
            branch: code.branch,
            is_trap: None,
            is_kernel: false,
            has_lengths: false,
            direct_target: None,
            recorded_target: None,
            loads: None,
            stores: None,
        };
        let Some(encoding) = code.encoding.filter(|_| !code.set.is_synthetic()) else {
            return known;
        };
        let site = CodeSite {
            pc: code.address(),
            encoding,
        };
        let control = code.set.control(&site);
        let instruction = decode(encoding, site.pc, code.set);
        if !instruction.is_decoded() {
            known.has_lengths = true;
            return known;
        }
        let meaning = &instruction.meaning;
        // Instructions that save the state of a processor have a variable size.
        let is_fixed = meaning.is_memory_known && meaning.extent.is_none();
        known.has_lengths = is_fixed
            && meaning
                .memory
                .iter()
                .all(|operand| operand.size_bytes.is_some());
        known.is_trap =
            Some(control.flow == FlowKind::Trap || code.branch == RecordedBranch::SystemEntry);
        known.direct_target = match control.target {
            BranchTarget::Address(address) => Some(code.set.code_address(address)),
            BranchTarget::Unsaid | BranchTarget::Register(_) => None,
        };
        let counts = |kind| expected(meaning, kind);
        (known.loads, known.stores) = (counts(AccessKind::Read), counts(AccessKind::Write));
        known
    }

    /// Returns the instruction with its recorded target.
    pub fn with_target(self, recorded_target: Option<u64>) -> Self {
        Self {
            recorded_target,
            ..self
        }
    }

    /// Returns the maximum number of access records of a kind; `None` if unknown. At least one is
    /// expected unless it is 0: adjacent operands share a record.
    pub fn expected(&self, kind: AccessKind) -> Option<u16> {
        match kind {
            AccessKind::Read => self.loads,
            AccessKind::Write => self.stores,
        }
    }

    pub fn is_branch(&self) -> bool {
        !matches!(
            self.branch,
            RecordedBranch::None | RecordedBranch::Unsaid | RecordedBranch::SystemEntry
        )
    }

    pub fn is_indirect(&self) -> bool {
        matches!(
            self.branch,
            RecordedBranch::IndirectJump | RecordedBranch::IndirectCall | RecordedBranch::Return
        )
    }

    /// Returns the address after it.
    pub fn next_pc(&self) -> u64 {
        self.pc.wrapping_add(u64::from(self.length_bytes))
    }

    /// Returns whether it may lead to an address, by its records and its encoding.
    pub fn leads_to(&self, pc: u64, set: InstructionSet) -> bool {
        let is_at = |address: u64| set.code_address(address) == set.code_address(pc);
        let goes = |target: Option<u64>| target.is_none_or(is_at);
        match self.branch {
            RecordedBranch::SystemEntry => true,
            RecordedBranch::None
            | RecordedBranch::Unsaid
            | RecordedBranch::Conditional(Some(false)) => is_at(self.next_pc()),
            RecordedBranch::Conditional(None) => is_at(self.next_pc()) || goes(self.direct_target),
            RecordedBranch::Conditional(Some(true))
            | RecordedBranch::Jump
            | RecordedBranch::Call => goes(self.direct_target),
            RecordedBranch::IndirectJump
            | RecordedBranch::IndirectCall
            | RecordedBranch::Return => goes(self.recorded_target),
        }
    }
}

/// Returns the number of access records of a kind for a decoded instruction; `None` if it depends
/// on more than the encoding.
fn expected(meaning: &Meaning, kind: AccessKind) -> Option<u16> {
    let is_plain = meaning.condition == ExecutionCondition::Always
        && meaning.extent.is_none()
        && meaning.selection.is_none();
    if !is_plain
        || !meaning.is_memory_known
        || meaning
            .memory
            .iter()
            .any(|operand| operand.size_bytes.is_none())
    {
        return None;
    }
    let operands = meaning.memory.iter();
    u16::try_from(operands.filter(|operand| operand.kind == kind).count()).ok()
}
