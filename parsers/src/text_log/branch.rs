//! Classification of branches for logs that show too few registers to find calls by their values.

use stepback_machine::flow::{BranchTarget, FlowKind, RecordedBranch};
use stepback_machine::{Address, CodeSite, Encoding, InstructionSet, decode};

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
        FlowKind::Return | FlowKind::ExceptionReturn => RecordedBranch::Return,
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
