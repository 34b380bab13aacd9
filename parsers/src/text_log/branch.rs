//! Effects of instructions on control, for logs that show too few registers to find calls by their
//! values, or no exceptions.

use stepback_machine::flow::{BranchTarget, FlowKind, RecordedBranch};
use stepback_machine::{Address, CodeSite, Encoding, InstructionSet, decode};

use crate::text_log::step::LoggedStep;

/// Text about an exception for which a log has no line: control goes where the instruction does not
/// lead.
pub(crate) const UNSTATED_EXCEPTION: &[u8] = b"exception, interrupt or missing lines";

/// Decodes the kind of branch of an instruction.
pub(crate) fn branch_of(encoding: Encoding, pc: Address, set: InstructionSet) -> RecordedBranch {
    let site = CodeSite { pc, encoding };
    let control = set.control(&site);
    let is_direct = matches!(control.target, BranchTarget::Address(_));
    match control.flow {
        FlowKind::Next | FlowKind::Trap => RecordedBranch::None,
        FlowKind::Branch if decode(encoding, pc, set).decides() && is_direct => {
            RecordedBranch::Conditional(None)
        }
        FlowKind::Branch if is_direct => RecordedBranch::Jump,
        FlowKind::Branch => RecordedBranch::IndirectJump,
        FlowKind::Call if is_direct => RecordedBranch::Call,
        FlowKind::Call => RecordedBranch::IndirectCall,
        FlowKind::Return => RecordedBranch::Return,
        // It ends no call.
        FlowKind::ExceptionReturn => RecordedBranch::IndirectJump,
    }
}

/// Returns whether the instruction of a step can lead to an address; true if it is unknown.
pub(crate) fn may_lead_to(step: &LoggedStep, next: u64) -> bool {
    let site = |encoding| CodeSite {
        pc: Address(step.set.code_address(step.pc)),
        encoding,
    };
    let mut sites = step.encoding.into_iter().map(site);
    sites.all(|site| can_reach(&site, step.set, next))
}

/// Returns whether an instruction can lead to an address. It always can to its own one: it runs
/// again after a fault, or repeats.
pub(crate) fn can_reach(site: &CodeSite, set: InstructionSet, next: u64) -> bool {
    let next = set.code_address(next);
    if next == site.after() & set.highest_address() || next == site.pc.0 {
        return true;
    }
    let control = set.control(site);
    match (control.flow, control.target) {
        (FlowKind::Next, _) => decode(site.encoding, site.pc, set).registers.is_none(),
        (FlowKind::Trap, _) => false,
        (_, BranchTarget::Address(target)) => target == next,
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_encoding_tells_the_branch() {
        let (a64, x86) = (InstructionSet::A64, InstructionSet::X86_64);
        for (bytes, set, expected) in [
            (&[0x00, 0x00, 0x00, 0x94][..], a64, RecordedBranch::Call),
            (&[0x00, 0x00, 0x3f, 0xd6], a64, RecordedBranch::IndirectCall),
            (&[0xc0, 0x03, 0x5f, 0xd6], a64, RecordedBranch::Return),
            (&[0x00, 0x00, 0x00, 0x14], a64, RecordedBranch::Jump),
            (
                &[0x40, 0x00, 0x00, 0x54],
                a64,
                RecordedBranch::Conditional(None),
            ),
            (&[0x1f, 0x20, 0x03, 0xd5], a64, RecordedBranch::None),
            (&[0xe8, 0, 0, 0, 0], x86, RecordedBranch::Call),
            (&[0xc3], x86, RecordedBranch::Return),
            (&[0x48, 0xcf], x86, RecordedBranch::IndirectJump),
            (&[0xe0, 0x03, 0x9f, 0xd6], a64, RecordedBranch::IndirectJump),
            (&[0xff, 0xe0], x86, RecordedBranch::IndirectJump),
            (&[0x74, 0x02], x86, RecordedBranch::Conditional(None)),
        ] {
            let encoding = Encoding::new(bytes).unwrap();
            assert_eq!(
                branch_of(encoding, Address(0x1000), set),
                expected,
                "{bytes:02x?}"
            );
        }
    }
}
