//! Which instructions return and call, as the heuristic of the calls has it.

use stepback_machine::{InstructionSet, RegisterId};

use crate::oracle::event::Told;

/// What an instruction does to the program counter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Other,
    Branch,
    Call,
    Return,
    Trap,
    ExceptionReturn,
}

use Kind::{Branch, Call, ExceptionReturn, Other, Return, Trap};

/// The bits that are looked at, what they are, and what the instruction then is; the first that fits counts.
type Encodings = &'static [(u32, u32, Kind)];

const A64: Encodings = &[
    (0x7c00_0000, 0x1400_0000, Branch), // B and BL; the latter is told apart below
    (0xff00_0000, 0x5400_0000, Branch),
    (0x7c00_0000, 0x3400_0000, Branch), // CBZ, TBZ
    (0xff00_0000, 0xd400_0000, Trap),
    (0xfee0_0000, 0xd600_0000, Branch),
    (0xfee0_0000, 0xd620_0000, Call),
    (0xfee0_0000, 0xd640_0000, Return),
    (0xfee0_0000, 0xd680_0000, ExceptionReturn),
    (0xfee0_0000, 0xd6a0_0000, ExceptionReturn),
];

/// Those without a condition.
const A32_ALWAYS: Encodings = &[(0xfe00_0000, 0xfa00_0000, Call), (0xfe50_ffff, 0xf810_0a00, ExceptionReturn)];

const A32: Encodings = &[
    (0x0f00_0000, 0x0a00_0000, Branch),
    (0x0f00_0000, 0x0b00_0000, Call),
    (0x0f00_0000, 0x0f00_0000, Trap),
    (0x0e50_8000, 0x0810_8000, Return),          // LDM {…,pc}
    (0x0e50_8000, 0x0850_8000, ExceptionReturn), // LDM {…,pc}^
    (0x0fff_ffff, 0x049d_f004, Return),          // LDR pc,[sp],#4
    (0x0e00_0010, 0x0600_0010, Other),           // media instructions
    (0x0c50_f000, 0x0410_f000, Branch),          // LDR pc
    (0x0fff_ffff, 0x012f_ff1e, Return),
    (0x0fff_fff0, 0x012f_ff10, Branch),
    (0x0fff_fff0, 0x012f_ff20, Branch),
    (0x0fff_fff0, 0x012f_ff30, Call),
    (0x0f90_00f0, 0x0100_0070, Trap),
    (0x0e00_0090, 0x0000_0090, Other), // multiplications, small loads
    (0x0d80_0000, 0x0100_0000, Other), // compares, status registers
    (0x0fff_ffff, 0x01a0_f00e, Return),
    (0x0c10_f000, 0x0010_f000, ExceptionReturn), // SUBS pc,lr
    (0x0c10_f000, 0x0000_f000, Branch),
];

const NARROW: Encodings = &[
    (0xffff, 0x46f7, Return),
    (0xfffb, 0x4770, Return),
    (0xff00, 0xbd00, Return),
    (0xff80, 0x4700, Branch),
    (0xff80, 0x4780, Call),
    (0xff00, 0xde00, Other),
    (0xff00, 0xdf00, Trap),
    (0xf000, 0xd000, Branch),
    (0xf800, 0xe000, Branch),
    (0xff00, 0xbe00, Trap),
    (0xffc0, 0xba80, Trap),
    (0xf500, 0xb100, Branch),
    (0xff87, 0x4487, Branch),
    (0xff87, 0x4687, Branch),
];

const WIDE: Encodings = &[
    (!0, 0xf85d_fb04, Return),
    (0xf800_d000, 0xf000_d000, Call),
    (0xf800_d001, 0xf000_c000, Call),
    (0xf800_d000, 0xf000_c000, Branch),
    (0xf800_d000, 0xf000_9000, Branch),
    (0xffff_ff00, 0xf3de_8f00, ExceptionReturn),
    (0xfff0_ffff, 0xf3c0_8f00, Branch),
    (0xffe0_f000, 0xf7e0_8000, Trap),
    (0xfb80_d000, 0xf380_8000, Other),
    (0xf800_d000, 0xf000_8000, Branch),
    (0xffd0_ffff, 0xe810_c000, ExceptionReturn),
    (0xffd0_ffff, 0xe990_c000, ExceptionReturn),
    (0xffd0_8000, 0xe890_8000, Return),
    (0xffd0_8000, 0xe910_8000, Return),
    (0xff70_f000, 0xf850_f000, Branch),
    (0xfff0_ffe0, 0xe8d0_f000, Branch),
];

/// What an instruction does, when its condition holds.
pub(super) fn kind(step: &Told) -> Kind {
    let opcode = step.opcode;
    let encodings = match step.instruction_set {
        InstructionSet::A64 if opcode >> 26 == 0b10_0101 => return Call,
        InstructionSet::A64 => A64,
        InstructionSet::A32 if opcode >> 28 == 15 => A32_ALWAYS,
        InstructionSet::A32 => A32,
        InstructionSet::T32 if opcode > 0xffff => WIDE,
        InstructionSet::T32 => NARROW,
        _ => return Other,
    };
    let found = encodings.iter().find(|(mask, bits, _)| opcode & mask == *bits);
    found.map_or(Other, |(_, _, kind)| *kind)
}

/// Where a branch without a link goes, when its encoding says so.
pub(super) fn branch_target(step: &Told) -> Option<u64> {
    let (pc, opcode) = (step.pc.0, step.opcode);
    let bits = |from: u32, count: u32| (opcode >> from) & ((1 << count) - 1);
    let a64 = |from: u32, count: u32| Some(pc.wrapping_add_signed(4 * signed(bits(from, count), count)));
    let arm = |offset: i64| Some(pc.wrapping_add_signed(offset) & 0xffff_fffe);
    match step.instruction_set {
        InstructionSet::A64 if bits(26, 6) == 0b00_0101 => a64(0, 26),
        InstructionSet::A64 if bits(24, 8) == 0x54 || bits(25, 6) == 0b01_1010 => a64(5, 19),
        InstructionSet::A64 if bits(25, 6) == 0b01_1011 => a64(5, 14),
        InstructionSet::A32 if bits(24, 4) == 10 && bits(28, 4) != 15 => arm(8 + 4 * signed(bits(0, 24), 24)),
        InstructionSet::T32 if opcode >> 12 == 0xd => arm(4 + 2 * signed(bits(0, 8), 8)),
        InstructionSet::T32 if opcode >> 11 == 0b11100 => arm(4 + 2 * signed(bits(0, 11), 11)),
        InstructionSet::T32 if opcode >> 16 == 0 && opcode & 0xf500 == 0xb100 => {
            arm(4 + 64 * i64::from(bits(9, 1)) + 2 * i64::from(bits(3, 5)))
        }
        InstructionSet::T32 if opcode & 0xf800_d000 == 0xf000_9000 => arm(4 + t32_offset(opcode)),
        InstructionSet::T32 if opcode & 0xf800_d000 == 0xf000_8000 => {
            let high = bits(26, 1) << 19 | bits(11, 1) << 18 | bits(13, 1) << 17;
            arm(4 + 2 * signed(high | bits(16, 6) << 11 | bits(0, 11), 20))
        }
        _ => None,
    }
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
