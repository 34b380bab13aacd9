//! Where jumps and calls go, as far as their encodings and the registers say.

use stepback_machine::{InstructionSet, RegisterId};

use crate::builder::segment::transfers::LastStep;

/// Where a jump with a fixed target goes when it leaves no return address; none for other instructions.
///
/// Encodings: Arm Architecture Reference Manual (DDI 0487), `B`, `B.cond`, `CBZ`, `TBZ`; (DDI 0406) `B`, `CBZ`.
pub fn branch_target(step: &LastStep) -> Option<u64> {
    let opcode = step.opcode;
    let field = |low: u32, bits: u32| signed(opcode >> low & ((1 << bits) - 1), bits);
    let offset = match step.instruction_set {
        InstructionSet::A64 if opcode & 0xfc00_0000 == 0x1400_0000 => 4 * field(0, 26),
        InstructionSet::A64 if matches!(opcode >> 24 & 0x7e, 0x54 | 0x34) => 4 * field(5, 19),
        InstructionSet::A64 if opcode & 0x7e00_0000 == 0x3600_0000 => 4 * field(5, 14),
        InstructionSet::A32 if opcode & 0x0f00_0000 == 0x0a00_0000 && opcode >> 28 != 0xf => 8 + 4 * field(0, 24),
        InstructionSet::T32 if opcode & 0xffff_f000 == 0xd000 => 4 + 2 * field(0, 8),
        InstructionSet::T32 if opcode & 0xffff_f800 == 0xe000 => 4 + 2 * field(0, 11),
        InstructionSet::T32 if opcode & 0xffff_f500 == 0xb100 => {
            4 + i64::from((opcode >> 9 & 1) << 6 | (opcode >> 3 & 31) << 1)
        }
        InstructionSet::T32 if opcode & 0xf800_d000 == 0xf000_9000 => 4 + thumb_offset(opcode),
        InstructionSet::T32 if opcode & 0xf800_d000 == 0xf000_8000 => {
            let high = (opcode >> 26 & 1) << 19 | (opcode >> 11 & 1) << 18 | (opcode >> 13 & 1) << 17;
            4 + 2 * signed(high | (opcode >> 16 & 0x3f) << 11 | opcode & 0x7ff, 20)
        }
        _ => return None,
    };
    let target = step.pc.wrapping_add_signed(offset);
    Some(if step.instruction_set == InstructionSet::A64 { target } else { target & u64::from(u32::MAX) & !1 })
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
    fn branches_tell_where_they_go() {
        let check = |opcode: u32, set: InstructionSet, expected: Option<u64>| {
            let length_bytes = if opcode > 0xffff { 4 } else { 2 };
            let step = LastStep { slot: 1, pc: 0x8000, opcode, length_bytes, instruction_set: set, is_executed: true };
            assert_eq!(branch_target(&step), expected, "{opcode:#x}");
        };
        for (opcode, expected) in
            [(0x17ff_fff0, 0x7fc0), (0x5400_00e0, 0x801c), (0x3500_00e0, 0x801c), (0x3707_ffe0, 0x7ffc)]
        {
            check(opcode, InstructionSet::A64, Some(expected));
        }
        check(0x97ff_fff0, InstructionSet::A64, None);
        check(0xeaff_fffe, InstructionSet::A32, Some(0x8000));
        check(0xebff_fffe, InstructionSet::A32, None);
        // As the disassembler reads them.
        for (opcode, expected) in
            [(0xd8f9, 0x7ff6), (0xe71f, 0x7e42), (0xb11b, 0x800a), (0xf002_baa4, 0xa54c), (0xf43f_af00, 0x7e04)]
        {
            check(opcode, InstructionSet::T32, Some(expected));
        }
        check(0x4718, InstructionSet::T32, None);
    }
}
