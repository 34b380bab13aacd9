//! Which instructions return and call, as the heuristic of the calls has it.

use stepback_parsers::{InstructionSet, RegisterId};

use super::event::Told;

/// Encodings with the bits that are looked at: `RET`, `RETAA`, `RETAB`.
const A64: [(u32, u32); 3] = [(0xffff_fc1f, 0xd65f_0000), (!0, 0xd65f_0bff), (!0, 0xd65f_0fff)];
/// `BX lr`, `MOV pc,lr`, `LDR pc,[sp],#4`, `POP {…,pc}`, under any condition.
const A32: [(u32, u32); 4] =
    [(0x0fff_ffff, 0x012f_ff1e), (0x0fff_ffff, 0x01a0_f00e), (0x0fff_ffff, 0x049d_f004), (0x0fff_8000, 0x08bd_8000)];
/// `BX lr`, `MOV pc,lr`, `LDR pc,[sp],#4`, `POP {…,pc}`, `POP.W {…,pc}`.
const T32: [(u32, u32); 5] =
    [(!0, 0x4770), (!0, 0x46f7), (!0, 0xf85d_fb04), (0xffff_ff00, 0xbd00), (0xffff_8000, 0xe8bd_8000)];

/// True when an instruction returns.
pub(super) fn returns(step: &Told) -> bool {
    let encodings: &[(u32, u32)] = match step.instruction_set {
        InstructionSet::A64 => &A64,
        InstructionSet::A32 => &A32,
        InstructionSet::T32 => &T32,
    };
    encodings.iter().any(|(mask, bits)| step.opcode & mask == *bits)
}

/// Where a call goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Target {
    /// To this address.
    Address(u64),
    /// To what a register holds.
    Register(RegisterId),
}

/// Where a call goes; none for other instructions.
pub(super) fn target(step: &Told) -> Option<Target> {
    let (pc, opcode) = (step.pc.0, step.opcode);
    let bits = |from: u32, count: u32| (opcode >> from) & ((1 << count) - 1);
    match step.instruction_set {
        InstructionSet::A64 if bits(26, 6) == 0b10_0101 => {
            Some(Target::Address(pc.wrapping_add_signed(4 * signed(bits(0, 26), 26))))
        }
        InstructionSet::A64 if opcode & 0xffff_fc1f == 0xd63f_0000 => a64_register(bits(5, 5)),
        InstructionSet::A32 if bits(25, 7) == 0b111_1101 => {
            let half = i64::from(bits(24, 1)) * 2;
            Some(narrow(pc.wrapping_add_signed(8 + 4 * signed(bits(0, 24), 24) + half)))
        }
        InstructionSet::A32 if bits(24, 4) == 0b1011 => {
            Some(narrow(pc.wrapping_add_signed(8 + 4 * signed(bits(0, 24), 24))))
        }
        InstructionSet::A32 if bits(4, 24) == 0x12f_ff3 => a32_register(bits(0, 4)),
        InstructionSet::T32 if opcode >> 7 == 0x8f && bits(0, 3) == 0 => a32_register(bits(3, 4)),
        InstructionSet::T32 if bits(27, 5) == 0b11110 && bits(14, 2) == 0b11 => {
            // BLX goes to A32 code, whose addresses are multiples of 4.
            let base = if bits(12, 1) == 1 { pc + 4 } else { (pc + 4) & !3 };
            Some(narrow(base.wrapping_add_signed(t32_offset(opcode))))
        }
        _ => None,
    }
}

/// An address of AArch32 without its Thumb bit.
fn narrow(address: u64) -> Target {
    Target::Address(address & 0xffff_fffe)
}

fn a64_register(number: u32) -> Option<Target> {
    u16::try_from(number).ok().filter(|number| *number < 31).map(|number| Target::Register(RegisterId(number)))
}

fn a32_register(number: u32) -> Option<Target> {
    Some(Target::Register(match number {
        13 => RegisterId::SP,
        14 => RegisterId::LR,
        _ => RegisterId(u16::try_from(number).ok().filter(|number| *number < 13)?),
    }))
}

fn signed(field: u32, bits: u32) -> i64 {
    let (field, sign) = (i64::from(field), 1i64 << (bits - 1));
    (field ^ sign) - sign
}

/// S, I1 = not (J1 xor S), I2 = not (J2 xor S), imm10, imm11, 0.
fn t32_offset(opcode: u32) -> i64 {
    let bit = |place: u32| opcode >> place & 1;
    let sign = bit(26);
    let high = sign << 23 | u32::from(bit(13) == sign) << 22 | u32::from(bit(11) == sign) << 21;
    2 * signed(high | (opcode >> 16 & 0x3ff) << 11 | (opcode & 0x7ff), 24)
}
