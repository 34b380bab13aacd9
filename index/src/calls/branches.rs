//! Which instructions return and call. Only the last step of a thread needs it: all others show in where control went.

use stepback_parsers::{InstructionSet, RegisterId};

use crate::segment::LastStep;

/// True for the instructions that compilers end functions with.
///
/// Encodings: Arm Architecture Reference Manual (DDI 0487), `RET`, `RETAA`; (DDI 0406) `BX`, `POP`, `LDM`, `LDR`, `MOV`.
pub fn is_return(opcode: u32, set: InstructionSet) -> bool {
    match set {
        InstructionSet::A64 => opcode & 0xffff_fc1f == 0xd65f_0000 || matches!(opcode, 0xd65f_0bff | 0xd65f_0fff),
        InstructionSet::A32 => {
            let unconditional = opcode & 0x0fff_ffff;
            matches!(unconditional, 0x012f_ff1e | 0x01a0_f00e | 0x049d_f004) // bx lr; mov pc,lr; ldr pc,[sp],#4
                || opcode & 0x0fff_8000 == 0x08bd_8000 // pop {…,pc}
        }
        InstructionSet::T32 => {
            matches!(opcode, 0x4770 | 0x46f7 | 0xf85d_fb04) // bx lr; mov pc,lr; ldr pc,[sp],#4
                || opcode & 0xffff_ff00 == 0xbd00 // pop {…,pc}
                || opcode & 0xffff_8000 == 0xe8bd_8000 // pop.w {…,pc}
        }
    }
}

/// Where a call goes; none when it is no call, or goes to an address that is not known.
/// `core` holds the registers by their numbers in the table.
///
/// Encodings: Arm Architecture Reference Manual (DDI 0487), `BL`, `BLR`; (DDI 0406) `BL, BLX (immediate)`, `BLX (register)`.
pub fn call_target(step: &LastStep, core: &[Option<u64>]) -> Option<u64> {
    let opcode = step.opcode;
    let from = |offset: i64| Some(step.pc.wrapping_add_signed(offset));
    let word = |offset: i64| from(offset).map(|target| target & u64::from(u32::MAX));
    match step.instruction_set {
        InstructionSet::A64 if opcode & 0xfc00_0000 == 0x9400_0000 => from(signed(opcode & 0x03ff_ffff, 26) * 4),
        InstructionSet::A64 if opcode & 0xffff_fc1f == 0xd63f_0000 => register(opcode >> 5 & 31, 31, core),
        InstructionSet::A32 if opcode & 0xfe00_0000 == 0xfa00_0000 => {
            word(8 + signed(opcode & 0x00ff_ffff, 24) * 4 + i64::from(opcode >> 23 & 2))
        }
        InstructionSet::A32 if opcode & 0x0f00_0000 == 0x0b00_0000 => word(8 + signed(opcode & 0x00ff_ffff, 24) * 4),
        InstructionSet::A32 if opcode & 0x0fff_fff0 == 0x012f_ff30 => register(opcode & 15, 13, core),
        InstructionSet::T32 if opcode & 0xffff_ff87 == 0x4780 => register(opcode >> 3 & 15, 13, core),
        InstructionSet::T32 if opcode & 0xf800_c000 == 0xf000_c000 => {
            let to_thumb = opcode & 0x1000 != 0;
            let base = if to_thumb { 4 } else { 4 - i64::from(step.pc as u8 & 2) };
            word(base + thumb_offset(opcode))
        }
        _ => None,
    }
    .map(|target| if step.instruction_set == InstructionSet::A64 { target } else { target & !1 })
}

fn register(number: u32, link: u32, core: &[Option<u64>]) -> Option<u64> {
    // In AArch32 13 and 14 are the stack pointer and the link register, which lie elsewhere in the table.
    let place = match (link, number) {
        (13, 13) => RegisterId::SP.0.into(),
        (13, 14) => RegisterId::LR.0.into(),
        (13, 15) | (31, 31) => return None,
        _ => usize::try_from(number).ok()?,
    };
    *core.get(place)?
}

fn signed(field: u32, bits: u32) -> i64 {
    i64::from((field << (32 - bits)) as i32 >> (32 - bits))
}

/// The offset of a 32-bit Thumb `BL` or `BLX`: S:I1:I2:imm10:imm11:0.
fn thumb_offset(opcode: u32) -> i64 {
    let sign = opcode >> 26 & 1;
    let flipped = |bit: u32| !(opcode >> bit ^ sign) & 1;
    let field =
        sign << 24 | flipped(13) << 23 | flipped(11) << 22 | (opcode >> 16 & 0x3ff) << 12 | (opcode & 0x7ff) << 1;
    signed(field, 25)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_call(opcode: u32, set: InstructionSet, expected: Option<u64>) {
        let mut core = [None; 33];
        (core[2], core[32]) = (Some(0x1235), Some(0x4000));
        let length_bytes = if opcode > 0xffff { 4 } else { 2 };
        let step = LastStep { slot: 1, pc: 0x8002, opcode, length_bytes, instruction_set: set, is_executed: true };
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
    fn returns_are_told_from_other_branches() {
        for (opcode, set) in [
            (0xd65f_03c0, InstructionSet::A64),
            (0xe12f_ff1e, InstructionSet::A32),
            (0xe8bd_8800, InstructionSet::A32),
            (0x4770, InstructionSet::T32),
            (0xbd70, InstructionSet::T32),
            (0xe8bd_8ff0, InstructionSet::T32),
        ] {
            assert!(is_return(opcode, set), "{opcode:#x}");
        }
        for (opcode, set) in
            [(0xd61f_0040, InstructionSet::A64), (0xe8bd_0800, InstructionSet::A32), (0xbc70, InstructionSet::T32)]
        {
            assert!(!is_return(opcode, set), "{opcode:#x}");
        }
    }
}
