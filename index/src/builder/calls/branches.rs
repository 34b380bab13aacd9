//! Targets of jumps and calls, from their encodings and the registers.

use stepback_machine::{BranchTarget, FlowKind};

use crate::builder::segment::transfers::LastStep;

/// Returns the target of a jump with a fixed target that writes no return address; none for other
/// instructions.
pub fn branch_target(step: &LastStep) -> Option<u64> {
    let control = step.control();
    control
        .target
        .address()
        .filter(|_| control.flow != FlowKind::Call)
}

/// Returns the target of a call; none if it is no call or the target is unknown. `core` holds the
/// registers by their numbers in the table.
pub fn call_target(step: &LastStep, core: &[Option<u64>]) -> Option<u64> {
    let control = step.control();
    match control.target {
        _ if control.flow != FlowKind::Call => None,
        BranchTarget::Address(address) => Some(address),
        BranchTarget::Register(register) => {
            let held = *core.get(usize::from(register.0))?;
            held.map(|address| step.instruction_set.code_address(address))
        }
        BranchTarget::Unsaid => None,
    }
}

#[cfg(test)]
mod tests {
    use stepback_machine::InstructionSet;

    use super::*;

    #[track_caller]
    fn check_call(opcode: u32, set: InstructionSet, expected: Option<u64>) {
        let mut core = [None; 33];
        (core[2], core[32]) = (Some(0x1235), Some(0x4000));
        let length_bytes = if opcode > 0xffff { 4 } else { 2 };
        let step = LastStep {
            slot: 1,
            pc: 0x8002,
            opcode,
            length_bytes,
            instruction_set: set,
            is_executed: true,
        };
        assert_eq!(call_target(&step, &core), expected, "{opcode:#x}");
    }

    #[test]
    fn calls_tell_where_they_go() {
        check_call(0x9400_0002, InstructionSet::A64, Some(0x800a));
        check_call(0x97ff_ffff, InstructionSet::A64, Some(0x7ffe));
        check_call(0xd63f_0040, InstructionSet::A64, Some(0x1235));
        check_call(0xd63f_0060, InstructionSet::A64, None);
        check_call(0xd61f_0040, InstructionSet::A64, None);
        check_call(0xeb00_0001, InstructionSet::A32, Some(0x800e));
        check_call(0xfbff_fffe, InstructionSet::A32, Some(0x8004));
        check_call(0xe12f_ff32, InstructionSet::A32, Some(0x1234));
        check_call(0xe12f_ff3e, InstructionSet::A32, Some(0x4000));
        check_call(0x4790, InstructionSet::T32, Some(0x1234));
        check_call(0xf000_f801, InstructionSet::T32, Some(0x8008));
        check_call(0xf7ff_fffe, InstructionSet::T32, Some(0x8002));
        check_call(0xf000_e802, InstructionSet::T32, Some(0x8008));
    }

    #[test]
    fn branches_tell_where_they_go() {
        let check = |opcode: u32, set: InstructionSet, expected: Option<u64>| {
            let length_bytes = if opcode > 0xffff { 4 } else { 2 };
            let step = LastStep {
                slot: 1,
                pc: 0x8000,
                opcode,
                length_bytes,
                instruction_set: set,
                is_executed: true,
            };
            assert_eq!(branch_target(&step), expected, "{opcode:#x}");
        };
        for (opcode, expected) in [
            (0x17ff_fff0, 0x7fc0),
            (0x5400_00e0, 0x801c),
            (0x3500_00e0, 0x801c),
            (0x3707_ffe0, 0x7ffc),
        ] {
            check(opcode, InstructionSet::A64, Some(expected));
        }
        check(0x97ff_fff0, InstructionSet::A64, None);
        check(0xeaff_fffe, InstructionSet::A32, Some(0x8000));
        check(0xebff_fffe, InstructionSet::A32, None);
        // Checked against a disassembler.
        for (opcode, expected) in [
            (0xd8f9, 0x7ff6),
            (0xe71f, 0x7e42),
            (0xb11b, 0x800a),
            (0xf002_baa4, 0xa54c),
            (0xf43f_af00, 0x7e04),
        ] {
            check(opcode, InstructionSet::T32, Some(expected));
        }
        check(0x4718, InstructionSet::T32, None);
    }
}
